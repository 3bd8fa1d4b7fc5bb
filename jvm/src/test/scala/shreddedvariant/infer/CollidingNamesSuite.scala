/** Names that a writer chose for their hash cost no more than other names. */
package shreddedvariant.infer

import java.nio.{ByteBuffer, ByteOrder}

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.hash.Murmur3_x86_32

class CollidingNamesSuite extends shreddedvariant.Suite {
  private val count = 60000

  /** Names of eight bytes with the same Murmur3 hash of seed 42: the second word undoes the first. */
  private def names: Seq[Array[Byte]] = {
    def inverse(odd: Int) = Iterator.iterate(odd)(x => x * (2 - odd * x)).drop(6).next()
    val (first, second) = (0xcc9e2d51, 0x1b873593)
    def mix(word: Int) = Integer.rotateLeft(word * first, 15) * second
    def unmix(mixed: Int) = Integer.rotateRight(mixed * inverse(second), 15) * inverse(first)
    Iterator.from(0).map { i =>
      val state = Integer.rotateLeft(42 ^ mix(i), 13) * 5 + 0xe6546b64
      ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putInt(i).putInt(unmix(state ^ 0x1234567)).array
    }.take(count).toSeq
  }

  private def table(names: Seq[Array[Byte]]): Double = {
    val table = new NameTable
    val start = System.nanoTime
    for (name <- names) table.intern(name, 0, name.length, Name.hash(name, 0, name.length))
    (System.nanoTime - start) / 1e9
  }

  test("names with one Murmur3 hash are interned in linear time") {
    val colliding = names
    val hashes =
      colliding.map(n => Murmur3_x86_32.hashUnsafeBytes(n, Platform.BYTE_ARRAY_OFFSET.toLong, n.length, 42))
    assertEquals(hashes.distinct.size, 1)
    val took = table(colliding)
    assert(took < 2, s"$took s")
  }
}
