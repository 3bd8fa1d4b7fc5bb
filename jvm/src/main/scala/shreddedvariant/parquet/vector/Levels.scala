/**
 * Computes the presence of groups and the offsets of lists from the levels of one leaf below them, the witness.
 *
 * Entries of a leaf are numbered in a *space*: rows if nothing repeats, else one entry for each element and one
 * for each empty or null list. A node of repetition level r uses the entries of its witness whose repetition
 * level is at most r.
 *
 * Each leaf of a file has its own levels, and a writer may write levels that do not match: [[Spaces]] checks
 * that the leaves of a space have the same number of entries.
 */
package shreddedvariant.parquet.vector

import java.util.{Arrays, IdentityHashMap}

import scala.collection.mutable

import org.apache.parquet.io.ParquetDecodingException
import org.apache.parquet.schema.{MessageType, Type}
import org.apache.parquet.schema.Type.Repetition.REPEATED
import shreddedvariant.Errors
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.shred.{CellVector, Lists, Presence}

/** A part that is computed for each batch after its leaves are decoded. */
trait Assembled {
  def open(group: RowGroup): Unit = ()
  def assemble(rows: Int): Unit
}

/** A part that is computed from the levels of a leaf, and counts the entries of spaces. */
sealed abstract class OfLevels extends Assembled {
  def witness: LeafColumnReader

  /** Calls `take` with each counted repetition level, and the number of entries up to this level. */
  def counted(take: (Int, Int) => Unit): Unit
}

object AlwaysPresent extends Presence {
  def isPresent(row: Int): Boolean = true
}

/** The presence of a group or leaf: in every row or in no row where the footer shows it, else from levels. */
final class KnownPresence(
    isEverywhere: RowGroup => Boolean,
    isNowhere: RowGroup => Boolean,
    levels: Presence
) extends Presence
    with Assembled {
  private var always = true
  private var never = false

  def isAlways: Boolean = always
  def isPresent(row: Int): Boolean = always || !never && levels.isPresent(row)

  override def open(group: RowGroup): Unit = {
    always = isEverywhere(group)
    never = !always && isNowhere(group)
  }
  def assemble(rows: Int): Unit = ()
}

/** A part of a variant is present where its cell is not missing. */
final class CellPresence(cell: CellVector) extends Presence {
  def isPresent(row: Int): Boolean = !cell.isMissing(row)
}

/** A group is present where the definition level of its witness is at least the group's own level. */
final class LevelPresence(val witness: LeafColumnReader, definition: Int, repetition: Int)
    extends OfLevels
    with Presence {
  private val sameSpace = witness.maxRepetition == repetition
  private var present = new Array[Boolean](0)
  private var rows = 0

  def isPresent(row: Int): Boolean =
    if (sameSpace) witness.definition(row) >= definition else present(row)

  def counted(take: (Int, Int) => Unit): Unit = if (!sameSpace) take(repetition, rows)

  def assemble(rowsOfBatch: Int): Unit = if (!sameSpace) {
    val entries = witness.entries
    if (present.length < entries) present = new Array[Boolean](entries)
    var row = 0
    var entry = 0
    while (entry < entries) {
      if (witness.repetition(entry) <= repetition) {
        present(row) = witness.definition(entry) >= definition
        row += 1
      }
      entry += 1
    }
    rows = row
  }
}

/**
 * A list of definition level d is null below d, empty at d, and has elements above. Its elements are the entries
 * of the witness at the next repetition level; an empty or null list also takes one entry, to which no row
 * refers.
 */
final class LevelLists(val witness: LeafColumnReader, definition: Int, repetition: Int) extends OfLevels
    with Lists {
  private var starts = new Array[Int](0)
  private var lengths = new Array[Int](0)
  private var rows = 0
  private var elements = 0

  def start(row: Int): Int = starts(row)
  def length(row: Int): Int = lengths(row)

  def counted(take: (Int, Int) => Unit): Unit = {
    take(repetition, rows)
    take(repetition + 1, elements)
  }

  def assemble(batchRows: Int): Unit = {
    val entries = witness.entries
    if (starts.length < entries) {
      starts = new Array[Int](entries)
      lengths = new Array[Int](entries)
    } else Arrays.fill(lengths, 0, entries, 0)
    var row = -1
    var element = 0
    var entry = 0
    while (entry < entries) {
      val level = witness.repetition(entry)
      if (level <= repetition) {
        row += 1
        starts(row) = element
        val definitionLevel = witness.definition(entry)
        lengths(row) = if (definitionLevel > definition) 1 else if (definitionLevel == definition) 0 else -1
        element += 1
      } else if (level == repetition + 1) {
        lengths(row) += 1
        element += 1
      }
      entry += 1
    }
    rows = row + 1
    elements = element
  }
}

/**
 * Law: an index from the levels of one leaf exists in every other leaf of the space, because all leaves and
 * nodes of a space agree on the number of its entries in this batch.
 */
final class Spaces(
    file: MessageType,
    repeatedLeaves: Seq[LeafColumnReader],
    levels: Seq[OfLevels],
    position: BatchPosition
) extends Assembled {
  private final class Space { var entries: Int = -1 }

  private val ofRows = new Space
  private val spaces = mutable.ArrayBuffer.empty[Space]
  private val ofGroups = new IdentityHashMap[Type, Space]
  private val ofLeaves = mutable.Map.empty[LeafColumnReader, IndexedSeq[Space]]
  private val leafSpaces = repeatedLeaves.map(leaf => leaf -> spacesOf(leaf).last)
  private val levelSpaces = levels.map(node => node -> spacesOf(node.witness))

  /** The spaces of a leaf by repetition level: of rows, then of each repeated group above the leaf. */
  private def spacesOf(leaf: LeafColumnReader): IndexedSeq[Space] = ofLeaves.getOrElseUpdate(
    leaf, {
      val found = IndexedSeq.newBuilder[Space] += ofRows
      var column: Type = file
      for (name <- leaf.path) {
        column = column.asGroupType.getType(name)
        if (column.isRepetition(REPEATED)) found += ofGroups.computeIfAbsent(column, _ => newSpace())
      }
      found.result()
    }
  )

  private def newSpace(): Space = {
    spaces += new Space
    spaces.last
  }

  def assemble(rows: Int): Unit = {
    spaces.foreach(_.entries = -1)
    ofRows.entries = rows
    for ((leaf, space) <- leafSpaces if leaf.isActive) check(leaf, space, leaf.entries)
    for ((node, spaces) <- levelSpaces if node.witness.isActive)
      node.counted((repetition, entries) => check(node.witness, spaces(repetition), entries))
  }

  private def check(leaf: LeafColumnReader, space: Space, entries: Int): Unit =
    if (space.entries < 0) space.entries = entries
    else if (space.entries != entries)
      throw Errors.damagedPages(
        position.file,
        leaf.path.mkString("."),
        new ParquetDecodingException(s"its levels have $entries entries instead of ${space.entries}")
      )
}
