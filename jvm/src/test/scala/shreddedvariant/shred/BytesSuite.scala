/** A byte array that grows: what is put stays, from any memory, and a gap takes any width. */
package shreddedvariant.shred

import org.apache.spark.unsafe.memory.MemoryAllocator
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink

class BytesSuite extends shreddedvariant.LawSuite {
  private val chunks = Gen.listOf(Gen.listOf(Gen.choose(Byte.MinValue, Byte.MaxValue)).map(_.toArray))

  property("chunks stand one after the other, whatever the first size") {
    forAllNoShrink(chunks, Gen.choose(0, 9)) { (chunks, initial) =>
      val bytes = new Bytes(initial)
      chunks.foreach(chunk => bytes.put(chunk, 0, chunk.length))
      bytes.slice(0, bytes.length).toSeq == chunks.flatten
    }
  }

  property("a gap is made wider or narrower, and the bytes around it stay") {
    forAllNoShrink(Gen.choose(0, 9), Gen.choose(0, 9), Gen.choose(0, 9), Gen.choose(0, 20)) {
      (before, from, to, after) =>
        val bytes = new Bytes(1)
        for (i <- 0 until before) bytes.put(i.toByte)
        bytes.skip(from)
        for (i <- 0 until after) bytes.put((50 + i).toByte)
        bytes.resizeGap(before, from, to)
        val all = bytes.slice(0, bytes.length).toSeq
        all.size == before + to + after && all.take(before) == (0 until before).map(_.toByte) &&
        all.drop(before + to) == (0 until after).map(i => (50 + i).toByte)
    }
  }

  property("a number stands as its low bytes, little-endian") {
    forAllNoShrink(Gen.long, Gen.choose(1, 8)) { (number, width) =>
      val bytes = new Bytes(1)
      bytes.putNumber(number, width)
      bytes.slice(0, bytes.length).toSeq == (0 until width).map(i => (number >>> 8 * i).toByte)
    }
  }

  test("a text is taken from the heap, from a part of an array and from outside of the heap") {
    val text = "é text".getBytes("UTF-8")
    val block = MemoryAllocator.UNSAFE.allocate(text.length.toLong)
    try {
      org.apache.spark.unsafe.Platform.copyMemory(
        text,
        org.apache.spark.unsafe.Platform.BYTE_ARRAY_OFFSET,
        null,
        block.getBaseOffset,
        text.length.toLong
      )
      for (
        from <- Seq(
          UTF8String.fromBytes(text),
          UTF8String.fromBytes(Array[Byte](1, 2) ++ text :+ 3.toByte, 2, text.length),
          UTF8String.fromAddress(null, block.getBaseOffset, text.length)
        )
      ) {
        val bytes = new Bytes(1)
        bytes.put(0.toByte)
        bytes.put(from)
        assertEquals(bytes.slice(1, bytes.length).toSeq, text.toSeq)
      }
    } finally MemoryAllocator.UNSAFE.free(block)
  }
}
