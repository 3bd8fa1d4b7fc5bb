/**
 * Receives rows from Spark's write support, field by field, and writes their values to the leaves of a file.
 *
 * Spark sends a variant as `startField(v) startGroup value metadata endGroup endField`. Its two binaries are
 * taken out of the stream, and its [[Shredder]] writes the shredded leaves instead. Everything else is as in
 * Parquet's own consumer: each leaf gets one entry for each row or element, a value or a null, with its levels.
 * Parquet's consumer keeps sets of the written fields and looks up a writer for each field. Here fields arrive
 * in order, because Spark's writer and ours go from the first to the last field, so missing fields are those
 * between two written fields.
 */
package shreddedvariant.parquet.write

import org.apache.parquet.io.api.{Binary, RecordConsumer}
import shreddedvariant.Errors
import shreddedvariant.binary.MalformedVariant
import shreddedvariant.infer.Counts
import shreddedvariant.shred.{LeafWriter, Shredder}

/**
 * A field of the file, with its max definition level and max repetition level, and its leaves from `from` until
 * `until` in the order of the file. `children` are the fields of a group. A variant has no children, because
 * its shredder writes its leaves.
 */
private[parquet] final class WrittenField(
    val repeated: Boolean,
    val definition: Int,
    val repetition: Int,
    val from: Int,
    val until: Int,
    val children: Array[WrittenField],
    val variant: WrittenVariant
)

/** A variant column, with the binaries of the current variant between Spark's stream and its shredder. */
private[parquet] final class WrittenVariant(
    val path: String,
    val valueIndex: Int,
    val shredder: Shredder,
    val counts: Option[Counts]
) {
  var value: Array[Byte] = _
  var metadata: Array[Byte] = _
}

private[parquet] final class RowConsumer(root: WrittenField, columns: RowGroupLeaves) extends RecordConsumer {
  private val leaves = columns.all
  prepare(root)

  // The stack of open groups, with the message first: the group, the repetition level for the next entry of its
  // current field, and its first child without an entry.
  private var groups = new Array[WrittenField](8)
  private var repetitions = new Array[Int](8)
  private var next = new Array[Int](8)
  private var depth = 0
  private var field: WrittenField = _
  private var variant: WrittenVariant = _
  private var inValue = false

  /** Whether the variants of the next row are counted. */
  var counts = true

  private def prepare(field: WrittenField): Unit = {
    if (field.variant != null) field.variant.shredder.prepare(leaves.slice(field.from, field.until))
    field.children.foreach(prepare)
  }

  override def startMessage(): Unit = {
    depth = 0
    groups(0) = root
    repetitions(0) = 0
    next(0) = 0
  }

  override def endMessage(): Unit = {
    writeMissing(root.children.length, 0)
    columns.endRow()
  }

  override def startField(name: String, index: Int): Unit =
    if (variant != null) inValue = index == variant.valueIndex
    else {
      // A repeated field before may have set the level for its further entries.
      repetitions(depth) = if (depth == 0) 0 else repetitions(depth - 1)
      writeMissing(index, repetitions(depth))
      next(depth) = index + 1
      field = groups(depth).children(index)
    }

  override def endField(name: String, index: Int): Unit = ()

  override def startGroup(): Unit =
    if (field.variant != null) variant = field.variant
    else {
      if (depth + 1 == groups.length) grow()
      depth += 1
      groups(depth) = field
      repetitions(depth) = repetitions(depth - 1)
      next(depth) = 0
    }

  override def endGroup(): Unit = {
    if (variant == null) {
      field = groups(depth)
      writeMissing(field.children.length, repetitions(depth - 1))
      depth -= 1
    } else {
      try {
        val isCounted = counts && variant.counts.isDefined
        if (isCounted) variant.counts.get.begin(variant.metadata, variant.value)
        variant.shredder.write(variant.metadata, variant.value, repetitions(depth), isCounted)
      } catch { case e: MalformedVariant => throw Errors.malformedValue(variant.path, e.reason) }
      variant = null
    }
    endEntry()
  }

  override def addBinary(value: Binary): Unit =
    if (variant == null) {
      val bytes = value.toByteBuffer
      val from = bytes.arrayOffset + bytes.position()
      leaf.write(bytes.array, from, bytes.remaining, entryLevel(), field.definition)
    } else if (inValue) variant.value = value.getBytesUnsafe
    else variant.metadata = value.getBytesUnsafe

  override def addInteger(value: Int): Unit = leaf.write(value, entryLevel(), field.definition)
  override def addLong(value: Long): Unit = leaf.write(value, entryLevel(), field.definition)
  override def addBoolean(value: Boolean): Unit = leaf.write(value, entryLevel(), field.definition)
  override def addFloat(value: Float): Unit = leaf.write(value, entryLevel(), field.definition)
  override def addDouble(value: Double): Unit = leaf.write(value, entryLevel(), field.definition)

  override def flush(): Unit = ()

  /** The leaf of the current field, which is no group. */
  private def leaf: LeafWriter = leaves(field.from)

  /** The repetition level of the entry that is written. */
  private def entryLevel(): Int = {
    val level = repetitions(depth)
    endEntry()
    level
  }

  /** After an entry of a repeated field, the next entry repeats it. */
  private def endEntry(): Unit = if (field.repeated) repetitions(depth) = field.repetition

  /** Writes nulls for the children of the innermost group before `until` that have no entry. */
  private def writeMissing(until: Int, r: Int): Unit = {
    val group = groups(depth)
    var child = next(depth)
    while (child < until) {
      val missing = group.children(child)
      var leaf = missing.from
      while (leaf < missing.until) {
        leaves(leaf).writeNull(r, group.definition)
        leaf += 1
      }
      child += 1
    }
  }

  private def grow(): Unit = {
    groups = java.util.Arrays.copyOf(groups, depth * 2 + 2)
    repetitions = java.util.Arrays.copyOf(repetitions, depth * 2 + 2)
    next = java.util.Arrays.copyOf(next, depth * 2 + 2)
  }
}
