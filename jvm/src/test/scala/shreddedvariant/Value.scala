/** Variant values as trees, with generators, and with an encoder and a decoder apart from the main code. */
package shreddedvariant

import java.math.{BigDecimal => JavaDecimal, BigInteger}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import org.scalacheck.Gen

sealed trait Value

object Value {
  case object Null extends Value
  final case class Bool(value: Boolean) extends Value
  final case class Integer(value: Long, width: Int) extends Value
  final case class Dec(unscaled: BigInteger, scale: Int, width: Int) extends Value

  /** A primitive with a fixed number of bytes; `id` is the id of its type. */
  final case class Fixed(id: Int, bytes: Seq[Byte]) extends Value
  final case class Text(value: String) extends Value
  final case class Bytes(value: Seq[Byte]) extends Value
  final case class Arr(elements: Seq[Value]) extends Value
  final case class Obj(fields: Map[String, Value]) extends Value

  /** The value without the only facts that a file may change: the width and the scale of exact numbers. */
  def logical(value: Value): Any = value match {
    case Integer(v, _) => JavaDecimal.valueOf(v).stripTrailingZeros
    case Dec(unscaled, scale, _) => new JavaDecimal(unscaled, scale).stripTrailingZeros
    case Arr(elements) => elements.map(logical)
    case Obj(fields) => fields.map { case (k, v) => k -> logical(v) }
    case other => other
  }

  // ---- encoding ----

  private val fixedWidths =
    Map(7 -> 8, 11 -> 4, 12 -> 8, 13 -> 8, 14 -> 4, 17 -> 8, 18 -> 8, 19 -> 8, 20 -> 16)

  /** `shuffle` gives the order of the dictionary, which the encoding leaves free. */
  def encode(value: Value, shuffle: Seq[String] => Seq[String] = identity): (Array[Byte], Array[Byte]) = {
    val keys = shuffle(keysOf(value).distinct)
    (metadata(keys), bytes(value, keys.zipWithIndex.toMap))
  }

  private def keysOf(value: Value): Seq[String] = value match {
    case Arr(elements) => elements.flatMap(keysOf)
    case Obj(fields) => fields.toSeq.flatMap { case (k, v) => k +: keysOf(v) }
    case _ => Nil
  }

  private def metadata(keys: Seq[String]): Array[Byte] = {
    val texts = keys.map(_.getBytes(UTF_8))
    val offsets = texts.scanLeft(0)(_ + _.length)
    val width = Seq(1, 2, 4).find(w => w == 4 || math.max(offsets.last, keys.size) < (1 << 8 * w)).get
    Array((1 | (width - 1) << 6).toByte) ++ number(keys.size.toLong, width) ++
      offsets.flatMap(o => number(o.toLong, width)) ++ texts.flatten
  }

  private def bytes(value: Value, ids: Map[String, Int]): Array[Byte] = value match {
    case Null => Array(0)
    case Bool(v) => Array((if (v) 1 << 2 else 2 << 2).toByte)
    case Integer(v, width) =>
      Array((Map(1 -> 3, 2 -> 4, 4 -> 5, 8 -> 6)(width) << 2).toByte) ++ number(v, width)
    case Dec(unscaled, scale, width) =>
      val digits = unscaled.toByteArray.reverse
      val fill = if (unscaled.signum < 0) (-1).toByte else 0.toByte
      Array((Map(4 -> 8, 8 -> 9, 16 -> 10)(width) << 2).toByte, scale.toByte) ++ digits.padTo(width, fill)
    case Fixed(id, v) => Array((id << 2).toByte) ++ v
    case Text(v) =>
      val text = v.getBytes(UTF_8)
      if (text.length < 64) Array((text.length << 2 | 1).toByte) ++ text
      else Array((16 << 2).toByte) ++ number(text.length.toLong, 4) ++ text
    case Bytes(v) => Array((15 << 2).toByte) ++ number(v.size.toLong, 4) ++ v
    case Arr(elements) =>
      val parts = elements.map(bytes(_, ids))
      val large = elements.size > 255
      Array((3 | 3 << 2 | (if (large) 1 << 4 else 0)).toByte) ++ number(
        elements.size.toLong,
        if (large) 4 else 1
      ) ++
        parts.scanLeft(0)(_ + _.length).flatMap(o => number(o.toLong, 4)) ++ parts.flatten
    case Obj(fields) =>
      val sorted = fields.toSeq.sortWith((a, b) =>
        Arrays.compareUnsigned(a._1.getBytes(UTF_8), b._1.getBytes(UTF_8)) < 0
      )
      val parts = sorted.map { case (_, v) => bytes(v, ids) }
      val large = fields.size > 255
      Array((2 | 3 << 2 | 3 << 4 | (if (large) 1 << 6 else 0)).toByte) ++ number(
        fields.size.toLong,
        if (large) 4 else 1
      ) ++
        sorted.flatMap { case (k, _) => number(ids(k).toLong, 4) } ++
        parts.scanLeft(0)(_ + _.length).flatMap(o => number(o.toLong, 4)) ++ parts.flatten
  }

  private def number(value: Long, width: Int): Array[Byte] =
    Array.tabulate(width)(i => (value >> 8 * i).toByte)

  // ---- decoding ----

  /** Fails unless object keys are in the specification's order. */
  def decode(metadata: Array[Byte], value: Array[Byte]): Value = new Decoder(metadata, value).read(0)

  private final class Decoder(metadata: Array[Byte], value: Array[Byte]) {
    private val keys = {
      val width = ((metadata(0) & 0xff) >> 6) + 1
      val size = unsigned(metadata, 1, width)
      val offsets = (0 to size).map(i => unsigned(metadata, 1 + width * (1 + i), width))
      val start = 1 + width * (size + 2)
      offsets.zip(offsets.drop(1)).map { case (from, until) =>
        new String(metadata.slice(start + from, start + until), UTF_8)
      }
    }

    def read(at: Int): Value = {
      val info = (value(at) & 0xff) >> 2
      value(at) & 3 match {
        case 1 => Text(new String(value.slice(at + 1, at + 1 + info), UTF_8))
        case 2 =>
          val (size, ids) = sized(at, (info & 16) != 0)
          val (idWidth, offsetWidth) = ((info >> 2 & 3) + 1, (info & 3) + 1)
          val offsets = ids + size * idWidth
          val data = offsets + (size + 1) * offsetWidth
          val fields = (0 until size).map { i =>
            val key = keys(unsigned(value, ids + i * idWidth, idWidth))
            key -> read(data + unsigned(value, offsets + i * offsetWidth, offsetWidth))
          }
          val names = fields.map(_._1.getBytes(UTF_8))
          require(
            names.zip(names.drop(1)).forall { case (a, b) => Arrays.compareUnsigned(a, b) < 0 },
            "keys out of order"
          )
          Obj(fields.toMap)
        case 3 =>
          val (size, offsets) = sized(at, (info & 4) != 0)
          val width = (info & 3) + 1
          val data = offsets + (size + 1) * width
          Arr((0 until size).map(i => read(data + unsigned(value, offsets + i * width, width))))
        case _ => primitive(info, at + 1)
      }
    }

    private def sized(at: Int, large: Boolean) = {
      val width = if (large) 4 else 1
      (unsigned(value, at + 1, width), at + 1 + width)
    }

    private def primitive(id: Int, at: Int): Value = id match {
      case 0 => Null
      case 1 => Bool(true)
      case 2 => Bool(false)
      case 3 => Integer(value(at).toLong, 1)
      case 4 => Integer(buffer(at, 2).getShort.toLong, 2)
      case 5 => Integer(buffer(at, 4).getInt.toLong, 4)
      case 6 => Integer(buffer(at, 8).getLong, 8)
      case 8 => decimal(at, 4)
      case 9 => decimal(at, 8)
      case 10 => decimal(at, 16)
      case 15 => Bytes(value.slice(at + 4, at + 4 + unsigned(value, at, 4)).toSeq)
      case 16 => Text(new String(value.slice(at + 4, at + 4 + unsigned(value, at, 4)), UTF_8))
      case other => Fixed(other, value.slice(at, at + fixedWidths(other)).toSeq)
    }

    private def decimal(at: Int, width: Int) =
      Dec(new BigInteger(value.slice(at + 1, at + 1 + width).reverse), value(at).toInt, width)

    private def buffer(at: Int, width: Int) = ByteBuffer.wrap(value, at, width).order(ByteOrder.LITTLE_ENDIAN)

    private def unsigned(bytes: Array[Byte], at: Int, width: Int) =
      (0 until width).map(i => (bytes(at + i) & 0xff) << 8 * i).sum
  }

  // ---- generators ----

  /** Few keys, so that values and shapes share keys; some are special in SQL, JSON or UTF-16. */
  val keys: Seq[String] =
    Seq("a", "b", "c", "A", "", "a.b", "`q`", "é", "\uE000", "\uD83D\uDE00", "value", "typed_value", "list")

  private val integers: Gen[Value] = for {
    width <- Gen.oneOf(1, 2, 4, 8)
    edge = 1L << (8 * width - 1)
    value <- Gen.oneOf(Gen.choose(-3L, 3L), Gen.const(-edge), Gen.const(edge - 1), Gen.choose(-100L, 100L))
  } yield Integer(value, width)

  private val decimals: Gen[Value] = for {
    (width, digits) <- Gen.oneOf((4, 9), (8, 18), (16, 38))
    scale <- Gen.choose(0, digits)
    limit = BigInteger.TEN.pow(digits).subtract(BigInteger.ONE)
    unscaled <- Gen.oneOf(
      Gen.const(limit),
      Gen.const(limit.negate),
      Gen.choose(-1000L, 1000L).map(BigInteger.valueOf),
      Gen.choose(-9L, 9L).map(BigInteger.valueOf(_).multiply(BigInteger.TEN.pow(digits - 1)))
    )
  } yield Dec(unscaled, scale, width)

  private val fixed: Gen[Value] = for {
    (id, width) <- Gen.oneOf(fixedWidths.toSeq)
    bytes <- Gen.listOfN(width, Gen.oneOf(Gen.const(0.toByte), Gen.choose(Byte.MinValue, Byte.MaxValue)))
  } yield Fixed(id, bytes)

  private val texts: Gen[Value] =
    Gen.oneOf(Gen.oneOf("", "1", "x", "é", "\uD83D\uDE00"), Gen.choose(60, 70).map("y" * _)).map(Text(_))

  val scalars: Gen[Value] = Gen.frequency(
    2 -> Gen.const(Null),
    1 -> Gen.oneOf(true, false).map(Bool(_)),
    4 -> integers,
    3 -> decimals,
    3 -> fixed,
    3 -> texts,
    1 -> Gen.listOf(Gen.choose(Byte.MinValue, Byte.MaxValue)).map(Bytes(_))
  )

  def values(depth: Int): Gen[Value] =
    if (depth == 0) scalars
    else
      Gen.frequency(
        2 -> scalars,
        2 -> Gen.choose(0, 4).flatMap(Gen.listOfN(_, values(depth - 1))).map(Arr(_)),
        4 -> objects(depth)
      )

  private def objects(depth: Int): Gen[Value] = for {
    chosen <- Gen.someOf(keys)
    values <- Gen.listOfN(chosen.size, values(depth - 1))
  } yield Obj(chosen.zip(values).toMap)
}
