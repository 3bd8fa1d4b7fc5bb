/** Reads some columns of a file by row groups and batches. */
package shreddedvariant.parquet.read

import scala.util.control.NonFatal

import org.apache.hadoop.hdfs.BlockMissingException
import org.apache.hadoop.security.AccessControlException
import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.io.ParquetDecodingException
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.Errors
import shreddedvariant.parquet.bind.BoundFile
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.parquet.vector.{BatchPosition, LeafColumnReader}
import shreddedvariant.stats.RowRanges

final class GroupReader(
    bound: BoundFile,
    source: GroupSource,
    position: BatchPosition,
    writer: ParsedVersion
) {
  private var active = Seq.empty[LeafColumnReader]
  private var pages: Option[GroupPages] = None
  private var cursor: RowCursor = _

  /** The leaves that are needed in this row group. The other leaves are null there and are not read. */
  def needed(group: RowGroup): Seq[LeafColumnReader] = bound.leaves.filter(_.isNeededIn(group))

  def open(group: RowGroup, rows: RowRanges): Unit = {
    closePages()
    cursor = new RowCursor(group.firstRow, rows)
    val (needed, idle) = bound.leaves.partition(_.isNeededIn(group))
    idle.foreach(_.skip())
    if (needed.nonEmpty) {
      val groupPages =
        try source.read(group, needed, rows)
        catch {
          // The file is not damaged: Spark raises these errors even with `ignoreCorruptFiles`.
          case e @ (_: AccessControlException | _: BlockMissingException) => throw e
          case NonFatal(e) => throw Errors.damagedPages(position.file, s"row group ${group.number}", e)
          case e: OutOfMemoryError => throw outOfMemory(e)
        }
      pages = Some(groupPages)
      needed.foreach { leaf =>
        checkCount(leaf, group)
        leaf.open(groupPages(leaf), writer, group)
      }
    }
    active = needed
    bound.assembled.foreach(_.open(group))
  }

  /** Law: a leaf that is not repeated has one entry for each row, so no row is missing in the row group. */
  private def checkCount(leaf: LeafColumnReader, group: RowGroup): Unit =
    for (chunk <- group.chunk(leaf.path) if leaf.maxRepetition == 0 && chunk.getValueCount != group.rows)
      throw Errors.damagedPages(
        position.file,
        leaf.path.mkString("."),
        new ParquetDecodingException(s"it has ${chunk.getValueCount} values for ${group.rows} rows")
      )

  /** Decodes the next of the rows that [[open]] selected. */
  def read(rows: Int): Unit = {
    cursor.next(rows, position)
    active.foreach(_.read(rows))
    // The levels of a damaged page can promise any number of elements in one row.
    try bound.assembled.foreach(_.assemble(rows))
    catch { case e: OutOfMemoryError => throw outOfMemory(e) }
  }

  private def outOfMemory(e: OutOfMemoryError) =
    Errors.decodingMemory(position.file, bound.leaves.map(_.path.mkString(".")).mkString(", "), e)

  def vectors: Array[ColumnVector] = bound.columns.map(_.vector)

  def close(): Unit = {
    bound.vectors.close()
    bound.leaves.foreach(_.close())
    closePages()
  }

  private def closePages(): Unit = {
    pages.foreach(_.close())
    pages = None
  }
}
