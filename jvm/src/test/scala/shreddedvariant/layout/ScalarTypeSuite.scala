/** The scalar types, their columns in files, and their way to a task. */
package shreddedvariant.layout

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

class ScalarTypeSuite extends shreddedvariant.Suite {
  private val decimals = Seq((9, 2), (10, 0), (18, 18), (19, 4), (38, 10)).map { case (p, s) =>
    ScalarType.Dec(p, s)
  }
  private val all: Seq[ScalarType] = ScalarType.simple ++ decimals

  private def arrived(sent: ScalarType): ScalarType = {
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(sent)
    out.close()
    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject().asInstanceOf[ScalarType]
  }

  test("the column of each type is read as this type") {
    for (scalar <- all) assertEquals(ScalarType.fromParquet(scalar.toParquet("c")), Some(scalar))
  }

  test("a type arrives in a task with its DDL, its Spark type and its column") {
    for (scalar <- all) {
      val found = arrived(scalar)
      assertEquals(found, scalar)
      assertEquals(found.ddl, scalar.ddl)
      assertEquals(found.decodedAs, scalar.decodedAs)
      assertEquals(found.toParquet("c"), scalar.toParquet("c"))
    }
  }
}
