/** Rows of a row group as sorted, disjoint ranges. */
package shreddedvariant.stats

/** The rows from `from` (inclusive) until `until` (exclusive). */
final case class RowRange(from: Long, until: Long) {
  def size: Long = until - from
}

final case class RowRanges(spans: IndexedSeq[RowRange]) {
  def size: Long = spans.iterator.map(_.size).sum
  def isEmpty: Boolean = spans.isEmpty

  def intersect(other: RowRanges): RowRanges = {
    val common = IndexedSeq.newBuilder[RowRange]
    var (i, j) = (0, 0)
    while (i < spans.size && j < other.spans.size) {
      val (a, b) = (spans(i), other.spans(j))
      val (from, until) = (math.max(a.from, b.from), math.min(a.until, b.until))
      if (from < until) common += RowRange(from, until)
      if (a.until < b.until) i += 1 else j += 1
    }
    RowRanges(common.result())
  }

  /** The first rows of these ranges, at most `rows`. */
  def take(rows: Long): RowRanges = {
    var remaining = rows
    val taken = IndexedSeq.newBuilder[RowRange]
    for (span <- spans if remaining > 0) {
      taken += RowRange(span.from, span.from + math.min(span.size, remaining))
      remaining -= span.size
    }
    RowRanges(taken.result())
  }

  def union(other: RowRanges): RowRanges = RowRanges.of((spans ++ other.spans).sortBy(_.from))

  def overlaps(span: RowRange): Boolean = {
    // Searches the first range that ends after the start of `span`.
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

  /** Joins ranges that touch or overlap; `ordered` is sorted by the start of the ranges. */
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
    override def both(remaining: RowRanges, right: => RowRanges): RowRanges =
      if (remaining.isEmpty) remaining else remaining.intersect(right)
    override def either(remaining: RowRanges, right: => RowRanges): RowRanges =
      if (remaining == all) remaining else remaining.union(right)
  }
}
