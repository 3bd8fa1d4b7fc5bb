/**
 * Arrays that one file was read into, and its pages decompressed, for the next one that a thread reads: of a query over
 * many files new ones would be most of what is allocated, and each would first be filled with zeros.
 *
 * Law: whoever gives an array has forgotten it. A [[PageBuffer]] does so when its file is closed, parquet-java when the
 * pages of a row group are; what decoders hand on, they have copied.
 */
package shreddedvariant.parquet.page

import java.lang.ref.SoftReference
import java.nio.ByteBuffer

import scala.collection.mutable

import org.apache.parquet.bytes.ByteBufferAllocator

private[parquet] object PageArrays {
  private final val Least = 16 * 1024
  final val Most = 4 * 1024 * 1024
  private final val MostTogether = 32L * 1024 * 1024

  /** An array of at least this size; it may hold anything. */
  def take(size: Int): Array[Byte] =
    if (size < Least || size > Most) new Array[Byte](size)
    else ofThread.remove(size).getOrElse(new Array[Byte](rounded(size)))

  def give(array: Array[Byte]): Unit =
    if (array.length >= Least && array.length <= Most) ofThread.add(array)

  /** A little more than is needed, so that it suits what is almost as large. */
  private def rounded(size: Int) = {
    val step = Integer.highestOneBit(size) / 4
    (size + step - 1) / step * step
  }

  private final class Free {
    private val arrays = mutable.ArrayBuffer.empty[Array[Byte]]
    private var together = 0L

    def add(array: Array[Byte]): Unit =
      if (together + array.length <= MostTogether) {
        arrays += array
        together += array.length
      }

    /** The smallest that is large enough. */
    def remove(size: Int): Option[Array[Byte]] = {
      var best = -1
      var i = 0
      while (i < arrays.length) {
        val length = arrays(i).length
        if (length >= size && (best < 0 || length < arrays(best).length)) best = i
        i += 1
      }
      Option.when(best >= 0) {
        together -= arrays(best).length
        arrays.remove(best)
      }
    }
  }

  private val free = new ThreadLocal[SoftReference[Free]]

  private def ofThread: Free = {
    val known = Option(free.get).flatMap(reference => Option(reference.get))
    known.getOrElse {
      val made = new Free
      free.set(new SoftReference(made))
      made
    }
  }
}

/** For what parquet-java reads of a file: it gives back what it is through with. */
private[parquet] final class PageAllocator extends ByteBufferAllocator {
  override def allocate(size: Int): ByteBuffer = ByteBuffer.wrap(PageArrays.take(size), 0, size).slice()
  override def release(bytes: ByteBuffer): Unit = PageArrays.give(bytes.array)
  override def isDirect: Boolean = false
}
