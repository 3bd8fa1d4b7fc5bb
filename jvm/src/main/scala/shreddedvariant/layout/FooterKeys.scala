/** Keys of ours in the key-value metadata of a file's footer. */
package shreddedvariant.layout

object FooterKeys {

  /**
   * Followed by a column: what the values of that variant are made of, counted over all rows of the file (`infer.Counts`
   * in base64), of so many paths as fit into [[MostCounts]] characters.
   */
  val CountsPrefix = "shredded_variant.counts."
  val MostCounts: Int = 1024 * 1024

  /** Followed by a column: the shape that the write of the file named for it. */
  val ShapePrefix = "shredded_variant.shape."

  /** Followed by a map: what the maps of all rows have of those keys that may be hot (`maps.KeyCounts` in base64). */
  val KeyCountsPrefix = "shredded_variant.keyCounts."

  /** Followed by a map: the hot keys that the write of the file named for it, as an option has them. */
  val HotKeysPrefix = "shredded_variant.hotKeys."

  /** The key for a column, spelled as in an option: dotted when nested, with backticks where a name holds dots. */
  def of(prefix: String, column: Seq[String]): String = prefix + column.map(Shape.quoted).mkString(".")
}
