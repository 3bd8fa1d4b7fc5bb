/** Counts what a task reads from its files and what it skips. */
package shreddedvariant.parquet.read

sealed abstract class ReadCount(
    val name: String,
    val description: String,
    val unit: ReadCount.Unit = ReadCount.Number
)

object ReadCount {

  /** The unit in which the count is displayed. */
  sealed trait Unit
  case object Number extends Unit
  case object Bytes extends Unit
  case object Nanoseconds extends Unit

  case object FilesRead extends ReadCount("filesRead", "files read")
  case object FilesSkipped extends ReadCount("filesSkipped", "files skipped")
  case object RowGroupsRead extends ReadCount("rowGroupsRead", "row groups read")
  case object RowGroupsSkipped extends ReadCount("rowGroupsSkipped", "row groups skipped")
  case object RowGroupsAnswered extends ReadCount("rowGroupsAnswered", "row groups answered from footers")
  case object PagesRead extends ReadCount("pagesRead", "pages read")
  case object PagesSkipped extends ReadCount("pagesSkipped", "pages skipped")
  case object RowsSkipped extends ReadCount("rowsSkipped", "rows skipped")
  case object BytesRead extends ReadCount("bytesRead", "bytes of columns read", Bytes)
  case object BytesSkipped extends ReadCount("bytesSkipped", "bytes of columns skipped", Bytes)
  case object FooterTime
      extends ReadCount("footerTime", "time of opening files and reading footers", Nanoseconds)

  /** Pages and bytes are those of the leaves that the query reads, without footers and indexes. */
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
    BytesSkipped,
    FooterTime
  )
}

final class ReadCounts {
  private val values = new Array[Long](ReadCount.all.size)

  def add(count: ReadCount, number: Long): Unit = values(ReadCount.all.indexOf(count)) += number

  /** Adds the time that the body takes, in nanoseconds. */
  def timed[A](count: ReadCount)(body: => A): A = {
    val start = System.nanoTime()
    try body
    finally add(count, System.nanoTime() - start)
  }

  def apply(count: ReadCount): Long = values(ReadCount.all.indexOf(count))
}
