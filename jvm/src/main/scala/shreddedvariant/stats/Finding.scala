/** A wrong statement about a file, in its footer or in the log of its table. */
package shreddedvariant.stats

/** `column` is in SQL syntax, or empty for the whole file; `path` is a path of a variant, or empty. */
final case class Finding(column: String, path: String, wrong: String)
