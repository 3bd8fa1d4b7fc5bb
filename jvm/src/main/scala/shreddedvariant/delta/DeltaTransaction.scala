/**
 * One commit to a table: added files, removed files, changed columns. The commit is atomic, and it succeeds
 * only if it is still valid after concurrent commits.
 *
 * Kernel has no public API to remove files, to add columns or to choose the protocol of a new table, so this
 * class creates Kernel's internal transaction. Kernel rebases appends. [[Concurrent]] checks overwrites,
 * because Kernel checks only whether both commits remove the same file.
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

  /** Adds files, and returns the version of the commit. `readsTable`: the rows may come from the table. */
  def append(files: Seq[NewFile], mode: String, readsTable: Boolean): Long =
    append(target.snapshot, Change(files, Nil, mode, readsTable = readsTable))

  /** Tries again if only pins have changed: for Kernel, every change of properties is a conflict. */
  @tailrec
  private def append(base: Option[DeltaSnapshot], change: Change): Long =
    attempt(base, change, DeltaTransaction.MaxRetries) match {
      case Some(version) => version
      case None =>
        val newest = DeltaLog.open(new Path(target.root), AsOf.Newest, conf)
        def fail(reason: String) = throw Errors.deltaConflict(target.root, reason)
        if (base.forall(_.kernel.getMetadata == newest.kernel.getMetadata))
          fail("other commits came first in every attempt")
        if (target.isChanged || target.isRepinned || !target.snapshot.forall(DeltaTarget.isAlike(_, newest)))
          fail(DeltaTarget.Changed)
        append(Some(newest), change)
    }

  /** Stores the pins of the target in a separate commit; false if another commit came first. */
  def pin(): Boolean = attempt(target.snapshot, Change(Nil, Nil, DeltaTransaction.Pin), retries = 0).isDefined

  /**
   * Replaces the files of a region, which is a union of whole partitions, as of the version that the write has
   * seen.
   */
  def replace(
      region: DeltaFile => Boolean,
      files: Seq[NewFile],
      mode: String,
      seen: Option[DeltaSnapshot]
  ): Long = seen match {
    case None => append(files, mode, readsTable = false)
    case Some(seen) =>
      target.features.checkRemoving()
      val removed = seen.added.filter { case (file, _) => region(file) }
      replace(seen, new Concurrent(target, seen, region), Change(files, removed.map(_._2), mode))
  }

  /**
   * Replaces files by other files with the same rows. Such a commit changes no data: append-only tables accept
   * it, and concurrent appends do not conflict with it, at any isolation level.
   */
  def rearrange(seen: DeltaSnapshot, paths: Set[String], files: Seq[NewFile], operation: String): Long = {
    target.features.checkRearranging()
    val removed = seen.added.filter { case (file, _) => paths(file.path) }
    val change = Change(files, removed.map(_._2), operation, isData = false)
    replace(seen, new Concurrent(target, seen, file => paths(file.path)), change)
  }

  /** Tags files whose bounds are verified to be complete, like those of files that we write. */
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

  /** The committed version; None if another commit took this version, or changed columns or properties. */
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
        DeltaTransaction.BlindModes(change.mode),
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

  /** Writes checkpoints and checksums. If this fails, the commit is valid; the next commit writes its own. */
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
 * The changes of a commit to the files of a table. `mode` is the mode of the write, or the name of a
 * maintenance operation, which changes no data (`isData`). `trusted` has files that stay and get our tag.
 * `readsTable` means that rows of an append may come from the table itself: then the commit is not a blind
 * append.
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
  private val BlindModes = Set("Append", Pin)
  private val Trust = "VERIFY"
  private val MaxRetries = 200
  private val EngineInfo = "shredded-variant"

  /** Adds the unchanged file again, with our tag: an action on a path replaces the previous one on the path. */
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
