/** The name of a path in statistics: a normalized path of RFC 9535, section 2.7. */
package shreddedvariant.delta

object NormalizedPath {
  def of(keys: Seq[String]): String = keys.map(key => s"['${escaped(key)}']").mkString("$", "", "")

  private def escaped(key: String): String = key.flatMap {
    case '\b' => "\\b"
    case '\t' => "\\t"
    case '\n' => "\\n"
    case '\f' => "\\f"
    case '\r' => "\\r"
    case '\'' => "\\'"
    case '\\' => "\\\\"
    case control if control < ' ' => f"\\u${control.toInt}%04x"
    case other => other.toString
  }
}
