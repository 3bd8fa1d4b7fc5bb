/** The dictionaries that a column caches take a few megabytes, for any number and size of dictionaries. */
package shreddedvariant.shred

import java.nio.{ByteBuffer, ByteOrder}
import java.time.ZoneId

import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.binary.Dictionary
import shreddedvariant.infer.Counts
import shreddedvariant.layout.{ScalarType, Shape, WriteLayout}

class HeldDictionariesSuite extends shreddedvariant.Suite {
  private val rows = 250
  private val keys = 10000

  /** Each row has ten thousand keys that no other row has, and one key that all rows have. */
  private def row(i: Int): (Array[Byte], Array[Byte]) = {
    val metadata = ByteBuffer.allocate(1 + 4 * (keys + 3) + 8 * keys + 1).order(ByteOrder.LITTLE_ENDIAN)
    metadata.put((1 | 3 << 6).toByte).putInt(keys + 1)
    for (k <- 0 to keys) metadata.putInt(8 * k)
    metadata.putInt(8 * keys + 1)
    for (k <- 0 until keys) metadata.putLong(i.toLong * keys + k)
    metadata.put('a'.toByte)
    val ids = (0 until keys by 100) :+ keys
    val value =
      ByteBuffer.allocate(2 + 4 * ids.size + 2 * (ids.size + 1) + ids.size).order(ByteOrder.LITTLE_ENDIAN)
    value.put((2 | 1 << 2 | 3 << 4).toByte).put(ids.size.toByte)
    ids.foreach(value.putInt(_))
    (0 to ids.size).foreach(offset => value.putShort(offset.toShort))
    (metadata.array, value.array)
  }

  private def usedMemory(): Long = {
    System.gc()
    Runtime.getRuntime.totalMemory - Runtime.getRuntime.freeMemory
  }

  /** `walk` stays reachable during the test, with everything that it caches. */
  private def holdsLittle(name: String)(walk: (Array[Byte], Array[Byte]) => Unit): Unit =
    test(name) {
      walk(Dictionary.noKeys, Array(0))
      val before = usedMemory()
      for (i <- 0 until rows) {
        val (metadata, value) = row(i)
        walk(metadata, value)
      }
      val held = usedMemory() - before
      walk(Dictionary.noKeys, Array(0))
      assert(held < (40L << 20), s"${held >> 20} MiB are held")
    }

  private val shape = Shape.objectOf(Seq("a" -> Shape.Scalar(ScalarType.Int64), "b" -> Shape.Untyped))

  for ((name, layout) <- WriteLayout.all) {
    val shredder = new Shredder(shape, layout, 1, 0)
    shredder.prepare(Array.fill(if (layout.hasMetadata) 5 else 4)(Unwritten))
    holdsLittle(s"a writer of the layout $name")(shredder.write(_, _, 0))
  }

  private val stored = new OnHeapColumnVector(1, BinaryType)

  /** A cell with a `value` and an object whose shredded field is missing. */
  private val root = {
    val nulls = new OnHeapColumnVector(1, BinaryType)
    nulls.putNull(0)
    val field = new CellVector("v.b", nulls, Array.empty)
    new CellVector("v", stored, Array(new ObjectVector(Array("b"), Array(field), _ => true)))
  }

  private def store(value: Array[Byte]): Unit = {
    stored.reset()
    stored.putByteArray(0, value)
    ()
  }

  private val utc = ZoneId.of("UTC")
  private val rebuilder = new RowRebuilder(root, 1 << 20)
  private val json = new JsonWriter(root, new RowKeys(root), utc, Int.MaxValue, 1000)
  private val draft = new DraftRebuilder(root, 1 << 20, 1000)
  private val ofVariant = new JsonWriter.OfVariant("v", utc, Int.MaxValue, 1000)
  private val counts = new Counts

  holdsLittle("a reader of whole variants") { (metadata, value) =>
    store(value)
    if (value.length > 1) rebuilder.rebuild(0, metadata)
    ()
  }
  holdsLittle("a reader of text") { (metadata, value) =>
    store(value)
    if (value.length > 1) json.write(0, metadata)
    ()
  }
  holdsLittle("a reader of the draft") { (metadata, value) =>
    store(metadata ++ value)
    if (value.length > 1) draft.rebuild(0)
    ()
  }
  holdsLittle("a reader of the text of parts") { (metadata, value) =>
    ofVariant.write(new VariantVal(value, metadata))
    ()
  }
  holdsLittle("counts for inference")(counts.add(_, _))
}

private object Unwritten extends LeafWriter {
  override def writeNull(r: Int, d: Int): Unit = ()
  override def write(bytes: Array[Byte], from: Int, length: Int, r: Int, d: Int): Unit = ()
  override def write(value: Int, r: Int, d: Int): Unit = ()
  override def write(value: Long, r: Int, d: Int): Unit = ()
  override def write(value: Boolean, r: Int, d: Int): Unit = ()
  override def write(value: Float, r: Int, d: Int): Unit = ()
  override def write(value: Double, r: Int, d: Int): Unit = ()
}
