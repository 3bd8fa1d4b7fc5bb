/**
 * Parses a shape from the text of an option: one Spark type, or the fields of a struct without its `STRUCT<…>`.
 * Spark's own parser does not support UUID and nanosecond timestamps.
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

  private var position = 0
  private var depth = 0

  def whole(): Shape = {
    skipSpace()
    if (position == text.length) fail("it is empty")
    // The first word and the character after it decide between a single type and a list of fields.
    val start = position
    val first = if (text.charAt(position) == '`') None else Some(word("a type or a field name"))
    skipSpace()
    val isType = first.exists(f => typeNames(upper(f))) && (position == text.length || text.charAt(
      position
    ) == '<' || text.charAt(position) == '(')
    position = start
    // A list of fields counts as a level of nesting: `Shape.ddl` writes STRUCT<…> around the list.
    val shape = if (isType) oneType() else nested(fields(end = None))
    skipSpace()
    if (position < text.length) fail("nothing more was expected")
    shape
  }

  private def oneType(): Shape = {
    skipSpace()
    val start = position
    val name = word("a type")
    upper(name) match {
      case "STRUCT" => nested { expect('<'); val shape = fields(Some('>')); expect('>'); shape }
      case "ARRAY" => nested { expect('<'); val element = oneType(); expect('>'); Shape.Array(element) }
      case "VARIANT" => Shape.Untyped
      case typeName if decimals(typeName) => decimal(start)
      case typeName =>
        scalars.get(typeName).map(Shape.Scalar(_)).getOrElse {
          position = start
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
      position = start
      fail(s"a decimal has 1 to ${ScalarType.MaxPrecision} digits and a scale of at most as many")
    }
    Shape.Scalar(ScalarType.Dec(precision, scale))
  }

  private def fields(end: Option[Char]): Shape = {
    val parsed = collection.mutable.LinkedHashMap.empty[String, Shape]
    do {
      skipSpace()
      val start = position
      val name = fieldName()
      accept(':')
      val shape = oneType()
      if (parsed.put(name, shape).isDefined) {
        position = start; fail(s"the field '$name' stands there twice")
      }
    } while (accept(','))
    skipSpace()
    if (end.isEmpty && position < text.length) fail("a comma or the end was expected")
    Shape.objectOf(parsed)
  }

  private def fieldName(): String =
    if (position < text.length && text.charAt(position) == '`') {
      val name = new StringBuilder
      position += 1
      while (position < text.length && (text.charAt(position) != '`' || text.startsWith("``", position))) {
        if (text.charAt(position) == '`') position += 1
        name += text.charAt(position)
        position += 1
      }
      if (position == text.length) fail("a backtick is not closed")
      position += 1
      name.result()
    } else word("a field name")

  private def word(expected: String): String = {
    val start = position
    while (
      position < text.length && (Character.isLetterOrDigit(text.charAt(position)) || text.charAt(
        position
      ) == '_')
    ) position += 1
    if (position == start) fail(s"$expected was expected")
    text.substring(start, position)
  }

  private def number(): Int = {
    skipSpace()
    val start = position
    while (position < text.length && Character.isDigit(text.charAt(position))) position += 1
    text.substring(start, position).toIntOption.getOrElse { position = start; fail("a number was expected") }
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
    val isNext = position < text.length && text.charAt(position) == c
    if (isNext) position += 1
    isNext
  }

  private def expect(c: Char): Unit = if (!accept(c)) fail(s"'$c' was expected")

  private def skipSpace(): Unit =
    while (position < text.length && Character.isWhitespace(text.charAt(position))) position += 1

  private def upper(name: String) = name.toUpperCase(Locale.ROOT)

  private def fail(reason: String): Nothing = throw Errors.shape(text, position, reason)
}
