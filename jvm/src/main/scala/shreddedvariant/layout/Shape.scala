/** The typed tree of a variant, independent of any file: the types that `typed_value` stores. */
package shreddedvariant.layout

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

sealed abstract class Shape {

  /** The shape in the DDL syntax of options. */
  def ddl: String = this match {
    case Shape.Untyped => "VARIANT"
    case Shape.Scalar(scalar) => scalar.ddl
    case Shape.Array(element) => s"ARRAY<${element.ddl}>"
    case Shape.Object(fields) => s"STRUCT<${Shape.fieldsDdl(fields)}>"
  }
}

object Shape {

  /** No typed column: the value stays binary. */
  case object Untyped extends Shape
  final case class Scalar(scalar: ScalarType) extends Shape
  final case class Array(element: Shape) extends Shape

  /** Fields are in the order of the file; [[objectOf]] sorts them. */
  final case class Object(fields: IndexedSeq[(String, Shape)]) extends Shape

  def objectOf(fields: Iterable[(String, Shape)]): Object =
    Object(fields.toIndexedSeq.sortWith((a, b) => compareKeys(utf8(a._1), utf8(b._1)) < 0))

  /** The specification's order of object keys: unsigned UTF-8 bytes. Spark sorts by UTF-16, which differs. */
  def compareKeys(a: scala.Array[Byte], b: scala.Array[Byte]): Int = Arrays.compareUnsigned(a, b)

  def utf8(key: String): scala.Array[Byte] = key.getBytes(UTF_8)

  /** A name as a Spark SQL identifier, quoted by backticks if needed. */
  def quoted(name: String): String =
    if (name.matches("[A-Za-z_][A-Za-z0-9_]*")) name else "`" + name.replace("`", "``") + "`"

  private[layout] def fieldsDdl(fields: Seq[(String, Shape)]) =
    fields.map { case (name, shape) => s"${quoted(name)} ${shape.ddl}" }.mkString(", ")
}
