/**
 * What the maps of some rows have of each key, and the keys that deserve to be hot.
 *
 * All of it is sums, so rows, batches and files may come in any order. Of more keys than [[KeyCounts.MostKeys]] those go
 * that the fewest maps have so far: keys that are frequent stay, whatever else the maps hold.
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
        if (key.numBytes <= MaxKeyBytes) count(key).add(1, key.numBytes + bytes(of, i, values))
      }
      i += 1
    }
    if (counts.size > 2 * mostKeys) restrict()
  }

  def merge(other: KeyCounts): Unit = {
    all += other.all
    // Counts may be merged with themselves.
    for ((key, added) <- other.counts.asScala.toSeq) count(key).add(added.maps, added.bytes)
    if (counts.size > 2 * mostKeys) restrict()
  }

  private def count(key: UTF8String): KeyCount = {
    val known = counts.get(key)
    if (known != null) known
    else {
      val count = new KeyCount
      counts.put(key.copy(), count)
      count
    }
  }

  private def restrict(): Unit = {
    val byMaps = Ordering.by[Counted, Long](-_._2.maps).orElse(byName)
    counts = asMap(counts.asScala.toSeq.sorted(byMaps).take(mostKeys))
  }

  /** The keys that hold most bytes among those that are frequent enough; of equal ones the first by name. */
  def hot(limits: KeyLimits): Seq[String] = {
    val least = limits.minFrequency * all
    val chosen = counts.asScala.toSeq.filter { case (key, count) =>
      // What is no text has no name in a footer.
      count.maps >= least && UTF8String.fromString(key.toString) == key
    }.sorted(byBytes).map(_._1.toString).filterNot(limits.always.toSet)
    limits.always ++ chosen.take(math.max(limits.maxKeys - limits.always.size, 0))
  }

  /** So many counts that the others will hardly be hot in a table: of frequent keys, then of nearly frequent ones, by bytes. */
  def nearest(limits: KeyLimits): KeyCounts = {
    val few = new KeyCounts(mostKeys)
    few.all = all
    val floors = Seq(1, Nearness).map(limits.minFrequency / _ * all)
    val nearness = Ordering.by[Counted, Int](key => floors.count(_ > key._2.maps.toDouble)).orElse(byBytes)
    few.counts = asMap(counts.asScala.toSeq.sorted(nearness).take(MostNearest))
    few
  }

  /** A compact form that is the same for equal counts. */
  def toBytes: Array[Byte] = KeyCountsFormat.write(all, counts.asScala.toSeq.sorted(byName))

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

  /** How many keys are left when there are twice as many. */
  val MostKeys = 100000

  /** Footers have so many counts. Nearly frequent are keys that reach a floor which is lower by this factor. */
  private val MostNearest = 1000
  private val Nearness = 10

  private[maps] type Counted = (UTF8String, KeyCount)

  private val byName: Ordering[Counted] = (a, b) => a._1.binaryCompare(b._1)
  private val byBytes: Ordering[Counted] = Ordering.by[Counted, Long](-_._2.bytes).orElse(byName)

  def fromBytes(bytes: Array[Byte]): KeyCounts = {
    val counts = new KeyCounts
    val (all, keys) = KeyCountsFormat.read(bytes)
    counts.all = all
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
