/** Counts one scalar: its kind, and how many digits an exact number has. */
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

  /** Whether a decimal has no more digits, before the point and behind it, than the node knows of: most have not. */
  private def isWithin(node: Node, value: Long, scale: Int): Boolean = {
    val amount = math.abs(value)
    val digits = node.integerDigits + scale
    scale <= node.scale && digits > 0 && digits < tens.length && amount >= 0 && amount < tens(digits)
  }

  private def decimal(node: Node, kind: Int, bytes: Array[Byte], at: Int, digits: Int): Unit = {
    val scale = bytes(at + 1) & 0xff
    if (scale > ScalarType.MaxPrecision) Encoding.malformed("a decimal has a scale beyond 38")
    node.countDecimal(kind, math.min(digits, ScalarType.MaxPrecision), scale)
  }

  private val tens: Array[Long] = Array.iterate(1L, 19)(_ * 10)

  /** Decimal digits of an amount; 0 has one. */
  def digits(value: Long): Int = {
    // The least Long stays negative: as an unsigned number it is its own amount.
    val amount = math.abs(value)
    if (amount < 0) 19
    else {
      // As many as its bits can have at least, or one more.
      val fewest = math.max(1, (64 - java.lang.Long.numberOfLeadingZeros(amount)) * 1233 >> 12)
      if (fewest < 19 && amount >= tens(fewest)) fewest + 1 else fewest
    }
  }

  /** 10^19 … 10^38, in two halves. */
  private val (highTens, lowTens) = {
    val powers = (19 to 38).map(java.math.BigInteger.TEN.pow(_))
    (powers.map(_.shiftRight(64).longValue).toArray, powers.map(_.longValue).toArray)
  }

  private def digits(high: Long, low: Long): Int = {
    val negative = high < 0
    val amountLow = if (negative) -low else low
    val amountHigh = if (negative) ~high + (if (low == 0) 1 else 0) else high
    if (amountHigh == 0 && amountLow >= 0) digits(amountLow)
    else {
      var power = 0
      while (power < highTens.length && isAtLeast(amountHigh, amountLow, highTens(power), lowTens(power)))
        power += 1
      19 + power
    }
  }

  private def isAtLeast(high: Long, low: Long, thanHigh: Long, thanLow: Long): Boolean = {
    val order = java.lang.Long.compareUnsigned(high, thanHigh)
    order > 0 || order == 0 && java.lang.Long.compareUnsigned(low, thanLow) >= 0
  }
}
