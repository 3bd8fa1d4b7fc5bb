// Hadoop's file system of S3 for tests, in the release of Spark's Hadoop, with its modules of Amazon's SDK.
import sbt._

object S3A {
  val configuration: Configuration = Configuration.of("S3A", "s3a").hide

  private val Sdk = "2.35.4"

  /** Modules instead of the SDK's bundle, which has 650 MB; jars that Spark includes are left out. */
  val modules: Seq[ModuleID] =
    Seq(
      ("org.apache.hadoop" % "hadoop-aws" % "3.5.0" % configuration.name).intransitive(),
      ("software.amazon.s3.analyticsaccelerator" % "analyticsaccelerator-s3" % "1.3.1" % configuration.name)
        .intransitive()
    ) ++ Seq("s3", "s3-transfer-manager", "sts").map { name =>
      ("software.amazon.awssdk" % name % Sdk % configuration.name).excludeAll(
        Seq("io.netty", "org.slf4j", "commons-codec", "commons-logging", "org.apache.httpcomponents")
          .map(ExclusionRule(_)): _*
      )
    }
}
