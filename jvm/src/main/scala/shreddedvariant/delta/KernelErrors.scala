/** Turns what Delta Kernel throws into one of our errors. */
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
  private val Elsewhere = "use format(\"delta\")"

  /** Runs what reads a log: a log can be damaged in any way, and Kernel throws whatever it meets then. */
  def attempt[T](root: String)(body: => T): T =
    try body
    catch {
      case e: ShreddedVariantException => throw e
      case e: UnsupportedProtocolVersionException =>
        throw Errors.deltaFeature(root, s"reader version ${e.getVersion}", "read", Elsewhere)
      case e: UnsupportedTableFeatureException =>
        throw Errors.deltaFeature(
          root,
          e.getUnsupportedFeatures.asScala.toSeq.sorted.mkString(", "),
          "read",
          Elsewhere
        )
      case e: KernelEngineException => throw Errors.deltaLog(root, Option(e.getCause).getOrElse(e))
      case e @ (_: StackOverflowError | NonFatal(_)) => throw Errors.deltaLog(root, e)
    }
}
