// The newest delta-spark, made for Spark 4.2, which tests use as an independent reader and writer.
import sbt._

object DeltaSpark {
  val configuration: Configuration = Configuration.of("DeltaSpark", "delta-spark").hide

  /** delta-spark and its dependencies that are not among Spark's jars. */
  val modules: Seq[ModuleID] =
    Seq(
      "delta-spark_4.2_2.13",
      "delta-storage",
      "delta-kernel-api",
      "delta-kernel-defaults",
      "delta-kernel-unitycatalog"
    )
      .map(name => ("io.delta" % name % "4.4.0" % configuration.name).intransitive())

  def copy(jars: Seq[File], to: File): Unit = {
    IO.delete(to)
    jars.foreach(jar => IO.copyFile(jar, to / jar.getName))
    IO.touch(to / ".stamp")
  }
}
