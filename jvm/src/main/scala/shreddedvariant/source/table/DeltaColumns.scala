/** The columns of a Delta table and of rows that are written to it, brought together. */
package shreddedvariant.source.table

import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._
import shreddedvariant.layout.Shape

object DeltaColumns {

  /** Columns of a query as a table's: what the query noted for itself is left out. */
  def plain(columns: StructType): StructType = StructType(columns.map { column =>
    val noted = new MetadataBuilder
    column.getComment().foreach(noted.putString("comment", _))
    StructField(
      column.name,
      CharVarcharUtils.replaceCharVarcharWithString(column.dataType),
      column.nullable,
      noted.build()
    )
  })

  /** The table's columns with those of the data that it lacks behind them, in structs as well. */
  def grown(table: StructType, data: StructType, caseSensitive: Boolean): StructType = {
    def same(a: String, b: String) = if (caseSensitive) a == b else a.equalsIgnoreCase(b)
    def struct(table: StructType, data: StructType): StructType = {
      val kept = table.map { field =>
        data.find(f => same(f.name, field.name)).fold(field)(f =>
          field.copy(dataType = both(field.dataType, f.dataType))
        )
      }
      StructType(kept ++ data.filterNot(f => table.exists(t => same(t.name, f.name))))
    }
    def both(table: DataType, data: DataType): DataType = (table, data) match {
      case (t: StructType, d: StructType) => struct(t, d)
      case (t: ArrayType, d: ArrayType) => t.copy(elementType = both(t.elementType, d.elementType))
      case (t: MapType, d: MapType) => t.copy(valueType = both(t.valueType, d.valueType))
      case _ => table
    }
    struct(table, data)
  }

  /** Whether files of these columns can be read as those: each of them is there, with its type. */
  def fits(columns: DataType, wanted: DataType): Boolean = (columns, wanted) match {
    case (c: StructType, w: StructType) =>
      c.forall(field => w.exists(f => f.name == field.name && fits(field.dataType, f.dataType)))
    case (c: ArrayType, w: ArrayType) => fits(c.elementType, w.elementType)
    case (c: MapType, w: MapType) => fits(c.keyType, w.keyType) && fits(c.valueType, w.valueType)
    case _ => columns == wanted
  }

  /** The names of what was added. */
  def added(table: StructType, grown: StructType): Seq[String] = {
    def of(table: DataType, grown: DataType, path: String): Seq[String] = (table, grown) match {
      case (t: StructType, g: StructType) =>
        g.fields.toSeq.flatMap { field =>
          val name = if (path.isEmpty) Shape.quoted(field.name) else s"$path.${Shape.quoted(field.name)}"
          t.fields.find(_.name == field.name).fold(Seq(name))(f => of(f.dataType, field.dataType, name))
        }
      case (t: ArrayType, g: ArrayType) => of(t.elementType, g.elementType, s"$path.element")
      case (t: MapType, g: MapType) => of(t.valueType, g.valueType, s"$path.value")
      case _ => Nil
    }
    of(table, grown, "")
  }
}
