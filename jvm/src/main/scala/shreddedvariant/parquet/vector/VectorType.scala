/** Maps SQL types to the types of vectors. */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.types._

/** The type of a vector for a SQL type, without collations, which affect expressions and not storage. */
object VectorType {
  def apply(columns: StructType): StructType =
    StructType(columns.map(f => f.copy(dataType = apply(f.dataType))))

  def apply(dataType: DataType): DataType = dataType match {
    case _: StringType => StringType
    case ArrayType(element, nulls) => ArrayType(apply(element), nulls)
    case MapType(key, value, nulls) => MapType(apply(key), apply(value), nulls)
    case StructType(fields) => StructType(fields.map(f => f.copy(dataType = apply(f.dataType))))
    case other => other
  }

  def hasUserTypes(dataType: DataType): Boolean = dataType match {
    case _: UserDefinedType[_] => true
    case ArrayType(element, _) => hasUserTypes(element)
    case MapType(key, value, _) => hasUserTypes(key) || hasUserTypes(value)
    case StructType(fields) => fields.exists(f => hasUserTypes(f.dataType))
    case _ => false
  }
}
