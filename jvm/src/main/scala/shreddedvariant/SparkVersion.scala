/** The Spark that this jar works with. */
package shreddedvariant

object SparkVersion {
  val Wanted = "4.3"

  def check(found: String = org.apache.spark.SPARK_VERSION): Unit =
    if (found != Wanted && !found.startsWith(Wanted + ".")) throw Errors.sparkVersion(found, Wanted)
}
