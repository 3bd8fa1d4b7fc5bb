/** What is handed to Spark of the two binaries of a variant: as they stand in the file, but for what would mislead it. */
package shreddedvariant.shred

import java.util.Arrays

import shreddedvariant.binary.{ArrayHeader, Budget, Dictionaries, Dictionary, Encoding, Names, ObjectHeader}

/** `asTheyStand` is for those who verify a file. */
final class HandedOn(maxDepth: Int, asTheyStand: Boolean) {
  private val dictionaries = new Dictionaries(Names.none)

  /** See [[Dictionary.handedOn]]. */
  def metadata(bytes: Array[Byte]): Array[Byte] =
    if (asTheyStand || !Dictionary.saysSorted(bytes)) bytes
    else dictionaries.resolve(bytes).dictionary.handedOn

  /**
   * The value with its large objects in the order in which Spark searches them.
   *
   * Law: Spark searches by UTF-16 and files are in the order of UTF-8. The two differ only where a key has a character of
   * four bytes, and Spark searches only objects of [[ObjectHeader.Large]] fields, which take [[HandedOn.Least]] bytes.
   */
  def value(bytes: Array[Byte], metadata: => Array[Byte]): Array[Byte] =
    if (asTheyStand || bytes.length < HandedOn.Least || Encoding.basicType(bytes, 0) < Encoding.Object) bytes
    else ordered(bytes, metadata)

  private def ordered(bytes: Array[Byte], metadata: Array[Byte]): Array[Byte] =
    if (metadata == null || metadata.length == 0 || !Dictionary.mayHoldLongCharacters(metadata)) bytes
    else {
      val dictionary = dictionaries.resolve(metadata).dictionary
      if (dictionary.ordersMayDiffer) new InSparksOrder(dictionary, bytes, maxDepth).result else bytes
    }
}

private object HandedOn {

  /** Of an object of so many fields: the header, the size, an id and an offset for each, the last offset, a value. */
  private val Least = 2 + 2 * ObjectHeader.Large + 2
}

/** Only ids and offsets of an object change their places: offsets may lead to values in any order. */
private final class InSparksOrder(dictionary: Dictionary, stored: Array[Byte], maxDepth: Int) {
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
      def move(width: Int, placeOf: Int => Int)(from: Int, to: Int): Unit =
        System.arraycopy(header, placeOf(from) - at, bytes, placeOf(to), width)
      val moveId = move(fields.idWidth, fields.idAt) _
      val moveOffset = move(fields.offsetWidth, fields.offsetAt) _
      for ((from, to) <- ranks.indices.sortBy(ranks(_)).zipWithIndex) {
        moveId(from, to)
        moveOffset(from, to)
      }
    }
  }
}
