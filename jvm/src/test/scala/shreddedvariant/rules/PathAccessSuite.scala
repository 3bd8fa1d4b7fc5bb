/** The expressions that are found as accesses to variants and maps, and what they access. */
package shreddedvariant.rules

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count, Max}
import org.apache.spark.sql.catalyst.expressions.json.StructsToJsonEvaluator
import org.apache.spark.sql.catalyst.expressions.objects.Invoke
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.layout.{PathColumn, PathResult}

class PathAccessSuite extends shreddedvariant.Suite with StubPlans {
  private val other = AttributeReference("other", VariantType)()
  private val finder = new AccessFinder(Set(v, m, struct).map(_.exprId))
  private val w = GetStructField(struct, 1, Some("w"))

  private def cast(child: Expression, target: DataType, mode: EvalMode.Value = EvalMode.ANSI) =
    Cast(child, target, Some("UTC"), mode)

  private def json(child: Expression, options: Map[String, String] = Map.empty) = Invoke(
    Literal(StructsToJsonEvaluator(options, VariantType, Some("UTC")), ObjectType(classOf[Object])),
    "evaluate",
    StringType,
    Seq(child)
  )

  private def accesses(title: String, e: Expression, value: String, canFail: Boolean = false)(implicit
      loc: munit.Location
  ): Unit = test(s"an access: $title") {
    val found = finder.access(e).get
    assertEquals(found.value.name, value)
    assertEquals(found match { case p: PathAccess => p.canFail; case _ => false }, canFail)
  }

  private def none(title: String, e: Expression)(implicit loc: munit.Location): Unit =
    test(s"no access: $title")(assertEquals(finder.access(e), None))

  accesses("variant_get", get(v, "$.a"), ".a::INT")
  accesses("variant_get that may fail", get(v, "$.a", strict = true), ".a::INT", canFail = true)
  accesses("variant_get as text never fails", get(v, "$.a", StringType, strict = true), ".a::STRING in UTC")
  accesses("variant_get of a variant", get(v, "$.a[2].b", VariantType, strict = true), ".a[2].b::VARIANT")
  accesses("a cast of a path", cast(get(v, "$.a", VariantType), LongType), ".a::BIGINT", canFail = true)
  accesses("try_cast", cast(v, LongType, EvalMode.TRY), "::BIGINT")
  accesses("nested paths", get(get(get(v, "$.a", VariantType), "$[0]", VariantType), "$.b"), ".a[0].b::INT")
  accesses("a variant in a struct", get(w, "$.a"), "w.a::INT")
  accesses("a time depends on the zone", get(v, "$.a", TimestampType), ".a::TIMESTAMP in UTC")
  accesses("an array of numbers does not", get(v, "$.a", ArrayType(LongType)), ".a::ARRAY<BIGINT>")
  accesses("to_json", json(get(v, "$.a", VariantType)), ".a as JSON in UTC")
  accesses("an entry of a map", GetMapValue(m, Literal("k")), "['k']::INT")
  accesses("element_at", ElementAt(m, Literal("k"), None, failOnError = true), "['k']::INT")
  accesses(
    "map_contains_key",
    ArrayContains(MapKeys(m), Literal("k")),
    "map_contains_key(, 'k')::BOOLEAN"
  )
  accesses("size of a map", Size(m, legacySizeOfNull = false), "size()::INT")
  accesses("size of its keys", Size(MapKeys(m), legacySizeOfNull = false), "size()::INT")
  accesses("map_keys", MapKeys(m), "map_keys()::ARRAY<STRING>")

  none("a variant of another table", get(other, "$.a"))
  none("a path that is not constant", VariantGetOf(v, id))
  none("a path that does not parse", get(v, "$.a["))
  none("a NULL as the path", VariantGetOf(v, Literal(null, StringType)))
  none("a computed variant", get(Coalesce(Seq(v, v)), "$.a"))
  none("a column itself", v)
  none("to_json with options", json(v, Map("pretty" -> "true")))
  none("a key that is not constant", GetMapValue(m, Cast(id, StringType)))
  none("a key that is no UTF-8", GetMapValue(m, Literal(UTF8String.fromBytes(Array(-1)), StringType)))
  none("a cast of a number", cast(id, LongType))
  none("a field of a struct", GetStructField(struct, 0, Some("n")))

  private object VariantGetOf {
    def apply(child: Expression, path: Expression): Expression = get(child, "$").copy(path = path)
  }

  test("a size of NULL is -1 in legacy mode") {
    def otherwise(isLegacy: Boolean) =
      finder.access(Size(m, isLegacy)).collect { case e: EntryAccess => e.otherwise }.flatten
    assertEquals(otherwise(isLegacy = true), Some(Literal(-1)))
    assertEquals(otherwise(isLegacy = false), None)
  }

  test("a map whose keys have a collation is not accessed in parts, because files compare keys by bytes") {
    assert(InParts(MapType(StringType, IntegerType)))
    assert(!InParts(MapType(StringType("UTF8_LCASE"), IntegerType)))
    assert(!InParts(MapType(IntegerType, IntegerType)))
    assert(InParts.isHeldBy(struct.dataType) && !InParts.isHeldBy(ArrayType(VariantType)))
  }

  test("tests for NULL and counts need the presence, other aggregates and DISTINCT counts do not") {
    def count(e: Expression, isDistinct: Boolean) =
      AggregateExpression(Count(Seq(e)), aggregate.Complete, isDistinct)
    val path = get(v, "$.a", VariantType)
    for (e <- Seq(IsNull(path), IsNotNull(path), count(path, isDistinct = false)))
      assertEquals(finder.presence(e).map(_._2.name), Some(".a present"), e)
    assertEquals(
      finder.presence(IsNull(m)).map(_._2),
      Some(PathColumn(Nil, Nil, PathResult.MapPresence))
    )
    for (
      e <- Seq(
        count(path, isDistinct = true),
        AggregateExpression(Max(path), aggregate.Complete, isDistinct = false),
        IsNull(id),
        IsNull(get(v, "$.a"))
      )
    ) assertEquals(finder.presence(e), None, e)
  }
}
