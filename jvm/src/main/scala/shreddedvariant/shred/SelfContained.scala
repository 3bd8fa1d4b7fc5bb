/** A stored value as the draft wants it: behind a dictionary of its own that has the keys of this value and no others. */
package shreddedvariant.shred

import shreddedvariant.binary.{Encoding, JoinedDictionary, Names, ResolvedDictionary}

final class SelfContained(names: Names) {
  private val value = new Bytes(256)
  private val out = new Bytes(256)
  private val keys = new JoinedDictionary(names)
  private val copy = new RekeyingCopy("", keys, value, Int.MaxValue, Encoding.MaxDepth)

  /** Valid until the next call. */
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
