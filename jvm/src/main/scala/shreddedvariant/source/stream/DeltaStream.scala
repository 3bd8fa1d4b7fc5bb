/**
 * Reads a Delta table as a stream: first the files of the table, unless an option names a start, then the files
 * that each commit adds. The columns are those of the table at the start of the query.
 *
 * A stream cannot take rows back, so a commit that removes rows ends the stream, unless an option allows the
 * commit. Commits that move rows to other files without a change are skipped.
 */
package shreddedvariant.source.stream

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.io.IOUtils
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.connector.read.streaming._
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.apache.spark.sql.types.StructType
import shreddedvariant.{Errors, Options, ShreddedVariantException, StreamOptions}
import shreddedvariant.delta._
import shreddedvariant.source.table.{DeltaColumns, DeltaFileIndex}

final class DeltaStream(
    scan: StreamedScan,
    index: DeltaFileIndex,
    checkpoint: Path,
    conf: Configuration
) extends MicroBatchStream
    with SupportsAdmissionControl
    with SupportsTriggerAvailableNow {
  import DeltaStream._

  private val options = scan.options
  private val table = index.snapshot
  private val commits = new DeltaCommits(table, conf)

  for (key <- Options.versionKey(options))
    throw Errors.deltaOption(
      table.root,
      key,
      s"a stream reads all later versions, and ${StreamOptions.StartingVersion} sets its start"
    )

  // ---- the start ----

  /** Stored in the checkpoint: a query that stops in its first batch starts at the same offset again. */
  override lazy val initialOffset: DeltaOffset = {
    val files = CheckpointFileManager.create(checkpoint, conf)
    val file = new Path(checkpoint, "start.json")
    if (files.exists(file)) {
      val in = files.open(file)
      try deserializeOffset(new String(IOUtils.readFullyToByteArray(in), UTF_8))
      finally in.close()
    } else {
      val offset = DeltaStart.of(table, commits, options)
      if (!files.exists(checkpoint)) files.mkdirs(checkpoint)
      val out = files.createAtomic(file, overwriteIfPossible = false)
      try out.write(offset.json.getBytes(UTF_8))
      catch { case e: Throwable => out.cancel(); throw e }
      out.close()
      offset
    }
  }

  override def deserializeOffset(json: String): DeltaOffset = {
    def refuse(reason: String) = throw Errors.deltaStreamOffset(table.root, json, reason)
    val offset = DeltaOffset.parse(json).getOrElse(refuse("it has another format"))
    if (offset.table != table.id) refuse("the path has another table now")
    offset
  }

  // ---- the end ----

  override def getDefaultReadLimit: ReadLimit = DeltaStart.limit(options)

  /** The newest known version, and the last version for Trigger.AvailableNow. */
  private var newest = table.version
  private var lastVersion: Option[Long] = None

  override def prepareForTriggerAvailableNow(): Unit = lastVersion = Some(commits.newest)

  override def latestOffset(): Offset = latestOffset(initialOffset, ReadLimit.allAvailable())

  /** Null if there are no new files. */
  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    if (lastVersion.isEmpty && commits.has(newest + 1)) newest = commits.newest
    val budget = Budget.of(limit)
    after(from(start), lastVersion.getOrElse(newest)).takeWhile { case (_, file) => budget.take(file) }
      .foldLeft(Option.empty[DeltaOffset])((_, next) => Some(next._1))
      .orNull
  }

  private def from(offset: Offset) = offset match {
    case delta: DeltaOffset => delta
    case other => deserializeOffset(other.json)
  }

  // ---- the files ----

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = {
    val until = from(end)
    val files =
      after(from(start), until.version).takeWhile { case (offset, _) => isUpTo(offset, until) }.map(_._2)
    val batch = files.toIndexedSeq
    val names = table.partitionColumns.toSet
    // Files from before a change of the partition columns.
    if (batch.exists(_.partition.keySet != names)) throw Errors.deltaStreamColumns(table.root, until.version)
    scan.partitionsOf(index.of(batch))
  }

  override def createReaderFactory(): PartitionReaderFactory = {
    // A scan returns the partition columns last; the table may have another order.
    val read = scan.readSchema().fieldNames
    val ordered =
      scan.tableColumns.filter(read.contains) ++ read.filterNot(scan.tableColumns.contains)
    OrderedReaderFactory(scan.createReaderFactory(), ordered.map(read.indexOf(_)).toArray)
  }

  private def isUpTo(offset: DeltaOffset, end: DeltaOffset) =
    if (offset.isSnapshot && end.isSnapshot) offset.file <= end.file
    else offset.isSnapshot || !end.isSnapshot &&
    (offset.version < end.version || offset.version == end.version && offset.file <= end.file)

  /** The files after an offset, up to a version, with their offsets. */
  private def after(start: DeltaOffset, until: Long): Iterator[(DeltaOffset, DeltaFile)] = {
    val ofSnapshot =
      if (start.isSnapshot) numbered(start, snapshot(start.version))
      else Iterator.empty
    val first = if (start.isSnapshot) start.version + 1 else start.version
    ofSnapshot ++ (first to until).iterator.flatMap { version =>
      val isPartlyRead = !start.isSnapshot && version == start.version && start.file >= 0
      val position =
        if (version == start.version) start else DeltaOffset(table.id, version, -1, isSnapshot = false)
      numbered(position.copy(isSnapshot = false), added(commit(version, until), isPartlyRead))
    }
  }

  private def numbered(start: DeltaOffset, files: IndexedSeq[DeltaFile]) =
    (start.file + 1 until files.size).iterator.map(i => (start.copy(file = i), files(i)))

  /** The files of a version, the oldest first; the order is the same at every call. */
  private def snapshot(version: Long): IndexedSeq[DeltaFile] = {
    if (!cached.exists(_._1 == version)) {
      val past = if (version == table.version) table else open(version)
      checkColumns(version, past.schema, past.partitionColumns)
      cached = Some((version, past.files.sortBy(file => (file.modified, file.path))))
    }
    cached.get._2
  }
  private var cached: Option[(Long, IndexedSeq[DeltaFile])] = None

  private def open(version: Long) =
    try DeltaLog.open(new Path(table.root), AsOf.Version(version), conf)
    catch {
      case e: ShreddedVariantException if e.condition.endsWith("DELTA_VERSION") =>
        throw Errors.deltaStreamVersion(table.root, version)
    }

  /** The files that a commit adds. A commit that is partly read has passed the checks before. */
  private def added(commit: DeltaCommit, isPartlyRead: Boolean): IndexedSeq[DeltaFile] = {
    for ((schema, partitions) <- commit.columns) checkColumns(commit.version, schema, partitions)
    def isSet(key: String) = Options.isTrue(options, key)
    if (!commit.removes) commit.files
    else if (isSet(StreamOptions.SkipChangeCommits)) IndexedSeq.empty
    else if (
      isPartlyRead || isSet(StreamOptions.IgnoreChanges) || isSet(
        StreamOptions.IgnoreDeletes
      ) && commit.files.isEmpty
    )
      commit.files
    else throw Errors.deltaStreamRemoval(table.root, commit.version, commit.files.nonEmpty)
  }

  private def checkColumns(version: Long, schema: StructType, partitions: Seq[String]) =
    if (partitions != table.partitionColumns || !DeltaColumns.fits(schema, table.schema))
      throw Errors.deltaStreamColumns(table.root, version)

  // ---- commits ----

  /** The commits that have been read and may be needed again. */
  private val loaded = mutable.LongMap.empty[DeltaCommit]

  private def commit(version: Long, until: Long): DeltaCommit = {
    if (!loaded.contains(version))
      commits.read(version, math.min(until, version + Portion - 1)).foreach(c => loaded(c.version) = c)
    loaded(version)
  }

  override def commit(end: Offset): Unit = {
    val done = from(end)
    if (!done.isSnapshot) cached = None
    loaded.keys.toSeq.filter(_ < done.version).foreach(loaded -= _)
  }

  override def stop(): Unit = ()
  override def toString: String = s"DeltaSource[${table.root}]"
}

/** The scan that a stream reads with. */
trait StreamedScan {
  def options: Map[String, String]

  /** The names of all columns, in the order of the table. */
  def tableColumns: Seq[String]
  def readSchema(): StructType
  def createReaderFactory(): PartitionReaderFactory
  def partitionsOf(files: DeltaFileIndex): Array[InputPartition]
}

private object DeltaStream {

  /** The number of commits that are read from the log at once. */
  val Portion = 64
}

/** The number of files and bytes that a micro-batch may still take; it always takes its first file. */
private final class Budget(var files: Long, var bytes: Long) {
  private var isEmpty = true

  def take(file: DeltaFile): Boolean = {
    val fits = isEmpty || files > 0 && file.size <= bytes
    files -= 1
    bytes -= file.size
    isEmpty = false
    fits
  }
}

private object Budget {
  def of(limit: ReadLimit): Budget = limit match {
    case files: ReadMaxFiles => new Budget(files.maxFiles.toLong, Long.MaxValue)
    case bytes: ReadMaxBytes => new Budget(Long.MaxValue, bytes.maxBytes)
    case several: CompositeReadLimit =>
      val all = several.getReadLimits.map(of)
      new Budget(all.map(_.files).min, all.map(_.bytes).min)
    case _ => new Budget(Long.MaxValue, Long.MaxValue)
  }
}
