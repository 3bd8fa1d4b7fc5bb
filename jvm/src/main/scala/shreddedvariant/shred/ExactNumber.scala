/** Reads an exact numeric from a variant as a whole multiple of 10^-scale, if the number is such a multiple. */
package shreddedvariant.shred

import java.math.BigInteger

import shreddedvariant.binary.Encoding
import shreddedvariant.layout.ScalarType

private final class ExactNumber(scale: Int) {
  import Encoding._
  import ExactNumber._

  /** The result of the last call of [[fitsLong]] that returned true. */
  var value: Long = 0

  /** Sets [[value]] to the number at `at` multiplied by 10^scale; false if the result is not a whole Long. */
  def fitsLong(bytes: Array[Byte], at: Int): Boolean = {
    val id = primitiveId(bytes, at)
    val width = integerWidth(id)
    if (width > 0) rescale(bytes, at, signed(bytes, at + 1, width), 0)
    else if (id == Decimal4) rescale(bytes, at, signed(bytes, at + 2, 4), scaleOf(bytes, at))
    else if (id == Decimal8) rescale(bytes, at, signed(bytes, at + 2, 8), scaleOf(bytes, at))
    else id == Decimal16 && fitsBig(bytes, at)
  }

  private def rescale(bytes: Array[Byte], at: Int, number: Long, ownScale: Int): Boolean =
    if (ownScale == scale) {
      value = number
      true
    } else if (math.abs(ownScale - scale) > MaxPower) fitsBig(bytes, at)
    else if (ownScale < scale) {
      val power = powers(scale - ownScale)
      value = number * power
      // The product fits a Long if all bits of its high half equal the sign.
      Math.multiplyHigh(number, power) == value >> 63
    } else {
      val power = powers(ownScale - scale)
      value = number / power
      value * power == number
    }

  private def fitsBig(bytes: Array[Byte], at: Int): Boolean = {
    val number = exact(bytes, at)
    number != null && number.bitLength < 64 && {
      value = number.longValue
      true
    }
  }

  /** The number at `at` multiplied by 10^scale; null if it is not an exact numeric or the result not whole. */
  def exact(bytes: Array[Byte], at: Int): BigInteger = {
    val id = primitiveId(bytes, at)
    val width = integerWidth(id)
    if (width > 0) BigInteger.valueOf(signed(bytes, at + 1, width)).multiply(BigInteger.TEN.pow(scale))
    else {
      val number = id match {
        case Decimal4 => BigInteger.valueOf(signed(bytes, at + 2, 4))
        case Decimal8 => BigInteger.valueOf(signed(bytes, at + 2, 8))
        case Decimal16 =>
          check(bytes, at + 2, 16)
          new BigInteger(bytes.slice(at + 2, at + 18).reverse)
        case _ => return null
      }
      val ownScale = scaleOf(bytes, at)
      if (ownScale <= scale) number.multiply(BigInteger.TEN.pow(scale - ownScale))
      else {
        val parts = number.divideAndRemainder(BigInteger.TEN.pow(ownScale - scale))
        if (parts(1).signum == 0) parts(0) else null
      }
    }
  }

  private def scaleOf(bytes: Array[Byte], at: Int): Int = {
    val ownScale = byteAt(bytes, at + 1) & 0xff
    if (ownScale > ScalarType.MaxPrecision) malformed("a decimal has a scale beyond 38")
    ownScale
  }

  private def integerWidth(id: Int): Int = id match {
    case Int8 => 1
    case Int16 => 2
    case Int32 => 4
    case Int64 => 8
    case _ => 0
  }
}

private object ExactNumber {
  private final val MaxPower = 18
  private val powers: Array[Long] = Array.iterate(1L, MaxPower + 1)(_ * 10)
}
