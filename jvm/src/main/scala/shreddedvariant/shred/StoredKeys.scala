/** What the ids in stored values mean: today's layout has one dictionary in each row, the draft one in each value. */
package shreddedvariant.shred

import shreddedvariant.{Errors, ShreddedVariantException}
import shreddedvariant.binary.{Budget, Dictionaries, Dictionary, Names, ResolvedDictionary}
import shreddedvariant.layout.{DraftLayout, ParquetLayout}

/** A value in bytes from `at` on, and the keys that its ids name. */
final class StoredValue(val bytes: Array[Byte], val at: Int, val dictionary: ResolvedDictionary) {

  /** Of all walks through it together. */
  val budget = new Budget(bytes.length - at)

  /** The rank of a name among the keys, whether it is one of them or not. */
  def rankOfName(name: Int, names: Names): Int = {
    val id = dictionary.idOfName(name)
    if (id >= 0) dictionary.dictionary.ranks(id) else dictionary.dictionary.rankOf(names.key(name))
  }
}

sealed abstract class StoredKeys(root: CellVector) {
  val names = new Names(StoredKeys.keysOf(root).distinct.toIndexedSeq)
  protected val dictionaries = new Dictionaries(names)

  /** The metadata of the row at hand, where the layout has one. */
  def use(metadata: Array[Byte]): Unit
  def stored(cell: CellVector, row: Int): StoredValue

  /** Whether a shredded field that is missing takes the value of its key in what is stored around it. */
  def standInForMissing: Boolean
  def conflict(cell: CellVector, what: String): ShreddedVariantException

  def nameOf(key: String): Int = {
    val bytes = key.getBytes("UTF-8")
    names.find(bytes, 0, bytes.length)
  }
}

private object StoredKeys {
  def keysOf(cell: CellVector): Seq[String] = cell.typed.toSeq.flatMap {
    case fields: ObjectVector => fields.keys.toSeq ++ fields.cells.flatMap(keysOf)
    case array: ArrayVector => keysOf(array.element)
    case _ => Nil
  }
}

/** Today's layout: the row's dictionary, looked into only where somebody asks. */
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

  override def standInForMissing: Boolean = false

  override def conflict(cell: CellVector, what: String): ShreddedVariantException =
    Errors.conflict(cell.path, ParquetLayout.Value, what)
}

/**
 * The draft: metadata and value in one binary.
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

  override def standInForMissing: Boolean = true

  override def conflict(cell: CellVector, what: String): ShreddedVariantException =
    Errors.conflict(cell.path, DraftLayout.UntypedValue, what)
}

object PartKeys {

  /** Where the value begins behind the metadata. */
  def valueStart(bytes: Array[Byte]): Int =
    if (isKeyless(bytes)) Dictionary.noKeys.length else Dictionary.lengthIn(bytes)

  /** Of scalars, which have no keys, writers give the shortest metadata there is. */
  def isKeyless(bytes: Array[Byte]): Boolean = {
    val none = Dictionary.noKeys
    bytes.length > none.length && bytes(0) == none(0) && bytes(1) == none(1) && bytes(2) == none(2)
  }
}
