/** Combines the columns of a Delta table with the columns of rows that are written to it. */
package shreddedvariant.source.table

import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._
import shreddedvariant.SparkBridge
import shreddedvariant.layout.Shape

object DeltaColumns {

  /**
   * The columns of a query as columns of a table: with comments and with CHAR and VARCHAR, which Spark and Delta
   * keep as text in the metadata, and without other metadata of the query.
   */
  def plain(columns: StructType): StructType = StructType(columns.map { column =>
    val metadata = new MetadataBuilder
    column.getComment().foreach(metadata.putString("comment", _))
    CharVarcharUtils.getRawTypeString(column.metadata).foreach(
      metadata.putString(SparkBridge.charVarcharKey, _)
    )
    StructField(
      column.name,
      CharVarcharUtils.replaceCharVarcharWithString(column.dataType),
      column.nullable,
      metadata.build()
    )
  })

  /** The table's columns, then the columns of the data that the table lacks; the same within structs. */
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

  /** Whether files with `columns` can be read as `target`, because it has each column with its type. */
  def fits(columns: DataType, target: DataType): Boolean = (columns, target) match {
    case (c: StructType, t: StructType) =>
      c.forall(field => t.exists(f => f.name == field.name && fits(field.dataType, f.dataType)))
    case (c: ArrayType, t: ArrayType) => fits(c.elementType, t.elementType)
    case (c: MapType, t: MapType) => fits(c.keyType, t.keyType) && fits(c.valueType, t.valueType)
    case _ => columns == target
  }

  /** The names of the columns that `grown` has and `table` lacks. */
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
