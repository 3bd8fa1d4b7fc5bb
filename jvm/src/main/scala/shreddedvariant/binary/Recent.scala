/** What was met last, by the bytes that it stands for: compared with a few is quicker than hashed, and mostly one of them. */
package shreddedvariant.binary

import java.util.Arrays

final class Recent[A <: AnyRef](bytesOf: A => Array[Byte]) {
  private val all = new Array[AnyRef](Recent.Size)
  private val bytes = new Array[Array[Byte]](Recent.Size)
  private var oldest = 0
  private var last = 0

  /** Null if none has the first bytes of an array. */
  def find(from: Array[Byte], length: Int): A = {
    if (!isAt(last, from, length)) {
      last = 0
      while (last < Recent.Size && !isAt(last, from, length)) last += 1
      if (last == Recent.Size) {
        last = 0
        return null.asInstanceOf[A]
      }
    }
    all(last).asInstanceOf[A]
  }

  private def isAt(i: Int, from: Array[Byte], length: Int) = {
    val own = bytes(i)
    own != null && own.length == length && Arrays.equals(own, 0, length, from, 0, length)
  }

  def add(one: A): Unit = {
    all(oldest) = one
    bytes(oldest) = bytesOf(one)
    last = oldest
    oldest = (oldest + 1) % Recent.Size
  }
}

private object Recent {
  final val Size = 8
}
