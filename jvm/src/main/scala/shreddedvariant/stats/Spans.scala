/** Rows of a row group as spans, ordered and apart from each other. */
package shreddedvariant.stats

/** From the first row up to, but not with, the last. */
final case class Span(from: Long, until: Long) {
  def size: Long = until - from
}

final case class Spans(spans: IndexedSeq[Span]) {
  def size: Long = spans.iterator.map(_.size).sum
  def isEmpty: Boolean = spans.isEmpty

  def intersect(other: Spans): Spans = {
    val found = IndexedSeq.newBuilder[Span]
    var (i, j) = (0, 0)
    while (i < spans.size && j < other.spans.size) {
      val (a, b) = (spans(i), other.spans(j))
      val (from, until) = (math.max(a.from, b.from), math.min(a.until, b.until))
      if (from < until) found += Span(from, until)
      if (a.until < b.until) i += 1 else j += 1
    }
    Spans(found.result())
  }

  /** The first rows of these, no more than so many. */
  def take(rows: Long): Spans = {
    var left = rows
    val taken = IndexedSeq.newBuilder[Span]
    for (span <- spans if left > 0) {
      taken += Span(span.from, span.from + math.min(span.size, left))
      left -= span.size
    }
    Spans(taken.result())
  }

  def union(other: Spans): Spans = Spans.of((spans ++ other.spans).sortBy(_.from))

  def overlaps(span: Span): Boolean = {
    // The first span that ends behind the start of the other one.
    var (low, high) = (0, spans.size)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (spans(middle).until <= span.from) low = middle + 1 else high = middle
    }
    low < spans.size && spans(low).from < span.until
  }
}

object Spans {
  val none: Spans = Spans(IndexedSeq.empty)
  def first(rows: Long): Spans = of(Seq(Span(0, rows)))

  /** Joins what touches or overlaps; the spans given are ordered by their start. */
  def of(ordered: Iterable[Span]): Spans = {
    val joined = scala.collection.mutable.ArrayBuffer.empty[Span]
    for (span <- ordered if span.from < span.until)
      if (joined.nonEmpty && joined.last.until >= span.from)
        joined(joined.size - 1) = Span(joined.last.from, math.max(joined.last.until, span.until))
      else joined += span
    Spans(joined.toIndexedSeq)
  }

  def algebra(rows: Long): RowAlgebra[Spans] = new RowAlgebra[Spans] {
    override val all: Spans = first(rows)
    override def none: Spans = Spans.none
    override def both(left: Spans, right: => Spans): Spans = if (left.isEmpty) left else left.intersect(right)
    override def either(left: Spans, right: => Spans): Spans = if (left == all) left else left.union(right)
  }
}
