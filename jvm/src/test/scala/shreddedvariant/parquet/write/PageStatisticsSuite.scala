/**
 * Our pages have the same statistics as pages of Parquet's own writer, which writes columns without
 * dictionaries.
 */
package shreddedvariant.parquet.write

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.LocalInputFile
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.VariantFile

class PageStatisticsSuite extends shreddedvariant.Suite {

  /** The statistics of the column, and its column index. */
  private def bounds(dataType: DataType, values: Seq[Any], isOurs: Boolean): (String, String) =
    VariantFile.withFile { file =>
      val schema = new StructType().add("c", dataType)
      val conf = VariantFile.conf(schema)
      conf.setBoolean("parquet.enable.dictionary", isOurs)
      conf.setInt("parquet.page.row.count.limit", 100)
      conf.setInt("parquet.page.size.row.check.min", 1)
      val writer =
        new FileWriter(new Path(file.toUri), conf, CompressionCodecName.UNCOMPRESSED, WriteJob(Map.empty))
      values.foreach(value => writer.write(InternalRow(value)))
      writer.close()
      val reader = ParquetFileReader.open(new LocalInputFile(file))
      try {
        val chunk = reader.getFooter.getBlocks.asScala.head.getColumns.asScala.head
        (s"${chunk.getStatistics}", s"${reader.readColumnIndex(chunk)}")
      } finally reader.close()
    }

  private val doubles =
    Seq(1.5, -2.0, 0.0, -0.0, Double.NaN, Double.NegativeInfinity, Double.MinPositiveValue)
  private val cases: Seq[(String, DataType, Seq[Any])] = Seq(
    ("numbers", LongType, (0L until 1000L).map(i => i * 7919 % 1000 - 500)),
    ("small numbers", IntegerType, (0 until 1000).map(_ % 3)),
    ("texts", StringType, (0 until 1000).map(i => UTF8String.fromString(s"t${i * 31 % 700}"))),
    ("booleans", BooleanType, (0 until 1000).map(i => i % 200 < 100 || i % 7 == 0)),
    ("one boolean", BooleanType, Seq.fill(1000)(false)),
    ("doubles", DoubleType, (0 until 1000).map(i => (i * 37 % 400 - 200) / 8.0)),
    ("floats", FloatType, (0 until 1000).map(i => (i * 37 % 400 - 200) / 8.0f)),
    ("floats with NaN", FloatType, (0 until 1000).map(i => if (i % 90 == 5) Float.NaN else i.toFloat)),
    ("zeros below", DoubleType, Seq.fill(500)(Seq(-0.0, -1.0)).flatten),
    ("zeros above", DoubleType, Seq.fill(500)(Seq(0.0, 1.0)).flatten),
    ("a zero of each kind", DoubleType, Seq.fill(500)(Seq(0.0, -0.0)).flatten),
    ("nothing but NaN", DoubleType, Seq.fill(1000)(Double.NaN))
  ) ++ doubles.map(special =>
    (s"pages with $special", DoubleType, (0 until 1000).map(i => if (i == 250) special else 2.0))
  )

  for ((name, dataType, values) <- cases; nulls <- Seq(0, 3, 1))
    test(s"$name, ${if (nulls == 0) "none null" else s"one in $nulls null"}") {
      val withNulls = values.zipWithIndex.map { case (value, i) =>
        if (nulls > 0 && i % nulls == 0) null else value
      }
      assertEquals(bounds(dataType, withNulls, isOurs = true), bounds(dataType, withNulls, isOurs = false))
    }
}
