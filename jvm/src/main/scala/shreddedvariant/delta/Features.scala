/**
 * Checks the features that a table requires of readers and writers; refuses unsupported features by name.
 *
 * If no column and no file uses a feature of the protocol, the feature requires nothing. So only features in
 * use are refused.
 */
package shreddedvariant.delta

import scala.jdk.CollectionConverters._

import shreddedvariant.Errors
import shreddedvariant.shaded.io.delta.kernel.internal.TableConfig
import shreddedvariant.shaded.io.delta.kernel.internal.actions.{Metadata, Protocol}
import shreddedvariant.shaded.io.delta.kernel.internal.tablefeatures.TableFeatures

final class Features(root: String, protocol: Protocol, metadata: Metadata) {
  import Features._

  private val all: Set[String] =
    protocol.getImplicitlySupportedFeatures.asScala.map(_.featureName).toSet ++
      protocol.getReaderAndWriterFeatures.asScala

  def checkReading(): Unit = {
    if (protocol.getMinReaderVersion > NamedReader)
      refuse(s"reader version ${protocol.getMinReaderVersion}", "read")
    if (isMapped) refuse("columnMapping", "read")
    (protocol.getReaderFeatures.asScala.toSeq.sorted.filterNot(Readable)).foreach(refuse(_, "read"))
  }

  def checkWriting(): Unit = {
    if (protocol.getMinWriterVersion > NamedWriter)
      refuse(s"writer version ${protocol.getMinWriterVersion}", "written")
    val used = Map(
      "invariants" -> TableFeatures.hasInvariants(metadata.getSchema),
      "checkConstraints" -> TableFeatures.hasCheckConstraints(metadata),
      "generatedColumns" -> TableFeatures.hasGeneratedColumns(metadata),
      "identityColumns" -> TableFeatures.hasIdentityColumns(metadata),
      "columnMapping" -> isMapped,
      "allowColumnDefaults" -> metadata.getSchemaString.contains("CURRENT_DEFAULT")
    )
    all.toSeq.sorted.filter(name => !Writable(name) && used.getOrElse(name, true)).foreach(refuse(
      _,
      "written"
    ))
  }

  /** Checks that files may be removed from the table. */
  def checkRemoving(): Unit = {
    if (TableConfig.APPEND_ONLY_ENABLED.fromMetadata(metadata)) throw Errors.deltaAppendOnly(root)
    if (TableConfig.CHANGE_DATA_FEED_ENABLED.fromMetadata(metadata)) refuse("changeDataFeed", "overwritten")
  }

  /** Checks that rows may move to other files. */
  def checkRearranging(): Unit =
    if (TableConfig.ROW_TRACKING_ENABLED.fromMetadata(metadata)) throw Errors.deltaRowTracking(root)

  /** Whether variants may be written shredded. */
  def allowShredding: Boolean =
    all.exists(_.startsWith("variantShredding")) && TableConfig.VARIANT_SHREDDING_ENABLED.fromMetadata(
      metadata
    )

  def has(name: String): Boolean = all(name)

  private def isMapped =
    !Option(metadata.getConfiguration.get(ColumnMapping)).forall(_.equalsIgnoreCase("none"))

  private def refuse(feature: String, action: String) =
    throw Errors.deltaFeature(root, feature, action, "use format(\"delta\")")
}

object Features {
  private val NamedReader = 3
  private val NamedWriter = 7
  private val ColumnMapping = "delta.columnMapping.mode"

  val Variants: Set[String] =
    Set("variantType", "variantType-preview", "variantShredding", "variantShredding-preview")

  /** Features that a reader may ignore; but files with deletion vectors and mapped columns are refused. */
  private val Readable =
    Variants ++ Set("deletionVectors", "columnMapping", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck")

  /** Features that appends and removals of whole files always satisfy, or that Kernel's commits implement. */
  private val Writable = Variants ++ Set(
    "appendOnly",
    "changeDataFeed",
    "deletionVectors",
    "domainMetadata",
    "inCommitTimestamp",
    "rowTracking",
    "timestampNtz",
    "v2Checkpoint",
    "vacuumProtocolCheck"
  )
}
