/** Which paths of variants and hot keys of maps get bloom filters, by column, and the leaves of a file that have these. */
package shreddedvariant.parquet.write

import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import shreddedvariant.layout.{FileCell, FileTyped, PathStep}
import shreddedvariant.maps.{HotKeys, HotMaps}
import shreddedvariant.parquet.bind.ResolvedPath

final case class Blooms(
    paths: Map[Seq[String], Seq[Seq[PathStep]]] = Map.empty,
    keys: Map[Seq[String], Seq[String]] = Map.empty
) {

  /** What is no scalar with a leaf of its own in this file, or a boolean, has no filter. */
  def leaves(schema: MessageType, hotKeys: HotMaps): Set[Seq[String]] = {
    val ofPaths = for {
      (column, all) <- paths.toSeq
      variant = FileCell.bind(schema, column, column.mkString("."), Int.MaxValue)
      steps <- all
      end <- ResolvedPath.find(variant, steps).toSeq if end.rest.isEmpty
      leaf <- end.cell.typed.collect { case FileTyped.Scalar(_, leaf) => leaf }
    } yield leaf
    val ofKeys = for {
      (column, all) <- keys.toSeq
      (key, i) <- hotKeys.keys.getOrElse(column, Nil).zipWithIndex if all.contains(key)
    } yield column.init :+ HotKeys.sidecar(column.last, i)
    (ofPaths ++ ofKeys).filter { leaf =>
      val column = schema.getType(leaf: _*)
      column.isPrimitive && column.asPrimitiveType.getPrimitiveTypeName != PrimitiveTypeName.BOOLEAN
    }.toSet
  }
}

object Blooms {
  val none: Blooms = Blooms()
}
