/**
 * Reads a Delta table as it grows: first the files that it has, unless a version to start at is named, then those that
 * each commit adds. Columns are those of the table when the query starts.
 *
 * What a stream has given it cannot take back, so commits that take rows away end it, unless an option says what to do.
 * Commits that hold the same rows in other files are passed over.
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

  for (key <- Seq(Options.VersionAsOf, Options.TimestampAsOf) if Options.get(options, key).isDefined)
    throw Errors.deltaOption(
      table.root,
      key,
      s"a stream reads what comes: ${StreamOptions.StartingVersion} says from where on"
    )

  // ---- where it starts ----

  /** Kept with the checkpoint: a query that is stopped in its first batch starts at the same place again. */
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
    val offset = DeltaOffset.parse(json).getOrElse(refuse("it has not the form of one"))
    if (offset.table != table.id) refuse("another table stands at its path now")
    offset
  }

  // ---- how far it goes ----

  override def getDefaultReadLimit: ReadLimit = DeltaStart.limit(options)

  /** The newest version that is known, and the last one that is read with Trigger.AvailableNow. */
  private var newest = table.version
  private var last: Option[Long] = None

  override def prepareForTriggerAvailableNow(): Unit = last = Some(commits.newest)

  override def latestOffset(): Offset = latestOffset(initialOffset, ReadLimit.allAvailable())

  /** None, as null, where there is nothing new. */
  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    if (last.isEmpty && commits.has(newest + 1)) newest = commits.newest
    val budget = Budget.of(limit)
    after(from(start), last.getOrElse(newest)).takeWhile { case (_, file) => budget.take(file) }
      .foldLeft(Option.empty[DeltaOffset])((_, next) => Some(next._1))
      .orNull
  }

  private def from(offset: Offset) = offset match {
    case delta: DeltaOffset => delta
    case other => deserializeOffset(other.json)
  }

  // ---- what it reads ----

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = {
    val until = from(end)
    val files = after(from(start), until.version).takeWhile { case (at, _) => isUpTo(at, until) }.map(_._2)
    val batch = files.toIndexedSeq
    val names = table.partitionColumns.toSet
    // Files of before the partition columns were changed.
    if (batch.exists(_.partition.keySet != names)) throw Errors.deltaStreamColumns(table.root, until.version)
    scan.partitionsOf(index.of(batch))
  }

  override def createReaderFactory(): PartitionReaderFactory = {
    // A scan has partition columns behind the others, whatever the order of the table.
    val found = scan.readSchema().fieldNames
    val wanted =
      table.schema.fieldNames.filter(found.contains) ++ found.filterNot(table.schema.fieldNames.contains)
    OrderedReaderFactory(scan.createReaderFactory(), wanted.map(found.indexOf(_)))
  }

  private def isUpTo(at: DeltaOffset, end: DeltaOffset) =
    if (at.isSnapshot && end.isSnapshot) at.file <= end.file
    else at.isSnapshot || !end.isSnapshot &&
    (at.version < end.version || at.version == end.version && at.file <= end.file)

  /** The files behind an offset, as far as a version. */
  private def after(start: DeltaOffset, until: Long): Iterator[(DeltaOffset, DeltaFile)] = {
    val rest =
      if (start.isSnapshot) numbered(start, snapshot(start.version))
      else Iterator.empty
    val first = if (start.isSnapshot) start.version + 1 else start.version
    rest ++ (first to until).iterator.flatMap { version =>
      val isBegun = !start.isSnapshot && version == start.version && start.file >= 0
      val at = if (version == start.version) start else DeltaOffset(table.id, version, -1, isSnapshot = false)
      numbered(at.copy(isSnapshot = false), added(commit(version, until), isBegun))
    }
  }

  private def numbered(start: DeltaOffset, files: IndexedSeq[DeltaFile]) =
    (start.file + 1 until files.size).iterator.map(i => (start.copy(file = i), files(i)))

  /** Oldest first; the order is the same whenever a version is looked at. */
  private def snapshot(version: Long): IndexedSeq[DeltaFile] = {
    if (!first.exists(_._1 == version)) {
      val past = if (version == table.version) table else open(version)
      checkColumns(version, past.schema, past.partitionColumns)
      first = Some((version, past.files.sortBy(file => (file.modified, file.path))))
    }
    first.get._2
  }
  private var first: Option[(Long, IndexedSeq[DeltaFile])] = None

  private def open(version: Long) =
    try DeltaLog.open(new Path(table.root), AsOf.Version(version), conf)
    catch {
      case e: ShreddedVariantException if e.condition.endsWith("DELTA_VERSION") =>
        throw Errors.deltaStreamVersion(table.root, version)
    }

  /** A commit that is read in part already was judged before. */
  private def added(commit: DeltaCommit, isBegun: Boolean): IndexedSeq[DeltaFile] = {
    for ((schema, partitions) <- commit.columns) checkColumns(commit.version, schema, partitions)
    def isSet(key: String) = Options.isTrue(options, key)
    if (!commit.removes) commit.files
    else if (isSet(StreamOptions.SkipChangeCommits)) IndexedSeq.empty
    else if (
      isBegun || isSet(StreamOptions.IgnoreChanges) || isSet(
        StreamOptions.IgnoreDeletes
      ) && commit.files.isEmpty
    )
      commit.files
    else throw Errors.deltaStreamRemoval(table.root, commit.version, commit.files.nonEmpty)
  }

  private def checkColumns(version: Long, schema: StructType, by: Seq[String]) =
    if (by != table.partitionColumns || !DeltaColumns.fits(schema, table.schema))
      throw Errors.deltaStreamColumns(table.root, version)

  // ---- commits ----

  /** Those that have been read and may be asked for again. */
  private val known = mutable.LongMap.empty[DeltaCommit]

  private def commit(version: Long, until: Long): DeltaCommit = {
    if (!known.contains(version))
      commits.read(version, math.min(until, version + Portion - 1)).foreach(c => known(c.version) = c)
    known(version)
  }

  override def commit(end: Offset): Unit = {
    val done = from(end)
    if (!done.isSnapshot) first = None
    known.keys.toSeq.filter(_ < done.version).foreach(known -= _)
  }

  override def stop(): Unit = ()
  override def toString: String = s"DeltaSource[${table.root}]"
}

/** The scan that a stream reads with. */
trait StreamedScan {
  def options: Map[String, String]
  def readSchema(): StructType
  def createReaderFactory(): PartitionReaderFactory
  def partitionsOf(files: DeltaFileIndex): Array[InputPartition]
}

private object DeltaStream {

  /** Commits that are read from the log at once. */
  val Portion = 64
}

/** What a micro-batch may still take; a first file it takes always. */
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
