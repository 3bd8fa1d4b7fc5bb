/** Finds constant accesses to variants in expressions: `variant_get`, colon syntax, casts, tests for NULL. */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Count
import org.apache.spark.sql.catalyst.expressions.json.StructsToJsonEvaluator
import org.apache.spark.sql.catalyst.expressions.objects.Invoke
import org.apache.spark.sql.catalyst.expressions.variant._
import org.apache.spark.sql.types._
import shreddedvariant.layout.{PathColumn, PathStep, Wanted}

/** A variant: an attribute of the plan, and the fields of the structs below it. */
final case class VariantRef(attribute: ExprId, fields: Seq[String])

/** An access: which variant, which path, cast to what, and whether a failing cast is an error. */
final case class PathAccess(
    ref: VariantRef,
    steps: Seq[PathStep],
    target: DataType,
    strict: Boolean,
    zone: Option[String],
    isJson: Boolean = false
) {
  def value: PathColumn = PathColumn(
    ref.fields,
    steps,
    if (isJson) Wanted.Json(zone.get) else Wanted.Value(target, usedZone)
  )
  def raising: PathColumn = PathColumn(ref.fields, steps, Wanted.Raising(target, usedZone))
  def failure: PathColumn = PathColumn(ref.fields, steps, Wanted.Failure(target, usedZone))

  /** Anything becomes text, and a variant stays one: these casts fail nowhere. */
  def canFail: Boolean = strict && target != VariantType && !target.isInstanceOf[StringType]

  private def usedZone = if (asksForZone(target)) zone else None

  /** Of the types that variants are cast to, text and times depend on the zone of the session. */
  private def asksForZone(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | _: DecimalType => false
    case BooleanType | BinaryType | VariantType => false
    case ArrayType(element, _) => asksForZone(element)
    case MapType(_, value, _) => asksForZone(value)
    case StructType(fields) => fields.exists(f => asksForZone(f.dataType))
    case _ => true
  }
}

/**
 * `holders` are the attributes that are variants of our tables, or parts of these, or structs with such variants in them.
 */
final class AccessFinder(holders: ExprId => Boolean) {

  /** The variant that an expression is, if it is just a column or a field of a struct. */
  def variant(e: Expression): Option[VariantRef] = holder(e).filter(_ => e.dataType == VariantType)

  /** The attribute that an expression leads to, variant or struct. */
  def holder(e: Expression): Option[VariantRef] = e match {
    case a: Attribute => Option.when(holders(a.exprId))(VariantRef(a.exprId, Nil))
    case f: GetStructField =>
      holder(f.child).map(ref => ref.copy(fields = ref.fields :+ f.childSchema(f.ordinal).name))
    case _ => None
  }

  def access(e: Expression): Option[PathAccess] = e match {
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

  /** `v:a IS NULL` and its like ask for no value, only whether there is one. */
  def presence(e: Expression): Option[(VariantRef, PathColumn)] = (e match {
    case IsNull(child) => part(child)
    case IsNotNull(child) => part(child)
    case Count(Seq(child)) => part(child)
    case _ => None
  }).map { case (ref, path) => ref -> PathColumn(ref.fields, path, Wanted.Presence) }

  /** The part of a variant that an expression is, by a path that hands variants on. */
  def part(e: Expression): Option[(VariantRef, Seq[PathStep])] = steps(e)

  private def castable(target: DataType) = target != VariantType && VariantGet.checkDataType(target)

  /** Variant and path behind nested accesses that hand variants on. */
  private def steps(e: Expression): Option[(VariantRef, Seq[PathStep])] = e match {
    case VariantGet(child, path, VariantType, _, _) if path.foldable =>
      for {
        (ref, outer) <- steps(child)
        parsed <- Option(path.eval()).flatMap(p => VariantPathParser.parse(p.toString))
      } yield ref -> (outer ++ parsed.map {
        case ObjectExtraction(key) => PathStep.Key(key)
        case ArrayExtraction(index) => PathStep.Index(index)
      })
    case other => variant(other).map(_ -> Nil)
  }
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
