/** The files of a table, its columns and its Delta log, as options and a catalog name them. */
package shreddedvariant.source.table

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
