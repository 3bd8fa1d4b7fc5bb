/**
 * Writes rows as Spark's own write support does, but for variants, which are shredded on their way.
 *
 * Spark's writer tells a record consumer what it writes: `startField(v) startGroup value metadata endGroup endField`.
 * [[VariantSplicer]] stands between that writer and Parquet's: it passes everything on, takes the two binaries of each
 * variant out of the stream, and puts the shredded group in their place.
 */
package shreddedvariant.parquet

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.api.WriteSupport.{FinalizedWriteContext, WriteContext}
import org.apache.parquet.io.api.{Binary, RecordConsumer}
import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.parquet.schema.Type.Repetition
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import shreddedvariant.Errors
import shreddedvariant.binary.MalformedVariant
import shreddedvariant.layout.{FileCell, ParquetLayout, Shape, WriteLayout}
import shreddedvariant.shred.Shredder

final class ShreddingWriteSupport(job: WriteJob) extends WriteSupport[InternalRow] {
  private val spark = new ParquetWriteSupport
  private var splice: Splice = _

  override def init(configuration: Configuration): WriteContext = {
    val context = spark.init(configuration)
    val schema = context.getSchema
    val (fields, splices) = schema.getFields.asScala.map(spliced(_, Nil, collected = false)).unzip
    splice = new Splice(splices.toArray, null)
    val extra = context.getExtraMetaData.asScala.toMap
    new WriteContext(new MessageType(schema.getName, fields.asJava), (extra ++ job.layout.footer).asJava)
  }

  override def prepareForWrite(consumer: RecordConsumer): Unit =
    spark.prepareForWrite(new VariantSplicer(consumer, splice))

  override def write(row: InternalRow): Unit = spark.write(row)

  override def finalizeWrite(): FinalizedWriteContext = spark.finalizeWrite()

  /** The column as we write it, and where variants stand in it; Spark annotates each, since we ask it to. */
  private def spliced(column: Type, parent: Seq[String], collected: Boolean): (Type, Splice) = column match {
    case group: GroupType if FileCell.isAnnotated(group) =>
      val path = parent :+ group.getName
      val shape = if (collected) Shape.Untyped else job.shapes.getOrElse(path, Shape.Untyped)
      val id = Option(group.getId).map(_.intValue)
      // What is not shredded has one layout, which every reader knows.
      val layout = if (shape == Shape.Untyped) WriteLayout.Parquet else job.layout
      val written = layout.variantGroup(group.getName, group.getRepetition, id, shape)
      val shredder = new Shredder(shape, layout)
      (written, new Splice(Array.empty, new VariantGroup(path.mkString("."), group, shredder)))
    case group: GroupType =>
      // A list or map repeats what is below it: variants there have no column name of their own.
      val repeats =
        collected || group.isRepetition(Repetition.REPEATED) || group.getLogicalTypeAnnotation != null
      val (fields, splices) = group.getFields.asScala.map(spliced(_, parent :+ group.getName, repeats)).unzip
      if (splices.forall(_ == null)) (group, null)
      else (group.withNewFields(fields.asJava), new Splice(splices.toArray, null))
    case other => (other, null)
  }
}

/** The variants below a group, by field; null where there is none. */
private final class Splice(val children: Array[Splice], val variant: VariantGroup)

/** A variant's group as Spark writes it, and what takes its place. */
private final class VariantGroup(val path: String, group: GroupType, val shredder: Shredder) {
  val valueIndex: Int = group.getFieldIndex(ParquetLayout.Value)
  var value: Array[Byte] = _
  var metadata: Array[Byte] = _
}

private final class VariantSplicer(to: RecordConsumer, root: Splice) extends RecordConsumer {
  private var stack = new Array[Splice](16)
  private var depth = 0
  private var here = root
  private var variant: VariantGroup = _
  private var inValue = false

  prepare(root)

  private def prepare(splice: Splice): Unit = if (splice != null) {
    if (splice.variant != null) splice.variant.shredder.prepare(to)
    splice.children.foreach(prepare)
  }

  override def startMessage(): Unit = to.startMessage()
  override def endMessage(): Unit = to.endMessage()

  override def startField(name: String, index: Int): Unit =
    if (variant != null) inValue = index == variant.valueIndex
    else {
      if (depth == stack.length) stack = java.util.Arrays.copyOf(stack, depth * 2)
      stack(depth) = here
      depth += 1
      here = if (here == null) null else here.children(index)
      to.startField(name, index)
    }

  override def endField(name: String, index: Int): Unit =
    if (variant == null) {
      to.endField(name, index)
      depth -= 1
      here = stack(depth)
    }

  override def startGroup(): Unit =
    if (here != null && here.variant != null) variant = here.variant else to.startGroup()

  override def endGroup(): Unit =
    if (variant == null) to.endGroup()
    else {
      try variant.shredder.write(variant.metadata, variant.value)
      catch { case e: MalformedVariant => throw Errors.malformedValue(variant.path, e.reason) }
      variant = null
    }

  override def addBinary(value: Binary): Unit =
    if (variant == null) to.addBinary(value)
    else if (inValue) variant.value = value.getBytesUnsafe
    else variant.metadata = value.getBytesUnsafe

  override def addInteger(value: Int): Unit = to.addInteger(value)
  override def addLong(value: Long): Unit = to.addLong(value)
  override def addBoolean(value: Boolean): Unit = to.addBoolean(value)
  override def addFloat(value: Float): Unit = to.addFloat(value)
  override def addDouble(value: Double): Unit = to.addDouble(value)
  override def flush(): Unit = to.flush()
}
