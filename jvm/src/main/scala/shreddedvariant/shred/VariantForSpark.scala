/** The metadata and value of a stored variant as they are passed to Spark, so that Spark finds all keys. */
package shreddedvariant.shred

import java.util.Arrays

import shreddedvariant.binary.{ArrayHeader, Budget, Dictionaries, Dictionary, Encoding, Names, ObjectHeader}

/** `unchanged` disables all changes; `verify` sets it. */
final class VariantForSpark(maxDepth: Int, unchanged: Boolean) {
  private val dictionaries = new Dictionaries(Names.none)

  /** See [[Dictionary.forSpark]]. */
  def metadata(bytes: Array[Byte]): Array[Byte] =
    if (unchanged || !Dictionary.saysSorted(bytes)) bytes
    else dictionaries.resolve(bytes).dictionary.forSpark

  /**
   * The value with its large objects in the order in which Spark searches them.
   *
   * Law: Spark searches objects in UTF-16 order, and files have them in UTF-8 order. The two orders differ only
   * if a key has a four-byte character. Spark searches by order only in objects of at least
   * [[ObjectHeader.Large]] fields, and such an object takes at least [[VariantForSpark.MinBytes]] bytes. So all other
   * values are passed unchanged.
   */
  def value(bytes: Array[Byte], metadata: => Array[Byte]): Array[Byte] =
    if (
      unchanged || bytes.length < VariantForSpark.MinBytes || Encoding.basicType(bytes, 0) < Encoding.Object
    )
      bytes
    else ordered(bytes, metadata)

  private def ordered(bytes: Array[Byte], metadata: Array[Byte]): Array[Byte] =
    if (metadata == null || metadata.length == 0 || !Dictionary.mayHoldLongCharacters(metadata)) bytes
    else {
      val dictionary = dictionaries.resolve(metadata).dictionary
      if (dictionary.ordersMayDiffer) new SparkFieldOrder(dictionary, bytes, maxDepth).result else bytes
    }
}

private object VariantForSpark {

  /** Header, size, an id and an offset for each field, the last offset, and one byte of values. */
  private val MinBytes = 2 + 2 * ObjectHeader.Large + 2
}

/** Sorts only the ids and offsets of an object: the values may have any order. */
private final class SparkFieldOrder(dictionary: Dictionary, stored: Array[Byte], maxDepth: Int) {
  private var bytes = stored
  private val budget = new Budget(stored.length)

  def result: Array[Byte] = {
    order(0, 0)
    bytes
  }

  private def order(at: Int, depth: Int): Unit = {
    if (depth > maxDepth) Encoding.malformed(s"it is nested deeper than $maxDepth")
    Encoding.basicType(bytes, at) match {
      case Encoding.Object =>
        val fields = new ObjectHeader(bytes, at)
        budget.take(fields.length)
        if (fields.size >= ObjectHeader.Large) sort(fields, at)
        var i = 0
        while (i < fields.size) { order(fields.position(i), depth + 1); i += 1 }
      case Encoding.Array =>
        val elements = new ArrayHeader(bytes, at)
        budget.take(elements.length)
        var i = 0
        while (i < elements.size) { order(elements.position(i), depth + 1); i += 1 }
      case _ =>
    }
  }

  private def sort(fields: ObjectHeader, at: Int): Unit = {
    val ranks = Array.tabulate(fields.size)(i => dictionary.ranksInSpark(dictionary.checkId(fields.id(i))))
    if ((1 until ranks.length).exists(i => ranks(i - 1) > ranks(i))) {
      if (bytes eq stored) bytes = stored.clone
      val header = Arrays.copyOfRange(bytes, at, fields.data)
      def move(width: Int, positionOf: Int => Int)(from: Int, to: Int): Unit =
        System.arraycopy(header, positionOf(from) - at, bytes, positionOf(to), width)
      val moveId = move(fields.idWidth, fields.idAt) _
      val moveOffset = move(fields.offsetWidth, fields.offsetAt) _
      for ((from, to) <- ranks.indices.sortBy(ranks(_)).zipWithIndex) {
        moveId(from, to)
        moveOffset(from, to)
      }
    }
  }
}
