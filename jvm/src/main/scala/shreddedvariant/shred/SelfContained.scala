/** A stored value as the draft wants it: behind a dictionary of its own that has the keys of this value and no others. */
package shreddedvariant.shred

import org.apache.parquet.io.api.Binary
import shreddedvariant.binary.{JoinedDictionary, Names, ResolvedDictionary}

final class SelfContained(names: Names) {
  private val value = new Bytes(256)
  private val whole = new Bytes(256)
  private val keys = new JoinedDictionary(names)
  private val copy = new ValueCopy("", keys, value, Int.MaxValue, SelfContained.MaxDepth)

  /** Valid until the next call. */
  def binary(dictionary: ResolvedDictionary, bytes: Array[Byte], at: Int): Binary = {
    keys.clear()
    value.clear()
    whole.clear()
    copy.copy(new StoredValue(bytes, at, dictionary), at)
    val metadata = keys.metadata
    whole.put(metadata, 0, metadata.length)
    whole.put(value.raw, 0, value.length)
    Binary.fromReusedByteArray(whole.raw, 0, whole.length)
  }
}

private object SelfContained {

  /** As deep as readers go unless they are told otherwise. */
  private val MaxDepth = 1000
}
