/** One option as people know it: its key, its default, what it means; and which keys are meant by it. */
package shreddedvariant

import java.util.Locale

import org.apache.spark.unsafe.types.UTF8String

/** `<column>` in a key stands for the name of a column. */
final case class OptionDoc(key: String, default: String, doc: String) {
  def isKey(other: String): Boolean = if (isOfColumn) column(other).isDefined else key.equalsIgnoreCase(other)

  /** The column that a key names. */
  def column(other: String): Option[String] = {
    val isNamed = isOfColumn && other.length > before.length + after.length &&
      other.regionMatches(true, 0, before, 0, before.length) &&
      other.regionMatches(true, other.length - after.length, after, 0, after.length)
    Option.when(isNamed)(other.substring(before.length, other.length - after.length))
  }

  /** The key for a column. */
  def of(column: String): String = before + column + after

  /** How many edits make a key one of these, whatever column it names. */
  def edits(other: String): Int = {
    def distance(a: String, b: String) =
      UTF8String.fromString(a.toLowerCase(Locale.ROOT)).levenshteinDistance(
        UTF8String.fromString(b.toLowerCase(Locale.ROOT))
      )
    if (!isOfColumn) distance(other, key)
    else if (after.isEmpty) distance(other.take(before.length), before)
    else {
      val (head, tail) = other.splitAt(math.max(other.lastIndexOf('.'), 0))
      distance(head.take(before.length), before) + distance(tail, after)
    }
  }

  private def isOfColumn = key.contains(OptionDoc.Column)
  private def before = key.take(key.indexOf(OptionDoc.Column))
  private def after = key.drop(before.length + OptionDoc.Column.length)
}

object OptionDoc {
  private val Column = "<column>"
}
