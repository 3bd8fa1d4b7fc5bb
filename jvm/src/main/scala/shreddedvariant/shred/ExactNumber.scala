/** The exact numeric at a place in a variant, as a whole multiple of 10^-scale if it is one. */
package shreddedvariant.shred

import java.math.BigInteger

import shreddedvariant.binary.Encoding
import shreddedvariant.layout.ScalarType

private final class ExactNumber(scale: Int) {
  import Encoding._
  import ExactNumber._

  /** What [[fitsLong]] found. */
  var value: Long = 0

  /** Whether [[value]] now is the number at `at`, multiplied by 10^scale. */
  def fitsLong(bytes: Array[Byte], at: Int): Boolean = {
    val id = primitiveId(bytes, at)
    val width = integerWidth(id)
    if (width > 0) rescale(bytes, at, signed(bytes, at + 1, width), 0)
    else if (id == Decimal4) rescale(bytes, at, signed(bytes, at + 2, 4), scaleOf(bytes, at))
    else if (id == Decimal8) rescale(bytes, at, signed(bytes, at + 2, 8), scaleOf(bytes, at))
    else id == Decimal16 && fitsBig(bytes, at)
  }

  private def rescale(bytes: Array[Byte], at: Int, number: Long, own: Int): Boolean =
    if (own == scale) {
      value = number
      true
    } else if (math.abs(own - scale) > MaxPower) fitsBig(bytes, at)
    else if (own < scale) {
      val power = powers(scale - own)
      value = number * power
      // A product is right if its high half is nothing but its sign.
      Math.multiplyHigh(number, power) == value >> 63
    } else {
      val power = powers(own - scale)
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

  /** The number at `at`, multiplied by 10^scale; null if it is no exact numeric or not whole at that scale. */
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
      val own = scaleOf(bytes, at)
      if (own <= scale) number.multiply(BigInteger.TEN.pow(scale - own))
      else {
        val parts = number.divideAndRemainder(BigInteger.TEN.pow(own - scale))
        if (parts(1).signum == 0) parts(0) else null
      }
    }
  }

  private def scaleOf(bytes: Array[Byte], at: Int): Int = {
    val own = byteAt(bytes, at + 1) & 0xff
    if (own > ScalarType.MaxPrecision) malformed("a decimal has a scale beyond 38")
    own
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
