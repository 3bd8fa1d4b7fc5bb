/** The entry of a table in a catalog: its properties and its partition columns. */
package shreddedvariant.source.table

import java.util.Locale

import org.apache.spark.sql.catalyst.plans.logical.TableSpec
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.internal.{SQLConf, StaticSQLConf}
import shreddedvariant.Options

final case class CatalogEntry(properties: Map[String, String], partitionColumns: Seq[String]) {

  /** The options of the table, from both OPTIONS and TBLPROPERTIES. */
  def options: Map[String, String] = CatalogEntry.options(properties)

  /** The properties for a new Delta table; the log of an existing table has its own. */
  def deltaProperties: Map[String, String] = options.filter(o => CatalogEntry.isOfDelta(o._1))

  /** The properties that Spark shows. A table with a `path` but no location is a managed table. */
  def shown: Map[String, String] = {
    val path = Options.get(properties, "path")
    val others = properties.filterNot(_._1.equalsIgnoreCase("path"))
    if (path.isEmpty || others.contains(TableCatalog.PROP_LOCATION)) others
    else others + (TableCatalog.PROP_LOCATION -> path.get) + (TableCatalog.PROP_IS_MANAGED_LOCATION -> "true")
  }
}

object CatalogEntry {

  /** Whether properties are those of a catalog table: only Spark's catalog sets the owner and the provider. */
  def isOne(properties: Map[String, String]): Boolean =
    properties.contains(TableCatalog.PROP_OWNER) && isOurs(properties.get(TableCatalog.PROP_PROVIDER))

  /** Whether Spark's catalog is a Hive metastore, in which the partition columns of each table are last. */
  def isInHive: Boolean = SQLConf.get.getConf(StaticSQLConf.CATALOG_IMPLEMENTATION) == "hive"

  private val SourceClass = "shreddedvariant.source.ShreddedVariantSource"

  /** Whether a provider is this format; None is the session's default provider. */
  def isOurs(provider: Option[String]): Boolean = {
    val name = provider.getOrElse(SQLConf.get.defaultDataSourceName)
    name.equalsIgnoreCase("shredded_variant") || name == SourceClass
  }

  /** The entry for properties of a catalog; partition transforms other than columns are left out. */
  def of(properties: Map[String, String], partitioning: Seq[Transform]): CatalogEntry =
    CatalogEntry(properties, partitioning.filter(isIdentity).map(column))

  def isIdentity(transform: Transform): Boolean =
    transform.name == "identity" && transform.references.map(_.fieldNames.length).sameElements(Array(1))

  private def column(transform: Transform) = transform.references.head.fieldNames.head

  /** Spark passes each of the OPTIONS twice, once with a prefix. */
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

  /** The table that a write creates: it keeps the options of the write, except those for a single write. */
  def keeping(spec: TableSpec, write: Map[String, String]): TableSpec = {
    val existing = (spec.properties ++ spec.options).keySet.map(_.toLowerCase(Locale.ROOT))
    val kept = write.filterNot { case (key, _) =>
      isReserved(key) || forSingleWrite(key.toLowerCase(Locale.ROOT)) || existing(
        key.toLowerCase(Locale.ROOT)
      )
    }
    spec.copy(options = spec.options ++ kept)
  }

  private val forSingleWrite: Set[String] = Set(
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
