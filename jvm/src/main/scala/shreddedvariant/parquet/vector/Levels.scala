/**
 * Presence of groups and offsets of lists, read off the levels of one leaf below them, the witness.
 *
 * Entries of a leaf are numbered in a *space*: rows where nothing repeats, else one entry for each element and one for
 * each empty or null list. A node of repetition level r sees those entries of its witness whose level is at most r.
 *
 * Each leaf of a file has its own levels, and nothing but its writer makes those of a space alike: [[Spaces]] checks it.
 */
package shreddedvariant.parquet.vector

import java.util.Arrays

import scala.collection.mutable

import org.apache.parquet.io.ParquetDecodingException
import org.apache.parquet.schema.MessageType
import shreddedvariant.Errors
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.shred.{CellVector, Lists, Presence}

/** What is computed anew for each batch, after its leaves were decoded. */
trait Assembled {
  def open(group: RowGroup): Unit = ()
  def assemble(rows: Int): Unit
}

/** What is told by the levels of a leaf: it counts the entries of spaces on its way. */
sealed abstract class OfLevels extends Assembled {
  def witness: LeafColumnReader

  /** Hands on how many entries there are of repetition levels up to each that is counted. */
  def counted(take: (Int, Int) => Unit): Unit
}

object AlwaysPresent extends Presence {
  def isPresent(row: Int): Boolean = true
}

/** Whether something is there: in row groups of which the footer tells, in every row or in none, else known from levels. */
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

/** A part of a variant is there where its cell is not missing. */
final class CellPresence(cell: CellVector) extends Presence {
  def isPresent(row: Int): Boolean = !cell.isMissing(row)
}

/** A group is there where its witness is defined at least up to the group's own level. */
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
 * A list of definition level d is null below d, empty at d, and has elements above. Its elements are the witness's
 * entries of the next repetition level; an empty or null list takes one entry as well, which no row points at.
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

  def assemble(rowsOfBatch: Int): Unit = {
    val entries = witness.entries
    if (starts.length < entries) {
      starts = new Array[Int](entries)
      lengths = new Array[Int](entries)
    } else Arrays.fill(lengths, 0, entries, 0)
    var row = -1
    var element = 0
    var entry = 0
    while (entry < entries) {
      val repeated = witness.repetition(entry)
      if (repeated <= repetition) {
        row += 1
        starts(row) = element
        val level = witness.definition(entry)
        lengths(row) = if (level > definition) 1 else if (level == definition) 0 else -1
        element += 1
      } else if (repeated == repetition + 1) {
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
 * Law: an index that one leaf's levels give is found in every other leaf of the space, because all who tell how many
 * entries a space has in this batch tell the same number.
 */
final class Spaces(
    file: MessageType,
    repeated: Seq[LeafColumnReader],
    levels: Seq[OfLevels],
    place: BatchPosition
) extends Assembled {
  private val spaces = mutable.Map.empty[Seq[String], Space]
  private val ofLeaves = repeated.map(leaf => leaf -> space(leaf, leaf.maxRepetition))
  private val ofLevels =
    levels.map(node => node -> (0 to node.witness.maxRepetition).map(space(node.witness, _)))

  private final class Space { var entries: Int = -1 }

  /** Spaces are known by the path of what repeats in them. */
  private def space(leaf: LeafColumnReader, repetition: Int) = {
    def repeats(path: Seq[String]) = if (path.isEmpty) 0 else file.getMaxRepetitionLevel(path: _*)
    spaces.getOrElseUpdate(leaf.path.inits.filter(repeats(_) == repetition).minBy(_.size), new Space)
  }

  def assemble(rows: Int): Unit = {
    spaces.valuesIterator.foreach(_.entries = -1)
    spaces.get(Nil).foreach(_.entries = rows)
    for ((leaf, space) <- ofLeaves if leaf.isActive) check(leaf, space, leaf.entries)
    for ((node, spaces) <- ofLevels if node.witness.isActive)
      node.counted((repetition, entries) => check(node.witness, spaces(repetition), entries))
  }

  private def check(leaf: LeafColumnReader, space: Space, entries: Int): Unit =
    if (space.entries < 0) space.entries = entries
    else if (space.entries != entries)
      throw Errors.damagedPages(
        place.file,
        leaf.path.mkString("."),
        new ParquetDecodingException(s"its levels tell of $entries entries where there are ${space.entries}")
      )
}
