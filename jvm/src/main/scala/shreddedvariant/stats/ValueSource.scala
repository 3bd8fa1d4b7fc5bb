/**
 * The leaves of a file that give a column its values, each in some of the rows, and what facts about a leaf say of them.
 *
 * A path has `typed_value` and `value`: rows that the one leaves NULL may have their value in the other. What any of
 * the parts may give, the column may. `mayLack` says that rows can lack a value although no entry of the leaf is null:
 * lists may be too short, and residuals without the rest of the path.
 */
package shreddedvariant.stats

import org.apache.spark.sql.types.DataType
import shreddedvariant.layout.ScalarType

sealed abstract class ValueSource {

  /** None where no leaf is asked, because the part is the same in every row. */
  def leaf: Option[Seq[String]]
  def possible(facts: LeafStatistics): ValueDomain

  /** What the facts tell exactly; None where only the values do. */
  def tally(facts: LeafStatistics): Option[ExactAggregates]
}

object ValueSource {

  /** A path or column that a file does not have: NULL in every row. */
  case object Absent extends ValueSource {
    override def leaf: Option[Seq[String]] = None
    override def possible(facts: LeafStatistics): ValueDomain = ValueDomain.onlyNull
    override def tally(facts: LeafStatistics): Option[ExactAggregates] = Some(ExactAggregates.none)
  }

  /** A column of which nothing is known. */
  case object Unknown extends ValueSource {
    override def leaf: Option[Seq[String]] = None
    override def possible(facts: LeafStatistics): ValueDomain = ValueDomain.anything
    override def tally(facts: LeafStatistics): Option[ExactAggregates] = None
  }

  /** A leaf of which only nulls count: what stands in it is handed on under whatever name, and never NULL. */
  final case class Nulls(column: Seq[String], mayLack: Boolean, laws: SkippingRules) extends ValueSource {
    override def leaf: Option[Seq[String]] = Some(column)
    override def possible(facts: LeafStatistics): ValueDomain =
      ValueDomain(if (facts.areAllNull) Values.None else Values.Any, NullsOf(facts, mayLack, laws))
    override def tally(facts: LeafStatistics): Option[ExactAggregates] =
      NotNull(facts, mayLack, laws).map(ExactAggregates(_, None))
  }

  /** A group, told by a leaf below it that is not repeated: it is there where the leaf is defined up to its level. */
  final case class Group(column: Seq[String], definition: Int, laws: SkippingRules) extends ValueSource {
    override def leaf: Option[Seq[String]] = Some(column)
    override def possible(facts: LeafStatistics): ValueDomain =
      absent(facts).fold(ValueDomain.anything) { absent =>
        ValueDomain(if (absent == facts.entries) Values.None else Values.Any, orNull = absent > 0)
      }
    override def tally(facts: LeafStatistics): Option[ExactAggregates] =
      absent(facts).map(absent => ExactAggregates(facts.entries - absent, None))

    /** Writers that count no levels still say by null counts where there is no null; a required group is everywhere. */
    private def absent(facts: LeafStatistics): Option[Long] =
      if (definition == 0 || facts.nulls.contains(0L)) Some(0L)
      else facts.levels.filter(_.size > definition).map(_.take(definition).sum).orElse(
        Option.unless(laws.hold(SkippingRule.MissingStatistics))(0L)
      )
  }

  /** A typed leaf whose values go through casts. `isFloating` says that it may hold NaN. */
  final case class Typed(
      column: Seq[String],
      casts: Seq[MonotoneCast],
      isFloating: Boolean,
      isStrict: Boolean,
      mayLack: Boolean,
      laws: SkippingRules
  ) extends ValueSource {
    override def leaf: Option[Seq[String]] = Some(column)

    override def possible(facts: LeafStatistics): ValueDomain =
      if (facts.areAllNull) ValueDomain.onlyNull
      else {
        val (values, mayFail) = convert(held(facts))
        if (mayFail && isStrict && laws.hold(SkippingRule.StrictCasts)) ValueDomain.anything
        else ValueDomain(
          filtered(values, facts),
          NullsOf(facts, mayLack, laws) || mayFail && laws.hold(SkippingRule.FailedCasts)
        )
      }

    /**
     * Every value that is not null is one of the column's if no cast fails between the bounds. Then the bounds, which
     * rows have, go through the casts to the ends of what the column gives, because no cast turns order around.
     */
    override def tally(facts: LeafStatistics): Option[ExactAggregates] =
      if (facts.areAllNull) Some(ExactAggregates.none)
      else {
        val (values, mayFail) = convert(held(facts))
        if (mayFail && laws.hold(SkippingRule.FailedCasts)) None
        else NotNull(facts, mayLack, laws).map(ExactAggregates(_, ends(values)))
      }

    /** Writers give a zero the sign that makes its bound the wider one: which of the two rows have, they do not tell. */
    private def ends(values: Values): Option[(Datum, Datum)] = values match {
      case Values.Between(Bounds(Some(least), Some(greatest)), false)
          if !laws.hold(SkippingRule.NegativeZero) || !isZero(least) && !isZero(greatest) =>
        Some((least, greatest))
      case _ => None
    }

    private def isZero(value: Datum) = value match {
      case Datum.Floating(number) => isFloating && number == 0
      case _ => false
    }

    private def held(facts: LeafStatistics): Values = facts.distinct match {
      case Some(values) => Values.Among(values)
      case None if facts.bounds == Bounds.none && !laws.hold(SkippingRule.MissingStatistics) => Values.None
      case None =>
        val orNaN = isFloating && !facts.hasNoNaN && laws.hold(SkippingRule.NotANumber)
        Values.Between(facts.bounds, orNaN)
    }

    /** A bloom filter knows the values of the file, which are those of the query where no cast changes them. */
    private def filtered(values: Values, facts: LeafStatistics): Values =
      facts.mayHold.filter(_ => casts.forall(_.keepsValues)).fold(values)(Values.Filtered(values, _))

    /** The values after all casts, and whether one may have failed on its way. */
    private def convert(held: Values): (Values, Boolean) = casts.foldLeft((held, false)) {
      case ((values, failed), cast) if cast.isIdentity => (values, failed)
      case ((Values.Among(some), failed), cast) =>
        val converted = some.iterator.map(cast(_)).takeWhile(_.isDefined).flatten.toIndexedSeq
        if (converted.size < some.size) (Values.Any, true) else (Values.Among(converted), failed)
      case ((Values.Between(Bounds(min, max), orNaN), failed), cast) =>
        // Both ends pass and so does all between them; where one fails, there is no telling how far values go.
        val ends = Bounds(min.flatMap(cast(_)), max.flatMap(cast(_)))
        val fails = !cast.isTotal && (ends.min.isEmpty || ends.max.isEmpty || orNaN)
        (Values.Between(ends, orNaN && cast.isTotal), failed || fails)
      case (other, _) => other
    }
  }

  /**
   * The stored values of a cell: alone, or beside a typed leaf that judges the rows in which both are NULL. `isVariant`
   * says that the query wants a variant and no cast of it.
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

    override def possible(facts: LeafStatistics): ValueDomain = {
      val castsToNull = areVariantNulls(facts) && !(isVariant && laws.hold(SkippingRule.VariantNulls))
      if (facts.areAllNull || castsToNull || !laws.hold(SkippingRule.ResidualRows))
        ValueDomain(Values.None, isAlone)
      else if (isVariant) ValueDomain(Values.Any, isAlone && NullsOf(facts, mayLack, laws))
      else ValueDomain.anything
    }

    /** Nothing, if no row has a value here: what else a row has, only its bytes tell. */
    override def tally(facts: LeafStatistics): Option[ExactAggregates] =
      Option.when(possible(facts).values == Values.None)(ExactAggregates.none)

    /** The value of a variant null is one byte, 0; behind metadata without keys in the draft. */
    private def areVariantNulls(facts: LeafStatistics) =
      facts.bounds == (if (isDraft) Residual.draftNulls else Residual.variantNulls)
  }

  object Residual {
    private def just(bytes: Byte*) =
      Bounds(Some(Datum.Bytes(bytes.toArray)), Some(Datum.Bytes(bytes.toArray)))
    private val variantNulls = just(0)
    private val draftNulls = just(1, 0, 0, 0)
  }

  /**
   * A key of a map among all keys, the entries of a leaf. Law: a map has a value for a key only if one of its entries is
   * that key; so where none can be, by bounds, dictionary or filter, the value is NULL, and else anything.
   */
  final case class Keyed(column: Seq[String], key: Datum.Bytes, laws: SkippingRules) extends ValueSource {
    override def leaf: Option[Seq[String]] = Some(column)

    override def possible(facts: LeafStatistics): ValueDomain =
      if (mayHold(facts)) ValueDomain.anything else ValueDomain.onlyNull

    override def tally(facts: LeafStatistics): Option[ExactAggregates] =
      Option.when(!mayHold(facts))(ExactAggregates.none)

    private def mayHold(facts: LeafStatistics) = {
      val order = new DatumOrder(laws)
      !facts.areAllNull && facts.bounds.contain(key, order) && facts.distinct.forall(_.exists(order.equiv(
        _,
        key
      ))) &&
      facts.mayHold.forall(_(key))
    }
  }

  /** A typed leaf as the column wants it, if all casts keep its order; `cast` is the one that comes first. */
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
    def apply(facts: LeafStatistics, mayLack: Boolean, laws: SkippingRules): Boolean =
      if (mayLack && laws.hold(SkippingRule.RowsThatLack)) true
      else facts.nulls.fold(laws.hold(SkippingRule.MissingStatistics))(_ > 0)
  }

  private object NotNull {

    /** How many rows have a value; None where entries are no rows, or nobody counted them. */
    def apply(facts: LeafStatistics, mayLack: Boolean, laws: SkippingRules): Option[Long] =
      if (facts.areAllNull) Some(0)
      else if (mayLack && laws.hold(SkippingRule.RowsThatLack)) None
      else if (facts.nulls.isEmpty && !laws.hold(SkippingRule.MissingStatistics)) Some(facts.entries)
      else facts.nulls.map(facts.entries - _)
  }
}
