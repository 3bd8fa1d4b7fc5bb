/** Internal options that the rules of this source add to the plan of a write; users must not set them. */
package shreddedvariant.source.options

object WriteMarks {

  /** The write replaces the whole table, so pins of the table do not apply. */
  val Replaces = "__shredded_variant_replaces__"

  /** The write is checked and goes to a directory of files; later rules do not check it again. */
  val OfFiles = "__shredded_variant_of_files__"

  def isOfFiles(options: Map[String, String]): Boolean = options.contains(OfFiles)
}
