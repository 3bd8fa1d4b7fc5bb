/** The cast of a bound equals Spark's own cast of the variant, at every limit of every pair of types. */
package shreddedvariant.stats

import java.math.{BigDecimal, BigInteger}

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.types._
import shreddedvariant.Value
import shreddedvariant.layout.ScalarType

class MonotoneCastSuite extends shreddedvariant.Suite {
  private val order = new DatumOrder(SkippingRules.all)

  private val integrals = Seq[DataType](ByteType, ShortType, IntegerType, LongType)
  private val decimals =
    Seq(1 -> 0, 1 -> 1, 5 -> 2, 9 -> 9, 12 -> 2, 19 -> 0, 20 -> 18, 38 -> 0, 38 -> 10, 38 -> 17, 38 -> 38)

  private val scalars: Seq[ScalarType] =
    ScalarType.simple.filterNot(ofNoSpark) ++ decimals.map { case (p, s) => ScalarType.Dec(p, s) }

  /** Types of variants that Spark lacks: no cast keeps their order. */
  private def ofNoSpark(scalar: ScalarType) = scalar match {
    case ScalarType.Time | ScalarType.TimestampNanos | ScalarType.TimestampNtzNanos | ScalarType.Uuid => true
    case _ => false
  }

  private val targets: Seq[DataType] =
    integrals ++ decimals.map { case (p, s) => DecimalType(p, s) } ++ Seq(
      FloatType,
      DoubleType,
      BooleanType
    ) ++
      Seq(StringType, StringType("UTF8_LCASE"), BinaryType, DateType, TimestampType, TimestampNTZType)

  // ---- values at every limit ----

  private val limits: Seq[BigDecimal] = {
    val ends = Seq(0, 7, 15, 24, 31, 53, 63).map(BigDecimal.valueOf(2).pow)
    val tens =
      decimals.flatMap { case (p, s) => Seq(p, p - s) }.distinct.map(BigDecimal.ONE.scaleByPowerOfTen)
    (BigDecimal.ZERO +: (ends ++ tens)).flatMap(n =>
      Seq(n, n.subtract(BigDecimal.ONE), n.add(BigDecimal.ONE))
    )
  }

  /** Every limit, and the numbers that are less or greater by each of `steps`. */
  private def around(steps: Seq[BigDecimal]): Seq[BigDecimal] =
    limits.flatMap(n => n +: steps.flatMap(s => Seq(n.subtract(s), n.add(s)))).flatMap(n => Seq(n, n.negate))

  private def integers(bits: Int): Seq[Long] =
    around(Nil).map(_.toBigInteger).filter(_.bitLength < bits).map(_.longValue)

  private def decimals(precision: Int, scale: Int): Seq[BigInteger] = {
    val halves = decimals.map(_._2 + 1).distinct.map(new BigDecimal(BigInteger.valueOf(5), _))
    val unit = BigDecimal.ONE.scaleByPowerOfTen(-scale)
    around(unit +: halves.flatMap(h => Seq(h, h.subtract(unit))))
      .map(_.setScale(scale, java.math.RoundingMode.DOWN).unscaledValue)
      .filter(_.abs.compareTo(BigInteger.TEN.pow(precision)) < 0)
  }

  private def doubles: Seq[Double] = {
    val ends = around(Seq(new BigDecimal("0.5"))).map(_.doubleValue)
    val floats = Seq(Float.MaxValue, Float.MinPositiveValue).map(_.toDouble)
    val special = Seq(Double.NaN, Double.PositiveInfinity, Double.MaxValue, Double.MinPositiveValue) ++ floats
    (ends ++ special ++ special.map(-_)).flatMap(d => Seq(d, Math.nextUp(d), Math.nextDown(d)))
  }

  private def floats: Seq[Float] =
    doubles.map(_.toFloat).flatMap(f => Seq(f, Math.nextUp(f), Math.nextDown(f)))

  private def values(scalar: ScalarType): Seq[Value] = scalar match {
    case ScalarType.Int8 => integers(8).map(Value.Integer(_, 1))
    case ScalarType.Int16 => integers(16).map(Value.Integer(_, 2))
    case ScalarType.Int32 => integers(32).map(Value.Integer(_, 4))
    case ScalarType.Int64 => integers(64).map(Value.Integer(_, 8))
    case ScalarType.Dec(precision, scale) => decimals(precision, scale).map(Value.Dec(_, scale, 16))
    case ScalarType.Float32 => floats.map(SkippedRows.float)
    case ScalarType.Float64 => doubles.map(SkippedRows.double)
    case other => SkippedRows.all(other)
  }

  // ---- the results of Spark ----

  private def same(a: Option[Datum], b: Option[Datum]): Boolean = (a, b) match {
    case (Some(Datum.Floating(x)), Some(Datum.Floating(y))) => java.lang.Double.compare(x, y) == 0
    case (Some(x), Some(y)) => order.equiv(x, y)
    case _ => a == b
  }

  private def wrong(scalar: ScalarType, target: DataType, conversion: MonotoneCast): Option[String] = {
    val results = values(scalar).distinct.map { value =>
      val datum = SkippedRows.datum(value)
      (datum, SkippedRows.cast(value, target).flatMap(SkippedRows.compared))
    }.sortBy(_._1)(order)
    val different = results.collectFirst {
      case (datum, expected) if !same(conversion(datum), expected) =>
        s"$datum becomes ${conversion(datum)} instead of $expected"
    }
    different.orElse(broken(conversion, results)).map(reason => s"$scalar AS ${target.sql}: $reason")
  }

  /** A property of the cast that is wrong for Spark's results, which are sorted by value. */
  private def broken(conversion: MonotoneCast, sorted: Seq[(Datum, Option[Datum])]): Option[String] = {
    val passed = sorted.dropWhile(_._2.isEmpty).reverse.dropWhile(_._2.isEmpty).reverse
    val results = passed.flatMap(_._2)
    def changed =
      sorted.collectFirst { case (datum, Some(result)) if !same(Some(datum), Some(result)) => datum }
    if (sorted.isEmpty) Some("there are no values")
    else if (passed.exists(_._2.isEmpty)) Some("a value fails between values that do not")
    else if (results.zip(results.drop(1)).exists { case (a, b) => order.gt(a, b) })
      Some("the order is not kept")
    else if (conversion.isTotal && sorted.exists(_._2.isEmpty)) Some("a value fails")
    else if (conversion.isIdentity || conversion.keepsValues) changed.map(datum => s"$datum changes")
    else None
  }

  for (scalar <- scalars)
    test(s"bounds of $scalar are cast as Spark casts the variant") {
      val wrongs =
        targets.flatMap(to => MonotoneCast.find(scalar, to, SkippingRules.all).flatMap(wrong(scalar, to, _)))
      assertEquals(wrongs, Nil)
    }

  test("bounds of SQL types are widened as Spark casts them") {
    val types = (integrals ++ decimals.map { case (p, s) => DecimalType(p, s) } ++ Seq(FloatType, DoubleType))
    val wrongs = for {
      from <- types
      to <- types
      conversion <- MonotoneCast.widening(from, to).toSeq
      value <- values(scalarOf(from)).distinct
      datum = SkippedRows.datum(value)
      literal = Literal(SkippedRows.cast(value, from).get, from)
      mode <- Seq(EvalMode.LEGACY, EvalMode.ANSI)
      expected = SkippedRows.compared(Cast(literal, to, None, mode).eval())
      if !same(conversion(datum), expected)
    } yield s"$datum: ${from.sql} AS ${to.sql} becomes ${conversion(datum)} instead of $expected"
    assertEquals(wrongs.take(5), Nil)
  }

  private def scalarOf(dataType: DataType): ScalarType = dataType match {
    case ByteType => ScalarType.Int8
    case ShortType => ScalarType.Int16
    case IntegerType => ScalarType.Int32
    case LongType => ScalarType.Int64
    case FloatType => ScalarType.Float32
    case DoubleType => ScalarType.Float64
    case decimal: DecimalType => ScalarType.Dec(decimal.precision, decimal.scale)
    case other => throw new MatchError(other)
  }

  test("a number that no column can have is not cast") {
    val huge =
      Seq("1e999999999", "-1e999999999", "1e-999999999", "1e40").map(t => Datum.Exact(new BigDecimal(t)))
    for {
      scalar <- Seq(ScalarType.Int64, ScalarType.Dec(9, 2))
      to <- integrals ++ Seq(FloatType, DoubleType, DecimalType(5, 1))
      conversion <- MonotoneCast.find(scalar, to, SkippingRules.all) if !conversion.isIdentity
      datum <- huge
    } assertEquals(conversion(datum), None, s"$datum of $scalar AS ${to.sql}")
  }
}
