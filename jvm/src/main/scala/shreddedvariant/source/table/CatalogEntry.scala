/** What a catalog knows of a table: its properties, and how it is partitioned. */
package shreddedvariant.source.table

import java.util.Locale

import org.apache.spark.sql.catalyst.plans.logical.TableSpec
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.internal.SQLConf
import shreddedvariant.Options

final case class CatalogEntry(properties: Map[String, String], partitionColumns: Seq[String]) {

  /** The options of the table, from its OPTIONS and its TBLPROPERTIES alike. */
  def options: Map[String, String] = CatalogEntry.options(properties)

  /** Those that a Delta table is created with; afterwards its log has them. */
  def deltaProperties: Map[String, String] = options.filter(o => CatalogEntry.isOfDelta(o._1))

  /** As Spark shows them: where a table was given no place, the catalog manages it. */
  def shown: Map[String, String] = {
    val path = Options.get(properties, "path")
    val others = properties.filterNot(_._1.equalsIgnoreCase("path"))
    if (path.isEmpty || others.contains(TableCatalog.PROP_LOCATION)) others
    else others + (TableCatalog.PROP_LOCATION -> path.get) + (TableCatalog.PROP_IS_MANAGED_LOCATION -> "true")
  }
}

object CatalogEntry {

  /** Spark's catalog hands these over with every table that it creates or loads, and nobody else does. */
  def isOne(properties: Map[String, String]): Boolean =
    properties.contains(TableCatalog.PROP_OWNER) && isOurs(properties.get(TableCatalog.PROP_PROVIDER))

  private val SourceClass = "shreddedvariant.source.ShreddedVariantSource"

  /** Whether tables of a provider are ours; none stands for the session's default. */
  def isOurs(provider: Option[String]): Boolean = {
    val name = provider.getOrElse(SQLConf.get.defaultDataSourceName)
    name.equalsIgnoreCase("shredded_variant") || name == SourceClass
  }

  /** What a catalog says of a table; partitions by anything but a column are left out. */
  def of(properties: Map[String, String], partitioning: Seq[Transform]): CatalogEntry =
    CatalogEntry(properties, partitioning.filter(isIdentity).map(column))

  def isIdentity(transform: Transform): Boolean =
    transform.name == "identity" && transform.references.map(_.fieldNames.length).sameElements(Array(1))

  private def column(transform: Transform) = transform.references.head.fieldNames.head

  /** Spark hands what stands in OPTIONS over twice, once with a prefix. */
  private def options(properties: Map[String, String]): Map[String, String] = {
    val (prefixed, bare) = properties.partition { case (key, _) =>
      key.startsWith(TableCatalog.OPTION_PREFIX)
    }
    val all = prefixed.map { case (key, value) =>
      key.stripPrefix(TableCatalog.OPTION_PREFIX) -> value
    } ++ bare
    all.filterNot { case (key, _) => isReserved(key) }
  }

  def isOfDelta(key: String): Boolean = key.toLowerCase(Locale.ROOT).startsWith("delta.")

  /** The table as a write of its first rows makes it: options of the write stay, but for those of this write alone. */
  def keeping(spec: TableSpec, write: Map[String, String]): TableSpec = {
    val taken = (spec.properties ++ spec.options).keySet.map(_.toLowerCase(Locale.ROOT))
    val kept = write.filterNot { case (key, _) =>
      isReserved(key) || ofOneWrite(key.toLowerCase(Locale.ROOT)) || taken(key.toLowerCase(Locale.ROOT))
    }
    spec.copy(options = spec.options ++ kept)
  }

  private val ofOneWrite: Set[String] = Set(
    Options.MergeSchema,
    Options.OverwriteSchema,
    Options.ReplaceWhere,
    Options.VersionAsOf,
    Options.TimestampAsOf,
    Options.SingleDriver,
    "partitionOverwriteMode"
  ).map(_.toLowerCase(Locale.ROOT))

  def isReserved(key: String): Boolean = reserved(key.toLowerCase(Locale.ROOT))

  private val reserved: Set[String] = Set(
    TableCatalog.PROP_COMMENT,
    TableCatalog.PROP_LOCATION,
    TableCatalog.PROP_PROVIDER,
    TableCatalog.PROP_OWNER,
    TableCatalog.PROP_EXTERNAL,
    TableCatalog.PROP_IS_MANAGED_LOCATION,
    TableCatalog.PROP_COLLATION,
    "path",
    "paths"
  )
}
