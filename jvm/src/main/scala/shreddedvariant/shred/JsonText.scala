/** Appends values as JSON text in UTF-8, equal to the text of Spark's `Variant.toJson`. */
package shreddedvariant.shred

import java.math.BigDecimal
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}
import java.time.ZoneId

import org.apache.spark.types.variant.{Variant, VariantUtil}
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.binary.{ArrayHeader, Budget, Dictionary, Encoding, ObjectHeader}

final class JsonText(out: Bytes, zone: ZoneId, maxDepth: Int) {
  import JsonText._

  def variantNull(): Unit = out.put(nullText, 0, nullText.length)

  def boolean(value: Boolean): Unit = {
    val text = if (value) trueText else falseText
    out.put(text, 0, text.length)
  }

  def integer(value: Long): Unit =
    if (value == Long.MinValue) ascii(value.toString)
    else {
      if (value < 0) out.put('-'.toByte)
      digits(math.abs(value))
    }

  /** Numbers that are not finite are in quotes. */
  def double(value: Double): Unit = {
    val finite = java.lang.Double.isFinite(value)
    if (!finite) out.put(quote)
    ascii(java.lang.Double.toString(value))
    if (!finite) out.put(quote)
  }

  /** Trailing zeros of the fraction are omitted. */
  def decimal(unscaled: Long, scale: Int): Unit =
    if (unscaled == Long.MinValue) decimal(BigDecimal.valueOf(unscaled, scale))
    else {
      var number = math.abs(unscaled)
      var places = scale
      while (places > 0 && number % 10 == 0) { number /= 10; places -= 1 }
      if (unscaled < 0) out.put('-'.toByte)
      if (places == 0) digits(number)
      else if (places >= powers.length) fraction(number, places)
      else {
        digits(number / powers(places))
        out.put('.'.toByte)
        padded(number % powers(places), places)
      }
    }

  private def fraction(number: Long, places: Int): Unit = {
    out.put('0'.toByte)
    out.put('.'.toByte)
    padded(number, places)
  }

  def decimal(value: BigDecimal): Unit = ascii(value.stripTrailingZeros.toPlainString)

  def string(text: UTF8String): Unit = {
    out.put(quote)
    val start = out.length
    out.put(text)
    escape(start)
    out.put(quote)
  }

  def string(bytes: Array[Byte], from: Int, until: Int): Unit = {
    out.put(quote)
    val start = out.length
    out.put(bytes, from, until - from)
    escape(start)
    out.put(quote)
  }

  /** The key of a field and the colon. */
  def key(bytes: Array[Byte], from: Int, until: Int): Unit = {
    string(bytes, from, until)
    out.put(':'.toByte)
  }

  def value(bytes: Array[Byte], at: Int, dictionary: Dictionary, budget: Budget): Unit =
    value(bytes, at, dictionary, budget, 0)

  private def value(
      bytes: Array[Byte],
      at: Int,
      dictionary: Dictionary,
      budget: Budget,
      depth: Int
  ): Unit = {
    if (depth > maxDepth) Encoding.malformed(s"it is nested deeper than $maxDepth")
    if (at == bytes.length) Encoding.malformed("it ends too early")
    Encoding.basicType(bytes, at) match {
      case Encoding.Object =>
        val fields = new ObjectHeader(bytes, at)
        budget.take(fields.length)
        out.put('{'.toByte)
        var i = 0
        while (i < fields.size) {
          if (i > 0) out.put(','.toByte)
          val id = dictionary.checkId(fields.id(i))
          key(dictionary.bytes, dictionary.keyStart(id), dictionary.keyEnd(id))
          value(bytes, fields.position(i), dictionary, budget, depth + 1)
          i += 1
        }
        out.put('}'.toByte)
      case Encoding.Array =>
        val elements = new ArrayHeader(bytes, at)
        budget.take(elements.length)
        out.put('['.toByte)
        var i = 0
        while (i < elements.size) {
          if (i > 0) out.put(','.toByte)
          value(bytes, elements.position(i), dictionary, budget, depth + 1)
          i += 1
        }
        out.put(']'.toByte)
      case kind =>
        val size = Encoding.sizeOf(bytes, at)
        budget.take(size)
        if (kind == Encoding.ShortString) string(bytes, at + 1, at + size) else scalar(bytes, at, size)
    }
  }

  /** A primitive value. Spark formats the rare types, and refuses types that it does not support. */
  def scalar(bytes: Array[Byte], at: Int): Unit = scalar(bytes, at, Encoding.sizeOf(bytes, at))

  private def scalar(bytes: Array[Byte], at: Int, size: Int): Unit =
    Encoding.primitiveId(bytes, at) match {
      case Encoding.Null => variantNull()
      case Encoding.True => boolean(true)
      case Encoding.False => boolean(false)
      case Encoding.Int8 | Encoding.Int16 | Encoding.Int32 | Encoding.Int64 =>
        integer(Encoding.signed(bytes, at + 1, size - 1))
      case Encoding.LongString => string(bytes, at + 5, at + size)
      case Encoding.Float64 => double(VariantUtil.getDouble(bytes, at))
      case _ =>
        val alone = java.util.Arrays.copyOfRange(bytes, at, at + size)
        ascii(new Variant(alone, Dictionary.noKeys).toJson(zone))
    }

  private def ascii(text: String): Unit = {
    val bytes = text.getBytes(US_ASCII)
    out.put(bytes, 0, bytes.length)
  }

  private def digits(number: Long): Unit = {
    var width = 1
    while (width < powers.length && number >= powers(width)) width += 1
    padded(number, width)
  }

  private def padded(number: Long, width: Int): Unit = {
    var remainder = number
    out.skip(width)
    var at = out.length
    var i = 0
    while (i < width) {
      at -= 1
      out.raw(at) = ('0' + remainder % 10).toByte
      remainder /= 10
      i += 1
    }
  }

  /** Escapes the bytes from `start` on, and replaces invalid UTF-8. */
  private def escape(start: Int): Unit = {
    val raw = out.raw
    val end = out.length
    var i = start
    while (i < end && isPlain(raw(i) & 0xff)) i += 1
    if (i < end) {
      val text = UTF8String.fromBytes(raw, start, end - start)
      // Java decodes invalid UTF-8 to U+FFFD.
      val bytes = if (text.isValid) out.slice(start, end) else text.toString.getBytes(UTF_8)
      out.truncate(start)
      bytes.foreach(escapeByte)
    }
  }

  private def escapeByte(byte: Byte): Unit = byte match {
    case '"' | '\\' => pair(byte.toChar)
    case '\b' => pair('b')
    case '\t' => pair('t')
    case '\n' => pair('n')
    case '\f' => pair('f')
    case '\r' => pair('r')
    case control if control >= 0 && control < 0x20 => ascii(f"\\u$control%04X")
    case other => out.put(other)
  }

  private def pair(letter: Char): Unit = {
    out.put('\\'.toByte)
    out.put(letter.toByte)
  }
}

object JsonText {
  private val quote = '"'.toByte
  private val nullText = "null".getBytes(US_ASCII)
  private val trueText = "true".getBytes(US_ASCII)
  private val falseText = "false".getBytes(US_ASCII)

  private val powers: Array[Long] = Array.iterate(1L, 19)(_ * 10)

  /** ASCII characters that need no escape in a string. */
  private val isPlain: Array[Boolean] =
    Array.tabulate(256)(c => c >= 0x20 && c < 0x80 && c != '"' && c != '\\')
}
