/**
 * Presence of groups and offsets of lists, read off the levels of one leaf below them, the witness.
 *
 * Entries of a leaf are numbered in a *space*: rows where nothing repeats, else one entry for each element and one for
 * each empty or null list. A node of repetition level r sees those entries of its witness whose level is at most r.
 */
package shreddedvariant.parquet

import java.util.Arrays

import shreddedvariant.shred.{CellVector, Lists, Presence}

/** What is computed anew for each batch, after its leaves were decoded. */
trait Assembled {
  def open(group: RowGroup): Unit = ()
  def assemble(rows: Int): Unit
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
final class LevelPresence(witness: Leaf, definition: Int, repetition: Int) extends Presence with Assembled {
  private val sameSpace = witness.maxRepetition == repetition
  private var present = new Array[Boolean](0)

  def isPresent(row: Int): Boolean =
    if (sameSpace) witness.definition(row) >= definition else present(row)

  def assemble(rows: Int): Unit = if (!sameSpace) {
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
  }
}

/**
 * A list of definition level d is null below d, empty at d, and has elements above. Its elements are the witness's
 * entries of the next repetition level; an empty or null list takes one entry as well, which no row points at.
 */
final class LevelLists(witness: Leaf, definition: Int, repetition: Int) extends Lists with Assembled {
  private var starts = new Array[Int](0)
  private var lengths = new Array[Int](0)

  def start(row: Int): Int = starts(row)
  def length(row: Int): Int = lengths(row)

  def assemble(rows: Int): Unit = {
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
  }
}
