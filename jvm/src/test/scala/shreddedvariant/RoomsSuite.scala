/** The folders keep to the table in docs/architecture/overview.md: what they import, and how large they are. */
package shreddedvariant

import java.nio.file.{Files, Path, Paths}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

class RoomsSuite extends Suite {
  private val main = Paths.get("jvm/src/main/scala/shreddedvariant")

  private val MaxFiles = 25
  private val MaxLines = 300

  /** Larger folders have no circle of imports between their files. */
  private val MaxFilesWithCircles = 10

  /** Rows of the table: folder, duty, the folders that it may import. */
  private lazy val table: Map[String, Set[String]] = {
    val row = """\| `([a-z/]+)` \|.*\| ([^|]*) \|""".r
    Files.readAllLines(Paths.get("docs/architecture/overview.md")).asScala.collect {
      case row(folder, imports) => folder -> "`([a-z/]+)`".r.findAllMatchIn(imports).map(_.group(1)).toSet
    }.toMap
  }

  private lazy val files: Seq[Path] = {
    val walk = Files.walk(main)
    try walk.iterator.asScala.filter(_.toString.endsWith(".scala")).toList
    finally walk.close()
  }

  private lazy val folders: Map[String, Seq[Path]] =
    files.groupBy(file => main.relativize(file.getParent).toString) - ""

  private def imports(file: Path): Seq[String] = Files.readAllLines(file).asScala.toSeq.map(_.trim)
    .filter(_.startsWith("import ")).map(_.stripPrefix("import "))

  /** The folder of an import: the longest one that it begins with. */
  private def folderOf(name: String): Option[String] = {
    val path = name.stripPrefix("shreddedvariant.").replace('.', '/')
    folders.keys.filter(folder => path.startsWith(folder + "/")).maxByOption(_.length)
  }

  private def libraries(folder: String): Set[String] =
    folders(folder).flatMap(imports).filterNot(_.startsWith("shreddedvariant.")).toSet

  test("the table has a row for each folder") {
    assertEquals(folders.keySet -- table.keySet, Set.empty[String])
    assertEquals(table.keySet -- folders.keySet, Set.empty[String])
  }

  for (folder <- table.keySet.toSeq.sorted)
    test(s"$folder imports only the folders of its row") {
      val wrong = for {
        file <- folders(folder)
        name <- imports(file) if name.startsWith("shreddedvariant.")
        other <- folderOf(name) if other != folder && !table(folder)(other)
      } yield s"${file.getFileName}: $name"
      assertEquals(wrong, Nil)
    }

  test("no two folders import each other, directly or through others") {
    assertEquals(circles(table), Nil)
  }

  test("no file of a large folder imports another in a circle") {
    val found = folders.toSeq.filter(_._2.size > MaxFilesWithCircles).flatMap { case (_, files) =>
      circles(references(files))
    }
    assertEquals(found, Nil)
  }

  test(s"no folder has more than $MaxFiles files, and no file more than $MaxLines lines") {
    assertEquals(folders.filter(_._2.size > MaxFiles).keySet, Set.empty[String])
    assertEquals(files.filter(Files.readAllLines(_).size > MaxLines).map(_.getFileName.toString), Nil)
  }

  test("what computes on values alone knows no files and no plans") {
    val foreign =
      Seq("org.apache.hadoop", "org.apache.spark.sql.execution.datasources", "org.apache.spark.sql.connector")
    for (folder <- Seq("binary", "layout", "shred", "infer", "maps", "stats"))
      assertEquals(
        libraries(folder).filter(name => foreign.exists(name.startsWith)),
        Set.empty[String],
        folder
      )
  }

  test("only one folder knows Delta Kernel, and only folders of Parquet files its readers and writers") {
    def users(of: String) =
      files.filter(Files.readString(_).contains(of)).map(f => main.relativize(f.getParent).toString).toSet
    assertEquals(users("shreddedvariant.shaded"), Set("delta"))
    val readers = users("org.apache.parquet.hadoop.ParquetFile") ++ users("org.apache.parquet.column.page")
    assertEquals(readers.filterNot(_.startsWith("parquet/")), Set.empty[String])
  }

  test("every file begins with its duty") {
    assertEquals(files.filterNot(Files.readString(_).startsWith("/**")), Nil)
  }

  /** The names on each circle of a graph. */
  private def circles(graph: Map[String, Set[String]]): Seq[Set[String]] = {
    val reached = mutable.Map.empty[String, Set[String]]
    def reach(from: String): Set[String] = reached.getOrElseUpdate(
      from, {
        val seen = mutable.Set.empty[String]
        val open = mutable.Queue.from(graph.getOrElse(from, Nil))
        while (open.nonEmpty) {
          val next = open.dequeue()
          if (seen.add(next)) open ++= graph.getOrElse(next, Nil)
        }
        seen.toSet
      }
    )
    val onCircle = graph.keys.filter(name => reach(name)(name))
    onCircle.map(name => reach(name).filter(other => reach(other)(name))).toSeq.distinct
  }

  /** Which files of a folder name a type that another one of them defines. */
  private def references(files: Seq[Path]): Map[String, Set[String]] = {
    val definition =
      """(?m)^(?:private(?:\[\w+\])? |sealed |final |abstract |case )*(?:class|object|trait) (\w+)""".r
    val texts = files.map { file =>
      val text = Files.readString(file).replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("//.*|\"[^\"\n]*\"", "")
      file.getFileName.toString -> text
    }.toMap
    val definedIn = for ((file, text) <- texts.toSeq; name <- definition.findAllMatchIn(text))
      yield name.group(1) -> file
    texts.map { case (file, text) =>
      val words = "\\w+".r.findAllIn(text).toSet
      file -> definedIn.collect { case (name, other) if other != file && words(name) => other }.toSet
    }
  }
}
