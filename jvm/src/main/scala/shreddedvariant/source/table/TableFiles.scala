/** The files, the columns and the Delta snapshot of a table, from its paths, options and catalog entry. */
package shreddedvariant.source.table

import scala.util.Try

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.{FileSourceOptions, SQLConfHelper}
import org.apache.spark.sql.execution.datasources.{
  FileStatusCache,
  InMemoryFileIndex,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSink
import org.apache.spark.sql.types.StructType
import shreddedvariant.{Errors, Options, SparkBridge}
import shreddedvariant.delta.{DeltaLog, DeltaSnapshot}

/**
 * `userSchema` is the user's schema on read, the data's schema on write, or the schema in the catalog. Files
 * are listed lazily, because a table that is about to be written need not exist.
 */
final case class TableFiles(
    paths: Seq[String],
    options: Map[String, String],
    userSchema: Option[StructType],
    catalog: Option[CatalogEntry] = None
) extends SQLConfHelper {

  @transient private lazy val spark = SparkSession.active
  private def hadoopConf = spark.sessionState.newHadoopConfWithOptions(options)

  /** The snapshot of the Delta table at the path, if there is one, at the version that the options choose. */
  @transient lazy val delta: Option[DeltaSnapshot] = {
    val hadoop = hadoopConf
    // Only here: a write does not ask for the snapshot of its table, and has a check of its own.
    if (catalog.isEmpty) checkAbove()
    // A table of a catalog is empty until its first commit.
    val isUncommitted = catalog.isDefined && paths.exists(path => DeltaLog.isBegun(new Path(path), hadoop))
    val snapshot = if (isUncommitted) None else log.map(DeltaTables.open(_, options, hadoop))
    // The columns of a catalog may be outdated, so the columns of the log are used.
    for (table <- snapshot; user <- userSchema if catalog.isEmpty && !isSame(user, table.schema))
      throw Errors.deltaSchema(table.root)
    snapshot
  }

  /** Whether the path is a Delta table. */
  def isDelta: Boolean = log.isDefined

  /** The path of the Delta table. */
  @transient private lazy val log: Option[Path] = DeltaTables.find(paths, hadoopConf)

  /** Refuses paths inside a Delta table; the directories above are asked once. */
  def checkAbove(): Unit = checked
  @transient private lazy val checked: Unit = DeltaPathCheck.checkAbove(plain, hadoopConf)

  /** Paths without patterns: the files of a pattern are checked when they are listed. */
  private def plain = paths.map(new Path(_)).filterNot(SparkBridge.isGlob)

  /** Refuses a Delta table together with other paths. */
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
      // The directory need not exist yet. Files of a Delta table without a commit are not part of the table.
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
          throw Errors.deltaRoute(root.toString, "a read by a path pattern")
        DeltaPathCheck.checkAbove(roots, hadoop)
      }
      new InMemoryFileIndex(spark, roots, options, userSchema, FileStatusCache.getOrCreate(spark))
    }
  }

  /** The columns that are read from files: without partition columns, even if files have these too. */
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
    case (Some(ofLog), _) if isOfCatalog && CatalogEntry.isInHive =>
      TableFiles.partitionsLast(SparkBridge.asNullable(ofLog), partitionColumns)
    case (Some(ofLog), _) => SparkBridge.asNullable(ofLog)
    case (_, Some(ofCatalog)) if catalog.isDefined => SparkBridge.asNullable(ofCatalog)
    case _ => StructType(dataSchema ++ index.partitionSchema)
  }

  private def isOfCatalog = catalog.isDefined || options.contains(TableFiles.OfCatalog)

  def partitionColumns: Seq[String] = catalog match {
    case Some(entry) if userSchema.isDefined && delta.isEmpty => entry.partitionColumns
    case _ => index.partitionSchema.fieldNames.toSeq
  }

  /** The table with the options of a query, which may choose a version or files, but not other columns. */
  def reading(queryOptions: Map[String, String]): TableFiles =
    if (
      catalog.isEmpty || TableFiles.Choices.forall(key =>
        Options.get(queryOptions, key) == Options.get(options, key)
      )
    ) this
    else {
      val chosen = copy(options = queryOptions)
      if (!isSame(chosen.schema, schema)) throw Errors.deltaSchema(paths.mkString(", "))
      chosen
    }

  private def isSame(a: StructType, b: StructType) = {
    def columns(schema: StructType) = SparkBridge.asNullable(schema).map(f => (f.name, f.dataType))
    columns(a) == columns(b)
  }

  /** Law: equal tables have the same rows, because Spark takes cached rows for a table that equals theirs. */
  override def equals(other: Any): Boolean = other match {
    case that: TableFiles => (this eq that) || named == that.named && content == that.content
    case _ => false
  }
  override def hashCode: Int = named.hashCode

  private def named = (paths, options, userSchema, catalog)

  /** The version of a Delta table, or the files of a directory; None if they cannot be read. */
  private def content: Option[Any] = Try {
    def listing = index.allFiles().map(f => (f.getPath, f.getLen, f.getModificationTime)).toSet
    delta.fold[Any](listing)(snapshot => (snapshot.id, snapshot.version))
  }.toOption
}

object TableFiles {

  /** An internal option of a read by path: the path is that of a table in a catalog, whose column order applies. */
  val OfCatalog = "__shredded_variant_of_catalog__"

  /** The columns with those of the partitions at the end, in the order of `partitions`. */
  def partitionsLast(columns: StructType, partitions: Seq[String]): StructType = {
    val (last, others) = columns.partition(f => partitions.contains(f.name))
    StructType(others ++ last.sortBy(f => partitions.indexOf(f.name)))
  }

  /** Options of a read that choose the version or the files. */
  private val Choices = Seq(
    Options.VersionAsOf,
    Options.TimestampAsOf,
    "pathGlobFilter",
    "recursiveFileLookup",
    "modifiedBefore",
    "modifiedAfter"
  )
}
