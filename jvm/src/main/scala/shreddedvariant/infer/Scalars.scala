/** Counts one scalar: its kind, and the digits of an exact numeric. */
package shreddedvariant.infer

import shreddedvariant.binary.Encoding
import shreddedvariant.layout.ScalarType

private[infer] object Scalars {
  def count(node: Node, id: Int, bytes: Array[Byte], at: Int): Unit = id match {
    case Encoding.Int8 => node.countInteger(Kind.Int8, Encoding.signed(bytes, at + 1, 1))
    case Encoding.Int16 => node.countInteger(Kind.Int16, Encoding.signed(bytes, at + 1, 2))
    case Encoding.Int32 => node.countInteger(Kind.Int32, Encoding.signed(bytes, at + 1, 4))
    case Encoding.Int64 => node.countInteger(Kind.Int64, Encoding.signed(bytes, at + 1, 8))
    case Encoding.Decimal4 => decimal(node, Kind.Decimal4, bytes, at, Encoding.signed(bytes, at + 2, 4))
    case Encoding.Decimal8 => decimal(node, Kind.Decimal8, bytes, at, Encoding.signed(bytes, at + 2, 8))
    case Encoding.Decimal16 =>
      val low = Encoding.signed(bytes, at + 2, 8)
      val high = Encoding.signed(bytes, at + 10, 8)
      decimal(node, Kind.Decimal16, bytes, at, digits(high, low))
    case Encoding.Null =>
    case other =>
      val kind = Kind.ofPrimitive(other)
      if (kind < 0) Encoding.malformed(s"there is no primitive type $other")
      node.count(kind)
  }

  private def decimal(node: Node, kind: Int, bytes: Array[Byte], at: Int, value: Long): Unit =
    if (isWithin(node, value, bytes(at + 1) & 0xff)) node.count(kind)
    else decimal(node, kind, bytes, at, digits(value))

  /** Whether the maxima of the node already cover the digits of a decimal, which is the usual case. */
  private def isWithin(node: Node, value: Long, scale: Int): Boolean = {
    val magnitude = math.abs(value)
    val digits = node.integerDigits + scale
    scale <= node.scale && digits > 0 && digits < tens.length && magnitude >= 0 && magnitude < tens(digits)
  }

  private def decimal(node: Node, kind: Int, bytes: Array[Byte], at: Int, digits: Int): Unit = {
    val scale = bytes(at + 1) & 0xff
    if (scale > ScalarType.MaxPrecision) Encoding.malformed("a decimal has a scale beyond 38")
    node.countDecimal(kind, math.min(digits, ScalarType.MaxPrecision), scale)
  }

  private val tens: Array[Long] = Array.iterate(1L, 19)(_ * 10)

  /** The number of decimal digits; 0 has one digit. */
  def digits(value: Long): Int = {
    // Long.MinValue stays negative; it has 19 digits.
    val magnitude = math.abs(value)
    if (magnitude < 0) 19
    else {
      // The minimum number of digits for this number of bits; the number may have one more.
      val minDigits = math.max(1, (64 - java.lang.Long.numberOfLeadingZeros(magnitude)) * 1233 >> 12)
      if (minDigits < 19 && magnitude >= tens(minDigits)) minDigits + 1 else minDigits
    }
  }

  /** 10^19 … 10^38, as high and low halves. */
  private val (highTens, lowTens) = {
    val powers = (19 to 38).map(java.math.BigInteger.TEN.pow(_))
    (powers.map(_.shiftRight(64).longValue).toArray, powers.map(_.longValue).toArray)
  }

  private def digits(high: Long, low: Long): Int = {
    val negative = high < 0
    val magnitudeLow = if (negative) -low else low
    val magnitudeHigh = if (negative) ~high + (if (low == 0) 1 else 0) else high
    if (magnitudeHigh == 0 && magnitudeLow >= 0) digits(magnitudeLow)
    else {
      var power = 0
      while (
        power < highTens.length && isAtLeast(magnitudeHigh, magnitudeLow, highTens(power), lowTens(power))
      )
        power += 1
      19 + power
    }
  }

  private def isAtLeast(high: Long, low: Long, otherHigh: Long, otherLow: Long): Boolean = {
    val order = java.lang.Long.compareUnsigned(high, otherHigh)
    order > 0 || order == 0 && java.lang.Long.compareUnsigned(low, otherLow) >= 0
  }
}
