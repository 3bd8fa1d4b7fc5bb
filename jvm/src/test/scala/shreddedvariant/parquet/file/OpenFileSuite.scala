/** The splits of a file have each row group exactly once, and the splits of one query read the footer once. */
package shreddedvariant.parquet.file

import java.io.ByteArrayOutputStream
import java.net.URI
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path => LocalPath, StandardOpenOption}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, Path, RawLocalFileSystem}
import org.apache.hadoop.security.AccessControlException
import org.apache.parquet.format.{FieldRepetitionType, FileMetaData, SchemaElement, Type, Util}
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import shreddedvariant.{Errors, ShreddedVariantException, Value, VariantFile}
import shreddedvariant.layout.ShapeParser

class OpenFileSuite extends shreddedvariant.Suite {
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

  test("columns that are nested too deep are refused by name, without the fatal error among the causes") {
    VariantFile.withFile { file =>
      deep(file, levels = 100000)
      val path = new Path(file.toUri)
      val e = intercept[ShreddedVariantException](OpenFile(path, new Configuration(false)))
      assertEquals(e.condition, "SHREDDED_VARIANT_SCHEMA_TOO_DEEP")
      assert(e.getMessage.contains(file.getFileName.toString))
      assertEquals(Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).size, 1)
    }
    assertEquals(Errors.decodingMemory("f", "c", new OutOfMemoryError("heap")).getCause, null)
  }

  /** A file without rows, whose one column has so many structs around it. */
  private def deep(file: LocalPath, levels: Int): Unit = {
    val groups = (0 to levels).map { i =>
      new SchemaElement(s"g$i").setNum_children(1).setRepetition_type(FieldRepetitionType.OPTIONAL)
    }
    val leaf = new SchemaElement("x").setType(Type.INT32).setRepetition_type(FieldRepetitionType.OPTIONAL)
    val footer = new ByteArrayOutputStream
    Util.writeFileMetaData(new FileMetaData(1, (groups :+ leaf).asJava, 0, java.util.List.of()), footer)
    val length = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(footer.size).array
    val magic = "PAR1".getBytes("US-ASCII")
    Files.write(file, magic ++ footer.toByteArray ++ length ++ magic)
    ()
  }
}

class DenyingFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("denied:///")
  override def getFileStatus(path: Path): FileStatus = new FileStatus(10, false, 1, 10, 0, path)
  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    throw new AccessControlException(s"$path")
}
