/** Bounds that are too long for a writer. */
package shreddedvariant.stats

/**
 * Long bounds as writers cut them: the start of the least value; of the greatest one the start too, made greater by one in
 * its last place that can be, or nothing where there is none.
 */
object CutBounds {
  def apply(bounds: Bounds, isText: Boolean, length: Int): Bounds = Bounds(
    bounds.min.map(cut(_, isText, length)((head, _) => Some(head)).get),
    bounds.max.flatMap(cut(_, isText, length)(greater))
  )

  /** Characters of texts, and bytes of others, as numbers. */
  private def cut(bound: Datum, isText: Boolean, length: Int)(
      shorten: (Seq[Int], Boolean) => Option[Seq[Int]]
  ): Option[Datum] = bound match {
    case Datum.Bytes(bytes) =>
      val places =
        if (isText) new String(bytes, "UTF-8").codePoints.toArray.toSeq else bytes.toSeq.map(_ & 0xff)
      val kept = if (places.size <= length) Some(places) else shorten(places.take(length), isText)
      kept.map(write(_, isText))
    case other => Some(other)
  }

  private def greater(head: Seq[Int], isText: Boolean): Option[Seq[Int]] = {
    val last = if (isText) Character.MAX_CODE_POINT else 0xff
    val place = head.lastIndexWhere(_ != last)
    Option.when(place >= 0)(head.take(place) :+ head(place) + 1)
  }

  private def write(places: Seq[Int], isText: Boolean): Datum = Datum.Bytes(
    if (isText) places.map(Character.toString(_)).mkString.getBytes("UTF-8") else places.map(_.toByte).toArray
  )
}
