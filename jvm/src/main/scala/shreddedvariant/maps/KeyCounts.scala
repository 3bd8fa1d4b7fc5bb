/** What the maps of some rows have of each key, and the keys that deserve to be hot. */
package shreddedvariant.maps

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types.{BinaryType, MapType, StringType, VariantType}
import org.apache.spark.unsafe.types.UTF8String

/** Beside the keys that are `always` hot: at most so many in all, each with a value in that share of the maps. */
final case class KeyLimits(
    always: Seq[String] = Nil,
    maxKeys: Int = KeyLimits.MaxKeys,
    minFrequency: Double = KeyLimits.MinFrequency
)

object KeyLimits {
  final val MaxKeys = 64
  final val MinFrequency = 0.10
}

final class KeyCounts(map: MapType) {
  import KeyCounts._

  private val counts = new java.util.HashMap[UTF8String, Count]
  private var maps = 0L

  /** Maps that are NULL count for nothing. */
  def add(entries: MapData): Unit = {
    maps += 1
    val (keys, values) = (entries.keyArray(), entries.valueArray())
    var i = 0
    while (i < entries.numElements()) {
      if (!values.isNullAt(i)) {
        val key = keys.getUTF8String(i)
        var count = counts.get(key)
        // More keys than that are no hot ones: what is left out here costs the choice and not the data.
        if (count == null && counts.size < MostKeys) {
          count = new Count
          counts.put(key.copy(), count)
        }
        if (count != null) {
          count.maps += 1
          count.bytes += key.numBytes + bytes(values, i)
        }
      }
      i += 1
    }
  }

  /** The keys that hold most bytes among those that are frequent enough; of equal ones the first by name. */
  def hot(limits: KeyLimits): Seq[String] = {
    val least = limits.minFrequency * maps
    val frequent = Seq.newBuilder[(String, Long)]
    counts.forEach { (key, count) =>
      val name = key.toString
      // What is no text has no name in a footer.
      if (count.maps >= least && UTF8String.fromString(name) == key) frequent += name -> count.bytes
    }
    val chosen =
      frequent.result().filterNot(k => limits.always.contains(k._1)).sortWith { case ((a, x), (b, y)) =>
        x > y || x == y && java.util.Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8)) < 0
      }
    limits.always ++ chosen.map(_._1).take(math.max(limits.maxKeys - limits.always.size, 0))
  }

  private def bytes(values: ArrayData, i: Int): Long = map.valueType match {
    case _: StringType => values.getUTF8String(i).numBytes.toLong
    case BinaryType => values.getBinary(i).length.toLong
    case VariantType => values.getVariant(i).getValue.length.toLong
    case other => other.defaultSize.toLong
  }
}

private object KeyCounts {
  val MostKeys = 100000

  final class Count {
    var maps = 0L
    var bytes = 0L
  }
}
