/**
 * Writes a scalar into a typed column if the column can hold it without loss.
 *
 * Integers and decimals are one class, the exact numerics: a value moves between their widths and scales as long as it
 * stays the same number. No other type is ever converted: `"1"` is no number, a float is no double.
 */
package shreddedvariant.shred

import java.math.{BigDecimal => JavaDecimal, BigInteger}

import org.apache.parquet.io.api.{Binary => ParquetBinary}
import org.apache.spark.sql.types.Decimal
import shreddedvariant.binary.Encoding
import shreddedvariant.layout.ScalarType

sealed abstract class ScalarShredder {

  /** Prepares the value at `at` and says whether the column can hold it; [[add]] then writes it, with its levels. */
  def accepts(bytes: Array[Byte], at: Int): Boolean
  def add(leaf: LeafWriter, r: Int, d: Int): Unit
}

object ScalarShredder {
  import Encoding._

  def of(scalar: ScalarType): ScalarShredder = scalar match {
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
    case ScalarType.Binary => new BinaryShredder(Encoding.Binary)
    case ScalarType.Str => new StringShredder
    case ScalarType.Uuid => new UuidShredder
  }

  private final class BooleanShredder extends ScalarShredder {
    private var value = false
    def accepts(bytes: Array[Byte], at: Int): Boolean = {
      val id = primitiveId(bytes, at)
      value = id == True
      value || id == False
    }
    def add(leaf: LeafWriter, r: Int, d: Int): Unit = leaf.write(value, r, d)
  }

  private final class IntegerShredder(min: Long, max: Long, wide: Boolean) extends ScalarShredder {
    private var value = 0L
    def accepts(bytes: Array[Byte], at: Int): Boolean = {
      val width = integerWidth(primitiveId(bytes, at))
      if (width > 0) value = signed(bytes, at + 1, width)
      else
        exact(bytes, at, 0) match {
          case null => return false
          case number if number.bitLength < 64 => value = number.longValue
          case _ => return false
        }
      value >= min && value <= max
    }
    def add(leaf: LeafWriter, r: Int, d: Int): Unit =
      if (wide) leaf.write(value, r, d) else leaf.write(value.toInt, r, d)
  }

  private final class Float32Shredder extends ScalarShredder {
    private var value = 0f
    def accepts(bytes: Array[Byte], at: Int): Boolean = primitiveId(bytes, at) == Float32 && {
      value = java.lang.Float.intBitsToFloat(signed(bytes, at + 1, 4).toInt)
      true
    }
    def add(leaf: LeafWriter, r: Int, d: Int): Unit = leaf.write(value, r, d)
  }

  private final class Float64Shredder extends ScalarShredder {
    private var value = 0d
    def accepts(bytes: Array[Byte], at: Int): Boolean = primitiveId(bytes, at) == Float64 && {
      value = java.lang.Double.longBitsToDouble(signed(bytes, at + 1, 8))
      true
    }
    def add(leaf: LeafWriter, r: Int, d: Int): Unit = leaf.write(value, r, d)
  }

  private final class NumberShredder(id: Int, width: Int) extends ScalarShredder {
    private var value = 0L
    def accepts(bytes: Array[Byte], at: Int): Boolean = primitiveId(bytes, at) == id && {
      value = signed(bytes, at + 1, width)
      true
    }
    def add(leaf: LeafWriter, r: Int, d: Int): Unit =
      if (width == 8) leaf.write(value, r, d) else leaf.write(value.toInt, r, d)
  }

  private final class LongDecimalShredder(precision: Int, scale: Int) extends ScalarShredder {
    private val limit = JavaDecimal.TEN.pow(precision).longValueExact
    private var value = 0L
    def accepts(bytes: Array[Byte], at: Int): Boolean = {
      val number = exact(bytes, at, scale)
      number != null && number.bitLength < 64 && {
        value = number.longValue
        value > -limit && value < limit
      }
    }
    def add(leaf: LeafWriter, r: Int, d: Int): Unit =
      if (precision <= Decimal.MAX_INT_DIGITS) leaf.write(value.toInt, r, d) else leaf.write(value, r, d)
  }

  private final class BigDecimalShredder(precision: Int, scale: Int) extends ScalarShredder {
    private val limit = BigInteger.TEN.pow(precision)
    private val width = Decimal.minBytesForPrecision(precision)
    private var value: BigInteger = _
    def accepts(bytes: Array[Byte], at: Int): Boolean = {
      value = exact(bytes, at, scale)
      value != null && value.abs.compareTo(limit) < 0
    }
    def add(leaf: LeafWriter, r: Int, d: Int): Unit = {
      val digits = value.toByteArray
      val fixed = new Array[Byte](width)
      if (value.signum < 0) java.util.Arrays.fill(fixed, (-1).toByte)
      System.arraycopy(digits, 0, fixed, width - digits.length, digits.length)
      leaf.write(ParquetBinary.fromConstantByteArray(fixed), r, d)
    }
  }

  private abstract class SliceShredder extends ScalarShredder {
    protected var bytes: Array[Byte] = _
    protected var from = 0
    protected var count = 0
    protected def slice(bytes: Array[Byte], from: Int, count: Int): Boolean = {
      check(bytes, from, count)
      this.bytes = bytes
      this.from = from
      this.count = count
      true
    }
    def add(leaf: LeafWriter, r: Int, d: Int): Unit =
      leaf.write(ParquetBinary.fromReusedByteArray(bytes, from, count), r, d)
  }

  private final class StringShredder extends SliceShredder {
    def accepts(bytes: Array[Byte], at: Int): Boolean =
      if (basicType(bytes, at) == ShortString) slice(bytes, at + 1, (bytes(at) & 0xff) >> 2)
      else primitiveId(bytes, at) == LongString && slice(bytes, at + 5, unsigned(bytes, at + 1, 4))
  }

  private final class BinaryShredder(id: Int) extends SliceShredder {
    def accepts(bytes: Array[Byte], at: Int): Boolean =
      primitiveId(bytes, at) == id && slice(bytes, at + 5, unsigned(bytes, at + 1, 4))
  }

  private final class UuidShredder extends SliceShredder {
    def accepts(bytes: Array[Byte], at: Int): Boolean =
      primitiveId(bytes, at) == Uuid && slice(bytes, at + 1, 16)
  }

  private def integerWidth(id: Int): Int = id match {
    case Int8 => 1
    case Int16 => 2
    case Int32 => 4
    case Int64 => 8
    case _ => 0
  }

  /** The exact number at `at`, multiplied by 10^scale; null if it is no exact numeric or not whole at that scale. */
  private def exact(bytes: Array[Byte], at: Int, scale: Int): BigInteger = {
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
      val own = bytes(at + 1) & 0xff
      if (own > ScalarType.MaxPrecision) malformed("a decimal has a scale beyond 38")
      if (own <= scale) number.multiply(BigInteger.TEN.pow(scale - own))
      else {
        val parts = number.divideAndRemainder(BigInteger.TEN.pow(own - scale))
        if (parts(1).signum == 0) parts(0) else null
      }
    }
  }
}
