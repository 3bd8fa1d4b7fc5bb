/** Pages have about the configured size, also for rows with many entries or long values. */
package shreddedvariant.parquet.write

import java.nio.file.{Path => LocalPath}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.LocalInputFile
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.VariantFile

class PageSizeSuite extends shreddedvariant.Suite {
  private val schema =
    new StructType().add("id", LongType).add("list", ArrayType(LongType)).add("s", StringType)
  private val page = 64 * 1024

  private def row(i: Int, entries: Int, length: Int): InternalRow = {
    val list = Array.tabulate(entries)(e => i.toLong * entries + e)
    InternalRow(i.toLong, ArrayData.toArrayData(list), UTF8String.fromString(i.toString * length))
  }

  private def write(file: LocalPath, rows: Iterator[InternalRow], settings: (String, String)*): Unit = {
    val conf = VariantFile.conf(schema)
    conf.setInt("parquet.page.size", page)
    settings.foreach { case (key, value) => conf.set(key, value) }
    val writer =
      new FileWriter(new Path(file.toUri), conf, CompressionCodecName.UNCOMPRESSED, WriteJob(Map.empty))
    rows.foreach(writer.write)
    writer.close()
  }

  /** The sizes of the pages of each column. */
  private def pages(file: LocalPath): Map[String, Seq[Int]] = {
    val reader = ParquetFileReader.open(new LocalInputFile(file))
    try
      (for {
        block <- reader.getFooter.getBlocks.asScala.toSeq
        chunk <- block.getColumns.asScala
        index = reader.readOffsetIndex(chunk)
      } yield chunk.getPath.toDotString -> (0 until index.getPageCount).map(index.getCompressedPageSize))
        .groupMapReduce(_._1)(_._2: Seq[Int])(_ ++ _)
    finally reader.close()
  }

  // Sizes are first checked after a hundred rows.
  private def most(bytesOfRow: Int) = 2 * math.max(page, 100 * bytesOfRow)

  for {
    (rows, entries, length, column, bytesOfRow, atLeast) <- Seq(
      ("many entries", 1000, 1, "list.list.element", 8 * 1000, 10),
      ("long values", 0, 1500, "s", 4 * 1500, 8)
    )
  } test(s"rows of $rows") {
    VariantFile.withFile { file =>
      write(file, (0 until 3000).iterator.map(row(_, entries, length)))
      val sizes = pages(file)(column)
      assert(sizes.max <= most(bytesOfRow), s"${sizes.max} bytes")
      assert(sizes.size >= atLeast)
    }
  }

  test("rows that grow, and rows that shrink") {
    VariantFile.withFile { file =>
      write(file, (0 until 4000).iterator.map(i => row(i, entries = if (i < 2000) 1 else 500, length = 1)))
      // If the dictionary does not pay, ids are replaced by values with twice as many bytes.
      val largest = pages(file)("list.list.element").max
      assert(largest <= 2 * 8 * page + 8 * 500 + 8192, s"$largest bytes")
    }
  }

  test("unusual settings") {
    for (dictionary <- Seq("1", "100", "100000000"); page <- Seq("1", "1000")) VariantFile.withFile { file =>
      write(
        file,
        (0 until 500).iterator.map(row(_, entries = 20, length = 3)),
        "parquet.dictionary.page.size" -> dictionary,
        "parquet.page.size" -> page
      )
      assertEquals(pages(file).keySet, Set("id", "list.list.element", "s"))
    }
  }

  test("a page with more entries than a dictionary page has bytes") {
    VariantFile.withFile { file =>
      val rows = (0 until 60).iterator.map(_ => row(7, entries = 100000, length = 1))
      write(file, rows, "parquet.dictionary.page.size" -> "1024", "parquet.page.size" -> (1 << 30).toString)
      assert(pages(file)("list.list.element").sum > 0)
    }
  }
}
