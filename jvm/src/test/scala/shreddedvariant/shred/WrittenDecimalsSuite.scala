/** Decimals of a file become variants only if they have at most 38 digits. */
package shreddedvariant.shred

import java.math.BigInteger

import org.apache.spark.types.variant.Variant
import shreddedvariant.binary.MalformedVariant

class WrittenDecimalsSuite extends shreddedvariant.Suite {
  private val noKeys = Array[Byte](1, 0, 0)

  private def written(unscaled: Array[Byte]): Variant = {
    val out = new Bytes(32)
    ValueWriter.decimal(out, unscaled, 0)
    new Variant(out.raw.take(out.length), noKeys)
  }

  test("decimals of up to 38 digits are written") {
    val largest = BigInteger.TEN.pow(38).subtract(BigInteger.ONE)
    for (
      number <- Seq(BigInteger.ZERO, BigInteger.valueOf(-7), BigInteger.TEN.pow(20), largest, largest.negate)
    )
      assertEquals(written(number.toByteArray).getDecimal.toBigIntegerExact, number)
  }

  test("longer decimals and those without a byte are malformed") {
    val beyond = BigInteger.TEN.pow(38)
    for (
      number <-
        Seq(beyond, beyond.negate, BigInteger.TWO.pow(127).subtract(BigInteger.ONE), BigInteger.TEN.pow(60))
    )
      intercept[MalformedVariant](written(number.toByteArray))
    intercept[MalformedVariant](written(Array.empty))
  }
}
