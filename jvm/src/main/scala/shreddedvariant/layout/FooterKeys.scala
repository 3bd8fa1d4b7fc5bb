/** Our keys in the key-value metadata of a footer. */
package shreddedvariant.layout

object FooterKeys {

  /**
   * Prefix of a variant column. The value is `infer.Counts` of all rows of the file in base64, with as many
   * paths as fit into [[MaxCountsBytes]] characters.
   */
  val CountsPrefix = "shredded_variant.counts."
  val MaxCountsBytes: Int = 1024 * 1024

  /** Prefix of a variant column. The value is the shape that the options of the write gave for the column. */
  val ShapePrefix = "shredded_variant.shape."

  /** Prefix of a map column. The value is `maps.KeyCounts` of the likely hot keys in all rows, in base64. */
  val KeyCountsPrefix = "shredded_variant.keyCounts."

  /** Prefix of a map column. The value is the hot keys that the options of the write gave, in option syntax. */
  val HotKeysPrefix = "shredded_variant.hotKeys."

  /** The footer key of a column, with the column in option syntax: dotted, with backticks if needed. */
  def of(prefix: String, column: Seq[String]): String = prefix + column.map(Shape.quoted).mkString(".")
}
