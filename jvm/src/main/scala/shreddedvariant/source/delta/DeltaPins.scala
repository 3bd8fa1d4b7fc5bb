/**
 * The shapes that a Delta table keeps for its writes: a property for each column, so that they can be seen and set with
 * Delta's own SQL. They change in a commit of their own, before the files of a write, and only if a column has none.
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

final class DeltaPins(begun: DeltaSnapshot, conf: Configuration) extends PinPlace {
  private var newest = begun

  /** The version that has the pins. */
  def snapshot: DeltaSnapshot = newest

  override def read(): Pins = Pins(DeltaTarget.pins(newest.properties).map { case (key, text) =>
    def unusable(e: Throwable) = throw Errors.deltaPin(begun.root, key, text, e)
    val column =
      try CatalystSqlParser.parseMultipartIdentifier(key.stripPrefix(DeltaTarget.PinPrefix))
      catch { case e: ParseException => unusable(e) }
    try column -> Pin(ShapeParser.parse(text), None)
    catch { case e: ShreddedVariantException => unusable(e) }
  })

  @tailrec
  override def add(first: Pins): Pins = {
    val pins = read().orElse(first)
    val properties = DeltaPins.properties(pins)
    val isThere = first.columns.keySet.subsetOf(read().columns.keySet)
    val isNow = !isThere && new DeltaTransaction(DeltaTarget.existing(newest).pinned(properties), conf).pin()
    if (!isThere) newest = DeltaLog.open(new Path(begun.root), AsOf.Newest, conf)
    if (isThere || isNow) pins else add(first)
  }

  override def files: Seq[FileStatus] =
    newest.files.map(file => new FileStatus(file.size, false, 0, 0, file.modified, new Path(file.path)))
}

object DeltaPins {

  def properties(pins: Pins): Map[String, String] = pins.columns.map { case (column, pin) =>
    (DeltaTarget.PinPrefix + column.map(Shape.quoted).mkString(".")) -> pin.shape.ddl
  }
}
