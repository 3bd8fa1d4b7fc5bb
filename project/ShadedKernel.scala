// Makes a jar of Delta Kernel with renamed packages, which do not conflict with another Delta in a session.
import java.nio.file.{Files, StandardCopyOption}
import java.util.jar.{JarEntry, JarFile, JarOutputStream}

import com.eed3si9n.jarjarabrams.{ShadeRule, Shader}
import sbt._
import sbt.io.Using

import scala.collection.JavaConverters._

object ShadedKernel {
  private val Version = "4.4.0"
  private val Ours = "shreddedvariant.shaded"
  private val Jackson = "io.delta.kernel.shaded.com.fasterxml.jackson"

  /** The revision of the rules; a new revision makes a new jar. */
  private val Revision = 1

  val modules: Seq[ModuleID] = Seq("delta-kernel-api", "delta-kernel-defaults", "delta-storage")
    .map(name => ("io.delta" % name % Version % "shaded").intransitive())

  /** Kernel includes a shaded Jackson. Spark includes Jackson too, but without the module for Optional. */
  private val rules = Seq(
    ShadeRule.rename(
      s"$Jackson.datatype.jdk8.**" -> s"$Ours.jackson.jdk8.@1",
      s"$Jackson.**" -> "com.fasterxml.jackson.@1",
      "io.delta.**" -> s"$Ours.io.delta.@1"
    ).inAll
  )

  /** Leaves out the classes that Spark includes, clients of Unity Catalog, and a class in Spark's namespace. */
  private def isWanted(entry: String): Boolean = {
    val jackson = Jackson.replace('.', '/')
    entry.endsWith(".class") && entry.startsWith("io/delta/") &&
    (!entry.startsWith(jackson) || entry.startsWith(s"$jackson/datatype/jdk8/")) &&
    !entry.startsWith("io/delta/storage/commit/uccommitcoordinator/")
  }

  def jar(resolved: Seq[File], target: File): File = {
    val shaded = target / s"delta-kernel-$Version-shaded-$Revision.jar"
    if (!shaded.exists) {
      val names = modules.map(_.name)
      val inputs = resolved.filter(file => names.exists(name => file.getName == s"$name-$Version.jar"))
      if (inputs.size != names.size)
        throw new MessageOnlyException(
          s"Maven Central returned only ${inputs.mkString(", ")} of ${names.mkString(", ")}."
        )
      IO.createDirectory(target)
      val written = target / s"${shaded.getName}.new"
      write(inputs, written)
      Files.move(written.toPath, shaded.toPath, StandardCopyOption.REPLACE_EXISTING)
    }
    shaded
  }

  private def write(inputs: Seq[File], to: File): Unit = {
    val shade = Shader.bytecodeShader(rules, false, true)
    Using.fileOutputStream(false)(to) { file =>
      val out = new JarOutputStream(file)
      for (input <- inputs) {
        val in = new JarFile(input)
        for {
          entry <- in.entries.asScala.toSeq.sortBy(_.getName) if isWanted(entry.getName)
          (bytes, name) <- shade(IO.readBytes(in.getInputStream(entry)), entry.getName)
        } {
          val copy = new JarEntry(name)
          copy.setTime(0)
          out.putNextEntry(copy)
          out.write(bytes)
        }
        in.close()
      }
      out.finish()
    }
  }

  /** The classes of the jar as entries of the project's jar. */
  def entries(shaded: File, target: File): Seq[(File, String)] = {
    val dir = target / shaded.getName.stripSuffix(".jar")
    if (!dir.exists) {
      val unpacked = target / s"${dir.getName}.new"
      IO.delete(unpacked)
      IO.unzip(shaded, unpacked)
      IO.move(unpacked, dir)
    }
    (dir ** "*.class").get.map(file => file -> IO.relativize(dir, file).get)
  }
}
