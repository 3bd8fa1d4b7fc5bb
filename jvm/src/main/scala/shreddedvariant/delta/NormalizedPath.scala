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

  /** The keys of a normalized path; None for paths through arrays and for other text. */
  def keys(path: String): Option[Seq[String]] = {
    val parsed = Seq.newBuilder[String]
    var position = 1
    while (position < path.length && position > 0) {
      val end = if (path.startsWith("['", position)) closing(path, position + 2) else -1
      if (end >= 0) parsed += unescaped(path.substring(position + 2, end))
      position = if (end >= 0) end + 2 else -1
    }
    Option.when(path.startsWith("$") && position > 0)(parsed.result()).filter(of(_) == path)
  }

  /** The position of the quote that ends a key, before a bracket; -1 if there is none. */
  private def closing(path: String, from: Int): Int = {
    var position = from
    while (position < path.length && path(position) != '\'')
      position += (if (path(position) == '\\') 2 else 1)
    if (path.startsWith("']", position)) position else -1
  }

  private def unescaped(key: String): String = {
    val text = new StringBuilder
    var position = 0
    while (position < key.length) {
      if (key(position) != '\\' || position + 1 == key.length) text += key(position)
      else {
        position += 1
        key(position) match {
          case 'b' => text += '\b'
          case 't' => text += '\t'
          case 'n' => text += '\n'
          case 'f' => text += '\f'
          case 'r' => text += '\r'
          case 'u' if key.length >= position + 5 =>
            text += scala.util.Try(
              Integer.parseInt(key.substring(position + 1, position + 5), 16).toChar
            ).getOrElse(' ')
            position += 4
          case other => text += other
        }
      }
      position += 1
    }
    text.result()
  }
}
