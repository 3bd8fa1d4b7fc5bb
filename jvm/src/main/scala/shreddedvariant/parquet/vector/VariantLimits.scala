/** How deep a variant of a file may be nested, and how many bytes it may have when it is rebuilt. */
package shreddedvariant.parquet.vector

final case class VariantLimits(maxDepth: Int, maxBytes: Int)
