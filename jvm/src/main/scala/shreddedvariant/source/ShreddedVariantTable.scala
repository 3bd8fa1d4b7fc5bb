/** A directory of Parquet files as Spark's planner sees it. */
package shreddedvariant.source

import java.util

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.{FileSourceOptions, SQLConfHelper}
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.execution.datasources.{
  FileFormat,
  FileStatusCache,
  InMemoryFileIndex,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSink
import org.apache.spark.sql.types.{DataType, Metadata, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import shreddedvariant.{Errors, Options, SparkBridge}
import shreddedvariant.delta.{DeltaLog, DeltaSnapshot}
import shreddedvariant.layout.PathColumn
import shreddedvariant.rules.PathTable

/**
 * The files of a table. `userSchema` is what the user gave on read, the data's schema on write, or what a catalog has.
 * Nothing is listed before it is needed: a table that is about to be written need not exist.
 */
final case class TableFiles(
    paths: Seq[String],
    options: Map[String, String],
    userSchema: Option[StructType],
    catalog: Option[CatalogEntry] = None
) extends SQLConfHelper {

  @transient private lazy val spark = SparkSession.active
  private def hadoopConf = spark.sessionState.newHadoopConfWithOptions(options)

  /** The Delta table that the path is, if it is one, at the version that the options ask for. */
  @transient lazy val delta: Option[DeltaSnapshot] = {
    val hadoop = hadoopConf
    // A table of a catalog has no rows until the first of them is committed.
    val isBegun = catalog.isDefined && paths.exists(path => DeltaLog.isBegun(new Path(path), hadoop))
    val found = if (isBegun) None else log.map(DeltaTables.open(_, options, hadoop))
    // A catalog may lag behind: the log has the columns.
    for (table <- found; user <- userSchema if catalog.isEmpty && !isSame(user, table.schema))
      throw Errors.deltaSchema(table.root)
    found
  }

  /** Whether the path is a Delta table, of whatever columns. */
  def isDelta: Boolean = log.isDefined

  /** The path of the Delta table; a store is asked once, for it and for the directories above all paths. */
  @transient private lazy val log: Option[Path] = {
    val found = DeltaTables.find(paths, hadoopConf)
    if (catalog.isEmpty) DeltaPathCheck.checkAbove(plain, hadoopConf)
    found
  }

  private def plain = paths.map(new Path(_)).filterNot(SparkBridge.isGlob)

  /** Refuses paths that lie within a Delta table, and tables among other paths. */
  def check(): Unit = { log; () }

  @transient lazy val index: PartitioningAwareFileIndex =
    delta.fold(listed)(new DeltaFileIndex(spark, _, options))

  private def listed: PartitioningAwareFileIndex = {
    if (paths.isEmpty) throw Errors.noPath()
    val hadoop = hadoopConf
    if (catalog.isDefined) DeltaPathCheck.checkAbove(new Path(paths.head), hadoop)
    if (FileStreamSink.hasMetadata(paths, hadoop, conf))
      new MetadataLogFileIndex(spark, new Path(paths.head), options, userSchema)
    else if (catalog.isDefined) {
      // The directory need not exist yet. What lies in that of a Delta table without a commit is not part of it.
      val path = new Path(paths.head)
      val roots =
        if (isDelta || Options.isDelta(options)) Nil else Seq(path.getFileSystem(hadoop).makeQualified(path))
      new InMemoryFileIndex(spark, roots, options, userSchema, FileStatusCache.getOrCreate(spark))
    } else {
      val glob = options.collectFirst {
        case (k, v) if k.equalsIgnoreCase("__globPaths__") => v == "true"
      }.getOrElse(true)
      val ignored = new FileSourceOptions(options).ignoredPathSegmentRegexPattern
      val roots = SparkBridge.resolvePaths(paths, hadoop, glob, ignored)
      if (plain.size < paths.size) {
        for (root <- roots if DeltaLog.isTable(root, hadoop))
          throw Errors.deltaRoute(root.toString, "a read by pattern")
        DeltaPathCheck.checkAbove(roots, hadoop)
      }
      new InMemoryFileIndex(spark, roots, options, userSchema, FileStatusCache.getOrCreate(spark))
    }
  }

  /** The columns that the files hold; those that paths hold are left out even if files repeat them. */
  lazy val dataSchema: StructType = {
    val fields = delta.map(_.schema)
      .orElse(userSchema)
      .orElse(SchemaInference.infer(spark, options, index.allFiles()))
      .getOrElse(throw Errors.noSchema(paths.mkString(", ")))
    val data =
      StructType(fields.filterNot(f => index.partitionSchema.exists(p => conf.resolver(p.name, f.name))))
    SparkBridge.checkColumnNames(data, conf.caseSensitiveAnalysis)
    SparkBridge.asNullable(data)
  }

  def schema: StructType = (delta.map(_.schema), userSchema) match {
    case (Some(ofLog), _) => SparkBridge.asNullable(ofLog)
    case (_, Some(ofCatalog)) if catalog.isDefined => SparkBridge.asNullable(ofCatalog)
    case _ => StructType(dataSchema ++ index.partitionSchema)
  }

  def partitionColumns: Seq[String] = catalog match {
    case Some(entry) if userSchema.isDefined && delta.isEmpty => entry.partitionColumns
    case _ => index.partitionSchema.fieldNames.toSeq
  }

  /** The same table as a query's own options choose its version or its files; its columns stay what they are. */
  def reading(asked: Map[String, String]): TableFiles =
    if (
      catalog.isEmpty || TableFiles.Choices.forall(key =>
        Options.get(asked, key) == Options.get(options, key)
      )
    ) this
    else {
      val chosen = copy(options = asked)
      if (!isSame(chosen.schema, schema)) throw Errors.deltaSchema(paths.mkString(", "))
      chosen
    }

  private def isSame(a: StructType, b: StructType) = {
    def columns(of: StructType) = SparkBridge.asNullable(of).map(f => (f.name, f.dataType))
    columns(a) == columns(b)
  }
}

object TableFiles {

  /** Options of a read that choose what is read. */
  private val Choices = Seq(
    Options.VersionAsOf,
    Options.TimestampAsOf,
    "pathGlobFilter",
    "recursiveFileLookup",
    "modifiedBefore",
    "modifiedAfter"
  )
}

final case class ShreddedVariantTable(
    files: TableFiles,
    pathColumns: Seq[PathColumn],
    whole: Map[String, String]
) extends PathTable
    with SupportsRead
    with SupportsWrite
    with SupportsMetadataColumns {
  override def withPathColumns(columns: Seq[PathColumn]): PathTable = copy(pathColumns = columns)
  override def withWhole(reasons: Map[String, String]): PathTable = copy(whole = reasons)

  override lazy val columns: Array[Column] = files.schema.fields.map { f =>
    Column.create(f.name, f.dataType, f.nullable, f.getComment().orNull, FieldMetadata.json(f))
  }

  override def name: String = s"shredded_variant ${files.paths.mkString(",")}"

  override def partitioning: Array[Transform] =
    files.partitionColumns.map(name => Expressions.identity(s"`${name.replace("`", "``")}`")).toArray

  override def properties: util.Map[String, String] =
    files.catalog.fold(files.options)(_.shown).asJava

  /** `save(path)` is left to V1, and knows all modes there; and so are streams from a directory. */
  override def capabilities: util.Set[TableCapability] = {
    val all = util.EnumSet.of(
      TableCapability.BATCH_READ,
      TableCapability.TRUNCATE,
      TableCapability.OVERWRITE_BY_FILTER
    )
    if (files.catalog.isEmpty) all.add(TableCapability.V1_BATCH_WRITE)
    else {
      all.add(TableCapability.BATCH_WRITE)
      all.add(TableCapability.OVERWRITE_DYNAMIC)
    }
    if (files.isDelta) all.add(TableCapability.MICRO_BATCH_READ)
    all
  }

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new TableWriteBuilder(info)

  override def metadataColumns: Array[MetadataColumn] = Array(FileMetadataColumn)

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder = {
    val options = GivenOptions(scanOptions.asCaseSensitiveMap.asScala.toMap, files.options).all
    // A read for maintenance was known as such when its table was made; a catalog has no such tables.
    val isMaintained = files.catalog.isEmpty && Maintenance.of(files.options).isDefined
    Options.check(if (isMaintained) Maintenance.without(options) else options)
    new ShreddedVariantScanBuilder(SparkSession.active, files.reading(options), pathColumns, whole, options)
  }
}

/** `_metadata`, as Spark's own file sources have it. */
object FileMetadataColumn extends MetadataColumn {
  override val name: String = FileFormat.METADATA_NAME
  override val dataType: DataType = new ShreddedVariantSource().createFileMetadataCol().dataType
  override val isNullable: Boolean = false
}

private object FieldMetadata {
  def json(field: StructField): String = if (field.metadata == Metadata.empty) null else field.metadata.json
}
