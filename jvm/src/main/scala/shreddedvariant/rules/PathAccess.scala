/**
 * Finds constant accesses in expressions: to variants by `variant_get`, colon syntax, casts and `to_json`; to
 * maps by key, `size` and `map_keys`; and tests for NULL.
 */
package shreddedvariant.rules

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count}
import org.apache.spark.sql.catalyst.expressions.json.StructsToJsonEvaluator
import org.apache.spark.sql.catalyst.expressions.objects.Invoke
import org.apache.spark.sql.catalyst.expressions.variant._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.layout.{PathColumn, PathResult, PathStep}

/** A variant or map: an attribute of the plan, and the struct fields that lead from it to the column. */
final case class ColumnRef(attribute: ExprId, fields: Seq[String], isMap: Boolean)

/** An access to a variant or map, and the hidden column that gives its value. */
sealed trait Access {
  def ref: ColumnRef
  def value: PathColumn
}

/**
 * An access to an entry of a map, to its keys or to its size. A missing key gives NULL in any mode, so the
 * access never fails. `otherwise` is the value of the access if the column is NULL.
 */
final case class EntryAccess(ref: ColumnRef, wanted: PathResult, otherwise: Option[Literal] = None)
    extends Access {
  override def value: PathColumn = PathColumn(ref.fields, Nil, wanted)
}

/** An access to a path of a variant, cast to `target`; `strict` means that a failing cast is an error. */
final case class PathAccess(
    ref: ColumnRef,
    steps: Seq[PathStep],
    target: DataType,
    strict: Boolean,
    zone: Option[String],
    isJson: Boolean = false
) extends Access {
  override def value: PathColumn = PathColumn(
    ref.fields,
    steps,
    if (isJson) PathResult.Json(zone.get) else PathResult.Value(target, usedZone)
  )
  def raising: PathColumn = PathColumn(ref.fields, steps, PathResult.Raising(target, usedZone))
  def failure: PathColumn = PathColumn(ref.fields, steps, PathResult.Failure(target, usedZone))

  /** Casts to text and to variant never fail. */
  def canFail: Boolean = strict && target != VariantType && !target.isInstanceOf[StringType]

  private def usedZone = if (dependsOnZone(target)) zone else None

  /** Whether a cast to a type depends on the session's time zone, as casts to text and times do. */
  private def dependsOnZone(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | _: DecimalType => false
    case BooleanType | BinaryType | VariantType => false
    case ArrayType(element, _) => dependsOnZone(element)
    case MapType(_, value, _) => dependsOnZone(value)
    case StructType(fields) => fields.exists(f => dependsOnZone(f.dataType))
    case _ => true
  }
}

/** The types of columns that are accessed in parts. */
private[rules] object InParts {

  /** Keys with another collation are excluded, because files compare keys by bytes. */
  def apply(dataType: DataType): Boolean = dataType match {
    case VariantType => true
    case MapType(key, _, _) => key == StringType
    case _ => false
  }

  def isHeldBy(dataType: DataType): Boolean = dataType match {
    case StructType(fields) => fields.exists(f => isHeldBy(f.dataType))
    case other => apply(other)
  }
}

/**
 * `holders` matches the attributes that hold variants or maps of tables of this source, or parts of such
 * variants, or structs that contain them.
 */
final class AccessFinder(holders: ExprId => Boolean) {

  /** The variant or map of an expression that is a column or a field of a struct. */
  def column(e: Expression): Option[ColumnRef] = holder(e).filter(_ => InParts(e.dataType))

  /** The attribute and fields of an expression that is a column or a field: a variant, map or struct. */
  def holder(e: Expression): Option[ColumnRef] = (e match {
    case a: Attribute => Option.when(holders(a.exprId))(ColumnRef(a.exprId, Nil, isMap = false))
    case f: GetStructField =>
      holder(f.child).map(ref => ref.copy(fields = ref.fields :+ f.childSchema(f.ordinal).name))
    case _ => None
  }).map(_.copy(isMap = e.dataType.isInstanceOf[MapType]))

  def access(e: Expression): Option[Access] = entry(e).orElse(path(e))

  private def entry(e: Expression): Option[EntryAccess] = e match {
    case GetMapValue(child, Key(key)) => map(child).map(EntryAccess(_, PathResult.Entry(key, e.dataType)))
    case ElementAt(child, Key(key), _, _) => map(child).map(EntryAccess(_, PathResult.Entry(key, e.dataType)))
    case ArrayContains(MapKeys(child), Key(key)) => map(child).map(EntryAccess(_, PathResult.HasEntry(key)))
    case Size(MapKeys(child), isLegacy) => size(child, isLegacy)
    case Size(child, isLegacy) => size(child, isLegacy)
    case MapKeys(child) => map(child).map(EntryAccess(_, PathResult.MapKeys))
    case _ => None
  }

  /** The size of NULL is -1 in legacy mode, without ANSI. */
  private def size(child: Expression, isLegacy: Boolean) =
    map(child).map(EntryAccess(_, PathResult.MapSize, Option.when(isLegacy)(Literal(-1))))

  private def map(e: Expression): Option[ColumnRef] = column(e).filter(_.isMap)

  private def path(e: Expression): Option[PathAccess] = e match {
    case Cast(child, target, zone, mode) if child.dataType == VariantType && castable(target) =>
      steps(child).map { case (ref, path) => PathAccess(ref, path, target, mode != EvalMode.TRY, zone) }
    case get: VariantGet if get.targetType != VariantType =>
      steps(get.copy(targetType = VariantType)).map { case (ref, path) =>
        PathAccess(ref, path, get.dataType, get.failOnError, get.timeZoneId)
      }
    case get: VariantGet =>
      steps(get).map { case (ref, path) => PathAccess(ref, path, VariantType, strict = false, None) }
    case ToJson(child, zone) =>
      steps(child).map { case (ref, path) =>
        PathAccess(ref, path, StringType, strict = false, Some(zone), isJson = true)
      }
    case _ => None
  }

  /**
   * The presence that an expression needs: tests for NULL and counts do not need the value, but a count of
   * DISTINCT values does.
   */
  def presence(e: Expression): Option[(ColumnRef, PathColumn)] = e match {
    case IsNull(child) => presenceOf(child)
    case IsNotNull(child) => presenceOf(child)
    case AggregateExpression(Count(Seq(child)), _, false, _, _) => presenceOf(child)
    case _ => None
  }

  private def presenceOf(e: Expression): Option[(ColumnRef, PathColumn)] =
    map(e).map(ref => ref -> PathColumn(ref.fields, Nil, PathResult.MapPresence)).orElse(part(e).map {
      case (ref, path) => ref -> PathColumn(ref.fields, path, PathResult.Presence)
    })

  /** The variant and the path of an expression that returns a part of a variant as a variant. */
  def part(e: Expression): Option[(ColumnRef, Seq[PathStep])] = steps(e)

  private def castable(target: DataType) = target != VariantType && VariantGet.checkDataType(target)

  /** The variant and the path of nested accesses that return variants. */
  private def steps(e: Expression): Option[(ColumnRef, Seq[PathStep])] = e match {
    case VariantGet(child, path, VariantType, _, _) if path.foldable =>
      for {
        (ref, outer) <- steps(child)
        parsed <- Constant(path).flatMap(p => VariantPathParser.parse(p.toString))
      } yield ref -> (outer ++ parsed.map {
        case ObjectExtraction(key) => PathStep.Key(key)
        case ArrayExtraction(index) => PathStep.Index(index)
      })
    case other => column(other).filterNot(_.isMap).map(_ -> Nil)
  }
}

/** A constant key of a map. Not a key that is invalid UTF-8, which has no name in files. */
private object Key {
  def unapply(e: Expression): Option[String] =
    if (!e.foldable || e.dataType != StringType) None
    else
      Constant(e).flatMap { key =>
        Some(key.toString).filter(UTF8String.fromString(_) == key)
      }
}

/**
 * The value of a constant expression. None if the value is NULL, or if the expression raises an error, since a
 * branch may prevent its evaluation.
 */
private object Constant {
  def apply(e: Expression): Option[Any] = Try(e.eval()).toOption.flatMap(Option(_))
}

/** `to_json` of a variant without options, as the optimizer leaves it: a call of its evaluator. */
private object ToJson {
  def unapply(e: Expression): Option[(Expression, String)] = e match {
    case Invoke(Literal(json: StructsToJsonEvaluator, _), "evaluate", StringType, Seq(child), _, _, _, _)
        if child.dataType == VariantType && json.options.isEmpty =>
      json.timeZoneId.map(child -> _)
    case _ => None
  }
}
