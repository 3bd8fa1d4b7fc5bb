/**
 * The shapes and hot keys that a table keeps for its writes, and their JSON in `_shredding/shapes.json`, which
 * users may edit.
 *
 * {{{
 *   { "version" : 1,
 *     "columns" : { "v" : { "shape" : "a BIGINT, b STRING", "rows" : 4096 },
 *                   "m" : { "hotKeys" : [ "content-type", "user-agent" ], "rows" : 4096 } } }
 * }}}
 * A column is written as in an option: dotted when nested, with backticks where a name holds dots. `rows` is
 * the number of values that the shape or the hot keys are based on; it is absent if a write named them.
 */
package shreddedvariant.source.pin

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import shreddedvariant.ShreddedVariantException
import shreddedvariant.layout.{Shape, ShapeParser}
import shreddedvariant.maps.HotKeys

final case class Pin(shape: Shape, rows: Option[Long])
final case class PinnedKeys(keys: Seq[String], rows: Option[Long])

/** `columns` are variants, `maps` are maps. */
final case class Pins(columns: Map[Seq[String], Pin], maps: Map[Seq[String], PinnedKeys] = Map.empty) {
  def isEmpty: Boolean = columns.isEmpty && maps.isEmpty

  /** The pins of both; for a column in both, the pin of this one. */
  def orElse(later: Pins): Pins = Pins(later.columns ++ columns, later.maps ++ maps)

  def json: String = {
    val root = Pins.mapper.createObjectNode().put("version", Pins.Version)
    val all = root.putObject("columns")
    for (path <- (columns.keys ++ maps.keys).toSeq.distinct.sortBy(_.mkString("."))) {
      val column = all.putObject(path.map(Shape.quoted).mkString("."))
      columns.get(path).foreach(pin => column.put("shape", pin.shape.ddl))
      for (pin <- maps.get(path)) {
        val keys = column.putArray("hotKeys")
        pin.keys.foreach(keys.add(_))
      }
      columns.get(path).flatMap(_.rows).orElse(maps.get(path).flatMap(_.rows)).foreach(column.put("rows", _))
    }
    Pins.mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n"
  }
}

/** The reason why a text cannot be used; [[PinStore]] adds the path of the file. */
final class UnusablePins(val reason: String) extends RuntimeException(reason, null, false, false)

object Pins {
  val Version = 1
  val none: Pins = Pins(Map.empty)
  private val mapper = new ObjectMapper

  def parse(json: String): Pins = {
    val root =
      try mapper.readTree(json)
      catch { case e: JsonProcessingException => unusable(s"it is no JSON: ${e.getOriginalMessage}") }
    root match {
      case root: ObjectNode =>
        val version = root.path("version")
        if (!version.isInt || version.intValue != Version)
          unusable(s"its version is ${if (version.isMissingNode) "missing" else version} and not $Version")
        root.path("columns") match {
          case columns: ObjectNode =>
            val (maps, variants) =
              columns.properties.asScala.toSeq.map(e => (e.getKey, e.getValue)).partition(_._2.has("hotKeys"))
            Pins(
              variants.map { case (column, node) => path(column) -> pin(column, node) }.toMap,
              maps.map { case (column, node) => path(column) -> keys(column, node) }.toMap
            )
          case _ => unusable("it has no object of columns")
        }
      case _ => unusable("it is no JSON object")
    }
  }

  private def path(column: String): Seq[String] =
    try CatalystSqlParser.parseMultipartIdentifier(column)
    catch { case NonFatal(_) => unusable(s"'$column' is not an identifier") }

  private def pin(column: String, node: JsonNode): Pin = {
    val shape = node.path("shape")
    if (!shape.isTextual) unusable(s"the column '$column' has no shape")
    try Pin(ShapeParser.parse(shape.textValue), rows(node))
    catch {
      case e: ShreddedVariantException =>
        unusable(s"column '$column': " + e.sentence.stripSuffix("."))
    }
  }

  private def keys(column: String, node: JsonNode): PinnedKeys = {
    val list = node.path("hotKeys")
    if (node.has("shape")) unusable(s"the column '$column' has a shape and hot keys")
    if (!list.isArray || !list.elements.asScala.forall(_.isTextual))
      unusable(s"the hot keys of the column '$column' are no list of texts")
    val keys = list.elements.asScala.map(_.textValue).toSeq
    keys.diff(keys.distinct).headOption.foreach(key =>
      unusable(s"the column '$column' has the hot key '$key' twice")
    )
    if (keys.exists(HotKeys.hasNoBytes))
      unusable(s"the column '$column' has a hot key that is no text in UTF-8")
    PinnedKeys(keys, rows(node))
  }

  private def rows(node: JsonNode) = Option(node.path("rows")).filter(_.isNumber).map(_.longValue)

  private def unusable(reason: String) = throw new UnusablePins(reason)
}
