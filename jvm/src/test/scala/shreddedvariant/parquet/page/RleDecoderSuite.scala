/**
 * Empty runs and pages without dictionary ids, which other writers may write, are read as Spark's own decoder
 * does.
 */
package shreddedvariant.parquet.page

import java.nio.ByteBuffer

import org.apache.parquet.column.Encoding
import org.apache.parquet.io.ParquetDecodingException
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT32
import org.apache.parquet.schema.Types

class RleDecoderSuite extends shreddedvariant.Suite {
  test("empty runs are skipped, and bytes with only empty runs give an error") {
    val empty = Array[Byte](0, 1, 1, 0, 0)
    val decoder = new RleDecoder(ByteBuffer.wrap(empty ++ Array[Byte](6, 1)), 1)
    assertEquals(Seq.fill(3)(decoder.next()), Seq(1, 1, 1))
    intercept[ParquetDecodingException](new RleDecoder(ByteBuffer.wrap(empty), 1).next())
  }

  test("a page without dictionary ids has no values, not the dictionary's first entry") {
    val column = Types.required(INT32).named("a")
    def ids(bytes: Byte*) = ValueCopy(
      Encoding.RLE_DICTIONARY,
      column,
      ByteBuffer.wrap(bytes.toArray),
      new PageBuffer,
      maxCount = 8
    )
    ids().skip(0)
    ids().copy(0)
    intercept[ParquetDecodingException](ids().copy(1))
    intercept[ParquetDecodingException](ids().skip(1))
    ids(0).copy(1)
  }
}
