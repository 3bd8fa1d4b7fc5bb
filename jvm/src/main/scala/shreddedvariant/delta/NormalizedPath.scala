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

  /** The keys of such a path; None for paths through arrays, and for what is none. */
  def keys(path: String): Option[Seq[String]] = {
    val found = Seq.newBuilder[String]
    var at = 1
    while (at < path.length && at > 0) {
      val end = if (path.startsWith("['", at)) closing(path, at + 2) else -1
      if (end >= 0) found += unescaped(path.substring(at + 2, end))
      at = if (end >= 0) end + 2 else -1
    }
    Option.when(path.startsWith("$") && at > 0)(found.result()).filter(of(_) == path)
  }

  /** Where the quote is that ends a key, before a bracket. */
  private def closing(path: String, from: Int): Int = {
    var at = from
    while (at < path.length && path(at) != '\'') at += (if (path(at) == '\\') 2 else 1)
    if (path.startsWith("']", at)) at else -1
  }

  private def unescaped(key: String): String = {
    val text = new StringBuilder
    var at = 0
    while (at < key.length) {
      if (key(at) != '\\' || at + 1 == key.length) text += key(at)
      else {
        at += 1
        key(at) match {
          case 'b' => text += '\b'
          case 't' => text += '\t'
          case 'n' => text += '\n'
          case 'f' => text += '\f'
          case 'r' => text += '\r'
          case 'u' if key.length >= at + 5 =>
            text += scala.util.Try(Integer.parseInt(key.substring(at + 1, at + 5), 16).toChar).getOrElse(' ')
            at += 4
          case other => text += other
        }
      }
      at += 1
    }
    text.result()
  }
}
