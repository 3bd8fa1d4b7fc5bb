/** Resolves the ids of stored values: the current layout has a dictionary per row, the draft one per value. */
package shreddedvariant.shred

import scala.collection.mutable

import shreddedvariant.{Errors, ShreddedVariantException}
import shreddedvariant.binary.{Budget, Dictionaries, Dictionary, Names, ResolvedDictionary}
import shreddedvariant.layout.{DraftLayout, ParquetLayout}

/** A value that starts at `at` in `bytes`, and the dictionary of its ids. */
final class StoredValue(val bytes: Array[Byte], val at: Int, val dictionary: ResolvedDictionary) {

  /** The common budget of all walks through the value. */
  val budget = new Budget(bytes.length - at)

  /** The rank of a name among the keys of the dictionary, also if the dictionary does not contain the name. */
  def rankOfName(name: Int, names: Names): Int = {
    val id = dictionary.idOfName(name)
    if (id >= 0) dictionary.dictionary.ranks(id) else dictionary.dictionary.rankOf(names.key(name))
  }
}

sealed abstract class StoredKeys(root: CellVector) {
  val names = new Names(StoredKeys.keysOf(root))
  protected val dictionaries = new Dictionaries(names)

  /** Sets the metadata of the current row, if the layout has metadata. */
  def use(metadata: Array[Byte]): Unit
  def stored(cell: CellVector, row: Int): StoredValue

  /** Whether a missing shredded field takes the value of its key in the stored object. */
  def usesStoredForMissing: Boolean
  def conflict(cell: CellVector, reason: String): ShreddedVariantException

  def nameOf(key: String): Int = {
    val bytes = key.getBytes("UTF-8")
    names.find(bytes, 0, bytes.length)
  }
}

private object StoredKeys {

  /** The keys of all objects of a cell, in the order of their first use. */
  def keysOf(cell: CellVector): IndexedSeq[String] = {
    val keys = mutable.LinkedHashSet.empty[String]
    val open = mutable.Stack(cell)
    while (open.nonEmpty) open.pop().typed.foreach {
      case fields: ObjectVector =>
        keys ++= fields.keys
        open.pushAll(fields.cells.reverseIterator)
      case array: ArrayVector => open.push(array.element)
      case _ => ()
    }
    keys.toIndexedSeq
  }
}

/** The current layout: the dictionary of the row, resolved on demand. */
final class RowKeys(root: CellVector) extends StoredKeys(root) {
  private var metadata: Array[Byte] = _
  private var resolved: ResolvedDictionary = _

  override def use(bytes: Array[Byte]): Unit =
    if (bytes ne metadata) {
      metadata = bytes
      resolved = null
    }

  def dictionary: ResolvedDictionary = {
    if (resolved == null) resolved = dictionaries.resolve(metadata)
    resolved
  }

  override def stored(cell: CellVector, row: Int): StoredValue =
    new StoredValue(cell.value.getBinary(row), 0, dictionary)

  override def usesStoredForMissing: Boolean = false

  override def conflict(cell: CellVector, reason: String): ShreddedVariantException =
    Errors.conflict(cell.path, ParquetLayout.Value, reason)
}

/**
 * The draft layout: metadata and value in one binary.
 *
 * {{{
 *   version and offset width (1) | size | offsets (size + 1) | the keys' bytes | value
 * }}}
 */
final class PartKeys(root: CellVector) extends StoredKeys(root) {
  override def use(metadata: Array[Byte]): Unit = ()

  override def stored(cell: CellVector, row: Int): StoredValue = {
    val bytes = cell.value.getBinary(row)
    val start = PartKeys.valueStart(bytes)
    new StoredValue(bytes, start, dictionaries.resolve(bytes, start))
  }

  override def usesStoredForMissing: Boolean = true

  override def conflict(cell: CellVector, reason: String): ShreddedVariantException =
    Errors.conflict(cell.path, DraftLayout.UntypedValue, reason)
}

object PartKeys {

  /** The position of the value, after the metadata. */
  def valueStart(bytes: Array[Byte]): Int =
    if (isKeyless(bytes)) Dictionary.noKeys.length else Dictionary.lengthIn(bytes)

  /** Whether the metadata is [[Dictionary.noKeys]], which writers use for scalars. */
  def isKeyless(bytes: Array[Byte]): Boolean = {
    val none = Dictionary.noKeys
    bytes.length > none.length && bytes(0) == none(0) && bytes(1) == none(1) && bytes(2) == none(2)
  }
}
