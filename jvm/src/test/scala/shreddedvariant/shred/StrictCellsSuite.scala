/** Cells that can be rebuilt, and that readers of a path would read wrongly, are refused by a strict read. */
package shreddedvariant.shred

import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.{BinaryType, LongType}
import shreddedvariant.{ShreddedVariantException, Value}
import shreddedvariant.layout.ScalarType

class StrictCellsSuite extends shreddedvariant.Suite {

  /** A row of a cell that stores a value beside an object with the field `a`, which is there or not. */
  private def check(stored: Option[Value], isTyped: Boolean): Option[String] = {
    val encoded = stored.map(Value.encode(_))
    val value = new OnHeapColumnVector(1, BinaryType)
    encoded.fold(value.putNull(0)) { case (_, bytes) => value.putByteArray(0, bytes); () }
    val number = new OnHeapColumnVector(1, LongType)
    number.putLong(0, 7)
    val nulls = new OnHeapColumnVector(1, BinaryType)
    nulls.putNull(0)
    val field = new CellVector("v.a", nulls, Array(new ScalarVector(ScalarType.Int64, number)))
    val root = new CellVector("v", value, Array(new ObjectVector(Array("a"), Array(field), _ => isTyped)))
    val keys = new RowKeys(root)
    keys.use(encoded.fold(Array[Byte](1, 0, 0))(_._1))
    try { new StrictCells(root, keys).check(0); None }
    catch { case e: ShreddedVariantException => Some(e.getMessage) }
  }

  private def obj(key: String) = Some(Value.Obj(Map(key -> Value.Null)))

  test("a key of the shape in the stored object is refused, another key is not") {
    assert(check(obj("a"), isTyped = true).exists(_.contains("both have the key 'a'")))
    assertEquals(check(obj("b"), isTyped = true), None)
    assertEquals(check(None, isTyped = true), None)
  }

  test("an object that is stored whole is refused, another value is not") {
    assert(check(obj("b"), isTyped = false).exists(_.startsWith("[SHREDDED_VARIANT_CONFLICT]")))
    assertEquals(check(Some(Value.Text("x")), isTyped = false), None)
  }
}
