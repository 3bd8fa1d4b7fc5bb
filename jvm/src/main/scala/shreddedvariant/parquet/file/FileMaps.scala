/** Finds the hot keys of a file's maps and their columns, from the footer or else from the options. */
package shreddedvariant.parquet.file

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.parquet.schema.Type.Repetition
import shreddedvariant.{Errors, OptionDocs}
import shreddedvariant.layout.Shape
import shreddedvariant.maps.{HotKeys, HotMaps}

/** `named` are the hot keys that the read options name, for files whose footers name none. */
final class FileMaps(
    file: MessageType,
    footer: Map[String, String],
    named: HotMaps,
    sameName: (String, String) => Boolean
) {

  /**
   * The hot keys of the map at `path` in order, each with the path of its sidecar. A map without sidecars is a
   * plain map, even if the footer names hot keys. If the sidecars of a map do not match the named keys, the map
   * is refused: a part of a map is never read.
   */
  def hotKeys(path: Seq[String]): Seq[(String, Seq[String])] = {
    val columns = sidecars(path)
    if (columns.isEmpty) Nil
    else {
      val name = path.map(Shape.quoted).mkString(".")
      def refuse(reason: String) = throw Errors.malformedMap(name, reason)
      val keys = HotKeys.named(footer, path).map(HotKeys.parse).orElse(fromOptions(path)).getOrElse(
        throw Errors.unnamedHotKeys(name, columns.size, OptionDocs.MapKeys.of(name))
      )
      if (columns.keySet != keys.indices.toSet)
        refuse(
          s"${keys.size} hot keys are named, and the columns of hot keys are ${columns.keys.toSeq.sorted.mkString(", ")}"
        )
      if (keys.distinct.size < keys.size) refuse("a hot key is named twice")
      keys.zipWithIndex.map { case (key, i) =>
        if (columns(i).isRepetition(Repetition.REPEATED))
          refuse(s"the column of the hot key '$key' is repeated")
        key -> (path.init :+ columns(i).getName)
      }
    }
  }

  private def sidecars(path: Seq[String]): Map[Int, Type] = {
    val parent = if (path.size == 1) file else file.getType(path.init: _*)
    parent match {
      case group: GroupType =>
        val columns = for {
          field <- group.getFields.asScala
          (map, key) <- HotKeys.sidecarOf(field.getName) if map == path.last
        } yield key -> field
        columns.toMap
      case _ => Map.empty
    }
  }

  private def fromOptions(path: Seq[String]): Option[Seq[String]] = named.keys.collectFirst {
    case (column, keys)
        if column.size == path.size && column.zip(path).forall { case (a, b) => sameName(a, b) } =>
      keys
  }
}
