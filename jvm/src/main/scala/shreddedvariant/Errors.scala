/** Every error and warning: what is wrong, where, what to do. The sentences stand in the traits that `Errors` mixes in. */
package shreddedvariant

import java.time.Instant

/** A refusal with a stable name; the message begins with it in brackets. */
final class ShreddedVariantException(val condition: String, sentence: String, cause: Throwable = null)
    extends IllegalArgumentException(s"[$condition] $sentence", cause) {

  /**
   * What a task sends to the driver: threads of Spark read it there that do not know the classes of a session's jar, and an
   * exception that they cannot read is an `UnknownReason` to the user.
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

  def sparkVersion(found: String, wanted: String): ShreddedVariantException =
    error(
      "SPARK_VERSION",
      s"This jar works with Spark $wanted, but the session runs Spark $found: " +
        s"run it on Spark $wanted, or take the release of shredded-variant that fits Spark $found."
    )

  // ---- tables ----

  def noPath(): ShreddedVariantException =
    error("NO_PATH", "No path was given: pass one to load(path) or save(path).")

  def noSchema(paths: String): ShreddedVariantException =
    error(
      "NO_SCHEMA",
      s"There is no Parquet file in '$paths' to take the columns from: give them with schema(…), or check the path."
    )

  def overwriteOfInput(path: String): ShreddedVariantException =
    error(
      "OVERWRITE_OF_INPUT",
      s"'$path' is read by the query that overwrites it, and would be empty before it is read: write to another path."
    )

  def temporaryFilesGone(directory: String): ShreddedVariantException =
    error(
      "TEMPORARY_FILES_GONE",
      s"The files of this write in '$directory' have been removed by another job while it ran: write again; if the " +
        s"driver was suspended for so long, set ${Options.KeepTemporary} to more in all writes to this directory."
    )

  /** A warning; `changed` is when the last file did. */
  def temporaryFilesRemoved(directory: String, changed: Long): String =
    s"[SHREDDED_VARIANT_TEMPORARY_FILES_REMOVED] '$directory' is removed: a write that did not end has left it, and " +
      s"nothing in it has changed since ${Instant.ofEpochMilli(changed)}."

  /** A warning. */
  def temporaryFilesStay(directory: String, cause: Throwable): String =
    s"[SHREDDED_VARIANT_TEMPORARY_FILES_STAY] What unfinished writes have left in '$directory' cannot be removed " +
      s"(${reason(cause)}): remove it when nobody writes there."

  def pins(file: String, reason: String): ShreddedVariantException =
    error(
      "PINNED_SHAPES",
      s"The table's shapes in '$file' cannot be used ($reason): mend the file, or remove it to let the next write decide."
    )
}

/** What sentences are made of. */
private[shreddedvariant] trait Sentences {
  protected def error(what: String, sentence: String, cause: Throwable = null) =
    new ShreddedVariantException(s"SHREDDED_VARIANT_$what", sentence, cause)

  protected def list(names: Seq[String]): String =
    if (names.isEmpty) "none"
    else names.take(8).map(n => s"'$n'").mkString(", ") + (if (names.size > 8) ", …" else "")

  protected def clip(text: String): String = if (text.length <= 80) text else text.take(77) + "…"

  /** The first line of what went wrong. */
  def reason(cause: Throwable): String = {
    val text = Option(cause.getMessage).getOrElse(cause.getClass.getSimpleName)
    clip(text.linesIterator.nextOption().getOrElse("").stripSuffix("."))
  }
}
