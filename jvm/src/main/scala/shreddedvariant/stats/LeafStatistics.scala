/** The statistics of one leaf for a row group, a page or a file. */
package shreddedvariant.stats

/**
 * `entries` is the number of rows, or of elements if the leaf is repeated. `hasNoNaN` means that there are
 * bounds, and that their writer omits bounds if there is a NaN. `levels` has the number of entries for each
 * definition level. `distinct` has all values, from a dictionary page; `mayHold` is a bloom filter.
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
