/**
 * What the maps of some rows have of each key, and the keys that deserve to be hot.
 *
 * All of it is sums, and a set of keys that is cut by a rule on names alone ([[KeyLimiter]]). So rows, batches and files may
 * come in any order, and equal counts have equal bytes.
 */
package shreddedvariant.maps

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types.{BinaryType, DataType, StringType, VariantType}
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

final class KeyCounts private (mostKeys: Int) {
  import KeyCounts._

  def this() = this(KeyCounts.MostKeys)

  private var counts = new java.util.HashMap[UTF8String, KeyCount]
  private var all = 0L

  /** The guard's limit. */
  private var limit = KeyLimiter.Unlimited

  /** Whether keys were left out, because there are too many. */
  def isCut: Boolean = {
    settle()
    limit != KeyLimiter.Unlimited
  }

  /** Maps that were added; those that are NULL count for nothing. */
  def maps: Long = all

  /** Adds a map with values of this type. */
  def add(entries: MapData, values: DataType): Unit = {
    all += 1
    val (keys, of) = (entries.keyArray(), entries.valueArray())
    var i = 0
    while (i < entries.numElements()) {
      if (!of.isNullAt(i)) {
        val key = keys.getUTF8String(i)
        if (key.numBytes <= MaxKeyBytes) {
          val counted = count(key)
          if (counted != null) counted.add(1, key.numBytes + bytes(of, i, values))
        }
      }
      i += 1
    }
    // Some more may wait for the next cut, so that not every new key makes all be looked at.
    if (counts.size > mostKeys + mostKeys / 4) restrict()
  }

  def merge(other: KeyCounts): Unit = {
    all += other.all
    if (other.limit < limit) keepBelow(other.limit)
    // Counts may be merged with themselves.
    for ((key, added) <- other.counts.asScala.toSeq) {
      val counted = count(key)
      if (counted != null) counted.add(added.maps, added.bytes)
    }
    settle()
  }

  /** The count of a key; null if it is left out. */
  private def count(key: UTF8String): KeyCount = {
    val known = counts.get(key)
    if (known != null || limit != KeyLimiter.Unlimited && KeyLimiter.place(key) >= limit) known
    else {
      val count = new KeyCount
      counts.put(key.copy(), count)
      count
    }
  }

  /** Brings the keys to what the guard allows. */
  private def settle(): Unit = if (counts.size > mostKeys) restrict()

  private def restrict(): Unit =
    keepBelow(math.min(
      limit,
      KeyLimiter.limit(counts.keySet.asScala.iterator.map(KeyLimiter.place).toArray, mostKeys)
    ))

  private def keepBelow(least: Long): Unit = {
    limit = least
    counts.keySet.removeIf(key => KeyLimiter.place(key) >= least)
    ()
  }

  /** The keys that hold most bytes among those that are frequent enough; of equal ones the first by name. */
  def hot(limits: KeyLimits): Seq[String] = {
    settle()
    val chosen = counts.asScala.toSeq.filter { case (key, count) =>
      // What is no text has no name in a footer.
      isFrequent(count, limits.minFrequency) && UTF8String.fromString(key.toString) == key
    }.sorted(byBytes).map(_._1.toString).filterNot(limits.always.toSet)
    limits.always ++ chosen.take(math.max(limits.maxKeys - limits.always.size, 0))
  }

  /** Division rounds to the nearest number, and so does the limit as it is read: 7 of 100 are 0.07. */
  private def isFrequent(count: KeyCount, least: Double) = all > 0 && count.maps.toDouble / all >= least

  /**
   * So many counts that the others will hardly be hot in a table: of frequent keys, then of nearly frequent ones, by
   * bytes; and no more than fit into so many bytes.
   */
  def nearest(limits: KeyLimits, mostBytes: Int): KeyCounts = {
    settle()
    val few = new KeyCounts(mostKeys)
    few.all = all
    few.limit = limit
    val floors = Seq(1, Nearness).map(limits.minFrequency / _)
    val nearness =
      Ordering.by[Counted, Int](key => floors.count(!isFrequent(key._2, _))).orElse(byBytes)
    val ranked = counts.asScala.toSeq.sorted(nearness).take(MostNearest)
    val sizes =
      ranked.scanLeft(KeyCountsFormat.MostOfHeader)((sum, key) => sum + KeyCountsFormat.most(key._1))
    few.counts = asMap(ranked.zip(sizes.tail).takeWhile(_._2 <= mostBytes).map(_._1))
    few
  }

  /** A compact form that is the same for equal counts. */
  def toBytes: Array[Byte] = {
    settle()
    KeyCountsFormat.write(all, limit, counts.asScala.toSeq.sorted(byName))
  }

  private def bytes(values: ArrayData, i: Int, dataType: DataType): Long = dataType match {
    case _: StringType => values.getUTF8String(i).numBytes.toLong
    case BinaryType => values.getBinary(i).length.toLong
    case VariantType => values.getVariant(i).getValue.length.toLong
    case other => other.defaultSize.toLong
  }
}

object KeyCounts {

  /** Longer keys are no hot ones. */
  val MaxKeyBytes = 1024

  /** How many keys are tracked. */
  val MostKeys = 100000

  /** Footers have so many counts. Nearly frequent are keys that reach a floor which is lower by this factor. */
  private val MostNearest = 1000
  private val Nearness = 10

  private[maps] type Counted = (UTF8String, KeyCount)

  private val byName: Ordering[Counted] = (a, b) => a._1.binaryCompare(b._1)
  private val byBytes: Ordering[Counted] = Ordering.by[Counted, Long](-_._2.bytes).orElse(byName)

  def fromBytes(bytes: Array[Byte]): KeyCounts = {
    val counts = new KeyCounts
    val (all, limit, keys) = KeyCountsFormat.read(bytes)
    counts.all = all
    counts.limit = limit
    counts.counts = asMap(keys)
    counts
  }

  /** Counts with a limit of their own, for tests. */
  private[maps] def limitedTo(mostKeys: Int): KeyCounts = new KeyCounts(mostKeys)

  private def asMap(counts: Iterable[Counted]) = {
    val map = new java.util.HashMap[UTF8String, KeyCount]
    counts.foreach { case (key, count) => map.put(key, count) }
    map
  }
}

/** In how many maps a key has a value, and the bytes of both. */
private[maps] final class KeyCount(var maps: Long = 0, var bytes: Long = 0) {
  def add(maps: Long, bytes: Long): Unit = {
    this.maps += maps
    this.bytes += bytes
  }
}
