/**
 * Any bytes give either a value or a refusal, within a limit of memory. `make test` tries ten thousand
 * variants, each with a quarter of the walks; FUZZ=1 tries a million variants with all walks; SEED=123 tries
 * only the variant of this seed.
 */
package shreddedvariant.shred

import java.lang.management.ManagementFactory
import java.time.ZoneId
import java.util.Arrays

import scala.util.Try

import com.sun.management.ThreadMXBean
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.vectorized.{OnHeapColumnVector, WritableColumnVector}
import org.apache.spark.sql.types.{BinaryType, LongType}
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.{Fuzz, HostileVariants, ShreddedVariantException, Value}
import shreddedvariant.binary._
import shreddedvariant.infer.Counts
import shreddedvariant.layout.{ScalarType, Shape, WriteLayout}

class VariantBytesFuzzSuite extends shreddedvariant.Suite {
  import VariantBytesFuzzSuite._

  private val chosen = sys.env.get("SEED").map(_.toInt)
  private val seeds = chosen.fold(Iterator.range(0, if (Fuzz.isLong) 1000000 else 10000))(Iterator(_))

  test("every reader and writer of variants gives a value or a refusal for every variant".tag(Fuzz)) {
    val walks = new Walks
    // Loads the classes first, because loading takes memory too.
    for ((_, walk) <- walks.all) Try(walk(Dictionary.noKeys, Array(0)))
    val outcomes = scala.collection.mutable.TreeMap.empty[String, (Int, Int)]
    for (seed <- seeds) {
      val (metadata, value) = HostileVariants.of(seed.toLong)
      val (sameMetadata, sameValue) = (metadata.clone, value.clone)
      for (
        ((name, walk), i) <- walks.all.zipWithIndex if Fuzz.isLong || chosen.isDefined || i % 4 == seed % 4
      ) {
        val before = threads.getCurrentThreadAllocatedBytes
        val isRefused =
          try { walk(metadata, value); false }
          catch {
            case _: MalformedVariant => true
            case e: ShreddedVariantException => assert(refusals(e.condition), s"$seed, $name: $e"); true
            // Spark's own errors, for types that our code passes to Spark.
            case e: SparkThrowable => assert(ofSpark(e.getCondition), s"$seed, $name: $e"); true
            case e: Throwable => throw new AssertionError(s"SEED=$seed, $name", e)
          }
        val allocated = threads.getCurrentThreadAllocatedBytes - before
        assert(
          allocated < MaxBytes,
          s"SEED=$seed, $name takes $allocated bytes for ${metadata.length + value.length}"
        )
        val (ends, refused) = outcomes.getOrElse(name, (0, 0))
        outcomes(name) = if (isRefused) (ends, refused + 1) else (ends + 1, refused)
      }
      assert(
        Arrays.equals(metadata, sameMetadata) && Arrays.equals(value, sameValue),
        s"SEED=$seed is changed"
      )
    }
    // If all inputs were refused, or all accepted, the test would prove nothing.
    if (chosen.isEmpty) for ((name, (ends, refused)) <- outcomes)
      assert(ends > 50 && refused > 50, s"$name: $ends values, $refused refusals")
  }
}

private object VariantBytesFuzzSuite {
  private val MaxBytes = 32L << 20
  private val refusals =
    Set("MALFORMED_VALUE", "CONFLICT", "TOO_LARGE", "TOO_DEEP").map("SHREDDED_VARIANT_" + _)
  private val ofSpark = Set("MALFORMED_VARIANT", "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT")
  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]
  private val utc = ZoneId.of("UTC")

  private val shapes: Seq[Shape] = {
    val long = Shape.Scalar(ScalarType.Int64)
    val text = Shape.Scalar(ScalarType.Str)
    val inner = Shape.objectOf(Seq("a" -> long, "c" -> Shape.Array(Shape.Array(text)), "é" -> Shape.Untyped))
    val scalars =
      (ScalarType.simple :+ ScalarType.Dec(9, 2) :+ ScalarType.Dec(18, 0) :+ ScalarType.Dec(38, 6))
        .zip("abc`é\uE000\uD83D\uDE00defghijklmnopqrst".map(_.toString))
        .map { case (scalar, key) => key -> Shape.Scalar(scalar) }
    Seq(
      Shape.Untyped,
      text,
      Shape.Array(Shape.Array(Shape.Array(text))),
      Shape.Array(inner),
      Shape.objectOf(scalars),
      Shape.objectOf(Seq("a" -> inner, "b" -> Shape.Array(inner), "c" -> text, "" -> long))
    )
  }

  private def leaves(shape: Shape): Int = shape match {
    case Shape.Untyped => 1
    case Shape.Scalar(_) => 2
    case Shape.Array(element) => 1 + leaves(element)
    case Shape.Object(fields) => 1 + fields.map(field => leaves(field._2)).sum
  }

  /** Reads all bytes that are written to it. */
  private object Touching extends LeafWriter {
    private var sum = 0
    override def writeNull(r: Int, d: Int): Unit = ()
    override def write(bytes: Array[Byte], from: Int, length: Int, r: Int, d: Int): Unit = {
      java.util.Objects.checkFromIndexSize(from, length, bytes.length)
      sum += Hash.of(bytes, from, length)
    }
    override def write(value: Int, r: Int, d: Int): Unit = sum += value
    override def write(value: Long, r: Int, d: Int): Unit = sum += value.toInt
    override def write(value: Boolean, r: Int, d: Int): Unit = ()
    override def write(value: Float, r: Int, d: Int): Unit = ()
    override def write(value: Double, r: Int, d: Int): Unit = ()
  }

  private def stored(values: Array[Byte]*): WritableColumnVector = {
    val vector = new OnHeapColumnVector(values.length, BinaryType)
    values.indices.foreach(i =>
      if (values(i) == null) vector.putNull(i) else vector.putByteArray(i, values(i))
    )
    vector
  }

  private def typed(values: Option[Long]*): ScalarVector = {
    val vector = new OnHeapColumnVector(values.length, LongType)
    values.indices.foreach(i => values(i).fold(vector.putNull(i))(vector.putLong(i, _)))
    new ScalarVector(ScalarType.Int64, vector)
  }

  /** The value is stored beside a shredded object, in a field of this object, and in an element of an array. */
  private def cells(value: Array[Byte]): CellVector = {
    val element = new CellVector("v.l[]", stored(value, null), Array(typed(None, Some(1L))))
    val list = new Lists {
      override def start(row: Int): Int = 0
      override def length(row: Int): Int = 2
    }
    val fields = Array(
      new CellVector("v.a", stored(value), Array(typed(None))),
      new CellVector("v.b", stored(null), Array(typed(Some(7L)))),
      new CellVector("v.c", stored(null), Array(new ArrayVector(list, element)))
    )
    new CellVector("v", stored(value), Array(new ObjectVector(Array("a", "b", "c"), fields, _ => true)))
  }

  private final class Walks {
    private val forSpark = new VariantForSpark(1000, unchanged = false)
    private val ofVariant = new JsonWriter.OfVariant("v", utc, Int.MaxValue, 1000)
    private val dictionaries = new Dictionaries(new Names(IndexedSeq("a", "b")))
    private val counts = Iterator.continually(new Counts).flatMap(Iterator.fill(1000)(_))

    val all: Seq[(String, (Array[Byte], Array[Byte]) => Unit)] = Seq(
      "dictionary" -> { (metadata: Array[Byte], _: Array[Byte]) =>
        val dictionary = dictionaries.resolve(metadata).dictionary
        (0 until dictionary.size).foreach { id =>
          val (start, end) = (dictionary.keyStart(id), dictionary.keyEnd(id))
          java.util.Objects.checkFromToIndex(start, end, metadata.length)
          dictionary.rankOf(dictionary.key(id).getBytes("UTF-8"))
        }
      },
      "handed on" -> { (metadata: Array[Byte], value: Array[Byte]) =>
        forSpark.metadata(metadata)
        forSpark.value(value, metadata)
        ()
      },
      "looked up" -> { (metadata: Array[Byte], value: Array[Byte]) =>
        val dictionary = new Dictionary(metadata)
        if (Encoding.basicType(value, 0) == Encoding.Object)
          for (key <- Value.keys) dictionary.find(new ObjectHeader(value, 0), key.getBytes("UTF-8"))
      },
      "well formed" -> (WellFormed.check(_, _)),
      "canonical" -> { (metadata: Array[Byte], value: Array[Byte]) =>
        val dictionary = new Dictionary(metadata)
        Canonical.isOrdered(dictionary, value, 0)
        Canonical.copy(dictionary, value, 0, new Bytes(16), new Budget(value.length))
      },
      "counts" -> { (metadata: Array[Byte], value: Array[Byte]) => counts.next().add(metadata, value) },
      "text" -> { (metadata: Array[Byte], value: Array[Byte]) =>
        ofVariant.write(new VariantVal(value, metadata)); ()
      },
      "rebuilt" -> { (metadata: Array[Byte], value: Array[Byte]) =>
        new RowRebuilder(cells(value), 1 << 20).rebuild(0, metadata); ()
      },
      "rebuilt by a strict reader" -> { (metadata: Array[Byte], value: Array[Byte]) =>
        new RowRebuilder(cells(value), 1 << 20, isStrict = true).rebuild(0, metadata); ()
      },
      "text of cells" -> { (metadata: Array[Byte], value: Array[Byte]) =>
        val root = cells(value)
        new JsonWriter(root, new RowKeys(root), utc, Int.MaxValue, 1000).write(0, metadata); ()
      },
      "rebuilt from the draft" -> { (metadata: Array[Byte], value: Array[Byte]) =>
        new DraftRebuilder(cells(metadata ++ value), 1 << 20, 1000).rebuild(0); ()
      },
      "stored in the draft" -> { (metadata: Array[Byte], value: Array[Byte]) =>
        DraftRebuilder.stored(cells(metadata ++ value), 0, 1 << 20); ()
      }
    ) ++ (for ((name, layout) <- WriteLayout.all.toSeq; shape <- shapes)
      yield s"shredded into ${shape.ddl} ($name)" -> shredder(layout, shape))

    private def shredder(layout: WriteLayout, shape: Shape): (Array[Byte], Array[Byte]) => Unit = {
      var counts = new Counts
      def create() = {
        counts = new Counts
        val shredder = new Shredder(shape, layout, 1, 0, Some(counts.root))
        shredder.prepare(Array.fill(leaves(shape) + (if (layout.hasMetadata) 1 else 0))(Touching))
        shredder
      }
      var current = create()
      (metadata, value) =>
        try {
          counts.begin(metadata, value)
          current.write(metadata, value, 0, isCounted = true)
        } catch { case e: Throwable => current = create(); throw e }
    }
  }
}
