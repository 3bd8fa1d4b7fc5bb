/** Adds to a commit what Kernel omits: how the files were written, and whether the commit is a blind append. */
package shreddedvariant.delta

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import shreddedvariant.shaded.io.delta.kernel.commit.{CommitMetadata, CommitResponse, Committer}
import shreddedvariant.shaded.io.delta.kernel.data.Row
import shreddedvariant.shaded.io.delta.kernel.engine.Engine
import shreddedvariant.shaded.io.delta.kernel.internal.actions.{CommitInfo, SingleAction}
import shreddedvariant.shaded.io.delta.kernel.internal.commit.DefaultFileSystemManagedTableOnlyCommitter
import shreddedvariant.shaded.io.delta.kernel.utils.CloseableIterator

final case class CommitNote(
    mode: String,
    partitionColumns: Seq[String],
    isBlindAppend: Boolean,
    metrics: Map[String, String],
    operation: String = CommitNote.Write
)

object CommitNote {
  val Write = "WRITE"
}

final class NotingCommitter(note: CommitNote) extends Committer {
  override def commit(
      engine: Engine,
      actions: CloseableIterator[Row],
      metadata: CommitMetadata
  ): CommitResponse = {
    val noted = actions.map[Row] { action =>
      if (action.isNullAt(SingleAction.COMMIT_INFO_ORDINAL)) action
      else SingleAction.createCommitInfoSingleAction(info(metadata.getCommitInfo).toRow)
    }
    DefaultFileSystemManagedTableOnlyCommitter.INSTANCE.commit(engine, noted, metadata)
  }

  private def info(kernelInfo: CommitInfo): CommitInfo = {
    val columns =
      note.partitionColumns.map(name => s"\"${name.replace("\"", "\\\"")}\"").mkString("[", ",", "]")
    new CommitInfo(
      kernelInfo.getInCommitTimestamp,
      kernelInfo.getTimestamp,
      kernelInfo.getEngineInfo,
      Some(note.operation).toJava,
      (if (note.operation == CommitNote.Write) Map("mode" -> note.mode, "partitionBy" -> columns)
       else Map("predicate" -> "[]")).asJava,
      Some(java.lang.Boolean.valueOf(note.isBlindAppend)).toJava,
      kernelInfo.getTxnId,
      note.metrics.asJava
    )
  }
}
