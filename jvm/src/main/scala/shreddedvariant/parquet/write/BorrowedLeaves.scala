/** The leaves of a file that Parquet's own column writers encode with the same settings. */
package shreddedvariant.parquet.write

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.{ColumnDescriptor, ColumnWriteStore, ParquetProperties}
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore
import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.parquet.util.AutoCloseables

private[parquet] final class BorrowedLeaves(
    file: MessageType,
    columns: Seq[ColumnDescriptor],
    properties: ParquetProperties
) {
  val all: Array[ParquetLeaf] = columns.map(new ParquetLeaf(_)).toArray

  /**
   * The schema with only these columns, because a store expects a value for each of its columns in each row.
   */
  private val schema = {
    val kept = columns.map(_.getPath.toSeq).toSet
    new MessageType(file.getName, file.getFields.asScala.flatMap(restricted(_, Nil, kept)).asJava)
  }
  private var store: ColumnWriteStore = _

  private def restricted(field: Type, parent: Seq[String], kept: Set[Seq[String]]): Option[Type] = {
    val path = parent :+ field.getName
    field match {
      case group: GroupType =>
        val fields = group.getFields.asScala.flatMap(restricted(_, path, kept))
        Option.when(fields.nonEmpty)(group.withNewFields(fields.asJava))
      case leaf => Option.when(kept(path))(leaf)
    }
  }

  def start(pages: ColumnChunkPageWriteStore): Unit = {
    store = properties.newColumnWriteStore(schema, pages, pages)
    all.foreach(leaf => leaf.start(store.getColumnWriter(leaf.column)))
  }

  def endRow(): Unit = if (all.length > 0) {
    // `endRecord` may end pages, so pending nulls are passed on before.
    if (store.isColumnFlushNeeded) all.foreach(_.release())
    store.endRecord()
  }

  def bufferedBytes: Long = store.getBufferedSize

  def end(): Unit = {
    all.foreach(_.release())
    store.flush()
    AutoCloseables.uncheckedClose(store)
  }
}
