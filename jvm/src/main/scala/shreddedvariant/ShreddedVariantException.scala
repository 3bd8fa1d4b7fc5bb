/** The exception of every error, with a stable name. */
package shreddedvariant

/** An error with a stable name, `condition`; the message begins with the name in brackets. */
final class ShreddedVariantException(val condition: String, val sentence: String, cause: Throwable = null)
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
