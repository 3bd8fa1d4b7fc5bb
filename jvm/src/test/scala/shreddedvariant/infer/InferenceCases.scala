/** Test cases of inference: rows and the shape that is inferred from them. */
package shreddedvariant.infer

import shreddedvariant.Value
import shreddedvariant.Value._
import shreddedvariant.layout.Shape

private[infer] trait InferenceCases extends shreddedvariant.Suite {
  import CountsSuite.{of, Obj}

  protected def ddl(rows: Seq[Value], limits: Limits) =
    Inference.shape(of(rows.map(Some(_))), limits).ddl

  protected def some(n: Int)(fields: (String, Value)*): Seq[Value] = Seq.fill(n)(Obj(fields: _*))

  protected val x = Text("x")

  protected def infers(title: String, shape: String, limits: Limits = Limits())(rows: Seq[Value]*)(implicit
      loc: munit.Location
  ): Unit = test(title)(assertEquals(ddl(rows.flatten, limits), shape))

  protected def wide(fields: Int) = (0 until fields).map(i => f"f$i%04d")
  protected def object_(names: Seq[String]): Value = Obj(names.map(_ -> x): _*)

  protected def leaves(shape: Shape): Seq[String] = shape match {
    case Shape.Object(fields) => fields.flatMap { case (name, s) => leaves(s).map(rest => s"$name$rest.") }
    case Shape.Array(element) => leaves(element).map("[]" + _)
    case _ => Seq("")
  }
}
