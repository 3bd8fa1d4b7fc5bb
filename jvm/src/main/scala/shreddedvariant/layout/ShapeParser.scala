/**
 * Reads a shape from the text of an option: one Spark type, or the fields of a struct without its `STRUCT<…>`.
 * Spark's own parser does not know UUID and the nanosecond timestamps, hence this one.
 */
package shreddedvariant.layout

import java.util.Locale

import shreddedvariant.Errors

object ShapeParser {
  private val MaxDepth = 500

  def parse(text: String): Shape = new ShapeParser(text).whole()

  private val scalars: Map[String, ScalarType] =
    ScalarType.simple.map(s => s.ddl -> s).toMap ++ Map(
      "BYTE" -> ScalarType.Int8,
      "SHORT" -> ScalarType.Int16,
      "INTEGER" -> ScalarType.Int32,
      "LONG" -> ScalarType.Int64,
      "REAL" -> ScalarType.Float32,
      "TIMESTAMP_LTZ" -> ScalarType.Timestamp
    )
  private val decimals = Set("DECIMAL", "DEC", "NUMERIC")
  private val typeNames = scalars.keySet ++ decimals ++ Set("STRUCT", "ARRAY", "VARIANT")
}

private final class ShapeParser(text: String) {
  import ShapeParser._

  private var at = 0
  private var depth = 0

  def whole(): Shape = {
    skipSpace()
    if (at == text.length) fail("it is empty")
    // A single type and a list of fields differ in what follows the first word: a field has a type behind its name.
    val start = at
    val first = if (text.charAt(at) == '`') None else Some(word("a type or a field name"))
    skipSpace()
    val isType = first.exists(f => typeNames(upper(f))) && (at == text.length || text.charAt(
      at
    ) == '<' || text.charAt(at) == '(')
    at = start
    // Fields alone are a level too: a shape's own text writes the STRUCT<…> around them.
    val shape = if (isType) oneType() else nested(fields(end = None))
    skipSpace()
    if (at < text.length) fail("nothing more was expected")
    shape
  }

  private def oneType(): Shape = {
    skipSpace()
    val start = at
    val name = word("a type")
    upper(name) match {
      case "STRUCT" => nested { expect('<'); val shape = fields(Some('>')); expect('>'); shape }
      case "ARRAY" => nested { expect('<'); val element = oneType(); expect('>'); Shape.Array(element) }
      case "VARIANT" => Shape.Untyped
      case known if decimals(known) => decimal(start)
      case known =>
        scalars.get(known).map(Shape.Scalar(_)).getOrElse {
          at = start
          fail(s"'$name' is not a type")
        }
    }
  }

  private def decimal(start: Int): Shape = {
    val (precision, scale) =
      if (!accept('(')) (10, 0)
      else {
        val p = number()
        val s = if (accept(',')) number() else 0
        expect(')')
        (p, s)
      }
    if (precision < 1 || precision > ScalarType.MaxPrecision || scale > precision) {
      at = start
      fail(s"a decimal has 1 to ${ScalarType.MaxPrecision} digits and a scale of at most as many")
    }
    Shape.Scalar(ScalarType.Dec(precision, scale))
  }

  private def fields(end: Option[Char]): Shape = {
    val found = collection.mutable.LinkedHashMap.empty[String, Shape]
    do {
      skipSpace()
      val start = at
      val name = fieldName()
      accept(':')
      val shape = oneType()
      if (found.put(name, shape).isDefined) { at = start; fail(s"the field '$name' stands there twice") }
    } while (accept(','))
    skipSpace()
    if (end.isEmpty && at < text.length) fail("a comma or the end was expected")
    Shape.objectOf(found)
  }

  private def fieldName(): String =
    if (at < text.length && text.charAt(at) == '`') {
      val name = new StringBuilder
      at += 1
      while (at < text.length && (text.charAt(at) != '`' || text.startsWith("``", at))) {
        if (text.charAt(at) == '`') at += 1
        name += text.charAt(at)
        at += 1
      }
      if (at == text.length) fail("a backtick is not closed")
      at += 1
      name.result()
    } else word("a field name")

  private def word(wanted: String): String = {
    val start = at
    while (at < text.length && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_')) at += 1
    if (at == start) fail(s"$wanted was expected")
    text.substring(start, at)
  }

  private def number(): Int = {
    skipSpace()
    val start = at
    while (at < text.length && Character.isDigit(text.charAt(at))) at += 1
    text.substring(start, at).toIntOption.getOrElse { at = start; fail("a number was expected") }
  }

  private def nested(body: => Shape): Shape = {
    depth += 1
    if (depth > MaxDepth) fail(s"it is nested deeper than $MaxDepth levels")
    val shape = body
    depth -= 1
    shape
  }

  private def accept(c: Char): Boolean = {
    skipSpace()
    val found = at < text.length && text.charAt(at) == c
    if (found) at += 1
    found
  }

  private def expect(c: Char): Unit = if (!accept(c)) fail(s"'$c' was expected")

  private def skipSpace(): Unit = while (at < text.length && Character.isWhitespace(text.charAt(at))) at += 1

  private def upper(name: String) = name.toUpperCase(Locale.ROOT)

  private def fail(reason: String): Nothing = throw Errors.shape(text, at, reason)
}
