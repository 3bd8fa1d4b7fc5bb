/** Allocates the vectors of a file, on or off the heap, and closes all of them together. */
package shreddedvariant.parquet.vector

import scala.collection.mutable

import org.apache.spark.sql.execution.vectorized.{
  OffHeapColumnVector,
  OnHeapColumnVector,
  WritableColumnVector
}
import org.apache.spark.sql.types.DataType

final class VectorAllocator(val capacity: Int, offHeap: Boolean) {
  private val allocated = mutable.ArrayBuffer.empty[WritableColumnVector]

  def allocate(dataType: DataType): WritableColumnVector = ofSize(capacity, dataType)

  /** A vector without capacity for a batch: most files that a query of few rows opens are not decoded. */
  def announce(dataType: DataType): WritableColumnVector = ofSize(1, dataType)

  /**
   * Reserves the capacity of an announced vector. A growing vector usually reserves twice the requested
   * capacity.
   */
  def fit(announced: WritableColumnVector): Unit = {
    announced.reserve((capacity + 1) / 2)
    announced.reserve(capacity)
  }

  private def ofSize(rows: Int, dataType: DataType) = {
    val vector =
      if (offHeap) new OffHeapColumnVector(rows, dataType) else new OnHeapColumnVector(rows, dataType)
    allocated += vector
    vector
  }

  def close(): Unit = allocated.foreach(_.close())
}
