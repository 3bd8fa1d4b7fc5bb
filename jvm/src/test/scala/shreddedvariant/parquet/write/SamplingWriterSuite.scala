/** A writer that infers shapes: when and how it decides, and the counts of all rows in the footer. */
package shreddedvariant.parquet.write

import java.nio.file.{Files, Path => LocalPath}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{IntegerType, StructType, VariantType}
import org.apache.spark.types.variant.VariantBuilder
import org.apache.spark.unsafe.types.VariantVal
import org.apache.spark.util.CollectionAccumulator
import shreddedvariant.{ShreddedVariantException, VariantFile}
import shreddedvariant.infer.{Counts, Inference, Limits}
import shreddedvariant.layout.{FooterKeys, ShapeParser}

class SamplingWriterSuite extends shreddedvariant.Suite {
  private val schema = new StructType()
    .add("id", IntegerType)
    .add("v", VariantType)
    .add("s", new StructType().add("w", VariantType))
  private val v = Seq("v")
  private val w = Seq("s", "w")

  private def variant(json: String): VariantVal = {
    val built = VariantBuilder.parseJson(json, false)
    new VariantVal(built.getValue, built.getMetadata)
  }

  private def row(v: String, w: String = null): InternalRow =
    InternalRow(1, if (v == null) null else variant(v), if (w == null) null else InternalRow(variant(w)))

  /** Numbers in the first rows, texts in all later rows. */
  private def changing(numbers: Int, rows: Int): Seq[InternalRow] =
    (0 until rows).map(i => row(if (i < numbers) s"""{"a": $i}""" else s"""{"a": "text $i"}"""))

  private def write(
      file: LocalPath,
      rows: Seq[InternalRow],
      sample: SampleSize = SampleSize(),
      columns: Seq[Seq[String]] = Seq(v, w),
      onOpen: Int => Unit = _ => (),
      cuts: CollectionAccumulator[String] = new CollectionAccumulator,
      in: StructType = schema
  ): Unit = {
    var written = 0
    val job = WriteJob(Map.empty, columns.map(_ -> Limits()).toMap, sample, cuts = Some(cuts))
    val writer = new SamplingWriter(
      in,
      job,
      (decided, counts) => {
        onOpen(written)
        new FileWriter(
          new Path(file.toUri),
          VariantFile.conf(in),
          CompressionCodecName.ZSTD,
          decided,
          counts
        )
      }
    )
    try rows.foreach { row =>
        written += 1
        writer.write(row)
      }
    finally writer.close()
  }

  private def shapeOf(file: LocalPath, column: String = "v"): String =
    VariantFile.footer(file).getSchema.getFields.get(schema.fieldIndex(column)).toString.replaceAll(
      "\\s+",
      " "
    )

  private def typed(file: LocalPath): Boolean = shapeOf(file).contains("int64 typed_value")

  test("the row that reaches the limit of rows ends the sample") {
    for ((sample, decidedAt) <- Seq(1 -> 1, 7 -> 7, 4096 -> 50))
      VariantFile.withFile { file =>
        var opened = -1
        write(file, changing(7, 50), SampleSize(rows = sample), onOpen = n => opened = n)
        assertEquals(opened, decidedAt)
        assertEquals(typed(file), sample <= 7, shapeOf(file))
      }
  }

  test("the row that reaches the limit of bytes ends the sample") {
    VariantFile.withFile { file =>
      val big = row(s"""{"a": 1, "text": "${"x" * 1000}"}""")
      var opened = -1
      write(file, Seq.fill(50)(big), SampleSize(bytes = 10 * 1000), onOpen = n => opened = n)
      assert(opened > 5 && opened <= 10, s"opened at row $opened")
    }
  }

  test("held rows are copies, because Spark reuses rows") {
    VariantFile.withFile { file =>
      val job = WriteJob(Map.empty, Map(v -> Limits()), SampleSize(rows = 10))
      val writer = new SamplingWriter(
        schema,
        job,
        (decided, counts) =>
          new FileWriter(
            new Path(file.toUri),
            VariantFile.conf(schema),
            CompressionCodecName.ZSTD,
            decided,
            counts
          )
      )
      val reused = InternalRow(0, null, null)
      for (i <- 0 until 20) {
        reused.update(1, variant(s"""{"a": $i}"""))
        writer.write(reused)
      }
      writer.close()
      val read = VariantFile.readJson(file)
      assertEquals(read, (0 until 20).map(i => s"""{"a":$i}"""))
    }
  }

  test("the footer counts all rows, not only the sample, and nulls too") {
    val rows = changing(5, 40) ++ Seq(row(null), row("null"), row("[1, 2]", """{"b": true}"""), row(null))
    for (sample <- Seq(1, 10, 43, 1000))
      VariantFile.withFile { file =>
        write(file, rows, SampleSize(rows = sample))
        val read = FileCounts.read(VariantFile.footer(file)).counts
        assertEquals(read.keySet, Set(v, w))
        for (
          (column, value) <- Seq[(Seq[String], InternalRow => VariantVal)](
            v -> (r => if (r.isNullAt(1)) null else r.getVariant(1)),
            w -> (r => if (r.isNullAt(2)) null else r.getStruct(2, 1).getVariant(0))
          )
        ) {
          val counts = new Counts
          for (r <- rows) {
            val variant = value(r)
            if (variant == null) counts.addNull() else counts.add(variant.getMetadata, variant.getValue)
          }
          assertEquals(read(column).toBytes.toSeq, counts.toBytes.toSeq, s"$column, sample of $sample")
          assertEquals(read(column).rows, rows.size.toLong)
        }
      }
  }

  test("the shapes are those inferred from the sample") {
    VariantFile.withFile { file =>
      val rows = (0 until 30).map(i => row(s"""{"a": $i, "b": "x"}""", s"""{"c": [$i]}"""))
      write(file, rows)
      val counts = new Counts
      rows.foreach(r => counts.add(r.getVariant(1).getMetadata, r.getVariant(1).getValue))
      val shape = Inference.shape(counts, Limits())
      assertEquals(shape, ShapeParser.parse("a BIGINT, b STRING"))
      assert(
        shapeOf(file).contains("group a { optional binary value; optional int64 typed_value; }"),
        shapeOf(file)
      )
      assert(shapeOf(file, "s").contains("typed_value (LIST)"), shapeOf(file, "s"))
    }
  }

  test("a file without rows, or with only nulls, is unshredded and valid") {
    for (rows <- Seq(Nil, Seq.fill(20)(row(null))))
      VariantFile.withFile { file =>
        write(file, rows)
        assert(!shapeOf(file).contains("typed_value"))
        assertEquals(FileCounts.read(VariantFile.footer(file)).counts(v).rows, rows.size.toLong)
      }
  }

  test(
    "a malformed variant, in the sample or after it, fails the write with our error and leaves no footer"
  ) {
    val broken = InternalRow(1, new VariantVal(Array[Byte](2, 9), Array[Byte](1, 0, 0)), null)
    for (sample <- Seq(2, 100))
      VariantFile.withFile { file =>
        val e = intercept[ShreddedVariantException] {
          write(file, changing(9, 9) :+ broken, SampleSize(rows = sample))
        }
        assertEquals(e.condition, "SHREDDED_VARIANT_MALFORMED_VALUE")
        assert(e.getMessage.contains("'v'"), e.getMessage)
        // A writer whose sample is not full has not begun its file.
        assertEquals(Files.exists(file), sample == 2)
        if (sample == 2) intercept[RuntimeException](VariantFile.footer(file))
        Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
        Files.createFile(file.resolveSibling("done"))
      }
  }

  test("counts that exceed their size limit leave out paths by name, in any order of rows, and are cut") {
    val text = "k" * 60
    val rows = (0 until 30000).map(i => row(s"""{"$text$i": $i, "id": $i, "kind": "x"}"""))
    val found = for (ordered <- Seq(rows, rows.reverse)) yield {
      val cut = new CollectionAccumulator[String]
      VariantFile.withFile { file =>
        write(file, ordered, columns = Seq(v), cuts = cut)
        assertEquals(cut.value.asScala.toSet, Set("v"))
        val text = VariantFile.footer(file).getKeyValueMetaData.get(FooterKeys.of(FooterKeys.CountsPrefix, v))
        assert(
          text.length <= FooterKeys.MaxCountsBytes && text.length > FooterKeys.MaxCountsBytes / 2,
          s"${text.length}"
        )
        val counts = FileCounts.read(VariantFile.footer(file)).counts(v)
        assert(counts.isCut)
        assertEquals((counts.rows, counts.values), (30000L, 30000L))
        assertEquals(Inference.shape(counts, Limits()).ddl, "STRUCT<id BIGINT, kind STRING>")
        text
      }
    }
    assertEquals(found.distinct.size, 1)
  }

  // ---- specification: shredding analyser, analyzeVariantColumns and resolveColumnIndex ----

  test(
    "analyzeVariantColumns: all variant columns in the schema, each from its own values, and no others"
  ) {
    VariantFile.withFile { file =>
      write(file, (0 until 20).map(i => row(s"""{"a": $i}""", s"""["x$i"]""")))
      assert(shapeOf(file).contains("group a {"), shapeOf(file))
      assert(shapeOf(file, "s").contains("typed_value (LIST)"), shapeOf(file, "s"))
      assertEquals(shapeOf(file, "id"), "optional int32 id")
    }
  }

  test("analyzeVariantColumns: no entry for a column without a shredded path") {
    VariantFile.withFile { file =>
      write(file, (0 until 20).map(i => row("null", s"""{"b": $i}""")))
      assert(!shapeOf(file).contains("typed_value"), shapeOf(file))
      assert(shapeOf(file, "s").contains("group b {"), shapeOf(file, "s"))
    }
  }

  test("resolveColumnIndex: a column is found by its name, at any position in the schema and in structs") {
    val turned = new StructType().add("s", schema("s").dataType).add("v", VariantType).add("id", IntegerType)
    for (
      (schema, turn) <- Seq[(StructType, InternalRow => InternalRow)](
        schema -> identity,
        turned -> (r => InternalRow(r.getStruct(2, 1), r.getVariant(1), r.getInt(0)))
      )
    )
      VariantFile.withFile { file =>
        write(file, (0 until 20).map(i => turn(row(s"""{"a": $i}""", s"""{"b": "x$i"}"""))), in = schema)
        val columns = VariantFile.footer(file).getSchema
        def text(name: String) =
          columns.getFields.get(columns.getFieldIndex(name)).toString.replaceAll("\\s+", " ")
        assert(text("v").contains("int64 typed_value") && text("v").contains("group a {"), text("v"))
        assert(
          text("s").contains("binary typed_value (STRING)") && text("s").contains("group b {"),
          text("s")
        )
      }
  }

  test("resolveColumnIndex: a column that the schema does not have is not found") {
    for (name <- Seq("x", "V", "w"))
      intercept[IllegalArgumentException](VariantFile.withFile(write(
        _,
        changing(1, 1),
        columns = Seq(Seq(name))
      )))
  }

  test("complete counts are not marked as cut") {
    val cut = new CollectionAccumulator[String]
    VariantFile.withFile(file => write(file, changing(5, 50), cuts = cut))
    assert(cut.isZero)
  }

  test("a column with a given shape is not counted") {
    VariantFile.withFile { file =>
      write(file, changing(5, 5), columns = Seq(w))
      assertEquals(FileCounts.read(VariantFile.footer(file)).counts.keySet, Set(w))
    }
  }

  test("the footer key of a column spells the column as in an option") {
    assertEquals(FooterKeys.of(FooterKeys.CountsPrefix, Seq("a.b", "c")), "shredded_variant.counts.`a.b`.c")
  }
}
