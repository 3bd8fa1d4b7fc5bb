/**
 * Writes rows as Spark's own write support does, but for variants, which are shredded on their way. Maps with hot keys
 * are split before, so that sidecars and residuals are to Spark's writer columns like others.
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

  /** The leaves that rows are written to. */
  private[parquet] var leaves: RowGroupLeaves = _
  private var leafCount = 0

  def init(asked: Configuration, properties: ParquetProperties): WriteContext = {
    val rows = DataType.fromJson(asked.get(ParquetWriteSupport.SPARK_ROW_SCHEMA)).asInstanceOf[StructType]
    splitter = RowSplitter.of(rows, job.maps)
    val configuration = new Configuration(asked)
    configuration.set(ParquetWriteSupport.SPARK_ROW_SCHEMA, job.maps.physical(rows).json)
    val context = spark.init(configuration)
    val told = context.getSchema
    leafCount = 0
    val (columns, fields) = told.getFields.asScala.map(written(_, Nil, 0, 0, collected = false)).unzip
    val schema = new MessageType(told.getName, columns.asJava)
    val ofVariants = schema.getColumns.asScala.iterator.map(_.getPath.toSeq).filter(isInVariant(schema, _))
    val withDifferences = if (job.withDifferences) ofVariants.toSet else Set.empty[Seq[String]]
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

  /** Entries of the footer that are known after the last row. */
  def footer: Map[String, String] = {
    // Only variants that are there are met on the way.
    for (of <- counts.counts.values) while (of.rows < rows) of.addNull()
    val (entries, cut) = FileCounts.entries(counts)
    for (cuts <- job.cuts; column <- cut) cuts.add(column.map(Shape.quoted).mkString("."))
    val told = spark.finalizeWrite().getExtraMetaData.asScala.toMap
    told ++ job.layout.footer(rows) ++ entries ++ FileCounts.ofNamed(job)
  }

  /**
   * The column as we write it, and how its rows are taken apart; Spark annotates each variant, since we ask it to.
   * `definition` and `repetition` are the levels of what is around it.
   */
  private def written(
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
      case told: GroupType if FileCell.isAnnotated(told) =>
        val path = parent :+ told.getName
        val shape = if (collected) Shape.Untyped else job.shapes.getOrElse(path, Shape.Untyped)
        val id = Option(told.getId).map(_.intValue)
        // What is not shredded has one layout, which every reader knows.
        val layout = if (shape == Shape.Untyped) WriteLayout.Parquet else job.layout
        val stored = layout.variantGroup(told.getName, told.getRepetition, id, shape)
        leafCount += new MessageType("", stored).getColumns.size
        val valueIndex = told.getFieldIndex(ParquetLayout.Value)
        val counted = if (collected) None else counts.counts.get(path)
        val shredder = new Shredder(shape, layout, d, r, counted.map(_.root))
        val variant = new WrittenVariant(path.mkString("."), valueIndex, shredder, counted)
        (stored, new WrittenField(repeated, d, r, from, leafCount, Array.empty, variant))
      case told: GroupType =>
        // A list or map repeats what is below it: variants there have no column name of their own.
        val below = collected || repeated || told.getLogicalTypeAnnotation != null
        val (stored, fields) =
          told.getFields.asScala.map(written(_, parent :+ told.getName, d, r, below)).unzip
        (told.withNewFields(stored.asJava), group(fields, repeated, d, r, from))
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
