/** What is known of one leaf in some rows, a row group's or a page's: from statistics, never from its values. */
package shreddedvariant.stats

/**
 * `entries` are rows, or elements where the leaf is repeated. `hasNoNaN` tells of bounds that their writer would have
 * left out had it met a NaN. `levels` counts the entries of each definition level. `distinct` are all values that are
 * there, from a dictionary; `mayHold` is a bloom filter.
 */
final case class LeafStatistics(
    entries: Long,
    nulls: Option[Long],
    bounds: Bounds,
    hasNoNaN: Boolean,
    distinct: Option[Seq[Datum]] = None,
    mayHold: Option[Datum => Boolean] = None,
    levels: Option[IndexedSeq[Long]] = None
) {
  def areAllNull: Boolean = nulls.contains(entries)
}

object LeafStatistics {
  def unknown(entries: Long): LeafStatistics = LeafStatistics(entries, None, Bounds.none, hasNoNaN = false)
}
