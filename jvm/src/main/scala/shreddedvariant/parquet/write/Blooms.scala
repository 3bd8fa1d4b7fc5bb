/** The paths of variants and hot keys of maps that get bloom filters, and their leaves in a file. */
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

  /** The leaves that get a filter: only scalars with their own leaf in this file, and no booleans. */
  def leaves(schema: MessageType, hotKeys: HotMaps): Set[Seq[String]] = {
    val pathLeaves = for {
      (column, all) <- paths.toSeq
      variant = FileCell.bind(schema, column, column.mkString("."), Int.MaxValue)
      steps <- all
      end <- ResolvedPath.find(variant, steps).toSeq if end.rest.isEmpty
      leaf <- end.cell.typed.collect { case FileTyped.Scalar(_, leaf) => leaf }
    } yield leaf
    val keyLeaves = for {
      (column, all) <- keys.toSeq
      (key, i) <- hotKeys.keys.getOrElse(column, Nil).zipWithIndex if all.contains(key)
    } yield column.init :+ HotKeys.sidecar(column.last, i)
    (pathLeaves ++ keyLeaves).filter { leaf =>
      val column = schema.getType(leaf: _*)
      column.isPrimitive && column.asPrimitiveType.getPrimitiveTypeName != PrimitiveTypeName.BOOLEAN
    }.toSet
  }
}

object Blooms {
  val none: Blooms = Blooms()
}
