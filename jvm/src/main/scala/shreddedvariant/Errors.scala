/** The sentences of all errors and warnings: each says what is wrong, where, and what to do. */
package shreddedvariant

import java.time.Instant

/** An error with a stable name, `condition`; the message begins with the name in brackets. */
final class ShreddedVariantException(val condition: String, sentence: String, cause: Throwable = null)
    extends IllegalArgumentException(s"[$condition] $sentence", cause) {

  /**
   * Makes a task send a JDK exception to the driver. Spark deserializes the exception there in threads whose
   * class loader does not have the jar of a session; this class would reach the user as `UnknownReason`.
   */
  private def writeReplace(): AnyRef = {
    val sent = new IllegalArgumentException(getMessage, getCause)
    sent.setStackTrace(getStackTrace)
    getSuppressed.foreach(sent.addSuppressed)
    sent
  }
}

object Errors
    extends Sentences
    with OptionErrors
    with FileErrors
    with DeltaErrors
    with CatalogErrors
    with MaintenanceErrors {

  // ---- the session ----

  def sparkVersion(running: String, supported: String): ShreddedVariantException =
    error(
      "SPARK_VERSION",
      s"This jar works with Spark $supported, but the session runs Spark $running: " +
        s"run it on Spark $supported, or take the release of shredded-variant for Spark $running."
    )

  // ---- tables ----

  def noPath(): ShreddedVariantException =
    error("NO_PATH", "No path was given: pass one to load(path) or save(path).")

  def noSchema(paths: String): ShreddedVariantException =
    error(
      "NO_SCHEMA",
      s"There is no Parquet file in '$paths' to take the columns from: set them with schema(…), or check the path."
    )

  def overwriteOfInput(path: String): ShreddedVariantException =
    error(
      "OVERWRITE_OF_INPUT",
      s"The query reads '$path' and overwrites it, so its files would be deleted before they are read: " +
        "write to another path."
    )

  def temporaryFilesGone(directory: String): ShreddedVariantException =
    error(
      "TEMPORARY_FILES_GONE",
      s"Another job removed the files of this write in '$directory' while the write ran: write again; if the driver " +
        s"was suspended, set ${Options.KeepTemporary} to a longer time in all writes to this directory."
    )

  /** A warning; `changed` is the modification time of the newest file, in milliseconds. */
  def temporaryFilesRemoved(directory: String, changed: Long): String =
    s"[SHREDDED_VARIANT_TEMPORARY_FILES_REMOVED] '$directory' is removed: an unfinished write left it, and nothing in it " +
      s"has changed since ${Instant.ofEpochMilli(changed)}."

  /** A warning. */
  def temporaryFilesStay(directory: String, cause: Throwable): String =
    s"[SHREDDED_VARIANT_TEMPORARY_FILES_STAY] The files of unfinished writes in '$directory' cannot be removed " +
      s"(${reason(cause)}): remove them when no write to the table runs."

  def pins(file: String, reason: String): ShreddedVariantException =
    error(
      "PINNED_SHAPES",
      s"The table's shapes in '$file' cannot be used ($reason): mend the file, or remove it to let the next write decide."
    )
}

/** Helpers that make the sentences. */
private[shreddedvariant] trait Sentences {
  protected def error(name: String, sentence: String, cause: Throwable = null) =
    new ShreddedVariantException(s"SHREDDED_VARIANT_$name", sentence, cause)

  protected def list(names: Seq[String]): String =
    if (names.isEmpty) "none"
    else names.take(8).map(n => s"'$n'").mkString(", ") + (if (names.size > 8) ", …" else "")

  protected def clip(text: String): String = if (text.length <= 80) text else text.take(77) + "…"

  /** The first line of the message of a cause, at most 80 characters. */
  def reason(cause: Throwable): String = {
    val text = Option(cause.getMessage).getOrElse(cause.getClass.getSimpleName)
    clip(text.linesIterator.nextOption().getOrElse("").stripSuffix("."))
  }
}
