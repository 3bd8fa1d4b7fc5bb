/** The leaves of the file, and the pages of the row group that is being written. */
package shreddedvariant.parquet

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.{ColumnDescriptor, ColumnWriteStore, ParquetProperties}
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore
import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.parquet.util.AutoCloseables
import shreddedvariant.shred.LeafWriter

private final class RowGroupLeaves(schema: MessageType, properties: ParquetProperties) {
  private val columns: Array[ColumnDescriptor] = schema.getColumns.asScala.toArray
  private val ofParquet = columns.filterNot(PagedLeaf.takes(_, properties)).toSet

  /** The leaves in the order of the file, the same ones for all row groups. */
  val all: Array[LeafWriter] =
    columns.map(c =>
      if (ofParquet(c)) new ParquetLeaf(c) else new PagedLeaf(c, properties, () => isUrgent = true)
    )
  private val paged = all.collect { case leaf: PagedLeaf => leaf }
  private val borrowed = all.collect { case leaf: ParquetLeaf => leaf }

  /** The schema with those columns alone that Parquet writes: its store wants a value of each column for each row. */
  private val borrowedSchema =
    new MessageType(schema.getName, schema.getFields.asScala.flatMap(restricted(_, Nil)).asJava)
  private var store: ColumnWriteStore = _
  private var rows = 0L
  private var nextCheck = 0L

  /** Whether the last row had a value so large that sizes should be looked at before the next one. */
  var isUrgent = false

  private def restricted(field: Type, parent: Seq[String]): Option[Type] = field match {
    case group: GroupType =>
      val fields = group.getFields.asScala.flatMap(restricted(_, parent :+ group.getName))
      Option.when(fields.nonEmpty)(group.withNewFields(fields.asJava))
    case leaf =>
      val path = (parent :+ leaf.getName).toArray
      Option.when(ofParquet.exists(column => column.getPath.sameElements(path)))(leaf)
  }

  def start(pages: ColumnChunkPageWriteStore): Unit = {
    store = properties.newColumnWriteStore(borrowedSchema, pages, pages)
    paged.foreach(leaf => leaf.start(pages.getPageWriter(leaf.column)))
    borrowed.foreach(leaf => leaf.start(store.getColumnWriter(leaf.column)))
    rows = 0
    isUrgent = false
    nextCheck = math.min(properties.getMinRowCountForPageSizeCheck, properties.getPageRowCountLimit).toLong
  }

  def endRow(): Unit = {
    if (borrowed.length > 0) {
      // Parquet closes pages when it has counted the row.
      if (store.isColumnFlushNeeded) borrowed.foreach(_.release())
      store.endRecord()
    }
    rows += 1
    if (rows >= nextCheck || isUrgent) checkPages()
  }

  /** Ends the pages that are full, and says when to look again: about halfway to where the next one will be. */
  private def checkPages(): Unit = {
    var untilFull = properties.getMaxRowCountForPageSizeCheck.toLong * 2
    var untilLimit = properties.getPageRowCountLimit.toLong
    for (leaf <- paged) {
      val inPage = leaf.pageRows(rows)
      val bytes = leaf.pageBytes
      val left = properties.getPageSizeThreshold - bytes
      if (
        left <= properties.getPageSizeThreshold / 10 || inPage >= properties.getPageRowCountLimit ||
        leaf.pageEntries >= properties.getPageValueCountThreshold
      ) leaf.endPage(rows)
      else {
        if (bytes > 0) untilFull = math.min(untilFull, inPage * left / bytes)
        untilLimit = math.min(untilLimit, properties.getPageRowCountLimit - inPage)
      }
    }
    val most =
      if (properties.estimateNextSizeCheck) properties.getMaxRowCountForPageSizeCheck
      else properties.getMinRowCountForPageSizeCheck
    val wait =
      math.max(properties.getMinRowCountForPageSizeCheck.toLong, math.min(untilFull / 2, most.toLong))
    nextCheck = rows + math.min(wait, untilLimit)
  }

  def bufferedBytes: Long = store.getBufferedSize + paged.iterator.map(_.bufferedBytes).sum

  /** Ends the pages of all leaves. */
  def end(): Unit = {
    borrowed.foreach(_.release())
    store.flush()
    paged.foreach(_.end(rows))
    AutoCloseables.uncheckedClose(store)
  }
}
