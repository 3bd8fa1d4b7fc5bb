// Builds the jar of this project against the jars of the installed pyspark, which it does not contain.
import scala.xml.transform.{RewriteRule, RuleTransformer}

ThisBuild / organization := "io.github.shredded-variant"
ThisBuild / version := IO.read((ThisBuild / baseDirectory).value / "VERSION").trim
ThisBuild / scalaVersion := "2.13.18"

/** Spark's jars: the directory in SPARK_JARS, else the pyspark of the project's own .venv. */
val sparkJars = taskKey[Seq[File]]("The jars of Spark 4.3 to compile and test against")

val Shaded = config("shaded").hide
val deltaKernel = taskKey[File]("Delta Kernel with renamed packages")

/** The options that Spark itself sets on Java 17 and later (org.apache.spark.launcher.JavaModuleOptions). */
val sparkModuleOptions = Seq("-XX:+IgnoreUnrecognizedVMOptions", "--add-modules=jdk.incubator.vector") ++
  Seq(
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.io",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
    "java.base/sun.security.action",
    "java.base/sun.util.calendar",
    "java.security.jgss/sun.security.krb5"
  ).map(pkg => s"--add-opens=$pkg=ALL-UNNAMED") ++
  Seq("-Dio.netty.tryReflectionSetAccessible=true", "--enable-native-access=ALL-UNNAMED")

val deltaSpark =
  taskKey[Unit]("Copies delta-spark, which tests read and write tables with, to .tools/delta-spark/")

val s3a = taskKey[Unit]("Copies Hadoop's file system of S3, which tests use, to .tools/s3a/")

lazy val root = (project in file("."))
  .settings(
    name := "shredded-variant",
    sourceDirectory := baseDirectory.value / "jvm" / "src",
    scalacOptions ++= Seq(
      "-deprecation",
      "-feature",
      "-unchecked",
      "-Xlint",
      "-Wunused",
      "-Werror",
      "-release",
      "17"
    ),
    javacOptions ++= Seq("-Xlint", "-Werror", "--release", "17"),

    // Spark's jars include scala-library, in the same version.
    autoScalaLibrary := false,
    sparkJars := {
      val dirs = sys.env.get("SPARK_JARS") match {
        case Some(dir) => Seq(file(dir))
        case None => (baseDirectory.value / ".venv" / "lib" ** "pyspark" / "jars").get
      }
      val jars = dirs.flatMap(dir => (dir * "*.jar").get)
      if (!jars.exists(_.getName == "spark-catalyst_2.13-4.3.0.jar"))
        throw new MessageOnlyException(
          s"No jars of Spark 4.3.0 in ${dirs.headOption.getOrElse(".venv")}: run `make jar`, which installs pyspark, " +
            "or point SPARK_JARS to the `pyspark/jars` directory of an installed pyspark 4.3.0."
        )
      jars
    },
    // The code is compiled and tested against the renamed Kernel that ships, not against the original.
    deltaKernel := ShadedKernel.jar(
      update.value.select(configurationFilter(Shaded.name)),
      target.value / "kernel"
    ),
    ivyConfigurations ++= Seq(Shaded, DeltaSpark.configuration, S3A.configuration),
    s3a := DeltaSpark.copy(
      update.value.select(configurationFilter(S3A.configuration.name)),
      baseDirectory.value / ".tools" / "s3a"
    ),
    deltaSpark := DeltaSpark.copy(
      update.value.select(configurationFilter(DeltaSpark.configuration.name)),
      baseDirectory.value / ".tools" / "delta-spark"
    ),
    Compile / unmanagedJars := Attributed.blankSeq(sparkJars.value :+ deltaKernel.value),
    Test / unmanagedJars := Attributed.blankSeq(sparkJars.value :+ deltaKernel.value),
    Compile / packageBin / mappings ++= ShadedKernel.entries(deltaKernel.value, target.value / "kernel"),
    libraryDependencies ++= Seq(
      "org.scalameta" %% "munit" % "1.2.4" % Test,
      "org.scalameta" %% "munit-scalacheck" % "1.2.0" % Test
    ) ++ ShadedKernel.modules ++ DeltaSpark.modules ++ S3A.modules,
    Test / fork := true,
    Test / javaOptions ++= sparkModuleOptions ++ Seq("-Xmx2g", "-Duser.timezone=UTC"),
    Test / testOptions += Tests.Argument(new TestFramework("munit.Framework"), "+l"),

    // The version as a resource, in the jar and in the directory of classes.
    Compile / resourceGenerators += Def.task {
      val file = (Compile / resourceManaged).value / "shreddedvariant" / "VERSION"
      if (!file.exists || IO.read(file) != version.value) IO.write(file, version.value)
      Seq(file)
    }.taskValue,
    Compile / packageDoc / publishArtifact := false,
    licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0")),
    description := "Spark data source that makes VARIANT columns fast on Parquet",
    publishMavenStyle := true,
    pomIncludeRepository := { _ => false },
    // The jar needs only the jars of Spark; the dependencies in this file are those of the tests.
    pomPostProcess := { pom =>
      new RuleTransformer(new RewriteRule {
        override def transform(node: xml.Node): Seq[xml.Node] =
          if (node.label == "dependencies") Nil else Seq(node)
      }).transform(pom).head
    }
  )
