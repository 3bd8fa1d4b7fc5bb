/** No room imports another that the table in docs/architecture.md does not allow it. */
package shreddedvariant

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

class RoomsSuite extends munit.FunSuite {
  private val main = Paths.get("jvm/src/main/scala/shreddedvariant")

  /** What all folders that read and write Parquet files may import of the world outside. */
  private lazy val parquetLibraries = Set(
    "com.github.luben.zstd",
    "com.google.common",
    "org.apache.hadoop",
    "org.apache.parquet",
    "org.apache.spark.SparkThrowable",
    "org.apache.spark.sql.AnalysisException",
    "org.apache.spark.sql.catalyst",
    "org.apache.spark.sql.connector.read",
    "org.apache.spark.sql.execution.datasources",
    "org.apache.spark.sql.execution.vectorized",
    "org.apache.spark.sql.internal",
    "org.apache.spark.sql.types",
    "org.apache.spark.sql.vectorized",
    "org.apache.spark.types.variant",
    "org.apache.spark.unsafe",
    "org.apache.spark.util.CollectionAccumulator",
    "org.slf4j"
  )

  /** The packages that each folder may import, of ours and of the world outside. */
  private val rooms = Map(
    "layout" -> Set("shreddedvariant.layout", "org.apache.parquet.schema", "org.apache.spark.sql.types"),
    "binary" -> Set("org.apache.spark.unsafe"),
    "shred" -> Set(
      "shreddedvariant.binary",
      "shreddedvariant.layout",
      "org.apache.spark.sql.types",
      "org.apache.spark.sql.execution.vectorized",
      "org.apache.spark.sql.vectorized",
      "org.apache.spark.types.variant",
      "org.apache.spark.unsafe"
    ),
    "maps" -> Set(
      "shreddedvariant.layout",
      "com.fasterxml.jackson.databind",
      "org.apache.spark.sql.catalyst.InternalRow",
      "org.apache.spark.sql.catalyst.expressions",
      "org.apache.spark.sql.catalyst.util",
      "org.apache.spark.sql.types",
      "org.apache.spark.sql.vectorized",
      "org.apache.spark.unsafe"
    ),
    "infer" -> Set("shreddedvariant.binary", "shreddedvariant.layout", "org.apache.spark.unsafe"),
    "stats" -> Set(
      "shreddedvariant.layout",
      "org.apache.spark.sql.catalyst.InternalRow",
      "org.apache.spark.sql.catalyst.expressions",
      "org.apache.spark.sql.types",
      "org.apache.spark.types.variant",
      "org.apache.spark.unsafe"
    ),
    "parquet/page" -> (Set("shreddedvariant.binary", "shreddedvariant.shred") ++ parquetLibraries),
    "parquet/file" -> (Set(
      "shreddedvariant.layout",
      "shreddedvariant.maps",
      "shreddedvariant.parquet.page",
      "shreddedvariant.stats"
    ) ++ parquetLibraries),
    "parquet/vector" -> (Set(
      "shreddedvariant.binary",
      "shreddedvariant.layout",
      "shreddedvariant.maps",
      "shreddedvariant.parquet.file",
      "shreddedvariant.parquet.page",
      "shreddedvariant.shred",
      "shreddedvariant.stats"
    ) ++ parquetLibraries),
    "parquet/bind" -> (Set(
      "shreddedvariant.layout",
      "shreddedvariant.maps",
      "shreddedvariant.parquet.file",
      "shreddedvariant.parquet.vector",
      "shreddedvariant.shred",
      "shreddedvariant.stats"
    ) ++ parquetLibraries),
    "parquet/skip" -> (Set(
      "shreddedvariant.layout",
      "shreddedvariant.parquet.bind",
      "shreddedvariant.parquet.file",
      "shreddedvariant.stats"
    ) ++ parquetLibraries),
    "parquet/read" -> (Set(
      "shreddedvariant.binary",
      "shreddedvariant.layout",
      "shreddedvariant.parquet.bind",
      "shreddedvariant.parquet.file",
      "shreddedvariant.parquet.page",
      "shreddedvariant.parquet.skip",
      "shreddedvariant.parquet.vector",
      "shreddedvariant.stats"
    ) ++ parquetLibraries),
    "parquet/write" -> (Set(
      "shreddedvariant.binary",
      "shreddedvariant.infer",
      "shreddedvariant.layout",
      "shreddedvariant.maps",
      "shreddedvariant.parquet.bind",
      "shreddedvariant.parquet.file",
      "shreddedvariant.parquet.page",
      "shreddedvariant.shred"
    ) ++ parquetLibraries),
    "parquet/verify" -> (Set(
      "shreddedvariant.binary",
      "shreddedvariant.layout",
      "shreddedvariant.maps",
      "shreddedvariant.parquet.bind",
      "shreddedvariant.parquet.file",
      "shreddedvariant.parquet.read",
      "shreddedvariant.parquet.vector",
      "shreddedvariant.stats"
    ) ++ parquetLibraries),
    "rules" -> Set(
      "shreddedvariant.SparkBridge",
      "shreddedvariant.layout",
      "org.apache.spark.sql.catalyst",
      "org.apache.spark.sql.connector.catalog",
      "org.apache.spark.sql.connector.read",
      "org.apache.spark.sql.execution.datasources.WriteFiles",
      "org.apache.spark.sql.execution.datasources.v2",
      "org.apache.spark.sql.types",
      "org.apache.spark.unsafe"
    ),
    "delta" -> Set(
      "shreddedvariant.LocalFile",
      "shreddedvariant.SharedFile",
      "shreddedvariant.binary",
      "shreddedvariant.layout",
      "shreddedvariant.stats",
      "shreddedvariant.shaded.io.delta",
      "org.apache.hadoop.conf",
      "org.apache.hadoop.fs",
      "org.apache.hadoop.security",
      "org.apache.parquet.schema",
      "org.apache.spark.sql.types",
      "org.slf4j",
      "com.fasterxml.jackson"
    ),
    "source" -> Set(
      "shreddedvariant",
      "org.apache.parquet.hadoop.util",
      "org.apache.hadoop",
      "org.apache.spark",
      "com.fasterxml.jackson"
    )
  )

  private def files(dir: Path): Seq[Path] = {
    val walk = Files.walk(dir)
    try walk.iterator.asScala.filter(_.toString.endsWith(".scala")).toList
    finally walk.close()
  }

  for ((room, allowed) <- rooms)
    test(s"$room imports only what it may") {
      val standard = Seq(
        "java.",
        "scala.",
        "shreddedvariant.{Errors",
        "shreddedvariant.Errors",
        "shreddedvariant.SparkBridge"
      )
      val wrong = for {
        file <- files(main.resolve(room))
        line <- Files.readAllLines(file).asScala.map(_.trim) if line.startsWith("import ")
        name = line.stripPrefix("import ") if name.contains('.') && name.head.isLower
        if !standard.exists(name.startsWith) && !allowed.exists(a => name == a || name.startsWith(a + "."))
      } yield s"${file.getFileName}: $line"
      assertEquals(wrong, Nil)
    }

  test("only one room knows Delta Kernel") {
    val others = files(main).filterNot(_.startsWith(main.resolve("delta")))
    assertEquals(others.filter(f => Files.readString(f).contains("shaded")).map(_.getFileName.toString), Nil)
  }

  test("every folder is in the table") {
    val folders = files(main).map(file => main.relativize(file.getParent).toString).filter(_.nonEmpty).toSet
    assertEquals(folders, rooms.keySet)
  }

  test("no two folders import each other, directly or through others") {
    def of(room: String): Set[String] =
      rooms(room).filter(_.startsWith("shreddedvariant.")).map(_.stripPrefix("shreddedvariant.").replace(
        '.',
        '/'
      ))
        .filter(rooms.contains) - room
    def reaches(from: String, to: String, seen: Set[String]): Boolean =
      of(from).exists(next => next == to || !seen(next) && reaches(next, to, seen + next))
    assertEquals(rooms.keySet.filter(room => reaches(room, room, Set(room))), Set.empty[String])
  }

  test("every file begins with its duty") {
    val silent = files(main).filterNot(f => Files.readString(f).startsWith("/**"))
    assertEquals(silent, Nil)
  }
}
