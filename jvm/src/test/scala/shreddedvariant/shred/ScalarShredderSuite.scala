/** A typed column takes exactly the scalars that it holds without loss, and gets the right number, text or bytes. */
package shreddedvariant.shred

import java.math.{BigDecimal => JavaDecimal, BigInteger}
import java.nio.{ByteBuffer, ByteOrder}

import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.{Outcomes, Shapes, Value}
import shreddedvariant.binary.Budget
import shreddedvariant.layout.{ScalarType, Shape}

class ScalarShredderSuite extends shreddedvariant.LawSuite {
  import ScalarShredderSuite._

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(5000)

  private val outcomes = new Outcomes

  private val cases = for {
    value <- Value.scalars
    scalar <- Gen.frequency(
      2 -> Shapes.scalars,
      1 -> Shapes.near(value).map { case Shape.Scalar(near) => near; case _ => ScalarType.Str }
    )
  } yield (value, scalar)

  test("a scalar is written exactly if the column can hold it, and as what it is") {
    val law = forAllNoShrink(cases) { case (value, scalar) =>
      val leaf = new Written
      val bytes = Value.encode(value)._2
      val isTaken = ScalarShredder.of(scalar, new Budget(bytes.length)).write(bytes, 0, leaf, 0, 1)
      outcomes.of(if (!isTaken) throw Untaken) { case Untaken => }
      leaf.written == held(scalar, value) && isTaken == leaf.written.isDefined
    }
    val result = org.scalacheck.Test.check(scalaCheckTestParameters, law)
    assert(result.passed, result.status.toString)
    outcomes.check(atLeast = 1000)
  }

  test("numbers at the limits of columns and of 64 bits") {
    val limits = for {
      digits <- 0 to 38
      scale <- Seq(0, 2, 9, 18, 19, 38)
      near <- Seq(-1, 0, 1)
      number = BigInteger.TEN.pow(digits).add(BigInteger.valueOf(near.toLong))
      unscaled <- Seq(number, number.negate) if unscaled.abs.compareTo(BigInteger.TEN.pow(38)) < 0
    } yield Value.Dec(unscaled, scale, 16)
    val longs = Seq(Long.MinValue, Long.MaxValue, Int.MinValue - 1L, 1L << 31, -129L, 128L)
    val types = Seq(1, 9, 10, 18, 19, 38).flatMap(p => Seq(0, p / 2, p).distinct.map(ScalarType.Dec(p, _))) ++
      Seq(ScalarType.Int8, ScalarType.Int16, ScalarType.Int32, ScalarType.Int64)
    for (value <- limits ++ longs.map(Value.Integer(_, 8)); scalar <- types) {
      val leaf = new Written
      val bytes = Value.encode(value)._2
      ScalarShredder.of(scalar, new Budget(bytes.length)).write(bytes, 0, leaf, 0, 1)
      assertEquals(leaf.written, held(scalar, value), s"$value in $scalar")
    }
  }
}

private[shred] object ScalarShredderSuite {
  private object Untaken extends RuntimeException

  /** The one value that is written to a leaf: numbers as BigInteger, whatever their width. */
  final class Written extends LeafWriter {
    var written: Option[Any] = None
    def writeNull(r: Int, d: Int): Unit = throw new AssertionError("a null")
    def write(bytes: Array[Byte], from: Int, length: Int, r: Int, d: Int): Unit =
      written = Some(bytes.slice(from, from + length).toSeq)
    def write(value: Int, r: Int, d: Int): Unit = written = Some(BigInteger.valueOf(value.toLong))
    def write(value: Long, r: Int, d: Int): Unit = written = Some(BigInteger.valueOf(value))
    def write(value: Boolean, r: Int, d: Int): Unit = written = Some(value)
    def write(value: Float, r: Int, d: Int): Unit = written = Some(java.lang.Float.floatToRawIntBits(value))
    def write(value: Double, r: Int, d: Int): Unit =
      written = Some(java.lang.Double.doubleToRawLongBits(value))
  }

  /** What a column of a type gets for a scalar; None if it cannot hold the scalar. */
  def held(scalar: ScalarType, value: Value): Option[Any] = (scalar, value) match {
    case (ScalarType.Bool, Value.Bool(b)) => Some(b)
    case (ScalarType.Int8, _) => whole(value, 8)
    case (ScalarType.Int16, _) => whole(value, 16)
    case (ScalarType.Int32, _) => whole(value, 32)
    case (ScalarType.Int64, _) => whole(value, 64)
    case (ScalarType.Dec(precision, scale), _) =>
      multiple(value, scale).filter(_.abs.compareTo(BigInteger.TEN.pow(precision)) < 0).map { unscaled =>
        if (precision <= 18) unscaled else fixed(unscaled, precision)
      }
    case (ScalarType.Str, Value.Text(text)) => Some(text.getBytes("UTF-8").toSeq)
    case (ScalarType.Binary, Value.Bytes(bytes)) => Some(bytes)
    case (ScalarType.Uuid, Value.Fixed(20, bytes)) => Some(bytes)
    case (ScalarType.Float32, Value.Fixed(14, bytes)) => Some(number(bytes).intValue)
    case (ScalarType.Float64, Value.Fixed(7, bytes)) => Some(number(bytes).longValue)
    case (_, Value.Fixed(id, bytes)) if times.get(scalar).contains(id) => Some(number(bytes))
    case _ => None
  }

  private val times = Map[ScalarType, Int](
    ScalarType.Date -> 11,
    ScalarType.Timestamp -> 12,
    ScalarType.TimestampNtz -> 13,
    ScalarType.Time -> 17,
    ScalarType.TimestampNanos -> 18,
    ScalarType.TimestampNtzNanos -> 19
  )

  /** An exact number times 10^scale, if that is whole. */
  private def multiple(value: Value, scale: Int): Option[BigInteger] = (value match {
    case Value.Integer(v, _) => Some(JavaDecimal.valueOf(v))
    case Value.Dec(unscaled, own, _) => Some(new JavaDecimal(unscaled, own))
    case _ => None
  }).map(_.scaleByPowerOfTen(scale).stripTrailingZeros).filter(_.scale <= 0).map(_.toBigIntegerExact)

  private def whole(value: Value, bits: Int): Option[BigInteger] =
    multiple(value, 0).filter(_.bitLength < bits)

  /** The big-endian bytes of a decimal, as many as the precision needs. */
  private def fixed(unscaled: BigInteger, precision: Int): Seq[Byte] = {
    val width = org.apache.spark.sql.types.Decimal.minBytesForPrecision(precision)
    val digits = unscaled.toByteArray.toSeq
    Seq.fill(width - digits.size)((if (unscaled.signum < 0) -1 else 0).toByte) ++ digits
  }

  private def number(bytes: Seq[Byte]): BigInteger = {
    val buffer = ByteBuffer.wrap(bytes.toArray).order(ByteOrder.LITTLE_ENDIAN)
    BigInteger.valueOf(if (bytes.size == 4) buffer.getInt.toLong else buffer.getLong)
  }
}
