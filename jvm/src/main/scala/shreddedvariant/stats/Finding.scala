/** Something about a file that is not as the file, or the log of its table, says. */
package shreddedvariant.stats

/** `column` as SQL writes it, empty for the file as a whole; `path` is one of a variant's, empty for all others. */
final case class Finding(column: String, path: String, wrong: String)
