// delta-spark as the tests' independent reader and writer: the newest there is, made for Spark 4.2.
import sbt._

object DeltaSpark {
  val configuration: Configuration = Configuration.of("DeltaSpark", "delta-spark").hide

  /** What it needs beside Spark's own jars. */
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
