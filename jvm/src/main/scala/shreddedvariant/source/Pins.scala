/**
 * The shapes that a table keeps for its writes, as `_shredding/shapes.json` has them: for people to read and to edit.
 *
 * {{{
 *   { "version" : 1,
 *     "columns" : { "v" : { "shape" : "a BIGINT, b STRING", "rows" : 4096 } } }
 * }}}
 * A column is written as in an option: dotted when nested, with backticks where a name holds dots. `rows` says how many
 * rows the shape rests on; it is absent where a write named the shape.
 */
package shreddedvariant.source

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import shreddedvariant.ShreddedVariantException
import shreddedvariant.layout.{Shape, ShapeParser}

final case class Pin(shape: Shape, rows: Option[Long])

final case class Pins(columns: Map[Seq[String], Pin]) {

  /** Both; what stands here already stays. */
  def orElse(later: Pins): Pins = Pins(later.columns ++ columns)

  def json: String = {
    val root = Pins.mapper.createObjectNode().put("version", Pins.Version)
    val all = root.putObject("columns")
    for ((path, pin) <- columns.toSeq.sortBy(_._1.mkString("."))) {
      val column = all.putObject(path.map(Shape.quoted).mkString("."))
      column.put("shape", pin.shape.ddl)
      pin.rows.foreach(column.put("rows", _))
    }
    Pins.mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n"
  }
}

/** Why a text cannot be used; who knows the file adds it. */
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
            Pins(columns.properties.asScala.map(e => path(e.getKey) -> pin(e.getKey, e.getValue)).toMap)
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
    try Pin(ShapeParser.parse(shape.textValue), Option(node.path("rows")).filter(_.isNumber).map(_.longValue))
    catch {
      case e: ShreddedVariantException =>
        unusable(s"column '$column': " + e.getMessage.stripPrefix(s"[${e.condition}] ").stripSuffix("."))
    }
  }

  private def unusable(reason: String) = throw new UnusablePins(reason)
}
