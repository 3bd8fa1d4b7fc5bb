/**
 * Takes the rows that Spark's write support tells, field by field, and writes their values to the columns of a file.
 *
 * Spark tells a variant as `startField(v) startGroup value metadata endGroup endField`: its two binaries are taken out
 * of the stream, and its [[Shredder]] writes the leaves that stand in its place. For all else this does what Parquet's
 * own consumer does: each leaf gets one entry a row or element, a value or a null, with its levels. Parquet's consumer
 * keeps sets of the fields that it met and looks writers up for each; fields come in their order here (Spark's writer
 * and ours go from the first to the last), so what is missing lies between two fields.
 */
package shreddedvariant.parquet.write

import org.apache.parquet.io.api.{Binary, RecordConsumer}
import shreddedvariant.Errors
import shreddedvariant.binary.MalformedVariant
import shreddedvariant.infer.Counts
import shreddedvariant.shred.Shredder

/**
 * A field of the file with the highest levels at and below it, and its leaves `from` until `until`, numbered in the
 * order of the file. `children` are the fields of a group; a variant has none, as its leaves are its shredder's.
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

/** A variant on its way from Spark's stream to its shredder. */
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

  // Of the groups that are open, the message first: which they are, the repetition level that the next entry of their
  // present field gets, and the first child that has no entry yet.
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
      // A repeated field has left the level of its further entries behind.
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
    written()
  }

  override def addBinary(value: Binary): Unit =
    if (variant == null) {
      val bytes = value.toByteBuffer
      leaves(field.from).write(
        bytes.array,
        bytes.arrayOffset + bytes.position(),
        bytes.remaining,
        repetitions(depth),
        field.definition
      )
      written()
    } else if (inValue) variant.value = value.getBytesUnsafe
    else variant.metadata = value.getBytesUnsafe

  override def addInteger(value: Int): Unit = {
    leaves(field.from).write(value, repetitions(depth), field.definition)
    written()
  }

  override def addLong(value: Long): Unit = {
    leaves(field.from).write(value, repetitions(depth), field.definition)
    written()
  }

  override def addBoolean(value: Boolean): Unit = {
    leaves(field.from).write(value, repetitions(depth), field.definition)
    written()
  }

  override def addFloat(value: Float): Unit = {
    leaves(field.from).write(value, repetitions(depth), field.definition)
    written()
  }

  override def addDouble(value: Double): Unit = {
    leaves(field.from).write(value, repetitions(depth), field.definition)
    written()
  }

  override def flush(): Unit = ()

  /** The present field has its entry; another one repeats it. */
  private def written(): Unit = if (field.repeated) repetitions(depth) = field.repetition

  /** Nulls for the children of the innermost group that come before `until` and were not told. */
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
