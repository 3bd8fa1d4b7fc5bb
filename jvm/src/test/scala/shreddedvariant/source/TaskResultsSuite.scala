/** What tasks send to the driver can be deserialized without the classes of this project. */
package shreddedvariant.source

import java.io._
import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapreduce.{JobID, TaskAttemptID, TaskID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.spark.internal.io.FileNameSpec
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.util.AccumulatorV2
import shreddedvariant.{Errors, ShreddedVariantException, VariantFile}
import shreddedvariant.source.delta.{ClosedFile, ClosedFiles, DeltaFileCommit}
import shreddedvariant.source.format.CutColumns

class TaskResultsSuite extends shreddedvariant.Suite {

  /** Serializes an object, and deserializes it without the classes of this project. */
  private def arrived(sent: AnyRef): AnyRef = {
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(sent)
    out.close()
    val in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)) {
      override def resolveClass(description: ObjectStreamClass): Class[_] =
        if (description.getName.contains("shreddedvariant."))
          throw new ClassNotFoundException(description.getName)
        else super.resolveClass(description)
    }
    in.readObject()
  }

  private lazy val ours: Seq[Class[_]] = {
    val root =
      Paths.get(classOf[ShreddedVariantException].getProtectionDomain.getCodeSource.getLocation.toURI)
    def name(file: Path) =
      root.relativize(file).toString.stripSuffix(".class").replace(File.separatorChar, '.')
    Files.walk(root).iterator.asScala.filter(_.toString.endsWith(".class")).map { file =>
      Class.forName(name(file), false, getClass.getClassLoader)
    }.toSeq
  }

  private def kindsOf(parent: Class[_]): Set[Class[_]] = ours.filter(parent.isAssignableFrom(_)).toSet

  test("an error arrives with its message, its stack trace and its causes") {
    val error = Errors.inFile("f.parquet", Some(3), Errors.malformedValue("v", "it ends early"))
    error.addSuppressed(new IOException("closed"))
    val found = arrived(new RuntimeException("the task has failed", error)).asInstanceOf[Throwable].getCause
    assertEquals(found.getMessage, error.getMessage)
    assertEquals(found.getCause.getMessage, error.getCause.getMessage)
    assertEquals(found.getStackTrace.toSeq, error.getStackTrace.toSeq)
    assertEquals(found.getSuppressed.toSeq.map(_.getMessage), Seq("closed"))
    assert(found.isInstanceOf[IllegalArgumentException])
  }

  test(
    "no other exception class leaves a task: malformed values become errors, and pins are read in the driver"
  ) {
    assertEquals(
      kindsOf(classOf[Throwable]).map(_.getSimpleName),
      Set("ShreddedVariantException", "MalformedVariant", "UnusablePins")
    )
  }

  test("tasks get and send Spark's own accumulator for columns with paths left out") {
    assertEquals(kindsOf(classOf[AccumulatorV2[_, _]]), Set[Class[_]](classOf[CutColumns]))
    assertEquals(
      new CutColumns().copyAndReset().getClass.getName,
      "org.apache.spark.util.CollectionAccumulator"
    )
  }

  test("the files of a Delta table arrive in the commit message of their task") {
    val context = new TaskAttemptContextImpl(
      new Configuration(false),
      new TaskAttemptID(new TaskID(new JobID("job", 1), TaskType.MAP, 0), 0)
    )
    VariantFile.withFile { file =>
      val commit = new DeltaFileCommit(file.getParent.toString, Set.empty)
      commit.setupTask(context)
      val path = commit.newTaskTempFile(context, None, FileNameSpec("", ".parquet"))
      Files.write(Paths.get(path), Array[Byte](1, 2, 3))
      ClosedFiles.put(path, ClosedFile(7, "{}"))
      val sent = commit.commitTask(context)
      commit.commitJob(context, Seq(new TaskCommitMessage(arrived(sent.obj.asInstanceOf[AnyRef]))))
      assertEquals(commit.files.map(f => (f.size, f.rows, f.stats)), Seq((3L, 7L, "{}")))
      Files.delete(Paths.get(path))
    }
    assertEquals(kindsOf(classOf[WriterCommitMessage]), Set.empty[Class[_]])
  }
}
