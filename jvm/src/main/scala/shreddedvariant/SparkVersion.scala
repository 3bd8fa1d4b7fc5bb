/** The Spark version that this jar supports, and its check. */
package shreddedvariant

object SparkVersion {
  val Supported = "4.3"

  def check(running: String = org.apache.spark.SPARK_VERSION): Unit =
    if (running != Supported && !running.startsWith(Supported + "."))
      throw Errors.sparkVersion(running, Supported)
}
