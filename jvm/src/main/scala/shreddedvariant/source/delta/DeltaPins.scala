/**
 * The pins of a Delta table: a table property for each column, so that Delta's own SQL can show and set them.
 * Missing pins are added in a commit of their own, before the files of a write are made.
 */
package shreddedvariant.source.delta

import scala.annotation.tailrec

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.parser.{CatalystSqlParser, ParseException}
import shreddedvariant.{Errors, ShreddedVariantException}
import shreddedvariant.delta.{AsOf, DeltaLog, DeltaSnapshot, DeltaTarget, DeltaTransaction}
import shreddedvariant.layout.{Shape, ShapeParser}
import shreddedvariant.source.pin.{Pin, PinPlace, Pins}

final class DeltaPins(initial: DeltaSnapshot, conf: Configuration) extends PinPlace {
  private var newest = initial

  /** The snapshot of the version that has the pins. */
  def snapshot: DeltaSnapshot = newest

  override def read(): Pins = Pins(DeltaTarget.pins(newest.properties).map { case (key, text) =>
    def unusable(e: Throwable) = throw Errors.deltaPin(initial.root, key, text, e)
    val column =
      try CatalystSqlParser.parseMultipartIdentifier(key.stripPrefix(DeltaTarget.PinPrefix))
      catch { case e: ParseException => unusable(e) }
    try column -> Pin(ShapeParser.parse(text), None)
    catch { case e: ShreddedVariantException => unusable(e) }
  })

  @tailrec
  override def add(missing: Pins): Pins = {
    val pins = read().orElse(missing)
    val properties = DeltaPins.properties(pins)
    val isPresent = missing.columns.keySet.subsetOf(read().columns.keySet)
    val isAdded =
      !isPresent && new DeltaTransaction(DeltaTarget.existing(newest).pinned(properties), conf).pin()
    if (!isPresent) newest = DeltaLog.open(new Path(initial.root), AsOf.Newest, conf)
    if (isPresent || isAdded) pins else add(missing)
  }

  override def files: Seq[FileStatus] =
    newest.files.map(file => new FileStatus(file.size, false, 0, 0, file.modified, new Path(file.path)))
}

object DeltaPins {

  def properties(pins: Pins): Map[String, String] = pins.columns.map { case (column, pin) =>
    (DeltaTarget.PinPrefix + column.map(Shape.quoted).mkString(".")) -> pin.shape.ddl
  }
}
