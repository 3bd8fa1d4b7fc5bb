/** Enough footers are read to find a column in any part of a table, and never more than the maximum. */
package shreddedvariant.source.pin

import scala.collection.mutable

import org.apache.hadoop.fs.{FileStatus, Path}
import shreddedvariant.Value
import shreddedvariant.infer.Counts
import shreddedvariant.layout.{Shape, ShapeParser}
import shreddedvariant.parquet.write.FileCounts

class PinEvidenceSuite extends shreddedvariant.Suite {
  import PinEvidence.{MaxFiles, Portion}

  private val v = Seq("v")
  private val w = Seq("w")

  private def counted(column: Seq[String], rows: Int): FileCounts = {
    val counts = new Counts
    val (metadata, value) = Value.encode(Value.Bool(true))
    for (_ <- 0 until rows) counts.add(metadata, value)
    FileCounts(Map.empty, Map(column -> counts), Map.empty, Map.empty)
  }
  private def named(column: Seq[String], shape: String) =
    FileCounts(Map(column -> ShapeParser.parse(shape)), Map.empty, Map.empty, Map.empty)

  /** The evidence in a table whose files, by age, have these counts, and the files that are read. */
  private def look(
      files: Int,
      counts: PartialFunction[Int, FileCounts],
      columns: Set[Seq[String]] = Set(v)
  ) = {
    val read = mutable.Buffer.empty[Int]
    val statuses = (0 until files).map(i => new FileStatus(1, false, 0, 0, i.toLong, new Path(s"/t/$i")))
    val evidence = new PinEvidence(
      portion =>
        portion.map { file =>
          val i = file.getModificationTime.toInt
          read += i
          counts.applyOrElse(i, (_: Int) => FileCounts.nothing)
        },
      minRows = 100
    )
    (evidence.of(scala.util.Random.shuffle(statuses), columns), read.toSeq)
  }

  private def finds(title: String, files: Int, counts: PartialFunction[Int, FileCounts], atMost: Int)(implicit
      loc: munit.Location
  ): Unit = test(title) {
    val (found, read) = look(files, counts)
    assert(found.rows(v) >= 100, s"${found.rows(v)} rows of ${read.size} files")
    assert(read.size <= atMost, s"${read.size} files")
    assertEquals(read.distinct.size, read.size, "no file twice")
  }

  finds("the oldest files are enough if they have all counts", 5000, { case _ => counted(v, 10) }, Portion)
  finds(
    "a column that only new files have is found in the newest files",
    1000,
    { case i if i >= 990 => counted(v, 10) },
    2 * Portion
  )
  finds("a column that only the last file has is found", 5000, { case 4999 => counted(v, 100) }, 2 * Portion)
  finds(
    "a column that only files in the middle have is found",
    1000,
    { case i if i / 200 == 2 => counted(v, 50) },
    1000
  )
  finds(
    "files of other writers in between do not end the search",
    1000,
    { case i if i % 50 == 0 => counted(v, 9) },
    1000
  )
  finds(
    "empty files do not end the search",
    3000,
    { case i if i < 2900 => counted(v, 0); case _ => counted(v, 10) },
    2 * Portion
  )

  test("without any counts, few footers are read") {
    for (files <- Seq(0, 1, 64, 200, 5000)) {
      val (found, read) = look(files, PartialFunction.empty)
      assert(found.isEmpty)
      assert(read.size <= 3 * Portion && read.size >= math.min(files, 3 * Portion), s"${read.size} of $files")
    }
  }

  test("at most the maximum of footers is read, from both ends") {
    val (found, read) = look(5000, { case _ => counted(v, 0) })
    assertEquals(read.size, MaxFiles)
    assertEquals(found.rows(v), 0L)
    assertEquals(read.count(_ < 2500), MaxFiles / 2)
  }

  test("a complete column neither ends nor extends the search for another column") {
    val counts: PartialFunction[Int, FileCounts] = {
      case i if i >= 995 => counted(w, 20)
      case _ => counted(v, 100)
    }
    val (found, read) = look(1000, counts, Set(v, w))
    assertEquals(found.rows(w), 100L)
    assert(read.size <= 3 * Portion, s"${read.size}")
    // No file has `w`: the counts of `v` in all files do not make the search read all files.
    assert(look(5000, { case _ => counted(v, 100) }, Set(v, w))._2.size <= 4 * Portion)
  }

  test("of several named shapes the oldest wins, whichever is read first") {
    val (found, _) = look(
      500,
      { case 70 => named(v, "a INT"); case 499 => named(v, "b INT"); case i if i < 64 => counted(v, 1) }
    )
    assert(found.shapes.contains(v))
    val both = look(
      500,
      { case 60 => named(w, "a INT"); case 490 => named(w, "b INT"); case 499 => counted(v, 100) },
      Set(v, w)
    )._1
    assertEquals(both.shapes.get(w).map(_.ddl), Some("STRUCT<a INT>"))
    assertEquals(both.shapes.get(v), Option.empty[Shape])
  }
}
