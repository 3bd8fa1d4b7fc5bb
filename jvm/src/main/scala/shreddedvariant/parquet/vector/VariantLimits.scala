/** The maximal nesting depth of a variant of a file, and its maximal size in bytes when it is rebuilt. */
package shreddedvariant.parquet.vector

final case class VariantLimits(maxDepth: Int, maxBytes: Int)
