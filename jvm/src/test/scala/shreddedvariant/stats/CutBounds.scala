/** Truncates bounds as writers do. */
package shreddedvariant.stats

/**
 * Long bounds as writers truncate them: the minimum becomes its prefix. The maximum becomes its prefix with the
 * last character (or byte) increased that can be increased, or is omitted if there is none.
 */
object CutBounds {
  def apply(bounds: Bounds, isText: Boolean, length: Int): Bounds = Bounds(
    bounds.min.map(cut(_, isText, length)((head, _) => Some(head)).get),
    bounds.max.flatMap(cut(_, isText, length)(greater))
  )

  /** Cuts after `length` characters of strings, or bytes of other values. */
  private def cut(bound: Datum, isText: Boolean, length: Int)(
      shorten: (Seq[Int], Boolean) => Option[Seq[Int]]
  ): Option[Datum] = bound match {
    case Datum.Bytes(bytes) =>
      val symbols =
        if (isText) new String(bytes, "UTF-8").codePoints.toArray.toSeq else bytes.toSeq.map(_ & 0xff)
      val kept = if (symbols.size <= length) Some(symbols) else shorten(symbols.take(length), isText)
      kept.map(write(_, isText))
    case other => Some(other)
  }

  private def greater(head: Seq[Int], isText: Boolean): Option[Seq[Int]] = {
    val maxSymbol = if (isText) Character.MAX_CODE_POINT else 0xff
    val index = head.lastIndexWhere(_ != maxSymbol)
    Option.when(index >= 0)(head.take(index) :+ head(index) + 1)
  }

  private def write(symbols: Seq[Int], isText: Boolean): Datum = Datum.Bytes(
    if (isText) symbols.map(Character.toString(_)).mkString.getBytes("UTF-8")
    else symbols.map(_.toByte).toArray
  )
}
