/** A Delta table as a write leaves it: as it was, with other columns, or new. */
package shreddedvariant.delta

import java.util.{Collections, Optional, UUID}

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import org.apache.spark.sql.types.{DataType, StructType}
import shreddedvariant.shaded.io.delta.kernel.internal.actions.{Format, Metadata, Protocol}
import shreddedvariant.shaded.io.delta.kernel.internal.tablefeatures.TableFeatures
import shreddedvariant.shaded.io.delta.kernel.internal.types.DataTypeJsonSerDe
import shreddedvariant.shaded.io.delta.kernel.internal.util.{SchemaUtils, VectorUtils}
import shreddedvariant.shaded.io.delta.kernel.types.StringType

/** `snapshot` is what the write has seen of the table; `isChanged` says that columns or properties change. */
final class DeltaTarget private (
    val root: String,
    val snapshot: Option[DeltaSnapshot],
    private[delta] val protocol: Protocol,
    private[delta] val metadata: Metadata,
    val isChanged: Boolean
) {
  private[delta] val features = new Features(root, protocol, metadata)
  features.checkWriting()

  val schema: StructType = DataType.fromJson(metadata.getSchemaString).asInstanceOf[StructType]
  val partitionColumns: Seq[String] =
    VectorUtils.toJavaList[String](metadata.getPartitionColumns).asScala.toSeq
  val properties: Map[String, String] = metadata.getConfiguration.asScala.toMap

  /** Whether variants may be written shredded. */
  def allowsShredding: Boolean = features.allowShredding

  def statistics: FileStatistics = FileStatistics(
    metadata.getSchemaString,
    StatisticsColumns.of(schema, partitionColumns, properties)
  )
}

object DeltaTarget {
  val ShreddingKey = "delta.enableVariantShredding"

  def existing(snapshot: DeltaSnapshot): DeltaTarget =
    new DeltaTarget(
      snapshot.root,
      Some(snapshot),
      snapshot.kernel.getProtocol,
      snapshot.kernel.getMetadata,
      isChanged = false
    )

  /**
   * Kernel takes a table whose property allows shredding for one of the feature's preview, unless the protocol has the
   * feature already: so the protocol has it before Kernel looks at the property.
   */
  def create(
      root: String,
      schema: StructType,
      partitionColumns: Seq[String],
      properties: Map[String, String]
  ): DeltaTarget = {
    val all = Map(ShreddingKey -> "true") ++ properties
    val metadata = new Metadata(
      UUID.randomUUID.toString,
      Optional.empty,
      Optional.empty,
      new Format(),
      schema.json,
      kernelSchema(root, schema, partitionColumns),
      VectorUtils.buildArrayValue(partitionColumns.asJava, StringType.STRING),
      Optional.of(System.currentTimeMillis),
      VectorUtils.stringStringMapValue(all.asJava)
    )
    val features = Seq(TableFeatures.VARIANT_RW_FEATURE, TableFeatures.VARIANT_SHREDDING_RW_FEATURE)
    val protocol = new Protocol(3, 7).withFeatures(features.asJava)
    new DeltaTarget(root, None, upgraded(protocol, metadata), metadata, isChanged = true)
  }

  /** The table with other columns; its features grow as these need it. */
  def changed(snapshot: DeltaSnapshot, schema: StructType, partitionColumns: Seq[String]): DeltaTarget = {
    val old = snapshot.kernel.getMetadata
    val metadata = new Metadata(
      old.getId,
      old.getName,
      old.getDescription,
      old.getFormat,
      schema.json,
      kernelSchema(snapshot.root, schema, partitionColumns),
      VectorUtils.buildArrayValue(partitionColumns.asJava, StringType.STRING),
      old.getCreatedTime,
      old.getConfigurationMapValue
    )
    val protocol = upgraded(snapshot.kernel.getProtocol, metadata)
    new DeltaTarget(snapshot.root, Some(snapshot), protocol, metadata, isChanged = true)
  }

  private def upgraded(protocol: Protocol, metadata: Metadata): Protocol =
    TableFeatures
      .autoUpgradeProtocolBasedOnMetadata(metadata, Collections.emptyList, protocol)
      .toScala
      .fold(protocol)(_._1)

  /** Kernel knows which names and types a table may have. */
  private def kernelSchema(root: String, schema: StructType, partitionColumns: Seq[String]) =
    DeltaLog.attempt(root) {
      val kernel = DataTypeJsonSerDe.deserializeStructType(schema.json)
      SchemaUtils.validateSchema(kernel, false, false, false)
      SchemaUtils.validatePartitionColumns(kernel, partitionColumns.asJava)
      kernel
    }
}
