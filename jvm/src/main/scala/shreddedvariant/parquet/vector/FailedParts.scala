/**
 * Says whether Spark's strict cast of a variant to an array, map or struct raises an error, from the value that
 * the lax cast gives.
 *
 * Law: both casts go through the same parts of the variant. The strict cast raises where the lax cast gives
 * null for a part that is no variant null, and gives the same value elsewhere. So only nulls, and parts that
 * may contain nulls, are compared with the variant.
 */
package shreddedvariant.parquet.vector

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.Variant
import org.apache.spark.types.variant.VariantUtil.Type
import shreddedvariant.SparkBridge
import shreddedvariant.stats.ScalarCast

private[vector] object FailedParts {

  /** `value` is the lax cast of `variant` to `target`. */
  def has(variant: Variant, value: Any, target: DataType): Boolean =
    if (value == null) variant.getType != Type.NULL
    else
      target match {
        case ArrayType(element, _) =>
          inArray(value.asInstanceOf[ArrayData], element, variant.getElementAtIndex)
        // Spark's cast gives the entries in the order of the variant's fields.
        case MapType(_, of, _) =>
          inArray(value.asInstanceOf[MapData].valueArray(), of, variant.getFieldAtIndex(_).value)
        case fields: StructType => inFields(value.asInstanceOf[InternalRow], fields, variant)
        case _ => false
      }

  private def inArray(parts: ArrayData, of: DataType, variant: Int => Variant): Boolean = {
    val nested = isNested(of)
    (0 until parts.numElements()).exists { i =>
      if (parts.isNullAt(i)) has(variant(i), null, of) else nested && has(variant(i), parts.get(i, of), of)
    }
  }

  private def inFields(row: InternalRow, fields: StructType, variant: Variant): Boolean =
    (0 until variant.objectSize).exists { i =>
      val part = variant.getFieldAtIndex(i)
      SparkBridge.fieldIndex(fields, part.key).map(_.asInstanceOf[Int]).exists { at =>
        has(part.value, row.get(at, fields(at).dataType), fields(at).dataType)
      }
    }

  private def isNested(target: DataType) = target != VariantType && !ScalarCast.isScalar(target)
}
