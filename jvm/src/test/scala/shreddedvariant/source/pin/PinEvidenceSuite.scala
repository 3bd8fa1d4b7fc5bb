/** Which footers are read before a pin: enough to find a column wherever its files stand, and never more than so many. */
package shreddedvariant.source.pin

import scala.collection.mutable

import org.apache.hadoop.fs.{FileStatus, Path}
import shreddedvariant.Value
import shreddedvariant.infer.Counts
import shreddedvariant.layout.{Shape, ShapeParser}
import shreddedvariant.parquet.write.FileCounts

class PinEvidenceSuite extends munit.FunSuite {
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

  /** A table of so many files, by age, that say something from place to place; what was found, and what was read. */
  private def look(files: Int, says: PartialFunction[Int, FileCounts], columns: Set[Seq[String]] = Set(v)) = {
    val read = mutable.Buffer.empty[Int]
    val statuses = (0 until files).map(i => new FileStatus(1, false, 0, 0, i.toLong, new Path(s"/t/$i")))
    val evidence = new PinEvidence(
      portion =>
        portion.map { file =>
          val i = file.getModificationTime.toInt
          read += i
          says.applyOrElse(i, (_: Int) => FileCounts.nothing)
        },
      minRows = 100
    )
    (evidence.of(scala.util.Random.shuffle(statuses), columns), read.toSeq)
  }

  private def finds(what: String, files: Int, says: PartialFunction[Int, FileCounts], atMost: Int)(implicit
      loc: munit.Location
  ): Unit = test(what) {
    val (found, read) = look(files, says)
    assert(found.rows(v) >= 100, s"${found.rows(v)} rows of ${read.size} files")
    assert(read.size <= atMost, s"${read.size} files")
    assertEquals(read.distinct.size, read.size, "no file twice")
  }

  finds("the oldest files are enough where they say it all", 5000, { case _ => counted(v, 10) }, Portion)
  finds(
    "a column that came after many files is found among the newest",
    1000,
    { case i if i >= 990 => counted(v, 10) },
    2 * Portion
  )
  finds("also in one file, the very last", 5000, { case 4999 => counted(v, 100) }, 2 * Portion)
  finds(
    "one that files of others surround is found between them",
    1000,
    { case i if i / 200 == 2 => counted(v, 50) },
    1000
  )
  finds(
    "files of others in between do not end the search",
    1000,
    { case i if i % 50 == 0 => counted(v, 9) },
    1000
  )
  finds(
    "empty files neither",
    3000,
    { case i if i < 2900 => counted(v, 0); case _ => counted(v, 10) },
    2 * Portion
  )

  test("where nothing says anything, few footers are read") {
    for (files <- Seq(0, 1, 64, 200, 5000)) {
      val (found, read) = look(files, PartialFunction.empty)
      assert(found.isEmpty)
      assert(read.size <= 3 * Portion && read.size >= math.min(files, 3 * Portion), s"${read.size} of $files")
    }
  }

  test("never more footers than are allowed, from both ends") {
    val (found, read) = look(5000, { case _ => counted(v, 0) })
    assertEquals(read.size, MaxFiles)
    assertEquals(found.rows(v), 0L)
    assertEquals(read.count(_ < 2500), MaxFiles / 2)
  }

  test("a column that is known well enough keeps no other from being looked for, and ends no search for it") {
    val says: PartialFunction[Int, FileCounts] = {
      case i if i >= 995 => counted(w, 20)
      case _ => counted(v, 100)
    }
    val (found, read) = look(1000, says, Set(v, w))
    assertEquals(found.rows(w), 100L)
    assert(read.size <= 3 * Portion, s"${read.size}")
    // Nobody has written `w`: that `v` is everywhere does not have all files read for it.
    assert(look(5000, { case _ => counted(v, 100) }, Set(v, w))._2.size <= 4 * Portion)
  }

  test("of several named shapes the oldest holds, whichever was read first") {
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
