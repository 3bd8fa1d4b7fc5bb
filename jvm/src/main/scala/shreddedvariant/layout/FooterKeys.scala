/** Keys of ours in the key-value metadata of a file's footer. */
package shreddedvariant.layout

object FooterKeys {

  /**
   * Followed by a column: what the values of that variant are made of, counted over all rows of the file (`infer.Counts`
   * in base64). `-` where that takes more than [[MostCounts]] characters.
   */
  val CountsPrefix = "shredded_variant.counts."
  val NoCounts = "-"
  val MostCounts: Int = 1024 * 1024

  /** Followed by a column: the shape that the write of the file named for it. */
  val ShapePrefix = "shredded_variant.shape."

  def shape(column: Seq[String]): String = ShapePrefix + column.map(Shape.quoted).mkString(".")

  /** The key for a column, spelled as in an option: dotted when nested, with backticks where a name holds dots. */
  def counts(column: Seq[String]): String = CountsPrefix + column.map(Shape.quoted).mkString(".")
}
