/** The maps of a schema that have hot keys, and their columns in a file. */
package shreddedvariant.maps

import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructField, StructType}

/** The hot keys by the path of a map: the names of the structs around the map, and its own name. */
final case class HotMaps(keys: Map[Seq[String], Seq[String]]) {
  def isEmpty: Boolean = keys.forall(_._2.isEmpty)

  /** The columns of a file: each struct has its own fields, then the sidecars of its maps in the same order. */
  def physical(schema: StructType): StructType = physical(schema, Nil)

  private def physical(struct: StructType, path: Seq[String]): StructType = {
    val fields = struct.fields.map { field =>
      field.dataType match {
        case inner: StructType => field.copy(dataType = physical(inner, path :+ field.name))
        case _ => field
      }
    }
    val sidecars = for {
      StructField(name, map: MapType, _, _) <- struct.fields
      i <- keys.getOrElse(path :+ name, Nil).indices
    } yield StructField(HotKeys.sidecar(name, i), map.valueType, nullable = true)
    StructType(fields ++ sidecars)
  }

  /** The footer entries of the hot keys. */
  def footer: Map[String, String] = keys.collect {
    case (column, hotKeys) if hotKeys.nonEmpty => HotKeys.footerKey(column) -> HotKeys.text(hotKeys)
  }
}

object HotMaps {
  val none: HotMaps = HotMaps(Map.empty)

  /**
   * The schema as users see it, without sidecars. A column is a sidecar if the map in its name is in the same
   * struct; any other column with such a name is an ordinary column.
   */
  def logical(schema: StructType): StructType = {
    val maps = schema.fields.collect { case StructField(name, _: MapType, _, _) => name }.toSet
    val own = schema.filterNot(f => HotKeys.sidecarOf(f.name).exists(s => maps(s._1)))
    StructType(own.map(f => f.copy(dataType = logicalType(f.dataType))))
  }

  private def logicalType(dataType: DataType): DataType = dataType match {
    case struct: StructType => logical(struct)
    case ArrayType(element, nulls) => ArrayType(logicalType(element), nulls)
    case MapType(key, value, nulls) => MapType(logicalType(key), logicalType(value), nulls)
    case other => other
  }
}
