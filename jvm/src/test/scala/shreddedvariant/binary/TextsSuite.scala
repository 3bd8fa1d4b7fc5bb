/** Comparing bytes as words gives the same equality and order as comparing them one by one. */
package shreddedvariant.binary

import java.util.Arrays

import scala.util.Random

class TextsSuite extends shreddedvariant.Suite {
  private val random = new Random(9)
  private val bytes = Array[Byte](0, 1, 'a', 0x7f, -128, -1)

  /** Two strings at random positions of arrays; often they are equal, or one is a prefix of the other. */
  private def texts(): (Array[Byte], Int, Int, Array[Byte], Int, Int) = {
    val common = Array.fill(random.nextInt(40))(bytes(random.nextInt(bytes.length)))
    def text(): (Array[Byte], Int, Int) = {
      val own = common.take(common.length - random.nextInt(3)) ++
        Array.fill(random.nextInt(3))(bytes(random.nextInt(bytes.length)))
      val (before, after) = (random.nextInt(9), random.nextInt(9))
      (
        Array.fill[Byte](before)(7) ++ own ++ Array.fill[Byte](after)(random.nextInt().toByte),
        before,
        own.length
      )
    }
    val ((a, fromA, lengthA), (b, fromB, lengthB)) = (text(), text())
    (a, fromA, lengthA, b, fromB, lengthB)
  }

  test("order, equality and the beginning of a text") {
    for (_ <- 0 until 100000) {
      val (a, fromA, lengthA, b, fromB, lengthB) = texts()
      val order = Arrays.compareUnsigned(a, fromA, fromA + lengthA, b, fromB, fromB + lengthB).sign
      assertEquals(Texts.compare(a, fromA, lengthA, b, fromB, lengthB).sign, order)
      if (lengthA == lengthB)
        assertEquals(Texts.areEqual(a, fromA, b, fromB, lengthA), order == 0)
      val prefixOrder = Texts.comparable(a, fromA, lengthA)
        .compare(Texts.comparable(b, fromB, lengthB)).sign
      assert(prefixOrder == 0 || prefixOrder == order)
    }
  }

  test("few bytes, with and without bytes after them") {
    for (length <- 0 to LittleEndian.Few; after <- 0 to 8) {
      val text = Array.tabulate(length)(i => (200 + i).toByte)
      val number = text.zipWithIndex.map { case (byte, i) => (byte & 0xffL) << 8 * i }.sum
      assertEquals(LittleEndian.few(text ++ Array.fill[Byte](after)(-1), 0, length), number)
    }
  }
}
