/** Builds a stored value of the draft layout: a dictionary of exactly the keys of the value, then the value. */
package shreddedvariant.shred

import shreddedvariant.binary.{Encoding, JoinedDictionary, Names, ResolvedDictionary}

final class SelfContained(names: Names) {
  private val value = new Bytes(256)
  private val out = new Bytes(256)
  private val keys = new JoinedDictionary(names)
  private val copy = new RekeyingCopy(keys, value, Encoding.MaxDepth)

  /** The result is valid until the next call. */
  def whole(dictionary: ResolvedDictionary, bytes: Array[Byte], at: Int): Bytes = {
    keys.clear()
    value.clear()
    out.clear()
    copy.copy(new StoredValue(bytes, at, dictionary), at)
    val metadata = keys.metadata
    out.put(metadata, 0, metadata.length)
    out.put(value.raw, 0, value.length)
    out
  }
}
