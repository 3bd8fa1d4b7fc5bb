/**
 * The file of a table's pins. It appears whole or not at all: written beside its place under a name of its own, then put
 * there in one step. Of two writers that create it at once, one wins, and the other reads what the first has put there.
 *
 * Columns that come later are added to what stands there at that moment, never to what was read earlier: a file that is
 * no longer the one that was read is read again. So neither another writer's columns nor a person's changes get lost.
 */
package shreddedvariant.source.pin

import java.io.FileNotFoundException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileAlreadyExistsException, Files, Paths}
import java.util.Arrays

import scala.annotation.tailrec

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileAlreadyExistsException => HadoopFileAlreadyExists, LocalFileSystem, Path}
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import shreddedvariant.{Errors, LocalFile, SharedFile}

final class PinStore(table: Path, conf: Configuration, options: Map[String, String] = Map.empty) {
  private val fs = table.getFileSystem(conf)

  /** A listing of data files leaves out what begins with an underscore. */
  private val folder = new Path(fs.makeQualified(table), PinStore.Folder)
  val file = new Path(folder, PinStore.FileName)

  def read(): Option[Pins] = bytes().map(parse)

  /** Adds the pins that are missing; gives what stands there then, whoever was the first to put it there. */
  def add(pins: Pins): Pins = {
    SharedFile.check(table, conf, options)
    add(pins, PinStore.Attempts)
  }

  @tailrec
  private def add(pins: Pins, attempts: Int): Pins = {
    if (attempts == 0)
      throw Errors.pins(file.toString, "others change it all the time, or it cannot be replaced")
    bytes() match {
      case None => if (create(pins)) pins else add(pins, attempts - 1)
      case Some(there) =>
        val known = parse(there)
        val all = known.orElse(pins)
        if (all == known || replace(there, all)) all else add(pins, attempts - 1)
    }
  }

  private def bytes(): Option[Array[Byte]] = SharedFile.read(unchecked, file)

  private def parse(bytes: Array[Byte]): Pins =
    try Pins.parse(new String(bytes, UTF_8))
    catch { case e: UnusablePins => throw Errors.pins(file.toString, e.reason) }

  /** False if another file was first. */
  private def create(pins: Pins): Boolean =
    try {
      sweep()
      if (isConditional) SharedFile.create(fs, file, pins.json.getBytes(UTF_8))
      else onDisk.fold(put(pins, replace = false)) { target =>
        if (!Files.isDirectory(target.getParent)) {
          Files.createDirectories(target.getParent)
          LocalFile.force(target.getParent.getParent)
        }
        LocalFile.put(target, replace = false)(write(pins, _))
      }
      true
    } catch { case _: HadoopFileAlreadyExists | _: FileAlreadyExistsException => false }

  /** False if the file is not what it was. */
  private def replace(expected: Array[Byte], pins: Pins): Boolean = {
    sweep()
    onDisk match {
      case Some(target) => LocalFile.replace(target, expected)(write(pins, _))
      case None => new PinLease(fs, folder, isConditional).held {
          if (isConditional) SharedFile.replace(fs, file, expected, pins.json.getBytes(UTF_8))
          else
            bytes().exists(Arrays.equals(_, expected)) && {
              put(pins, replace = true)
              // Some file systems rename over a file only in name.
              bytes().exists(Arrays.equals(_, pins.json.getBytes(UTF_8)))
            }
        }
    }
  }

  private def isConditional = SharedFile.isConditional(fs, table)

  private def put(pins: Pins, replace: Boolean): Unit = {
    val files = CheckpointFileManager.create(folder, conf)
    if (!files.exists(folder)) files.mkdirs(folder)
    val out = files.createAtomic(file, replace)
    try out.write(pins.json.getBytes(UTF_8))
    catch { case e: Throwable => out.cancel(); throw e }
    out.close()
  }

  /** Removes what writers that died have left beside the file, an hour ago: what is younger may be somebody's work. */
  private def sweep(): Unit =
    try {
      val since = System.currentTimeMillis - PinStore.Abandoned
      for (left <- fs.listStatus(folder)) {
        val name = left.getPath.getName
        if (
          name.startsWith(s".${PinStore.FileName}.") && name.endsWith(
            ".tmp"
          ) && left.getModificationTime < since
        )
          fs.delete(left.getPath, false)
      }
    } catch { case _: FileNotFoundException => }

  private def write(pins: Pins, to: java.nio.file.Path): Unit = {
    Files.write(to, pins.json.getBytes(UTF_8)); ()
  }

  /** By the system itself: Hadoop would leave a checksum beside the file, stale as soon as a person edits the file. */
  private def onDisk = fs match {
    case _: LocalFileSystem => Some(Paths.get(file.toUri.getPath))
    case _ => None
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

  private val Abandoned = 3600 * 1000L

  /** Each one fails only because somebody else's has not. */
  private val Attempts = 200
}
