/** Each column is compressed with the zstd level that gives the smaller pages, unless a level is set. */
package shreddedvariant.parquet.page

import java.nio.file.{Files, Path => LocalPath}

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.LocalInputFile
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.VariantFile
import shreddedvariant.parquet.write.{FileWriter, WriteJob}

class ZstdLevelsSuite extends shreddedvariant.Suite {
  private val schema = new StructType().add("hash", StringType).add("text", StringType)

  /** Hashes in base32, 5 bits a character, and texts of short, repeated words. */
  private def rows: Iterator[InternalRow] = {
    val random = new Random(7)
    val words = IndexedSeq.fill(1000)(random.alphanumeric.take(5).mkString)
    def texts = Seq(
      "bafyrei" + Seq.fill(52)("abcdefghijklmnopqrstuvwxyz234567" (random.nextInt(32))).mkString,
      Seq.fill(12)(words(random.nextInt(words.size))).mkString(" ")
    )
    Iterator.fill(20000)(InternalRow.fromSeq(texts.map(UTF8String.fromString)))
  }

  private def sizes(level: Option[Int]): Map[String, Long] = {
    val conf = VariantFile.conf(schema)
    level.foreach(conf.setInt("parquet.compression.codec.zstd.level", _))
    VariantFile.withFile { file =>
      val writer = new FileWriter(new Path(file.toUri), conf, CompressionCodecName.ZSTD, WriteJob(Map.empty))
      rows.foreach(writer.write)
      writer.close()
      columns(file)
    }
  }

  private def columns(file: LocalPath): Map[String, Long] = {
    assert(Files.size(file) > 0)
    val reader = ParquetFileReader.open(new LocalInputFile(file))
    try
      reader.getFooter.getBlocks.asScala.flatMap(_.getColumns.asScala)
        .map(chunk => chunk.getPath.toDotString -> chunk.getTotalSize).toMap
    finally reader.close()
  }

  test("hashes get the fast level, which makes them smaller, and words the usual level") {
    val (chosen, quick, usual) = (sizes(None), sizes(Some(1)), sizes(Some(3)))
    assert(quick("hash") < usual("hash") && usual("text") < quick("text"))
    assertEquals(chosen, Map("hash" -> quick("hash"), "text" -> usual("text")))
  }

  test("a level that is set applies to all columns") {
    assertNotEquals(sizes(Some(9)), sizes(None))
    assertNotEquals(sizes(Some(9))("text"), sizes(Some(3))("text"))
  }
}
