/** The findings for statistics of a table's log that no writer of this project writes. */
package shreddedvariant.delta

import org.apache.spark.sql.types.{DecimalType, LongType, StructType}
import shreddedvariant.stats.{Bounds, Datum, LeafStatistics}

class LogVerifierSuite extends shreddedvariant.Suite {
  private val schema = new StructType().add("id", LongType).add("d", DecimalType(9, 2))
  private val seven = Some(Datum.exact(7))
  private val facts = LeafStatistics(1, Some(0), Bounds(seven, seven), hasNoNaN = true)

  private def findings(min: String, max: String) = {
    val json = s"""{"numRecords":1,"minValues":{"id":$min,"d":$min},"maxValues":{"id":$max,"d":$max}}"""
    new LogVerifier(schema, Nil, json).ofColumns(1, Map(Seq("id") -> facts, Seq("d") -> facts)).map(
      _.toString
    )
  }

  test("a bound with a large exponent is compared, and shown as it is written") {
    assertEquals(findings("-1e999999999", "1e999999999"), Nil)
    assertEquals(findings("1e-999999999", "7"), Nil)
    val low = findings("1e999999999", "1e999999999")
    assert(low.size == 2 && low.forall(_.contains("no value is less than '1E+999999999', and '7' is")), low)
    val high = findings("1e-999999999", "1e-999999999")
    assert(high.size == 2 && high.forall(_.contains("greater than '1E-999999999', and '7' is")), high)
  }

  test("a long bound is shortened") {
    val long = findings("9" * 100, "9" * 100)
    assert(long.forall(_.contains(s"'${"9" * 39}…'")), long)
  }
}
