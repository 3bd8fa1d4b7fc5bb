/** The hot keys of the maps of one file: which columns hold them, by what the footer or else the options say. */
package shreddedvariant.parquet.file

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.parquet.schema.Type.Repetition
import shreddedvariant.{Errors, OptionDocs}
import shreddedvariant.layout.Shape
import shreddedvariant.maps.{HotKeys, HotMaps}

/** `named` are the keys that options name for files whose footers do not. */
final class FileMaps(
    file: MessageType,
    footer: Map[String, String],
    named: HotMaps,
    sameName: (String, String) => Boolean
) {

  /**
   * The hot keys of the map at `path`, each with the path of its sidecar, in their order. A map without sidecars is a map
   * like others, whatever the footer says; one with sidecars has just those that keys are named for, or it is refused:
   * there is no reading a part of a map.
   */
  def hotKeys(path: Seq[String]): Seq[(String, Seq[String])] = {
    val found = sidecars(path)
    if (found.isEmpty) Nil
    else {
      val name = path.map(Shape.quoted).mkString(".")
      def refuse(reason: String) = throw Errors.malformedMap(name, reason)
      val keys = HotKeys.named(footer, path).map(HotKeys.parse).orElse(fromOptions(path)).getOrElse(
        throw Errors.unnamedHotKeys(name, found.size, OptionDocs.MapKeys.of(name))
      )
      if (found.keySet != keys.indices.toSet)
        refuse(
          s"${keys.size} hot keys are named, and the columns of hot keys are ${found.keys.toSeq.sorted.mkString(", ")}"
        )
      if (keys.distinct.size < keys.size) refuse("a hot key is named twice")
      keys.zipWithIndex.map { case (key, i) =>
        if (found(i).isRepetition(Repetition.REPEATED))
          refuse(s"the column of the hot key '$key' is repeated")
        key -> (path.init :+ found(i).getName)
      }
    }
  }

  private def sidecars(path: Seq[String]): Map[Int, Type] = {
    val around = if (path.size == 1) file else file.getType(path.init: _*)
    around match {
      case group: GroupType =>
        val named = for {
          field <- group.getFields.asScala
          (map, key) <- HotKeys.sidecarOf(field.getName) if map == path.last
        } yield key -> field
        named.toMap
      case _ => Map.empty
    }
  }

  private def fromOptions(path: Seq[String]): Option[Seq[String]] = named.keys.collectFirst {
    case (column, keys)
        if column.size == path.size && column.zip(path).forall { case (a, b) => sameName(a, b) } =>
      keys
  }
}
