/**
 * Writes rows with Spark's own write support, and shreds their variants.
 *
 * Maps with hot keys are split first, so that sidecars and residuals are ordinary columns for Spark's writer.
 */
package shreddedvariant.parquet.write

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext
import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.parquet.schema.Type.Repetition
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.types.{DataType, StructType}
import shreddedvariant.layout.{DraftLayout, FileCell, ParquetLayout, Shape, WriteLayout}
import shreddedvariant.maps.RowSplitter
import shreddedvariant.shred.Shredder

final class ShreddingWriteSupport(job: WriteJob, counts: ColumnCounts) {
  private var rows = 0L
  private val spark = new ParquetWriteSupport
  private var consumer: RowConsumer = _
  private var splitter: Option[RowSplitter] = None

  /** The leaves to which rows are written. */
  private[parquet] var leaves: RowGroupLeaves = _
  private var leafCount = 0

  def init(conf: Configuration, properties: ParquetProperties): WriteContext = {
    val rows = DataType.fromJson(conf.get(ParquetWriteSupport.SPARK_ROW_SCHEMA)).asInstanceOf[StructType]
    splitter = RowSplitter.of(rows, job.maps)
    val configuration = new Configuration(conf)
    configuration.set(ParquetWriteSupport.SPARK_ROW_SCHEMA, job.maps.physical(rows).json)
    val context = spark.init(configuration)
    val sparkSchema = context.getSchema
    leafCount = 0
    val (columns, fields) = sparkSchema.getFields.asScala.map(convert(_, Nil, 0, 0, collected = false)).unzip
    val schema = new MessageType(sparkSchema.getName, columns.asJava)
    val variantLeaves = schema.getColumns.asScala.iterator.map(_.getPath.toSeq).filter(isInVariant(schema, _))
    val withDifferences = if (job.withDifferences) variantLeaves.toSet else Set.empty[Seq[String]]
    leaves = new RowGroupLeaves(schema, properties, job.blooms.leaves(schema, job.maps), withDifferences)
    consumer = new RowConsumer(group(fields, repeated = false, 0, 0, 0), leaves)
    spark.prepareForWrite(consumer)
    val extra = context.getExtraMetaData.asScala ++ job.maps.footer
    new WriteContext(schema, extra.asJava)
  }

  def write(row: InternalRow): Unit = {
    val isNew = rows >= counts.counted
    consumer.counts = isNew
    if (isNew) counts.maps.foreach(_.add(row))
    spark.write(splitter.fold(row)(_.split(row)))
    rows += 1
  }

  /** The footer entries that depend on all rows. Call it after the last row. */
  def footer: Map[String, String] = {
    // While rows are written, only variants that are not NULL are counted: the other rows are NULL.
    for (columnCounts <- counts.counts.values) while (columnCounts.rows < rows) columnCounts.addNull()
    val (entries, cutColumns) = FileCounts.entries(counts)
    for (cuts <- job.cuts; column <- cutColumns) cuts.add(column.map(Shape.quoted).mkString("."))
    val metadata = spark.finalizeWrite().getExtraMetaData.asScala.toMap
    metadata ++ job.layout.footer(rows) ++ entries ++ FileCounts.ofNamed(job)
  }

  /**
   * The column as it is written, and the fields that [[RowConsumer]] writes. Spark's schema annotates each
   * variant. `definition` and `repetition` are the levels of the parent.
   */
  private def convert(
      column: Type,
      parent: Seq[String],
      definition: Int,
      repetition: Int,
      collected: Boolean
  ): (Type, WrittenField) = {
    val repeated = column.isRepetition(Repetition.REPEATED)
    val d = if (column.isRepetition(Repetition.REQUIRED)) definition else definition + 1
    val r = if (repeated) repetition + 1 else repetition
    val from = leafCount
    column match {
      case sparkGroup: GroupType if FileCell.isAnnotated(sparkGroup) =>
        val path = parent :+ sparkGroup.getName
        val shape = if (collected) Shape.Untyped else job.shapes.getOrElse(path, Shape.Untyped)
        val id = Option(sparkGroup.getId).map(_.intValue)
        // Unshredded variants are always written in the current layout, which every reader supports.
        val layout = if (shape == Shape.Untyped) WriteLayout.Parquet else job.layout
        val stored = layout.variantGroup(sparkGroup.getName, sparkGroup.getRepetition, id, shape)
        leafCount += new MessageType("", stored).getColumns.size
        val valueIndex = sparkGroup.getFieldIndex(ParquetLayout.Value)
        val counted = if (collected) None else counts.counts.get(path)
        val shredder = new Shredder(shape, layout, d, r, counted.map(_.root))
        val variant = new WrittenVariant(path.mkString("."), valueIndex, shredder, counted)
        (stored, new WrittenField(repeated, d, r, from, leafCount, Array.empty, variant))
      case sparkGroup: GroupType =>
        // Variants in lists and maps are repeated and have no column name of their own, so they are not
        // shredded.
        val below = collected || repeated || sparkGroup.getLogicalTypeAnnotation != null
        val (stored, fields) =
          sparkGroup.getFields.asScala.map(convert(_, parent :+ sparkGroup.getName, d, r, below)).unzip
        (sparkGroup.withNewFields(stored.asJava), group(fields, repeated, d, r, from))
      case leaf =>
        leafCount += 1
        (leaf, new WrittenField(repeated, d, r, from, leafCount, Array.empty, null))
    }
  }

  private def isInVariant(schema: MessageType, leaf: Seq[String]) =
    leaf.indices.tail.exists { depth =>
      schema.getType(leaf.take(depth): _*) match {
        case group: GroupType => FileCell.isAnnotated(group) || DraftLayout.isVariant(group)
        case _ => false
      }
    }

  private def group(fields: Iterable[WrittenField], repeated: Boolean, d: Int, r: Int, from: Int) =
    new WrittenField(repeated, d, r, from, leafCount, fields.toArray, null)
}
