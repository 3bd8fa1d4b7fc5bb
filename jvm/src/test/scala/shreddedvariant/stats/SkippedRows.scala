/** Rows of one path as a file may store them, the statistics of their writer, and predicates on the path. */
package shreddedvariant.stats

import java.time.ZoneOffset

import org.apache.spark.sql.catalyst.{expressions => sql}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Coalesce, Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.variant.{VariantCastArgs, VariantGet}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.VariantVal
import org.scalacheck.Gen
import shreddedvariant.Value
import shreddedvariant.layout.{PathColumn, PathResult, PathStep, ScalarType}
import shreddedvariant.rules.StrictCast
import shreddedvariant.source.scan.{ScanColumns, ScanPredicates}

object SkippedRows {
  private val path = PathColumn(Seq("v"), Seq(PathStep.Key("a")), PathResult.Value(StringType, None))

  // ---- values ----

  private def fixed(id: Int, number: Long, width: Int) =
    Value.Fixed(id, Seq.tabulate(width)(i => (number >> 8 * i).toByte))
  def double(d: Double) = fixed(7, java.lang.Double.doubleToRawLongBits(d), 8)
  def float(f: Float) = fixed(14, java.lang.Float.floatToRawIntBits(f).toLong, 4)

  private val integers =
    Seq(-1L, 0L, 1L, 5L, 6L, 100L, 127L, 128L, 40000L, Int.MaxValue.toLong, 5000000000L, Long.MaxValue)
  private val doubles = Seq(-0.0, 0.0, 1.0, 1.5, -2.5, 99.95, 3e9, 1e300, Double.NaN, Double.PositiveInfinity)
  private val maxCharacter = new String(Character.toChars(Character.MAX_CODE_POINT))
  private val texts =
    Seq(
      "",
      "a",
      "A",
      "ab",
      "AB",
      "abc",
      "b",
      "B",
      "é",
      "éa",
      "z",
      "5",
      "1.5",
      "2024-01-01",
      "\uD83D\uDE00",
      maxCharacter,
      maxCharacter + "a"
    )

  def values(scalar: ScalarType): Gen[Value] = Gen.oneOf(all(scalar))

  def all(scalar: ScalarType): Seq[Value] = scalar match {
    case ScalarType.Bool => Seq(true, false).map(Value.Bool)
    case ScalarType.Int32 => integers.filter(_.isValidInt).map(Value.Integer(_, 4))
    case ScalarType.Int64 => integers.map(Value.Integer(_, 8))
    case ScalarType.Dec(_, scale) =>
      Seq(-150L, -1L, 0L, 1L, 4L, 5L, 100L, 105L, 150L, 999995L, 999999999999L).map { unscaled =>
        Value.Dec(java.math.BigInteger.valueOf(unscaled), scale, 8)
      }
    case ScalarType.Float32 => doubles.filter(d => d.isNaN || math.abs(d) < 1e10).map(d => float(d.toFloat))
    case ScalarType.Float64 => doubles.map(double)
    case ScalarType.Date => Seq(-1L, 0L, 1L, 19000L).map(fixed(11, _, 4))
    case ScalarType.Timestamp => Seq(-1L, 0L, 5L, 1700000000000000L).map(fixed(12, _, 8))
    case ScalarType.TimestampNtz => Seq(-1L, 0L, 5L, 1700000000000000L).map(fixed(13, _, 8))
    case ScalarType.Str => texts.map(Value.Text)
    case _ =>
      Seq("", "a", "ab", "\u00ff", "\u00ff\u00ffa").map(t => Value.Bytes(t.getBytes("ISO-8859-1").toSeq))
  }

  private val scalars: Gen[ScalarType] = Gen.oneOf(
    ScalarType.Bool,
    ScalarType.Int32,
    ScalarType.Int64,
    ScalarType.Int64,
    ScalarType.Dec(12, 2),
    ScalarType.Float32,
    ScalarType.Float64,
    ScalarType.Float64,
    ScalarType.Date,
    ScalarType.Timestamp,
    ScalarType.TimestampNtz,
    ScalarType.Str,
    ScalarType.Str,
    ScalarType.Binary
  )

  private val targets: Gen[DataType] = Gen.oneOf(
    BooleanType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    DecimalType(5, 1),
    DecimalType(38, 6),
    DateType,
    TimestampType,
    TimestampNTZType,
    StringType,
    BinaryType,
    VariantType
  )

  private val arguments = VariantCastArgs(failOnError = false, Some("UTC"), ZoneOffset.UTC)

  /** Spark's own cast; None if it fails. */
  def cast(value: Value, target: DataType): Option[Any] =
    if (value == Value.Null && target != VariantType) Some(null)
    else {
      val (metadata, bytes) = Value.encode(value)
      Option(VariantGet.cast(new VariantVal(bytes, metadata), target, arguments))
    }

  // ---- cases ----

  private def stored(scalar: ScalarType, isDraft: Boolean): Gen[Stored] = Gen.frequency(
    8 -> values(scalar).map(Stored.Typed(_)),
    1 -> scalars.flatMap(values).map(Stored.Residual(_)),
    1 -> Gen.const(Stored.Residual(Value.Null)),
    1 -> Gen.const(Stored.Missing),
    (if (isDraft) 1 else 0) -> scalars.flatMap(values).map(Stored.Outside(_))
  )

  /** Few kinds of cells in one case, so that groups with only one kind are common. */
  private def rows(scalar: ScalarType, isList: Boolean, isDraft: Boolean): Gen[Seq[Seq[Stored]]] = for {
    pool <- Gen.choose(1, 3).flatMap(Gen.listOfN(_, stored(scalar, isDraft)))
    size <- Gen.choose(1, 4)
    rows <- Gen.listOfN(
      size,
      if (isList) Gen.choose(0, 2).flatMap(Gen.listOfN(_, Gen.oneOf(pool)))
      else Gen.oneOf(pool).map(Seq(_))
    )
  } yield rows

  private def tests(column: Expression, values: Seq[Literal]): Gen[Expression] = {
    val common = Gen.oneOf[Expression](sql.IsNull(column), sql.IsNotNull(column))
    if (values.isEmpty) common else Gen.frequency(1 -> common, 4 -> comparisons(column, Gen.oneOf(values)))
  }

  private def comparisons(column: Expression, literals: Gen[Literal]): Gen[Expression] = {
    val special = column.dataType match {
      case StringType => Some(literals.map(sql.StartsWith(column, _): Expression))
      case FloatType | DoubleType => Some(Gen.const(sql.IsNaN(column): Expression))
      case BooleanType => Some(Gen.const(column))
      case _ => None
    }
    val compared = for {
      literal <- literals
      others <- Gen.choose(0, 3).flatMap(Gen.listOfN(
        _,
        Gen.frequency(
          5 -> literals,
          1 -> Gen.const(Literal(null, column.dataType))
        )
      ))
      (left, right) <- Gen.oneOf((column, literal), (literal, column))
      test <- Gen.oneOf[Expression](
        sql.EqualTo(left, right),
        sql.LessThan(left, right),
        sql.LessThanOrEqual(left, right),
        sql.GreaterThan(left, right),
        sql.GreaterThanOrEqual(left, right),
        sql.EqualNullSafe(left, right),
        sql.In(column, literal +: others)
      )
    } yield test
    Gen.frequency(Seq(6 -> compared) ++ special.map(2 -> _): _*)
  }

  private def filters(test: Gen[Expression], depth: Int): Gen[Expression] =
    if (depth == 0) test
    else {
      val inner = filters(test, depth - 1)
      Gen.frequency(
        3 -> test,
        1 -> inner.map(sql.Not(_)),
        1 -> Gen.zip(inner, inner).map { case (a, b) => sql.And(a, b) },
        1 -> Gen.zip(inner, inner).map { case (a, b) => sql.Or(a, b) }
      )
    }

  /** Groups of rows of one path in one file, without a filter. */
  val groups: Gen[Seq[Case]] =
    for {
      scalar <-
        Gen.frequency(1 -> scalars, 1 -> Gen.oneOf(ScalarType.Float64, ScalarType.Int64, ScalarType.Str))
      target <- Gen.frequency(3 -> Gen.const(scalar.decodedAs), 1 -> targets)
      at <- Gen.frequency(5 -> Gen.const(Option.empty[Int]), 1 -> Gen.oneOf(0, 1).map(Option(_)))
      isDraft <- Gen.oneOf(true, false)
      isStrict <- Gen.oneOf(true, false)
      groups <- Gen.choose(2, 4).flatMap(Gen.listOfN(_, rows(scalar, at.isDefined, isDraft && at.isEmpty)))
      habits <- Gen.listOfN(3, Gen.frequency(4 -> Gen.const(true), 1 -> Gen.const(false)))
      cut <- cuts
    } yield groups.map { rows =>
      val writer = Habits(habits(0), habits(1), habits(2), dictionary = false, cut)
      Case(scalar, rows, at, target, Literal(true), isStrict, isDraft, writer)
    }

  val cases: Gen[Case] = for {
    scalar <- scalars
    target <- Gen.frequency(
      6 -> Gen.const(scalar.decodedAs),
      4 -> targets,
      (if (scalar == ScalarType.Str) 3 else 0) -> Gen.const(StringType("UTF8_LCASE"))
    )
    at <- Gen.frequency(3 -> Gen.const(Option.empty[Int]), 1 -> Gen.oneOf(0, 1).map(Option(_)))
    isDraft <- Gen.oneOf(true, false)
    // A present list has all its elements, so elements are never stored in an outer cell.
    rows <- rows(scalar, at.isDefined, isDraft && at.isEmpty)
    isStrict <- Gen.oneOf(true, false).map(_ && target != VariantType)
    wide <- Gen.oneOf[DataType](LongType, DoubleType, target, target)
    tested = widened(column(target, isStrict), wide)
    literals <- Gen.listOfN(8, Gen.frequency(3 -> values(scalar), 1 -> scalars.flatMap(values)))
    test = tests(tested, literals.flatMap(literal(_, tested.dataType)))
    filter <- filters(test, if (isStrict) 0 else 2)
    habits <- Gen.listOfN(4, Gen.frequency(2 -> Gen.const(true), 1 -> Gen.const(false)))
    cut <- cuts
    writer = Habits(habits(0), habits(1), habits(2), habits(3), cut)
  } yield Case(scalar, rows, at, target, filter, isStrict, isDraft, writer)

  private def cuts: Gen[Option[Int]] = Gen.frequency(2 -> Gen.const(None), 1 -> Gen.oneOf(1, 2).map(Some(_)))

  private def widened(column: Expression, wide: DataType): Expression =
    if (column.dataType == IntegerType && wide != IntegerType) sql.Cast(column, wide) else column

  private def literal(value: Value, dataType: DataType): Option[Literal] =
    if (dataType == VariantType) None else cast(value, dataType).filter(_ != null).map(Literal(_, dataType))

  private def column(target: DataType, isStrict: Boolean): Expression = {
    val value = AttributeReference("value", target)()
    if (!isStrict) value
    else StrictCast(value, AttributeReference("failing", VariantType)(), target, Some("UTC"), "")
  }

  // ---- the results of Spark ----

  /** The value of the path in a row; None if its cast fails. */
  def value(c: Case, row: Seq[Stored]): Option[Any] = c.at.fold(row.headOption)(row.lift(_)) match {
    case None => Some(null)
    case Some(Stored.Missing) => if (c.at.isDefined) cast(Value.Null, c.target) else Some(null)
    case Some(Stored.Typed(value)) => cast(value, c.target)
    case Some(Stored.Residual(value)) => cast(value, c.target)
    case Some(Stored.Outside(value)) => cast(value, c.target)
  }

  /** A value as statistics compare it; None for NULL. */
  def compared(value: Any): Option[Datum] = value match {
    case null => None
    case flag: Boolean => Some(Datum.exact(if (flag) 1 else 0))
    case number: Float => Some(Datum.Floating(number.toDouble))
    case number: Double => Some(Datum.Floating(number))
    case number: Decimal => Some(Datum.Exact(number.toJavaBigDecimal))
    case number: Number => Some(Datum.exact(number.longValue))
    case bytes: Array[Byte] => Some(Datum.Bytes(bytes))
    case text => Some(Datum.Bytes(text.toString.getBytes("UTF-8")))
  }

  /** The result of the filter for a row: Some(true), Some(false) or Some(null); None if a strict cast fails. */
  def outcome(c: Case, row: Seq[Stored]): Option[Any] = {
    val value = this.value(c, row)
    if (value.isEmpty && c.isStrict) None
    else {
      val literal = Literal(value.orNull, c.target)
      Some(c.filter.transformDown {
        case _: Coalesce => literal
        case _: AttributeReference => literal
      }.eval())
    }
  }

  // ---- our evaluation ----

  def predicate(c: Case, laws: SkippingRules = SkippingRules.all): Predicate = {
    val value = path.copy(wanted = PathResult.Value(c.target, None))
    val failing = path.copy(wanted = PathResult.Failure(c.target, None))
    val columns =
      new ScanColumns(Map("value" -> value, "failing" -> failing), new StructType, caseSensitive = true)
    new ScanPredicates(columns, laws = laws).read(c.filter)
  }

  def parts(c: Case, column: Column, laws: SkippingRules): Seq[ValueSource] = CellSources(
    Some((c.scalar, Seq("typed"))),
    isComplex = false,
    Some(Seq("value")),
    outer = if (c.isDraft) Seq(Seq("outer")) else Nil,
    isElement = c.at.isDefined,
    mayLack = c.at.isDefined,
    c.isDraft
  ).of(column, laws)

  def facts(c: Case, leaf: Seq[String], order: DatumOrder): LeafStatistics = {
    // An empty list has one entry.
    val entries = c.rows.flatMap(row => if (row.isEmpty) Seq(Stored.Missing) else row)
    def bytes(value: Value) = {
      val (metadata, bytes) = Value.encode(value)
      Datum.Bytes(if (c.isDraft) metadata ++ bytes else bytes)
    }
    val values: Seq[Datum] = leaf match {
      case Seq("typed") => entries.collect { case Stored.Typed(value) => datum(value) }
      case Seq("value") => entries.collect { case Stored.Residual(value) => bytes(value) }
      case _ => entries.collect { case Stored.Outside(value) => bytes(Value.Obj(Map("a" -> value))) }
    }
    val isNaN = (d: Datum) =>
      d match {
        case Datum.Floating(number) => number.isNaN
        case _ => false
      }
    val numbers = values.filterNot(isNaN)
    val omitsBounds = !c.habits.bounds || c.habits.dropsBoundsAtNaN && values.exists(isNaN)
    val bounds =
      if (omitsBounds || numbers.isEmpty) Bounds.none
      else Bounds(Some(numbers.min(order)), Some(numbers.max(order)))
    val isText = leaf == Seq("typed") && c.scalar == ScalarType.Str
    LeafStatistics(
      entries.size.toLong,
      Option.when(c.habits.nulls)(entries.size.toLong - values.size),
      c.habits.cut.fold(bounds)(CutBounds(bounds, isText, _)),
      c.habits.dropsBoundsAtNaN && bounds != Bounds.none,
      Option.when(c.habits.dictionary && leaf == Seq("typed"))(values),
      Option.when(!c.habits.dictionary && leaf == Seq("typed"))(value => values.exists(order.equiv(_, value)))
    )
  }

  def datum(value: Value): Datum = value match {
    case Value.Bool(flag) => Datum.exact(if (flag) 1 else 0)
    case Value.Integer(number, _) => Datum.exact(number)
    case Value.Dec(unscaled, scale, _) => Datum.Exact(new java.math.BigDecimal(unscaled, scale))
    case Value.Text(text) => Datum.Bytes(text.getBytes("UTF-8"))
    case Value.Bytes(bytes) => Datum.Bytes(bytes.toArray)
    case Value.Fixed(id, bytes) =>
      val number = bytes.zipWithIndex.map { case (b, i) => (b & 0xffL) << 8 * i }.sum
      id match {
        case 7 => Datum.Floating(java.lang.Double.longBitsToDouble(number))
        case 14 => Datum.Floating(java.lang.Float.intBitsToFloat(number.toInt).toDouble)
        case 11 => Datum.exact(number.toInt.toLong)
        case _ => Datum.exact(number)
      }
    case other => throw new IllegalArgumentException(s"$other is not a scalar")
  }
}
