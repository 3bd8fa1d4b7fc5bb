/** Reads some columns of a file, row group by row group, batch by batch. */
package shreddedvariant.parquet

import scala.util.control.NonFatal

import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.Errors
import shreddedvariant.stats.Spans

final class GroupReader(bound: BoundFile, source: GroupSource, place: FilePlace, writer: ParsedVersion) {
  private var active = Seq.empty[Leaf]
  private var pages: Option[GroupPages] = None
  private var cursor: RowCursor = _

  /** The leaves that somebody needs in this row group; the others are null there and are not read. */
  def needed(group: RowGroup): Seq[Leaf] = bound.leaves.filter(_.isNeededIn(group))

  def open(group: RowGroup, rows: Spans): Unit = {
    closePages()
    cursor = new RowCursor(group.firstRow, rows)
    val (needed, idle) = bound.leaves.partition(_.isNeededIn(group))
    idle.foreach(_.skip())
    if (needed.nonEmpty) {
      val read =
        try source.read(group, needed, rows)
        catch { case NonFatal(e) => throw Errors.damagedPages(place.file, s"row group ${group.number}", e) }
      pages = Some(read)
      needed.foreach { leaf =>
        try leaf.open(read(leaf), writer, group)
        catch { case NonFatal(e) => throw damaged(leaf, e) }
      }
    }
    active = needed
    bound.assembled.foreach(_.open(group))
  }

  /** Decodes the next rows of those that were asked for. */
  def read(rows: Int): Unit = {
    cursor.next(rows, place)
    active.foreach { leaf =>
      try leaf.read(rows)
      catch {
        case e: SchemaColumnConvertNotSupportedException =>
          val wrong = Errors.columnType(leaf.path.mkString("."), e.getPhysicalType, e.getLogicalType)
          throw Errors.inFile(place.file, None, wrong)
        case NonFatal(e) => throw damaged(leaf, e)
      }
    }
    bound.assembled.foreach(_.assemble(rows))
  }

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

  private def damaged(leaf: Leaf, e: Throwable) =
    Errors.damagedPages(place.file, leaf.path.mkString("."), e)
}
