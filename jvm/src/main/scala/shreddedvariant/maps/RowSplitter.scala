/** Splits rows into the columns of a file: maps with hot keys become residuals; sidecars follow the fields. */
package shreddedvariant.maps

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow}
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types.{MapType, StructField, StructType}

/** `split` returns the same object each time; it is valid until the next call. */
final class RowSplitter private (maps: Array[MapSplitter], structs: Array[RowSplitter], fields: Int)
    extends JoinedRow {
  private val residuals = new Array[MapData](fields)
  private val sidecars = new GenericInternalRow(maps.iterator.filter(_ != null).map(_.size).sum)

  def split(row: InternalRow): InternalRow = {
    var first = 0
    var i = 0
    while (i < fields) {
      val map = maps(i)
      if (map != null) {
        if (row.isNullAt(i)) clear(first, map.size)
        else residuals(i) = map.split(row.getMap(i), sidecars.values, first)
        first += map.size
      }
      i += 1
    }
    apply(row, sidecars)
  }

  private def clear(first: Int, size: Int): Unit =
    java.util.Arrays.fill(sidecars.values.asInstanceOf[Array[AnyRef]], first, first + size, null)

  override def getMap(i: Int): MapData = if (i < fields && maps(i) != null) residuals(i) else super.getMap(i)

  override def getStruct(i: Int, size: Int): InternalRow =
    if (i < fields && structs(i) != null) structs(i).split(super.getStruct(i, structs(i).logicalSize))
    else super.getStruct(i, size)

  private def logicalSize: Int = fields
}

object RowSplitter {

  /** None if no map of the schema has hot keys. */
  def of(schema: StructType, hot: HotMaps): Option[RowSplitter] = Option(of(schema, hot, Nil))

  private def of(struct: StructType, hot: HotMaps, path: Seq[String]): RowSplitter = {
    val maps = struct.fields.map {
      case StructField(name, map: MapType, _, _) =>
        hot.keys.get(path :+ name).filter(_.nonEmpty).map(new MapSplitter(
          (path :+ name).mkString("."),
          map,
          _
        )).orNull
      case _ => null
    }
    val structs = struct.fields.map {
      case StructField(name, inner: StructType, _, _) => of(inner, hot, path :+ name)
      case _ => null
    }
    if (maps.forall(_ == null) && structs.forall(_ == null)) null
    else new RowSplitter(maps, structs, struct.length)
  }
}
