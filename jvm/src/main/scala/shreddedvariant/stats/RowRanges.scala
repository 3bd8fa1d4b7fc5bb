/** Rows of a row group as spans, ordered and apart from each other. */
package shreddedvariant.stats

/** From the first row up to, but not with, the last. */
final case class RowRange(from: Long, until: Long) {
  def size: Long = until - from
}

final case class RowRanges(spans: IndexedSeq[RowRange]) {
  def size: Long = spans.iterator.map(_.size).sum
  def isEmpty: Boolean = spans.isEmpty

  def intersect(other: RowRanges): RowRanges = {
    val found = IndexedSeq.newBuilder[RowRange]
    var (i, j) = (0, 0)
    while (i < spans.size && j < other.spans.size) {
      val (a, b) = (spans(i), other.spans(j))
      val (from, until) = (math.max(a.from, b.from), math.min(a.until, b.until))
      if (from < until) found += RowRange(from, until)
      if (a.until < b.until) i += 1 else j += 1
    }
    RowRanges(found.result())
  }

  /** The first rows of these, no more than so many. */
  def take(rows: Long): RowRanges = {
    var left = rows
    val taken = IndexedSeq.newBuilder[RowRange]
    for (span <- spans if left > 0) {
      taken += RowRange(span.from, span.from + math.min(span.size, left))
      left -= span.size
    }
    RowRanges(taken.result())
  }

  def union(other: RowRanges): RowRanges = RowRanges.of((spans ++ other.spans).sortBy(_.from))

  def overlaps(span: RowRange): Boolean = {
    // The first span that ends behind the start of the other one.
    var (low, high) = (0, spans.size)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (spans(middle).until <= span.from) low = middle + 1 else high = middle
    }
    low < spans.size && spans(low).from < span.until
  }
}

object RowRanges {
  val none: RowRanges = RowRanges(IndexedSeq.empty)
  def first(rows: Long): RowRanges = of(Seq(RowRange(0, rows)))

  /** Joins what touches or overlaps; the spans given are ordered by their start. */
  def of(ordered: Iterable[RowRange]): RowRanges = {
    val joined = scala.collection.mutable.ArrayBuffer.empty[RowRange]
    for (span <- ordered if span.from < span.until)
      if (joined.nonEmpty && joined.last.until >= span.from)
        joined(joined.size - 1) = RowRange(joined.last.from, math.max(joined.last.until, span.until))
      else joined += span
    RowRanges(joined.toIndexedSeq)
  }

  def algebra(rows: Long): RowAlgebra[RowRanges] = new RowAlgebra[RowRanges] {
    override val all: RowRanges = first(rows)
    override def none: RowRanges = RowRanges.none
    override def both(left: RowRanges, right: => RowRanges): RowRanges =
      if (left.isEmpty) left else left.intersect(right)
    override def either(left: RowRanges, right: => RowRanges): RowRanges =
      if (left == all) left else left.union(right)
  }
}
