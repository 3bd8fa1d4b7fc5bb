/**
 * A pool for each thread of the arrays that hold file contents and decompressed pages, for reuse by the next
 * file.
 *
 * In a query over many files, new arrays would be most of what is allocated, and the JVM would first fill each
 * with zeros.
 *
 * Law: no code uses an array after it is given back. A [[PageBuffer]] gives its array back when its file is
 * closed, parquet-java when the pages of a row group are closed. Decoders return copies of the bytes in these
 * arrays.
 */
package shreddedvariant.parquet.page

import java.lang.ref.SoftReference
import java.nio.ByteBuffer

import scala.collection.mutable

import org.apache.parquet.bytes.ByteBufferAllocator

private[parquet] object PageArrays {
  private final val MinSize = 16 * 1024
  final val MaxSize = 4 * 1024 * 1024
  private final val MaxPooledSize = 32L * 1024 * 1024

  /** An array of at least this size. It may contain old bytes. */
  def take(size: Int): Array[Byte] =
    if (size < MinSize || size > MaxSize) new Array[Byte](size)
    else ofThread.remove(size).getOrElse(new Array[Byte](rounded(size)))

  def give(array: Array[Byte]): Unit =
    if (array.length >= MinSize && array.length <= MaxSize) ofThread.add(array)

  /** Rounds up, so that the array can serve requests of similar size. */
  private def rounded(size: Int) = {
    val step = Integer.highestOneBit(size) / 4
    (size + step - 1) / step * step
  }

  private final class Free {
    private val arrays = mutable.ArrayBuffer.empty[Array[Byte]]
    private var totalSize = 0L

    def add(array: Array[Byte]): Unit =
      if (totalSize + array.length <= MaxPooledSize) {
        arrays += array
        totalSize += array.length
      }

    /** Removes and returns the smallest array that is large enough. */
    def remove(size: Int): Option[Array[Byte]] = {
      var best = -1
      var i = 0
      while (i < arrays.length) {
        val length = arrays(i).length
        if (length >= size && (best < 0 || length < arrays(best).length)) best = i
        i += 1
      }
      Option.when(best >= 0) {
        totalSize -= arrays(best).length
        arrays.remove(best)
      }
    }
  }

  private val free = new ThreadLocal[SoftReference[Free]]

  private def ofThread: Free = {
    val existing = Option(free.get).flatMap(reference => Option(reference.get))
    existing.getOrElse {
      val created = new Free
      free.set(new SoftReference(created))
      created
    }
  }
}

/** Lets parquet-java read file contents into pooled arrays. parquet-java releases each array after use. */
private[parquet] final class PageAllocator extends ByteBufferAllocator {
  override def allocate(size: Int): ByteBuffer = ByteBuffer.wrap(PageArrays.take(size), 0, size).slice()
  override def release(bytes: ByteBuffer): Unit = PageArrays.give(bytes.array)
  override def isDirect: Boolean = false
}
