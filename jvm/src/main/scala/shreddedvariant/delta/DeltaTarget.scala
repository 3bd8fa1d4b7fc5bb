/** The state of a Delta table after a write: unchanged, with other columns, or new. */
package shreddedvariant.delta

import java.util.{Collections, Optional, UUID}

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import org.apache.spark.sql.types.{DataType, StructType}
import shreddedvariant.Errors
import shreddedvariant.shaded.io.delta.kernel.internal.actions.{Format, Metadata, Protocol}
import shreddedvariant.shaded.io.delta.kernel.internal.tablefeatures.TableFeatures
import shreddedvariant.shaded.io.delta.kernel.internal.types.DataTypeJsonSerDe
import shreddedvariant.shaded.io.delta.kernel.internal.util.{SchemaUtils, VectorUtils}
import shreddedvariant.shaded.io.delta.kernel.types.StringType

/**
 * `snapshot` is the version of the table that the write has read. `isChanged` means that columns or properties
 * change. `isRepinned` means that pins change, on which no other write depends.
 */
final class DeltaTarget private (
    val root: String,
    val snapshot: Option[DeltaSnapshot],
    private[delta] val protocol: Protocol,
    private[delta] val metadata: Metadata,
    val isChanged: Boolean,
    private[delta] val isRepinned: Boolean = false
) {
  private[delta] val features = new Features(root, protocol, metadata)
  features.checkWriting()

  val schema: StructType = DataType.fromJson(metadata.getSchemaString).asInstanceOf[StructType]
  val partitionColumns: Seq[String] =
    VectorUtils.toJavaList[String](metadata.getPartitionColumns).asScala.toSeq
  val properties: Map[String, String] = metadata.getConfiguration.asScala.toMap

  /** Whether variants may be written shredded. */
  def allowsShredding: Boolean = features.allowShredding

  /** The same target with `shapes` in place of its pins. */
  def pinned(shapes: Map[String, String]): DeltaTarget = {
    val unpinned = metadata.withConfigurationKeysUnset(DeltaTarget.pins(properties).keySet.asJava)
    val pinned = unpinned.withMergedConfiguration(shapes.asJava)
    new DeltaTarget(root, snapshot, protocol, pinned, isChanged, isRepinned = pinned != metadata)
  }

  /** The same target on a later version of the table, which may differ only in pins. */
  def on(newest: DeltaSnapshot): DeltaTarget =
    if (!snapshot.forall(DeltaTarget.isAlike(_, newest)))
      throw Errors.deltaConflict(root, DeltaTarget.Changed)
    else if (isChanged) DeltaTarget.changed(newest, schema, partitionColumns)
    else DeltaTarget.existing(newest)

  def statistics: FileStatistics = FileStatistics(
    metadata.getSchemaString,
    StatisticsColumns.of(schema, partitionColumns, properties)
  )
}

object DeltaTarget {
  val ShreddingKey = "delta.enableVariantShredding"

  /** Prefix of the properties for pins: the column follows, and the value is its shape. */
  val PinPrefix = "shredded_variant.shape."

  private[delta] val Changed = "its columns, properties or features were changed"

  def pins(properties: Map[String, String]): Map[String, String] =
    properties.filter(_._1.startsWith(PinPrefix))

  /** Whether two versions of a table are equal for all writes, regardless of pins. */
  private[delta] def isAlike(a: DeltaSnapshot, b: DeltaSnapshot): Boolean = {
    def unpinned(snapshot: DeltaSnapshot) =
      snapshot.kernel.getMetadata.withConfigurationKeysUnset(pins(snapshot.properties).keySet.asJava)
    unpinned(a) == unpinned(b) && a.kernel.getProtocol == b.kernel.getProtocol
  }

  def existing(snapshot: DeltaSnapshot): DeltaTarget =
    new DeltaTarget(
      snapshot.root,
      Some(snapshot),
      snapshot.kernel.getProtocol,
      snapshot.kernel.getMetadata,
      isChanged = false
    )

  /**
   * A new table. The protocol gets the shredding feature before Kernel upgrades the protocol: if a property
   * allows shredding and the feature is missing, Kernel adds the preview of the feature.
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

  /** The table with other columns; the protocol gets the features that these columns need. */
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

  /** The schema for Kernel, which refuses names and types that a table must not have. */
  private def kernelSchema(root: String, schema: StructType, partitionColumns: Seq[String]) =
    KernelErrors.attempt(root) {
      val kernel = DataTypeJsonSerDe.deserializeStructType(schema.json)
      SchemaUtils.validateSchema(kernel, false, false, false)
      SchemaUtils.validatePartitionColumns(kernel, partitionColumns.asJava)
      kernel
    }
}
