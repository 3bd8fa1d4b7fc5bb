/**
 * For every shape, a writer that counts while it shreds gives the same counts as counting without shredding.
 */
package shreddedvariant.infer

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructType, VariantType}
import org.apache.spark.unsafe.types.VariantVal
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll
import shreddedvariant.{Shapes, Value, VariantFile}
import shreddedvariant.layout.{Shape, WriteLayout}
import shreddedvariant.parquet.write.{ColumnCounts, FileWriter, WriteJob}

class CountedPathSuite extends shreddedvariant.LawSuite {
  private val schema = new StructType().add("v", VariantType)
  private val column = Seq("v")

  private def counted(variants: Seq[VariantVal], shape: Shape, layout: WriteLayout, paths: Int): Counts =
    VariantFile.withFile { file =>
      val counts = Counts.limitedTo(paths)
      val job = WriteJob(Map(column -> shape), layout = layout)
      val writer = new FileWriter(
        new Path(file.toUri),
        VariantFile.conf(schema),
        CompressionCodecName.UNCOMPRESSED,
        job,
        ColumnCounts(Map(column -> counts), Nil, 0)
      )
      variants.foreach(variant => writer.write(InternalRow(variant)))
      writer.close()
      counts
    }

  private val documents = Gen.choose(1, 6).flatMap(Gen.listOfN(_, Value.values(3)))
  private val cases = for {
    values <- documents
    shape <- Gen.oneOf(Shapes.shapes(3), Gen.oneOf(values).flatMap(Shapes.near))
    layout <- Gen.oneOf(WriteLayout.all.values.toSeq)
    paths <- Gen.frequency(2 -> Gen.const(PathLimiter.MaxPaths), 1 -> Gen.choose(1, 30))
  } yield (values, shape, layout, paths)

  property("all values are counted, also values that no cell types, with and without a limit on paths") {
    forAll(cases) { case (values, shape, layout, paths) =>
      val variants = values.map { value =>
        val (metadata, bytes) = Value.encode(value)
        new VariantVal(bytes, metadata)
      }
      val plain = Counts.limitedTo(paths)
      variants.foreach(variant => plain.add(variant.getMetadata, variant.getValue))
      val shredded = counted(variants ++ variants, shape, layout, paths)
      variants.foreach(variant => plain.add(variant.getMetadata, variant.getValue))
      assertEquals(shredded.toBytes.toSeq, plain.toBytes.toSeq)
    }
  }
}
