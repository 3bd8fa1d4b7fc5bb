/** The names of tracked paths. Each name is one object, so a node finds its child by reference. */
package shreddedvariant.infer

import java.util.Arrays

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.hash.Murmur3_x86_32
import shreddedvariant.binary.Hash

/** [[PathOrder]] orders paths by `digits`, length and `spread`. */
private[infer] final class Name(val bytes: Array[Byte], val hash: Int) {
  val digits: Int = Name.digits(bytes, 0, bytes.length)
  val spread: Long = Name.spread(bytes, 0, bytes.length)
}

private[infer] object Name {

  /** Longer names are not tracked, because they are probably data. */
  final val MaxBytes = 256

  /** The hash for tables of names, see [[shreddedvariant.binary.Hash]]. */
  def hash(bytes: Array[Byte], from: Int, until: Int): Int = Hash.of(bytes, from, until - from)

  /** A 64-bit hash that is the same in all processes. */
  def spread(bytes: Array[Byte], from: Int, until: Int): Long =
    murmur(bytes, from, until, 7).toLong << 32 | (murmur(bytes, from, until, 42) & 0xffffffffL)

  def digits(bytes: Array[Byte], from: Int, until: Int): Int = {
    var digits = 0
    var i = from
    while (i < until) {
      if (bytes(i) >= '0' && bytes(i) <= '9') digits += 1
      i += 1
    }
    digits
  }

  private def murmur(bytes: Array[Byte], from: Int, until: Int, seed: Int) =
    Murmur3_x86_32.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET + from.toLong, until - from, seed)
}

private[infer] final class NameTable {
  private var slots = new Array[Name](16)
  private var size = 0

  /** The name with these bytes, or null. */
  def find(bytes: Array[Byte], from: Int, until: Int, hash: Int): Name = {
    val mask = slots.length - 1
    var slot = hash & mask
    var name = slots(slot)
    while (
      name != null && (name.hash != hash || !Arrays.equals(
        name.bytes,
        0,
        name.bytes.length,
        bytes,
        from,
        until
      ))
    ) {
      slot = (slot + 1) & mask
      name = slots(slot)
    }
    name
  }

  /** The name with these bytes; adds the name if it is new. */
  def intern(bytes: Array[Byte], from: Int, until: Int, hash: Int): Name = {
    val existing = find(bytes, from, until, hash)
    if (existing != null) existing
    else {
      val name = new Name(Arrays.copyOfRange(bytes, from, until), hash)
      add(name)
      name
    }
  }

  /** Adds a name that the table does not have. */
  def add(name: Name): Unit = {
    if (size * 2 >= slots.length) {
      val old = slots
      slots = new Array[Name](old.length * 2)
      old.foreach(n => if (n != null) put(n))
    }
    put(name)
    size += 1
  }

  private def put(name: Name): Unit = {
    val mask = slots.length - 1
    var slot = name.hash & mask
    while (slots(slot) != null) slot = (slot + 1) & mask
    slots(slot) = name
  }
}
