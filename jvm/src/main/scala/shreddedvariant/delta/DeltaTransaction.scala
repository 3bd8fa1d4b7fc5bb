/**
 * One commit to a table: files that were written, files that are removed, columns that change. It is there as a whole or
 * not at all, and only if it still means what it meant when it began.
 *
 * Kernel has no public way to remove files, to add columns or to choose the protocol of a new table: so its transaction
 * is made here directly. Appends are rebased by Kernel; what an overwrite may have missed is judged by [[Concurrent]],
 * because Kernel only looks whether both have removed one file.
 */
package shreddedvariant.delta

import java.util.{HashMap, Optional}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.slf4j.LoggerFactory
import shreddedvariant.Errors
import shreddedvariant.shaded.io.delta.kernel.{Operation, TransactionCommitResult}
import shreddedvariant.shaded.io.delta.kernel.commit.CommitFailedException
import shreddedvariant.shaded.io.delta.kernel.data.Row
import shreddedvariant.shaded.io.delta.kernel.exceptions.{
  ConcurrentWriteException,
  MaxCommitRetryLimitReachedException,
  MetadataChangedException
}
import shreddedvariant.shaded.io.delta.kernel.internal.TransactionImpl
import shreddedvariant.shaded.io.delta.kernel.internal.actions.{AddFile, SetTransaction, SingleAction}
import shreddedvariant.shaded.io.delta.kernel.internal.data.GenericRow
import shreddedvariant.shaded.io.delta.kernel.internal.fs.{Path => KernelPath}
import shreddedvariant.shaded.io.delta.kernel.internal.util.{Utils, VectorUtils}
import shreddedvariant.shaded.io.delta.kernel.utils.CloseableIterable

final class DeltaTransaction(target: DeltaTarget, conf: Configuration, batch: Option[StreamBatch] = None) {
  private val engine = DeltaLog.engine(target.root, conf)
  private val log = LoggerFactory.getLogger(classOf[DeltaTransaction])

  /** Adds files, whose rows may come from the table; the version that has them. */
  def append(files: Seq[NewFile], mode: String, readsTable: Boolean): Long =
    append(target.snapshot, Change(files, Nil, mode, readsTable = readsTable))

  /** Kernel takes any change of properties for a conflict; pins are none. */
  @tailrec
  private def append(base: Option[DeltaSnapshot], change: Change): Long =
    attempt(base, change, DeltaTransaction.MostRetries) match {
      case Some(version) => version
      case None =>
        val newest = DeltaLog.open(new Path(target.root), AsOf.Newest, conf)
        def fail(reason: String) = throw Errors.deltaConflict(target.root, reason)
        if (base.forall(_.kernel.getMetadata == newest.kernel.getMetadata))
          fail("others have committed all the time")
        if (target.isChanged || target.isRepinned || !target.snapshot.forall(DeltaTarget.isAlike(_, newest)))
          fail(DeltaTarget.Changed)
        append(Some(newest), change)
    }

  /** Keeps shapes with the table, in a commit of their own; false if others have committed meanwhile. */
  def pin(): Boolean = attempt(target.snapshot, Change(Nil, Nil, DeltaTransaction.Pin), retries = 0).isDefined

  /** Replaces the files of a region, which is a union of whole partitions, by others. */
  def replace(region: DeltaFile => Boolean, files: Seq[NewFile], mode: String): Long = target.snapshot match {
    case None => append(files, mode, readsTable = false)
    case Some(seen) =>
      target.features.checkRemoving()
      val removed = seen.added.filter { case (file, _) => region(file) }
      replace(seen, new Concurrent(target, seen, region), Change(files, removed.map(_._2), mode))
  }

  /**
   * The same rows in other files. Such a commit changes no data: tables that are only appended to take it, and what is
   * added meanwhile is none of its matter, whatever order the table wants.
   */
  def rearrange(seen: DeltaSnapshot, paths: Set[String], files: Seq[NewFile], operation: String): Long = {
    target.features.checkRearranging()
    val removed = seen.added.filter { case (file, _) => paths(file.path) }
    val change = Change(files, removed.map(_._2), operation, isData = false)
    replace(seen, new Concurrent(target, seen, file => paths(file.path)), change)
  }

  /** Has the bounds of these files believed, which are as true as those that we write. */
  def trust(seen: DeltaSnapshot, paths: Set[String]): Long = {
    val trusted = seen.added.filter { case (file, _) => paths(file.path) }
    val change = Change(Nil, Nil, DeltaTransaction.Trust, isData = false, trusted.map(_._2))
    replace(seen, new Concurrent(target, seen, file => paths(file.path)), change)
  }

  @tailrec
  private def replace(base: DeltaSnapshot, concurrent: Concurrent, change: Change): Long =
    attempt(Some(base), change, retries = 0) match {
      case Some(version) => version
      case None => replace(concurrent.rebased(base, conf), concurrent, change)
    }

  /** The version that was committed; None if another commit has taken it, or has changed columns or properties. */
  private def attempt(
      base: Option[DeltaSnapshot],
      change: Change,
      retries: Int
  ): Option[Long] = {
    if (batch.exists(b => base.exists(_.has(b))))
      throw Errors.deltaConflict(target.root, "another run of the stream has written the batch")
    val (files, removed) = (change.files, change.removed)
    val note = CommitNote(
      change.mode,
      target.partitionColumns,
      isBlindAppend = removed.isEmpty && !target.isChanged && !change.readsTable &&
        DeltaTransaction.ReadNothing(change.mode),
      Map(
        "numFiles" -> files.size.toString,
        "numOutputRows" -> files.map(_.rows).sum.toString,
        "numOutputBytes" -> files.map(_.size).sum.toString,
        "numRemovedFiles" -> removed.size.toString
      ),
      if (change.isData) CommitNote.Write else change.mode
    )
    val transaction = new TransactionImpl(
      base.isEmpty,
      new KernelPath(target.root),
      Optional.ofNullable(base.map(_.kernel).orNull),
      DeltaTransaction.EngineInfo,
      if (base.isEmpty) Operation.CREATE_TABLE else Operation.WRITE,
      Optional.ofNullable(target.protocol).filter(_ => isProtocolNew),
      Optional.ofNullable(target.metadata).filter(_ => target.isChanged || target.isRepinned),
      new NotingCommitter(note),
      Optional.ofNullable(batch.map(transactionId).orNull),
      Optional.empty,
      Optional.of(retries),
      0,
      () => System.currentTimeMillis
    )
    val rows = removed.map(remove(_, change.isData)) ++ files.map(add(_, change.isData)) ++
      change.trusted.map(DeltaTransaction.tagged)
    commit(transaction, rows).map { result =>
      runHooks(result)
      result.getVersion
    }
  }

  private def transactionId(batch: StreamBatch) =
    new SetTransaction(batch.query, Long.box(batch.id), Optional.of(Long.box(System.currentTimeMillis)))

  private def isProtocolNew = target.snapshot.forall(_.kernel.getProtocol != target.protocol)

  private def commit(transaction: TransactionImpl, rows: Seq[Row]): Option[TransactionCommitResult] =
    try
      Some(transaction.commit(
        engine,
        CloseableIterable.inMemoryIterable(Utils.toCloseableIterator(rows.iterator.asJava))
      ))
    catch {
      case e: MaxCommitRetryLimitReachedException if isConflict(e.getCause) => None
      case _: MetadataChangedException => None
      case e: ConcurrentWriteException => throw Errors.deltaConflict(target.root, Errors.reason(e))
      case NonFatal(e) => throw Errors.deltaCommit(target.root, e)
    }

  private def isConflict(cause: Throwable) = cause match {
    case failed: CommitFailedException => failed.isConflict
    case _ => false
  }

  /** Checkpoints and checksums make reading faster: the commit stands without them, and the next one makes its own. */
  private def runHooks(result: TransactionCommitResult): Unit =
    result.getPostCommitHooks.asScala.foreach { hook =>
      try hook.threadSafeInvoke(engine)
      catch {
        case NonFatal(e) =>
          log.warn(s"${hook.getType} of ${target.root} at version ${result.getVersion} failed", e)
      }
    }

  private def remove(file: AddFile, isData: Boolean): Row =
    SingleAction.createRemoveFileSingleAction(file.toRemoveFileRow(isData, Optional.empty))

  private def add(file: NewFile, isData: Boolean): Row = {
    val values = new HashMap[Integer, Object]
    def put(name: String, value: Object) = values.put(AddFile.FULL_SCHEMA.indexOf(name), value)
    put("path", new Path(file.path).toUri.toString)
    put("partitionValues", VectorUtils.stringStringMapValue(file.partition.asJava))
    put("size", Long.box(file.size))
    put("modificationTime", Long.box(file.modified))
    put("dataChange", Boolean.box(isData))
    put("tags", VectorUtils.stringStringMapValue(Map(NewFile.Tag -> NewFile.TagValue).asJava))
    put("stats", file.stats)
    SingleAction.createAddFileSingleAction(new GenericRow(AddFile.FULL_SCHEMA, values))
  }
}

/**
 * What a commit does to a table's files. `mode` is how they came: a mode of writes, or a name of maintenance where no data
 * changes (`isData`). `trusted` are files that stay and get the tag of ours. `readsTable` says that rows of an append may
 * come from the table itself: such a commit is no blind append.
 */
private final case class Change(
    files: Seq[NewFile],
    removed: Seq[AddFile],
    mode: String,
    isData: Boolean = true,
    trusted: Seq[AddFile] = Nil,
    readsTable: Boolean = false
)

object DeltaTransaction {
  private val Pin = "Pin"
  private val ReadNothing = Set("Append", Pin)
  private val Trust = "VERIFY"
  private val MostRetries = 200
  private val EngineInfo = "shredded-variant"

  /** A file once more, as it is, with the tag: an action on a path replaces the one before it. */
  private def tagged(file: AddFile): Row = {
    val tags = if (file.getTags.isPresent)
      VectorUtils.toJavaMap[String, String](file.getTags.get).asScala.toMap
    else Map.empty[String, String]
    val values = new HashMap[Integer, Object]
    def put(name: String, value: Object) = values.put(AddFile.FULL_SCHEMA.indexOf(name), value)
    put("path", file.getPath)
    put("partitionValues", file.getPartitionValues)
    put("size", Long.box(file.getSize))
    put("modificationTime", Long.box(file.getModificationTime))
    put("dataChange", Boolean.box(false))
    put("tags", VectorUtils.stringStringMapValue((tags + (NewFile.Tag -> NewFile.TagValue)).asJava))
    file.getBaseRowId.ifPresent { id => put("baseRowId", id); () }
    file.getDefaultRowCommitVersion.ifPresent { version => put("defaultRowCommitVersion", version); () }
    file.getStatsJson.ifPresent { stats => put("stats", stats); () }
    SingleAction.createAddFileSingleAction(new GenericRow(AddFile.FULL_SCHEMA, values))
  }
}
