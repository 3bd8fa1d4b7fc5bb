/**
 * The sources of a column's values in a file, and the values that each source may have by the statistics of its
 * leaf.
 *
 * A path has `typed_value` and `value`: a row that is NULL in one leaf may have its value in the other. So the
 * column may have each value that one of its sources may have. `mayLack` means that rows may lack a value
 * although no entry of the leaf is null: a list may be too short, and a residual may lack the rest of the path.
 */
package shreddedvariant.stats

import org.apache.spark.sql.types.DataType
import shreddedvariant.layout.ScalarType

sealed abstract class ValueSource {

  /** The leaf whose statistics are needed; None if the source does not depend on statistics. */
  def leaf: Option[Seq[String]]
  def possible(statistics: LeafStatistics): ValueDomain

  /** The exact aggregates by the statistics; None if only the values give them. */
  def tally(statistics: LeafStatistics): Option[ExactAggregates]
}

object ValueSource {

  /** A path or column that a file does not have: NULL in every row. */
  case object Absent extends ValueSource {
    override def leaf: Option[Seq[String]] = None
    override def possible(statistics: LeafStatistics): ValueDomain = ValueDomain.onlyNull
    override def tally(statistics: LeafStatistics): Option[ExactAggregates] = Some(ExactAggregates.none)
  }

  /** A column whose values are unknown. */
  case object Unknown extends ValueSource {
    override def leaf: Option[Seq[String]] = None
    override def possible(statistics: LeafStatistics): ValueDomain = ValueDomain.anything
    override def tally(statistics: LeafStatistics): Option[ExactAggregates] = None
  }

  /** A leaf of which only the nulls matter: its other values are never NULL for the query. */
  final case class Nulls(column: Seq[String], mayLack: Boolean, laws: SkippingRules) extends ValueSource {
    override def leaf: Option[Seq[String]] = Some(column)
    override def possible(statistics: LeafStatistics): ValueDomain =
      ValueDomain(if (statistics.areAllNull) Values.None else Values.Any, NullsOf(statistics, mayLack, laws))
    override def tally(statistics: LeafStatistics): Option[ExactAggregates] =
      NotNull(statistics, mayLack, laws).map(ExactAggregates(_, None))
  }

  /** A group, by a leaf below it that is not repeated: the leaf's definition level shows if it is present. */
  final case class Group(column: Seq[String], definition: Int, laws: SkippingRules) extends ValueSource {
    override def leaf: Option[Seq[String]] = Some(column)
    override def possible(statistics: LeafStatistics): ValueDomain =
      absent(statistics).fold(ValueDomain.anything) { absent =>
        ValueDomain(if (absent == statistics.entries) Values.None else Values.Any, orNull = absent > 0)
      }
    override def tally(statistics: LeafStatistics): Option[ExactAggregates] =
      absent(statistics).map(absent => ExactAggregates(statistics.entries - absent, None))

    /**
     * The number of rows without the group: 0 for a required group, and 0 if the leaf has no nulls, even if the
     * writer does not count levels.
     */
    private def absent(statistics: LeafStatistics): Option[Long] =
      if (definition == 0 || statistics.nulls.contains(0L)) Some(0L)
      else statistics.levels.filter(_.size > definition).map(_.take(definition).sum).orElse(
        Option.unless(laws.hold(SkippingRule.MissingStatistics))(0L)
      )
  }

  /** A typed leaf whose values go through casts. `isFloating` means that the leaf may have NaN. */
  final case class Typed(
      column: Seq[String],
      casts: Seq[MonotoneCast],
      isFloating: Boolean,
      isStrict: Boolean,
      mayLack: Boolean,
      laws: SkippingRules
  ) extends ValueSource {
    override def leaf: Option[Seq[String]] = Some(column)

    override def possible(statistics: LeafStatistics): ValueDomain =
      if (statistics.areAllNull) ValueDomain.onlyNull
      else {
        val (values, mayFail) = convert(held(statistics))
        if (mayFail && isStrict && laws.hold(SkippingRule.StrictCasts)) ValueDomain.anything
        else ValueDomain(
          filtered(values, statistics),
          NullsOf(statistics, mayLack, laws) || mayFail && laws.hold(SkippingRule.FailedCasts)
        )
      }

    /**
     * If no cast fails for a value between the bounds, every value that is not null gives a value of the
     * column. Then the casts of the bounds, which are values of rows, are the ends of the column, because casts
     * keep the order.
     */
    override def tally(statistics: LeafStatistics): Option[ExactAggregates] =
      if (statistics.areAllNull) Some(ExactAggregates.none)
      else {
        val (values, mayFail) = convert(held(statistics))
        if (mayFail && laws.hold(SkippingRule.FailedCasts)) None
        else NotNull(statistics, mayLack, laws).map(ExactAggregates(_, ends(values)))
      }

    /** None for a zero: writers choose the sign that widens the bound, so the sign in the rows is unknown. */
    private def ends(values: Values): Option[(Datum, Datum)] = values match {
      case Values.Between(Bounds(Some(min), Some(max)), false)
          if !laws.hold(SkippingRule.NegativeZero) || !isZero(min) && !isZero(max) =>
        Some((min, max))
      case _ => None
    }

    private def isZero(value: Datum) = value match {
      case Datum.Floating(number) => isFloating && number == 0
      case _ => false
    }

    /** The possible values of the leaf. */
    private def held(statistics: LeafStatistics): Values = statistics.distinct match {
      case Some(values) => Values.Among(values)
      case None if statistics.bounds == Bounds.none && !laws.hold(SkippingRule.MissingStatistics) =>
        Values.None
      case None =>
        val orNaN = isFloating && !statistics.hasNoNaN && laws.hold(SkippingRule.NotANumber)
        Values.Between(statistics.bounds, orNaN)
    }

    /** A bloom filter has the values of the file, so it is used only if no cast changes them. */
    private def filtered(values: Values, statistics: LeafStatistics): Values =
      statistics.mayHold.filter(_ => casts.forall(_.keepsValues)).fold(values)(Values.Filtered(values, _))

    /** The values after all casts, and whether a cast may have failed. */
    private def convert(held: Values): (Values, Boolean) = casts.foldLeft((held, false)) {
      case ((values, failed), cast) if cast.isIdentity => (values, failed)
      case ((Values.Among(some), failed), cast) =>
        val converted = some.iterator.map(cast(_)).takeWhile(_.isDefined).flatten.toIndexedSeq
        if (converted.size < some.size) (Values.Any, true) else (Values.Among(converted), failed)
      case ((Values.Between(Bounds(min, max), orNaN), failed), cast) =>
        // If the casts of both bounds succeed, so do all casts between. If one fails, its bound becomes absent.
        val ends = Bounds(min.flatMap(cast(_)), max.flatMap(cast(_)))
        val fails = !cast.isTotal && (ends.min.isEmpty || ends.max.isEmpty || orNaN)
        (Values.Between(ends, orNaN && cast.isTotal), failed || fails)
      case (other, _) => other
    }
  }

  /**
   * The stored values of a cell: alone, or beside a typed leaf, which then covers the rows where both are NULL.
   * `isVariant` means that the query reads the variant itself, without a cast.
   */
  final case class Residual(
      column: Seq[String],
      isVariant: Boolean,
      isAlone: Boolean,
      mayLack: Boolean,
      isDraft: Boolean,
      laws: SkippingRules
  ) extends ValueSource {
    override def leaf: Option[Seq[String]] = Some(column)

    override def possible(statistics: LeafStatistics): ValueDomain = {
      val castsToNull = areVariantNulls(statistics) && !(isVariant && laws.hold(SkippingRule.VariantNulls))
      if (statistics.areAllNull || castsToNull || !laws.hold(SkippingRule.ResidualRows))
        ValueDomain(Values.None, isAlone)
      else if (isVariant) ValueDomain(Values.Any, isAlone && NullsOf(statistics, mayLack, laws))
      else ValueDomain.anything
    }

    /** Exact only if no row has a value here: statistics do not describe the values inside the bytes. */
    override def tally(statistics: LeafStatistics): Option[ExactAggregates] =
      Option.when(possible(statistics).values == Values.None)(ExactAggregates.none)

    /** The value of a variant null is one byte, 0; in the draft layout it follows metadata without keys. */
    private def areVariantNulls(statistics: LeafStatistics) =
      statistics.bounds == (if (isDraft) Residual.draftNulls else Residual.variantNulls)
  }

  object Residual {
    private def just(bytes: Byte*) =
      Bounds(Some(Datum.Bytes(bytes.toArray)), Some(Datum.Bytes(bytes.toArray)))
    private val variantNulls = just(0)
    private val draftNulls = just(1, 0, 0, 0)
  }

  /**
   * The value of a key of a map, by the leaf of all keys. Law: a map has a value for a key only if one of its
   * entries has this key. So if bounds, dictionary or bloom filter exclude the key, the value is NULL;
   * otherwise it may be anything.
   */
  final case class Keyed(column: Seq[String], key: Datum.Bytes, laws: SkippingRules) extends ValueSource {
    override def leaf: Option[Seq[String]] = Some(column)

    override def possible(statistics: LeafStatistics): ValueDomain =
      if (mayHold(statistics)) ValueDomain.anything else ValueDomain.onlyNull

    override def tally(statistics: LeafStatistics): Option[ExactAggregates] =
      Option.when(!mayHold(statistics))(ExactAggregates.none)

    private def mayHold(statistics: LeafStatistics) = {
      val order = new DatumOrder(laws)
      !statistics.areAllNull && statistics.bounds.contain(key, order) && statistics.distinct.forall(
        _.exists(order.equiv(
          _,
          key
        ))
      ) &&
      statistics.mayHold.forall(_(key))
    }
  }

  /** A typed leaf with the casts of the column, if all of them keep the order; `cast` finds the first one. */
  def typed(
      scalar: ScalarType,
      leaf: Seq[String],
      column: Column,
      mayLack: Boolean,
      laws: SkippingRules,
      cast: (ScalarType, DataType, SkippingRules) => Option[MonotoneCast] = MonotoneCast.find
  ): Option[Typed] =
    for {
      first <- cast(scalar, column.types.head, laws)
      others = column.types.zip(column.types.tail).map { case (from, to) => MonotoneCast.widening(from, to) }
      if others.forall(_.isDefined)
    } yield Typed(
      leaf,
      first +: others.flatten,
      isFloating = scalar == ScalarType.Float32 || scalar == ScalarType.Float64,
      isStrict = column.isStrict,
      mayLack,
      laws
    )

  private object NullsOf {

    /** Whether there may be rows without a value. */
    def apply(statistics: LeafStatistics, mayLack: Boolean, laws: SkippingRules): Boolean =
      if (mayLack && laws.hold(SkippingRule.RowsThatLack)) true
      else statistics.nulls.fold(laws.hold(SkippingRule.MissingStatistics))(_ > 0)
  }

  private object NotNull {

    /** The number of rows with a value; None if rows may lack a value, or if there is no null count. */
    def apply(statistics: LeafStatistics, mayLack: Boolean, laws: SkippingRules): Option[Long] =
      if (statistics.areAllNull) Some(0)
      else if (mayLack && laws.hold(SkippingRule.RowsThatLack)) None
      else if (statistics.nulls.isEmpty && !laws.hold(SkippingRule.MissingStatistics))
        Some(statistics.entries)
      else statistics.nulls.map(statistics.entries - _)
  }
}
