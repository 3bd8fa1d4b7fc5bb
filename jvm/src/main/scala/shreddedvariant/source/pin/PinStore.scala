/**
 * Reads and writes the file of a table's pins.
 *
 * The file appears in one step, so readers find it complete or not at all. If two writers create the file at
 * once, one succeeds, and the other reads the file of the first.
 *
 * Columns are added by a replacement of the file on the condition that it has not changed since it was read;
 * otherwise it is read again. So neither the columns of other writers nor the edits of users get lost.
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

  /** Listings of data files skip names that begin with an underscore. */
  private val folder = new Path(fs.makeQualified(table), PinStore.Folder)
  val file = new Path(folder, PinStore.FileName)

  def read(): Option[Pins] = bytes().map(parse)

  /** Adds the pins that are missing; returns all pins of the file, also those of other writers. */
  def add(pins: Pins): Pins = {
    SharedFile.check(table, conf, options)
    add(pins, PinStore.Attempts)
  }

  @tailrec
  private def add(pins: Pins, attempts: Int): Pins = {
    if (attempts == 0)
      throw Errors.pins(file.toString, "other writers keep changing it, or it cannot be replaced")
    bytes() match {
      case None => if (create(pins)) pins else add(pins, attempts - 1)
      case Some(current) =>
        val existing = parse(current)
        val all = existing.orElse(pins)
        if (all == existing || replace(current, all)) all else add(pins, attempts - 1)
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

  /** False if the file has changed. */
  private def replace(expected: Array[Byte], pins: Pins): Boolean = {
    sweep()
    onDisk match {
      case Some(target) => LocalFile.replace(target, expected)(write(pins, _))
      case None => new PinLease(fs, folder, isConditional).held {
          if (isConditional) SharedFile.replace(fs, file, expected, pins.json.getBytes(UTF_8))
          else
            bytes().exists(Arrays.equals(_, expected)) && {
              put(pins, replace = true)
              // Some file systems report success for a rename over a file, and keep the old file.
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

  /** Removes temporary files of dead writers: files older than an hour; younger files may still be in use. */
  private def sweep(): Unit =
    try {
      val limit = System.currentTimeMillis - PinStore.Abandoned
      for (left <- fs.listStatus(folder)) {
        val name = left.getPath.getName
        if (
          name.startsWith(s".${PinStore.FileName}.") && name.endsWith(
            ".tmp"
          ) && left.getModificationTime < limit
        )
          fs.delete(left.getPath, false)
      }
    } catch { case _: FileNotFoundException => }

  private def write(pins: Pins, to: java.nio.file.Path): Unit = {
    Files.write(to, pins.json.getBytes(UTF_8)); ()
  }

  /** The path for java.nio: Hadoop would write a checksum file, which an edit of the user does not update. */
  private def onDisk = fs match {
    case _: LocalFileSystem => Some(Paths.get(file.toUri.getPath))
    case _ => None
  }

  /** The file system without checks of checksums, because an edit of the user does not update them. */
  private def unchecked = fs match {
    case local: LocalFileSystem => local.getRawFileSystem
    case other => other
  }
}

object PinStore {
  val Folder = "_shredding"
  val FileName = "shapes.json"

  private val Abandoned = 3600 * 1000L

  /** An attempt fails only if the attempt of another writer succeeds. */
  private val Attempts = 200
}
