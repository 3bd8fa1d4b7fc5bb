/** Turns the exceptions of Delta Kernel into our errors. */
package shreddedvariant.delta

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import shreddedvariant.{Errors, ShreddedVariantException}
import shreddedvariant.shaded.io.delta.kernel.exceptions.{
  KernelEngineException,
  UnsupportedProtocolVersionException,
  UnsupportedTableFeatureException
}

private[delta] object KernelErrors {
  private val Advice = "use format(\"delta\")"

  /** Runs code that reads a log. A log can be damaged in any way, so Kernel may throw any exception. */
  def attempt[T](root: String)(body: => T): T =
    try body
    catch {
      case e: ShreddedVariantException => throw e
      case e: UnsupportedProtocolVersionException =>
        throw Errors.deltaFeature(root, s"reader version ${e.getVersion}", "read", Advice)
      case e: UnsupportedTableFeatureException =>
        throw Errors.deltaFeature(
          root,
          e.getUnsupportedFeatures.asScala.toSeq.sorted.mkString(", "),
          "read",
          Advice
        )
      case e: KernelEngineException => throw Errors.deltaLog(root, Option(e.getCause).getOrElse(e))
      case e @ (_: StackOverflowError | NonFatal(_)) => throw Errors.deltaLog(root, e)
    }
}
