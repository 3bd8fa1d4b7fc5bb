/** The splits of a file have each row group exactly once, and the splits of one query read the footer once. */
package shreddedvariant.parquet.file

import java.net.URI
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path => LocalPath, StandardOpenOption}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, Path, RawLocalFileSystem}
import org.apache.hadoop.security.AccessControlException
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import shreddedvariant.{ShreddedVariantException, Value, VariantFile}
import shreddedvariant.layout.ShapeParser

class OpenFileSuite extends munit.FunSuite {
  private def withGroups[A](body: LocalPath => A): A = VariantFile.withFile { file =>
    val rows =
      (0 until 4000).map(i => Value.encode(Value.Obj(Map("a" -> Value.Text(s"${i * 7919L % 4001}")))))
    VariantFile.write(file, rows, ShapeParser.parse("a STRING"), rowGroupSize = 4000)
    body(file)
  }

  private def split(file: LocalPath, start: Long, end: Long, fileSize: Long) = PartitionedFile(
    InternalRow.empty,
    SparkPath.fromPathString(file.toUri.toString),
    start,
    end - start,
    fileSize = fileSize
  )

  /** The first row of each row group of a split. */
  private def groups(split: PartitionedFile, scan: String): Seq[Long] = {
    val open = OpenFile.split(split, new Configuration(false), scan)
    try open.reader.getRowGroups.asScala.map(_.getRowIndexOffset).toSeq
    finally open.reader.close()
  }

  test("a file without read permission is not reported as damaged") {
    val conf = new Configuration(false)
    conf.set("fs.denied.impl", classOf[DenyingFileSystem].getName)
    val split =
      PartitionedFile(InternalRow.empty, SparkPath.fromPathString("denied:///a"), 0, 10, fileSize = 10)
    intercept[AccessControlException](OpenFile.split(split, conf, "denied"))
  }

  test("each row group is in exactly one split, for any bounds of the splits") {
    withGroups { file =>
      val size = Files.size(file)
      val all = groups(split(file, 0, size, size), "whole")
      assert(all.size > 5, all)
      for (parts <- 2 to 40) {
        val bounds = (0 to parts).map(i => size * i / parts)
        val groupsOfSplits = bounds.zip(bounds.tail).map { case (start, end) =>
          groups(split(file, start, end, size), s"$parts")
        }
        assertEquals(groupsOfSplits.flatten, all)
      }
    }
  }

  test("a row group that starts after the end of the file is in the last split") {
    withGroups { file =>
      val all = groups(split(file, 0, 100, 100), "whole")
      assertEquals(
        groups(split(file, 0, 50, 100), "parts") ++ groups(split(file, 50, 100, 100), "parts"),
        all
      )
    }
  }

  test("the splits of one query read the footer once, and another query reads it again") {
    withGroups { file =>
      val size = Files.size(file)
      val first = split(file, 0, size / 2, size)
      val second = split(file, size / 2, size, size)
      assert(groups(first, "one").nonEmpty)
      val channel = FileChannel.open(file, StandardOpenOption.WRITE)
      try channel.write(ByteBuffer.allocate(8), size - 8)
      finally channel.close()
      assert(groups(second, "one").nonEmpty)
      intercept[ShreddedVariantException](groups(second, "another"))
    }
  }
}

class DenyingFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("denied:///")
  override def getFileStatus(path: Path): FileStatus = new FileStatus(10, false, 1, 10, 0, path)
  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    throw new AccessControlException(s"$path")
}
