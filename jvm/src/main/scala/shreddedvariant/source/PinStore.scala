/**
 * The file of a table's pins. It appears whole or not at all: written beside its place under a name of its own, then put
 * there in one step. Of two writers that create it at once, one wins, and the other reads what the first has put there.
 */
package shreddedvariant.source

import java.io.FileNotFoundException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileAlreadyExistsException, Files, Paths}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileAlreadyExistsException => HadoopFileAlreadyExists, LocalFileSystem, Path}
import org.apache.hadoop.io.IOUtils
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import shreddedvariant.{Errors, LocalFile}

final class PinStore(table: Path, conf: Configuration) {
  private val fs = table.getFileSystem(conf)

  /** A listing of data files leaves out what begins with an underscore. */
  private val folder = new Path(fs.makeQualified(table), PinStore.Folder)
  val file = new Path(folder, PinStore.FileName)

  def read(): Option[Pins] = {
    val text =
      try {
        val in = unchecked.open(file)
        try Some(new String(IOUtils.readFullyToByteArray(in), UTF_8))
        finally in.close()
      } catch { case _: FileNotFoundException => None }
    try text.map(Pins.parse)
    catch { case e: UnusablePins => throw Errors.pins(file.toString, e.reason) }
  }

  /** Creates the file unless it is there; gives what it holds then, whoever wrote it. */
  def create(pins: Pins): Pins =
    if (put(pins, replace = false)) pins else read().getOrElse(pins)

  def replace(pins: Pins): Unit = { put(pins, replace = true); () }

  /** Whether the pins stand there now; false if another file was first and is to stay. */
  private def put(pins: Pins, replace: Boolean): Boolean = fs match {
    case _: LocalFileSystem => putLocally(pins.json.getBytes(UTF_8), replace)
    case _ =>
      val files = CheckpointFileManager.create(folder, conf)
      if (!files.exists(folder)) files.mkdirs(folder)
      try {
        val out = files.createAtomic(file, replace)
        try out.write(pins.json.getBytes(UTF_8))
        catch { case e: Throwable => out.cancel(); throw e }
        out.close()
        true
      } catch { case _: HadoopFileAlreadyExists | _: FileAlreadyExistsException if !replace => false }
  }

  /** By the system itself: Hadoop would leave a checksum beside the file, stale as soon as a person edits the file. */
  private def putLocally(bytes: Array[Byte], replace: Boolean): Boolean = {
    val directory = Files.createDirectories(Paths.get(folder.toUri.getPath))
    try {
      LocalFile.put(directory.resolve(PinStore.FileName), replace) { file => Files.write(file, bytes); () }
      true
    } catch { case _: FileAlreadyExistsException if !replace => false }
  }

  /** Without the check of checksums that a person's editor does not keep. */
  private def unchecked = fs match {
    case local: LocalFileSystem => local.getRawFileSystem
    case other => other
  }
}

object PinStore {
  val Folder = "_shredding"
  val FileName = "shapes.json"
}
