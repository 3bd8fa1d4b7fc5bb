/** Writes the cells of one row as the JSON text that `to_json` gives, without building the variant. */
package shreddedvariant.shred

import java.nio.charset.StandardCharsets.UTF_8
import java.time.ZoneId

import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}
import shreddedvariant.Errors
import shreddedvariant.binary.{Budget, Dictionaries, MalformedVariant, Names}
import shreddedvariant.layout.ScalarType._

final class JsonWriter(root: CellVector, keys: StoredKeys, zone: ZoneId, maxBytes: Int, maxDepth: Int)
    extends CellSink {
  private val out = new Bytes(1024, maxBytes, throw Errors.textTooLarge(root.path, maxBytes))
  private val text = new JsonText(out, zone, maxDepth)
  private val walk = new CellWalk(root, keys, this)

  /** The text of a row whose variant is not SQL NULL. `metadata` is read only if the row has stored values. */
  def write(row: Int, metadata: Array[Byte]): UTF8String = {
    out.clear()
    keys.use(metadata)
    try walk.write(row)
    catch { case e: MalformedVariant => throw Errors.malformedValue(root.path, e.reason) }
    UTF8String.fromBytes(out.slice(0, out.length))
  }

  override def variantNull(): Unit = text.variantNull()

  override def stored(cell: CellVector, row: Int): Unit =
    try {
      val value = keys.stored(cell, row)
      stored(value, value.at)
    } catch { case e: MalformedVariant => throw Errors.malformedValue(cell.path, e.reason) }

  override def stored(within: StoredValue, at: Int): Unit =
    text.value(within.bytes, at, within.dictionary.dictionary, within.budget)

  override def scalar(typed: ScalarVector): ScalarSink = {
    val column = typed.vector
    typed.scalar match {
      case Bool => row => text.boolean(column.getBoolean(row))
      case Int8 | Int16 | Int32 => row => text.integer(column.getInt(row).toLong)
      case Int64 => row => text.integer(column.getLong(row))
      case Float64 => row => text.double(column.getDouble(row))
      case Dec(p, s) if p <= Decimal.MAX_INT_DIGITS => row => text.decimal(column.getInt(row).toLong, s)
      case Dec(p, s) if p <= Decimal.MAX_LONG_DIGITS => row => text.decimal(column.getLong(row), s)
      case Str =>
        val texts = typed.texts
        row => {
          val id = typed.textId(row)
          if (id < 0) text.string(column.getUTF8String(row))
          else text.string(texts.bytes, texts.start(id), texts.end(id))
        }
      case _ =>
        // Other types are encoded first, so that `JsonText` formats them like stored values.
        val scratch = new Bytes(32)
        val value = ScalarRebuilder(typed, scratch)
        row => {
          scratch.clear()
          value.put(row)
          text.scalar(scratch.raw, 0)
        }
    }
  }

  override def fields(cell: CellVector, typed: ObjectVector): ObjectSink = new ObjectSink {
    private val prefixes = typed.keys.map { key =>
      val bytes = key.getBytes(UTF_8)
      val prefix = new Bytes(bytes.length + 8)
      new JsonText(prefix, zone, maxDepth).key(bytes, 0, bytes.length)
      prefix.slice(0, prefix.length)
    }
    private var start = 0

    override def open(capacity: Int): Unit = {
      out.put('{'.toByte)
      start = out.length
    }
    override def shredded(field: Int): Unit = {
      separate()
      out.put(prefixes(field), 0, prefixes(field).length)
    }
    override def residual(within: StoredValue, id: Int): Unit = {
      val dictionary = within.dictionary.dictionary
      separate()
      text.key(dictionary.bytes, dictionary.keyStart(id), dictionary.keyEnd(id))
    }
    override def close(): Unit = out.put('}'.toByte)

    private def separate(): Unit = if (out.length > start) out.put(','.toByte)
  }

  override def elements(): ArraySink = new ArraySink {
    override def open(size: Int): Unit = out.put('['.toByte)
    override def element(index: Int): Unit = if (index > 0) out.put(','.toByte)
    override def close(): Unit = out.put(']'.toByte)
  }
}

object JsonWriter {

  /** Writes a variant in the binary encoding as JSON text. */
  final class OfVariant(column: String, zone: ZoneId, maxBytes: Int, maxDepth: Int) {
    private val out = new Bytes(256, maxBytes, throw Errors.textTooLarge(column, maxBytes))
    private val text = new JsonText(out, zone, maxDepth)
    private val dictionaries = new Dictionaries(Names.none)

    def write(variant: VariantVal): UTF8String = {
      out.clear()
      val bytes = variant.getValue
      val dictionary = dictionaries.resolve(variant.getMetadata).dictionary
      text.value(bytes, 0, dictionary, new Budget(bytes.length))
      UTF8String.fromBytes(out.slice(0, out.length))
    }
  }
}
