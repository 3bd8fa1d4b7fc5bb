/** One option: its key, its default, its meaning, and which keys of a user match its key. */
package shreddedvariant

import java.util.Locale

import org.apache.spark.unsafe.types.UTF8String

/** `<column>` in a key is a placeholder for the name of a column. */
final case class OptionDoc(key: String, default: String, doc: String) {
  def isKey(other: String): Boolean = if (isOfColumn) column(other).isDefined else key.equalsIgnoreCase(other)

  /** The column that a key of this option names. */
  def column(other: String): Option[String] = {
    val isNamed = isOfColumn && other.length > prefix.length + suffix.length &&
      other.regionMatches(true, 0, prefix, 0, prefix.length) &&
      other.regionMatches(true, other.length - suffix.length, suffix, 0, suffix.length)
    Option.when(isNamed)(other.substring(prefix.length, other.length - suffix.length))
  }

  /** The key for a column. */
  def of(column: String): String = prefix + column + suffix

  /** The edit distance between a key and the key of this option; the column does not count. */
  def edits(other: String): Int = {
    def distance(a: String, b: String) =
      UTF8String.fromString(a.toLowerCase(Locale.ROOT)).levenshteinDistance(
        UTF8String.fromString(b.toLowerCase(Locale.ROOT))
      )
    if (!isOfColumn) distance(other, key)
    else if (suffix.isEmpty) distance(other.take(prefix.length), prefix)
    else {
      val (head, tail) = other.splitAt(math.max(other.lastIndexOf('.'), 0))
      distance(head.take(prefix.length), prefix) + distance(tail, suffix)
    }
  }

  private def isOfColumn = key.contains(OptionDoc.Column)
  private def prefix = key.take(key.indexOf(OptionDoc.Column))
  private def suffix = key.drop(prefix.length + OptionDoc.Column.length)
}

object OptionDoc {
  private val Column = "<column>"
}
