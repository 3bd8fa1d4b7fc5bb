/**
 * Writes a scalar into a typed column if the column can hold it without loss.
 *
 * Integers and decimals form one class, the exact numerics: a value is converted between their widths and
 * scales if the number stays the same. No other type is converted: `"1"` is not a number, and a float is not a
 * double.
 */
package shreddedvariant.shred

import java.math.{BigDecimal => JavaDecimal, BigInteger}

import org.apache.spark.sql.types.Decimal
import shreddedvariant.binary.{Budget, Encoding}
import shreddedvariant.layout.ScalarType

sealed abstract class ScalarShredder {

  /** Writes the value at `at` with its levels and returns true, if the column can hold the value. */
  def write(bytes: Array[Byte], at: Int, leaf: LeafWriter, r: Int, d: Int): Boolean
}

object ScalarShredder {
  import Encoding._

  /** Strings, binaries and UUIDs are taken from `budget`, the budget of the variant. */
  def of(scalar: ScalarType, budget: Budget): ScalarShredder = scalar match {
    case ScalarType.Bool => new BooleanShredder
    case ScalarType.Int8 => new IntegerShredder(Byte.MinValue, Byte.MaxValue, wide = false)
    case ScalarType.Int16 => new IntegerShredder(Short.MinValue, Short.MaxValue, wide = false)
    case ScalarType.Int32 => new IntegerShredder(Int.MinValue, Int.MaxValue, wide = false)
    case ScalarType.Int64 => new IntegerShredder(Long.MinValue, Long.MaxValue, wide = true)
    case ScalarType.Float32 => new Float32Shredder
    case ScalarType.Float64 => new Float64Shredder
    case ScalarType.Dec(p, s) if p <= Decimal.MAX_LONG_DIGITS => new LongDecimalShredder(p, s)
    case ScalarType.Dec(p, s) => new BigDecimalShredder(p, s)
    case ScalarType.Date => new NumberShredder(Date, 4)
    case ScalarType.Time => new NumberShredder(Time, 8)
    case ScalarType.Timestamp => new NumberShredder(Timestamp, 8)
    case ScalarType.TimestampNtz => new NumberShredder(TimestampNtz, 8)
    case ScalarType.TimestampNanos => new NumberShredder(TimestampNanos, 8)
    case ScalarType.TimestampNtzNanos => new NumberShredder(TimestampNtzNanos, 8)
    case ScalarType.Binary => new BinaryShredder(Encoding.Binary, budget)
    case ScalarType.Str => new StringShredder(budget)
    case ScalarType.Uuid => new UuidShredder(budget)
  }

  private final class BooleanShredder extends ScalarShredder {
    def write(bytes: Array[Byte], at: Int, leaf: LeafWriter, r: Int, d: Int): Boolean = {
      val id = primitiveId(bytes, at)
      (id == True || id == False) && {
        leaf.write(id == True, r, d)
        true
      }
    }
  }

  private final class IntegerShredder(min: Long, max: Long, wide: Boolean) extends ScalarShredder {
    private val number = new ExactNumber(0)
    def write(bytes: Array[Byte], at: Int, leaf: LeafWriter, r: Int, d: Int): Boolean =
      number.fitsLong(bytes, at) && number.value >= min && number.value <= max && {
        if (wide) leaf.write(number.value, r, d) else leaf.write(number.value.toInt, r, d)
        true
      }
  }

  private final class Float32Shredder extends ScalarShredder {
    def write(bytes: Array[Byte], at: Int, leaf: LeafWriter, r: Int, d: Int): Boolean =
      primitiveId(bytes, at) == Float32 && {
        leaf.write(java.lang.Float.intBitsToFloat(signed(bytes, at + 1, 4).toInt), r, d)
        true
      }
  }

  private final class Float64Shredder extends ScalarShredder {
    def write(bytes: Array[Byte], at: Int, leaf: LeafWriter, r: Int, d: Int): Boolean =
      primitiveId(bytes, at) == Float64 && {
        leaf.write(java.lang.Double.longBitsToDouble(signed(bytes, at + 1, 8)), r, d)
        true
      }
  }

  private final class NumberShredder(id: Int, width: Int) extends ScalarShredder {
    def write(bytes: Array[Byte], at: Int, leaf: LeafWriter, r: Int, d: Int): Boolean =
      primitiveId(bytes, at) == id && {
        val value = signed(bytes, at + 1, width)
        if (width == 8) leaf.write(value, r, d) else leaf.write(value.toInt, r, d)
        true
      }
  }

  private final class LongDecimalShredder(precision: Int, scale: Int) extends ScalarShredder {
    private val number = new ExactNumber(scale)
    private val limit = JavaDecimal.TEN.pow(precision).longValueExact
    def write(bytes: Array[Byte], at: Int, leaf: LeafWriter, r: Int, d: Int): Boolean =
      number.fitsLong(bytes, at) && number.value > -limit && number.value < limit && {
        if (precision <= Decimal.MAX_INT_DIGITS) leaf.write(number.value.toInt, r, d)
        else leaf.write(number.value, r, d)
        true
      }
  }

  private final class BigDecimalShredder(precision: Int, scale: Int) extends ScalarShredder {
    private val number = new ExactNumber(scale)
    private val limit = BigInteger.TEN.pow(precision)
    private val width = Decimal.minBytesForPrecision(precision)
    def write(bytes: Array[Byte], at: Int, leaf: LeafWriter, r: Int, d: Int): Boolean = {
      val value = number.exact(bytes, at)
      value != null && value.abs.compareTo(limit) < 0 && {
        val digits = value.toByteArray
        val fixed = new Array[Byte](width)
        if (value.signum < 0) java.util.Arrays.fill(fixed, (-1).toByte)
        System.arraycopy(digits, 0, fixed, width - digits.length, digits.length)
        leaf.write(fixed, 0, width, r, d)
        true
      }
    }
  }

  private abstract class SliceShredder(budget: Budget) extends ScalarShredder {
    protected final def slice(
        bytes: Array[Byte],
        from: Int,
        count: Int,
        leaf: LeafWriter,
        r: Int,
        d: Int
    ): Boolean = {
      check(bytes, from, count)
      budget.take(count)
      leaf.write(bytes, from, count, r, d)
      true
    }
  }

  private final class StringShredder(budget: Budget) extends SliceShredder(budget) {
    def write(bytes: Array[Byte], at: Int, leaf: LeafWriter, r: Int, d: Int): Boolean =
      if (basicType(bytes, at) == ShortString) slice(bytes, at + 1, (bytes(at) & 0xff) >> 2, leaf, r, d)
      else
        primitiveId(bytes, at) == LongString && slice(bytes, at + 5, unsigned(bytes, at + 1, 4), leaf, r, d)
  }

  private final class BinaryShredder(id: Int, budget: Budget) extends SliceShredder(budget) {
    def write(bytes: Array[Byte], at: Int, leaf: LeafWriter, r: Int, d: Int): Boolean =
      primitiveId(bytes, at) == id && slice(bytes, at + 5, unsigned(bytes, at + 1, 4), leaf, r, d)
  }

  private final class UuidShredder(budget: Budget) extends SliceShredder(budget) {
    def write(bytes: Array[Byte], at: Int, leaf: LeafWriter, r: Int, d: Int): Boolean =
      primitiveId(bytes, at) == Uuid && slice(bytes, at + 1, 16, leaf, r, d)
  }
}
