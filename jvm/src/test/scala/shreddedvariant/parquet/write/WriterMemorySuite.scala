/** An open writer holds its sample, and then its current row group, but never the whole file. */
package shreddedvariant.parquet.write

import scala.util.Random

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructType, VariantType}
import org.apache.spark.types.variant.VariantBuilder
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.VariantFile
import shreddedvariant.infer.Limits

class WriterMemorySuite extends shreddedvariant.Suite {
  private val schema = new StructType().add("v", VariantType)
  private val sample = 16L << 20
  private val rowGroup = 32L << 20

  private def row(random: Random, i: Int): InternalRow = {
    val text = random.alphanumeric.take(600).mkString
    val sparse = (0 until 10).map(_ => s""""f${random.nextInt(200)}": ${random.nextInt()}""").distinctBy(
      _.takeWhile(_ != ':')
    )
    val built =
      VariantBuilder.parseJson(s"""{"id": $i, "text": "$text", ${sparse.mkString(", ")}}""", false)
    InternalRow(new VariantVal(built.getValue, built.getMetadata))
  }

  /** The reachable bytes of the heap. */
  private def used(): Long = {
    System.gc()
    val heap = Runtime.getRuntime
    heap.totalMemory - heap.freeMemory
  }

  private def write(rows: Int)(afterRow: Int => Unit): Unit = VariantFile.withFile { file =>
    val conf = VariantFile.conf(schema)
    conf.setLong("parquet.block.size", rowGroup)
    val random = new Random(11)
    val job = WriteJob(
      Map.empty,
      Map(Seq("v") -> Limits(minFieldFrequency = 0.01)),
      SampleSize(rows = Int.MaxValue, bytes = sample)
    )
    val writer = new SamplingWriter(
      schema,
      job,
      (decided, counts) =>
        new FileWriter(new Path(file.toUri), conf, CompressionCodecName.ZSTD, decided, counts)
    )
    for (i <- 0 until rows) {
      writer.write(row(random, i))
      afterRow(i)
    }
    writer.close()
    assert(VariantFile.footer(file).getSchema.getColumns.size > 100)
  }

  test("a writer holds at most its sample and two row groups, for any number of rows") {
    // Loads classes and static data first, which do not belong to the writer.
    write(24000)(_ => ())
    val before = used()
    var maxBytes = 0L
    write(100000)(i => if (i % 5000 == 4999) maxBytes = math.max(maxBytes, used() - before))
    assert(maxBytes <= sample + 2 * rowGroup, s"${maxBytes >> 20} MiB")
    // Checks the measurement itself: the sample is visible in it.
    assert(maxBytes >= sample, s"${maxBytes >> 20} MiB")
  }
}
