/** No room imports another that the table in docs/architecture.md does not allow it. */
package shreddedvariant

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

class RoomsSuite extends munit.FunSuite {
  private val main = Paths.get("jvm/src/main/scala/shreddedvariant")

  /** The sub-packages that a room may import, of ours and of the world outside. */
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
      "org.apache.spark.sql.types"
    ),
    "parquet" -> Set(
      "shreddedvariant.binary",
      "shreddedvariant.infer",
      "shreddedvariant.layout",
      "shreddedvariant.maps",
      "shreddedvariant.shred",
      "shreddedvariant.stats",
      "com.google.common",
      "com.github.luben.zstd",
      "org.apache.parquet",
      "org.apache.hadoop",
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
      "org.apache.spark.unsafe"
    ),
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
      "shreddedvariant.binary",
      "shreddedvariant.layout",
      "shreddedvariant.stats",
      "shreddedvariant.shaded.io.delta",
      "org.apache.hadoop.conf",
      "org.apache.hadoop.fs",
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

  test("every room is in the table") {
    val dirs =
      Files.list(main).iterator.asScala.filter(Files.isDirectory(_)).map(_.getFileName.toString).toSet
    assertEquals(dirs, rooms.keySet)
  }

  test("every file begins with its duty") {
    val silent = files(main).filterNot(f => Files.readString(f).startsWith("/**"))
    assertEquals(silent, Nil)
  }
}
