/**
 * The kinds of values, which are counted separately. The number of a kind is its rank: if two kinds are equally
 * frequent, the higher number wins (specification: shredding analyser, TIE_BREAK_PRIORITY, which does not rank
 * arrays and objects).
 */
package shreddedvariant.infer

import shreddedvariant.binary.Encoding
import shreddedvariant.layout.ScalarType

private[infer] object Kind {
  final val Bool = 0
  final val Int8 = 1
  final val Int16 = 2
  final val Int32 = 3
  final val Int64 = 4
  final val Float32 = 5
  final val Float64 = 6
  final val Decimal4 = 7
  final val Decimal8 = 8
  final val Decimal16 = 9
  final val Date = 10
  final val Time = 11
  final val Timestamp = 12
  final val TimestampNtz = 13
  final val Binary = 14
  final val Str = 15
  final val TimestampNanos = 16
  final val TimestampNtzNanos = 17
  final val Uuid = 18
  final val Array = 19
  final val Object = 20

  final val Count = 21

  def isInteger(kind: Int): Boolean = kind >= Int8 && kind <= Int64
  def isDecimal(kind: Int): Boolean = kind >= Decimal4 && kind <= Decimal16

  /** The kind of each primitive id; -1 for null and for unknown ids. */
  val ofPrimitive: scala.Array[Int] = {
    val kinds = scala.Array.fill(64)(-1)
    Seq(
      Encoding.True -> Bool,
      Encoding.False -> Bool,
      Encoding.Int8 -> Int8,
      Encoding.Int16 -> Int16,
      Encoding.Int32 -> Int32,
      Encoding.Int64 -> Int64,
      Encoding.Float32 -> Float32,
      Encoding.Float64 -> Float64,
      Encoding.Decimal4 -> Decimal4,
      Encoding.Decimal8 -> Decimal8,
      Encoding.Decimal16 -> Decimal16,
      Encoding.Date -> Date,
      Encoding.Time -> Time,
      Encoding.Timestamp -> Timestamp,
      Encoding.TimestampNtz -> TimestampNtz,
      Encoding.TimestampNanos -> TimestampNanos,
      Encoding.TimestampNtzNanos -> TimestampNtzNanos,
      Encoding.Binary -> Binary,
      Encoding.LongString -> Str,
      Encoding.Uuid -> Uuid
    ).foreach { case (id, kind) => kinds(id) = kind }
    kinds
  }

  /** The type of a kind's column. Decimals are missing here: their type depends on their digits. */
  def scalar(kind: Int): ScalarType = kind match {
    case Bool => ScalarType.Bool
    case Int8 => ScalarType.Int8
    case Int16 => ScalarType.Int16
    case Int32 => ScalarType.Int32
    case Int64 => ScalarType.Int64
    case Float32 => ScalarType.Float32
    case Float64 => ScalarType.Float64
    case Date => ScalarType.Date
    case Time => ScalarType.Time
    case Timestamp => ScalarType.Timestamp
    case TimestampNtz => ScalarType.TimestampNtz
    case Binary => ScalarType.Binary
    case Str => ScalarType.Str
    case TimestampNanos => ScalarType.TimestampNanos
    case TimestampNtzNanos => ScalarType.TimestampNtzNanos
    case Uuid => ScalarType.Uuid
  }
}
