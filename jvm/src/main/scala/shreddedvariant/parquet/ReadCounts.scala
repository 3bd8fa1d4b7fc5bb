/** What a task has read of its files, and what it has left out, counted as it goes. */
package shreddedvariant.parquet

/** `isBytes` says how a user wants to see the number. */
sealed abstract class ReadCount(val name: String, val description: String, val isBytes: Boolean = false)

object ReadCount {
  case object FilesRead extends ReadCount("filesRead", "files read")
  case object FilesSkipped extends ReadCount("filesSkipped", "files skipped")
  case object RowGroupsRead extends ReadCount("rowGroupsRead", "row groups read")
  case object RowGroupsSkipped extends ReadCount("rowGroupsSkipped", "row groups skipped")
  case object RowGroupsAnswered extends ReadCount("rowGroupsAnswered", "row groups answered from footers")
  case object PagesRead extends ReadCount("pagesRead", "pages read")
  case object PagesSkipped extends ReadCount("pagesSkipped", "pages skipped")
  case object RowsSkipped extends ReadCount("rowsSkipped", "rows skipped")
  case object BytesRead extends ReadCount("bytesRead", "bytes of columns read", isBytes = true)
  case object BytesSkipped extends ReadCount("bytesSkipped", "bytes of columns skipped", isBytes = true)

  /** Pages and bytes are those of the leaves that the query reads; footers and indexes are not among them. */
  val all: Seq[ReadCount] = Seq(
    FilesRead,
    FilesSkipped,
    RowGroupsRead,
    RowGroupsSkipped,
    RowGroupsAnswered,
    PagesRead,
    PagesSkipped,
    RowsSkipped,
    BytesRead,
    BytesSkipped
  )
}

final class ReadCounts {
  private val values = new Array[Long](ReadCount.all.size)

  def add(count: ReadCount, number: Long): Unit = values(ReadCount.all.indexOf(count)) += number
  def apply(count: ReadCount): Long = values(ReadCount.all.indexOf(count))
}
