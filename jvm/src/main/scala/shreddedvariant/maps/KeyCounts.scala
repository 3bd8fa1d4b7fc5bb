/**
 * Counts the keys of maps, and selects the hot keys.
 *
 * The state consists of sums, and a set of keys that is cut by a rule on names alone ([[KeyLimiter]]). So the
 * result does not depend on the order of rows, batches and files, and equal counts have equal bytes.
 */
package shreddedvariant.maps

import scala.jdk.CollectionConverters._

import com.google.common.math.LongMath
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types.{BinaryType, DataType, StringType, VariantType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * The keys `always` are always hot. At most `maxKeys` keys are hot in total; each other hot key has a
 * value in at least the share `minFrequency` of the maps.
 */
final case class KeyLimits(
    always: Seq[String] = Nil,
    maxKeys: Int = KeyLimits.MaxKeys,
    minFrequency: Double = KeyLimits.MinFrequency
)

object KeyLimits {
  final val MaxKeys = 64
  final val MinFrequency = 0.10
}

final class KeyCounts private (maxTracked: Int) {
  import KeyCounts._

  def this() = this(KeyCounts.MaxCountedKeys)

  private var counts = new java.util.HashMap[UTF8String, KeyCount]
  private var mapCount = 0L

  /** The place from which on keys are left out. */
  private var limit = KeyLimiter.Unlimited

  /** Whether keys were left out because there are too many. */
  def isCut: Boolean = {
    settle()
    limit != KeyLimiter.Unlimited
  }

  /** The number of added maps, without NULL. */
  def maps: Long = mapCount

  /** Adds a map; `valueType` is the type of its values. */
  def add(entries: MapData, valueType: DataType): Unit = {
    mapCount = LongMath.saturatedAdd(mapCount, 1)
    val (keys, values) = (entries.keyArray(), entries.valueArray())
    var i = 0
    while (i < entries.numElements()) {
      if (!values.isNullAt(i)) {
        val key = keys.getUTF8String(i)
        if (key.numBytes <= MaxKeyBytes) {
          val counted = count(key)
          if (counted != null) counted.add(1, key.numBytes + bytes(values, i, valueType))
        }
      }
      i += 1
    }
    // The number of keys may exceed the maximum by a quarter, so that cuts are rare.
    if (counts.size > maxTracked + maxTracked / 4) restrict()
  }

  def merge(other: KeyCounts): Unit = {
    mapCount = LongMath.saturatedAdd(mapCount, other.mapCount)
    if (other.limit < limit) keepBelow(other.limit)
    // Copies the entries, because counts may be merged with themselves.
    for ((key, added) <- other.counts.asScala.toSeq) {
      val counted = count(key)
      if (counted != null) counted.add(added.maps, added.bytes)
    }
    settle()
  }

  /** The count of a key; null if the key is left out. */
  private def count(key: UTF8String): KeyCount = {
    val existing = counts.get(key)
    if (existing != null || limit != KeyLimiter.Unlimited && KeyLimiter.place(key) >= limit) existing
    else {
      val count = new KeyCount
      counts.put(key.copy(), count)
      count
    }
  }

  /** Cuts the keys to the maximum number. */
  private def settle(): Unit = if (counts.size > maxTracked) restrict()

  private def restrict(): Unit =
    keepBelow(math.min(
      limit,
      KeyLimiter.limit(counts.keySet.asScala.iterator.map(KeyLimiter.place).toArray, maxTracked)
    ))

  private def keepBelow(newLimit: Long): Unit = {
    limit = newLimit
    counts.keySet.removeIf(key => KeyLimiter.place(key) >= newLimit)
    ()
  }

  /** The keys with the most bytes among the frequent keys; ties are in the order of names. */
  def hot(limits: KeyLimits): Seq[String] = {
    settle()
    val chosen = counts.asScala.toSeq.filter { case (key, count) =>
      // A footer cannot name a key that is not UTF-8.
      isFrequent(count, limits.minFrequency) && UTF8String.fromString(key.toString) == key
    }.sorted(byBytes).map(_._1.toString).filterNot(limits.always.toSet)
    limits.always ++ chosen.take(math.max(limits.maxKeys - limits.always.size, 0))
  }

  /** Both the quotient and the parsed limit are rounded to the nearest double: 7 of 100 reach 0.07. */
  private def isFrequent(count: KeyCount, minFrequency: Double) =
    mapCount > 0 && count.maps.toDouble / mapCount >= minFrequency

  /**
   * The counts of the keys that are most likely hot in the whole table: frequent keys first, then nearly
   * frequent keys, each by bytes, as many as fit into `maxBytes`.
   */
  def nearest(limits: KeyLimits, maxBytes: Int): KeyCounts = {
    settle()
    val selected = new KeyCounts(maxTracked)
    selected.mapCount = mapCount
    selected.limit = limit
    val thresholds = Seq(1, Nearness).map(limits.minFrequency / _)
    val nearness =
      Ordering.by[Counted, Int](key => thresholds.count(!isFrequent(key._2, _))).orElse(byBytes)
    val ranked = counts.asScala.toSeq.sorted(nearness).take(MaxNearest)
    val sizes =
      ranked.scanLeft(KeyCountsFormat.MaxHeaderBytes)((sum, key) => sum + KeyCountsFormat.maxBytes(key._1))
    selected.counts = asMap(ranked.zip(sizes.tail).takeWhile(_._2 <= maxBytes).map(_._1))
    selected
  }

  /** A compact form; equal counts have equal bytes. */
  def toBytes: Array[Byte] = {
    settle()
    KeyCountsFormat.write(mapCount, limit, counts.asScala.toSeq.sorted(byName))
  }

  private def bytes(values: ArrayData, i: Int, dataType: DataType): Long = dataType match {
    case _: StringType => values.getUTF8String(i).numBytes.toLong
    case BinaryType => values.getBinary(i).length.toLong
    case VariantType => values.getVariant(i).getValue.length.toLong
    case other => other.defaultSize.toLong
  }
}

object KeyCounts {

  /** Longer keys are never hot. */
  val MaxKeyBytes = 1024

  /** The maximum number of tracked keys. */
  val MaxCountedKeys = 100000

  /** The maximum number of counts in a footer; and the factor from nearly frequent keys to frequent keys. */
  private val MaxNearest = 1000
  private val Nearness = 10

  private[maps] type Counted = (UTF8String, KeyCount)

  private val byName: Ordering[Counted] = (a, b) => a._1.binaryCompare(b._1)
  private val byBytes: Ordering[Counted] = Ordering.by[Counted, Long](-_._2.bytes).orElse(byName)

  def fromBytes(bytes: Array[Byte]): KeyCounts = {
    val counts = new KeyCounts
    val (maps, limit, keys) = KeyCountsFormat.read(bytes)
    counts.mapCount = maps
    counts.limit = limit
    counts.counts = asMap(keys)
    counts
  }

  /** Counts with another maximum number of keys, for tests. */
  private[maps] def limitedTo(maxTracked: Int): KeyCounts = new KeyCounts(maxTracked)

  private def asMap(counts: Iterable[Counted]) = {
    val map = new java.util.HashMap[UTF8String, KeyCount]
    counts.foreach { case (key, count) => map.put(key, count) }
    map
  }
}

/**
 * The number of maps in which a key has a value, and the total bytes of the key and the values. Sums saturate,
 * because footers may have counts of any size.
 */
private[maps] final class KeyCount(var maps: Long = 0, var bytes: Long = 0) {
  def add(maps: Long, bytes: Long): Unit = {
    this.maps = LongMath.saturatedAdd(this.maps, maps)
    this.bytes = LongMath.saturatedAdd(this.bytes, bytes)
  }
}
