/** Binds variants of one file: whole ones, and paths into them. */
package shreddedvariant.parquet

import scala.annotation.tailrec
import scala.collection.mutable

import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types.{BinaryType, BooleanType, DataType, StringType, VariantType}
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.layout._
import shreddedvariant.shred._

final class VariantBinder(file: MessageType, place: FilePlace, leaves: FileLeaves, job: ReadJob) {
  private val extractions = mutable.Map.empty[(PathColumn, DataType), PathExtraction]

  // ---- whole variants ----

  def whole(path: Seq[String], name: String): ColumnVector = {
    val bound = FileCell.bind(file, path, name, job.limits.maxDepth)
    val metadata =
      new MetadataVector(
        name,
        leaves.leaf(bound.metadata, BinaryType, Rebasing.none, _ => true).vector,
        place
      )
    val root = cell(bound.root)
    val value =
      if (bound.isShredded)
        new RebuiltValueVector(name, metadata, new Rebuilder(root, job.limits.maxBytes), place)
      else new StoredValueVector(name, metadata, root.value, place)
    new VariantVector(metadata, value)
  }

  private def metadataOf(bound: FileVariant, name: String, need: RowGroup => Boolean): ColumnVector =
    new LazyMetadataVector(name, leaves.lazily(bound.metadata, BinaryType, need), place)

  private def cell(bound: FileCell): CellVector = {
    val value = bound.value.map(leaves.cell(_, BinaryType).vector).orNull
    val typed = bound.typed.map {
      case FileTyped.Scalar(scalar, column) =>
        new ScalarVector(scalar, leaves.cell(column, ScalarType.decodedAs(scalar)).vector)
      case bound: FileTyped.Object =>
        val cells = bound.fields.map { case (_, field) => cell(field) }
        new ObjectVector(bound.fields.map(_._1).toArray, cells.toArray, leaves.presence(bound.group))
      case FileTyped.Array(group, element) =>
        val vector = cell(element)
        new ArrayVector(leaves.lists(group), vector)
    }
    new CellVector(bound.path, value, typed.orNull)
  }

  /** Metadata without nulls is there in every row. */
  private def presenceOf(bound: FileVariant, group: Seq[String]): KnownPresence =
    leaves.presenceUnless(group, _.hasNoNulls(bound.metadata))

  // ---- paths ----

  def path(column: PathColumn, requested: DataType): ReadColumn = {
    val name = column.columnName
    FilePath.group(file, column.column, job) match {
      case None => missing(requested)
      case Some(group) =>
        val bound = FileCell.bind(file, group, name, job.limits.maxDepth)
        column.wanted match {
          case Wanted.Presence if column.steps.isEmpty =>
            new PresenceColumn(presenceOf(bound, group), job.batchSize)
          case Wanted.Presence => presence(bound, column, name)
          case Wanted.Value(_, zone) => value(bound, column, name, requested, zone)
          case Wanted.Raising(target, zone) =>
            extraction(bound, column.copy(wanted = Wanted.Value(target, zone)), name, target, zone)
              .fold(missing(requested))(_.raising)
          case Wanted.Json(zone) => json(bound, group, column, name, zone)
          case Wanted.Failure(target, zone) =>
            extraction(bound, column.copy(wanted = Wanted.Value(target, zone)), name, target, zone)
              .fold(missing(requested))(_.failures)
          case other => throw new IllegalStateException(s"$other is not asked of variants")
        }
    }
  }

  private def value(
      bound: FileVariant,
      column: PathColumn,
      name: String,
      target: DataType,
      zone: Option[String]
  ): ReadColumn =
    PathEnd.find(bound.root, column.steps) match {
      case Some(PathEnd(found, Nil, Nil)) if target == VariantType && (found eq bound.root) =>
        new FixedColumn(whole(bound.metadata.init, name))
      case Some(PathEnd(found, Nil, Nil)) if target == VariantType =>
        val metadata = metadataOf(bound, name, _ => true)
        val vector = cell(found)
        new FixedColumn(new PartVector(
          name,
          vector,
          metadata,
          new Rebuilder(vector, job.limits.maxBytes),
          place
        ))
      case _ => extraction(bound, column, name, target, zone).fold(missing(target))(_.values)
    }

  private def presence(bound: FileVariant, column: PathColumn, name: String): ReadColumn =
    PathEnd.find(bound.root, column.steps) match {
      case Some(PathEnd(found, Nil, Nil)) =>
        leaves.register(new PathPresence(outline(found), leaves.vectors, job.batchSize))
      case _ =>
        extraction(bound, column.copy(wanted = Wanted.Value(VariantType, None)), name, VariantType, None)
          .fold(missing(BooleanType))(part =>
            new FixedColumn(new PresenceVector(row => !part.values.vector.isNullAt(row)))
          )
    }

  /** A cell without what is below it: enough to tell where it is missing. */
  private def outline(bound: FileCell): CellVector = {
    val typed = bound.typed.map {
      case FileTyped.Scalar(scalar, column) =>
        new ScalarVector(scalar, leaves.cell(column, ScalarType.decodedAs(scalar)).vector)
      case bound: FileTyped.Object => new ObjectVector(Array.empty, Array.empty, leaves.presence(bound.group))
      case FileTyped.Array(group, _) => new ArrayVector(leaves.lists(group), null)
    }
    new CellVector(bound.path, bound.value.map(leaves.cell(_, BinaryType).vector).orNull, typed.orNull)
  }

  private def json(
      bound: FileVariant,
      group: Seq[String],
      column: PathColumn,
      name: String,
      zone: String
  ): ReadColumn = {
    val zoneId = DateTimeUtils.getZoneId(zone)
    PathEnd.find(bound.root, column.steps) match {
      case Some(PathEnd(found, Nil, Nil)) =>
        val vector = cell(found)
        val presence = if (found eq bound.root) presenceOf(bound, group) else new CellPresence(vector)
        val writer = new JsonWriter(vector, zoneId, job.limits.maxDepth)
        val metadata = metadataOf(bound, name, needsKeys(found))
        new FixedColumn(new CellJsonVector(name, presence, metadata, writer, place))
      case _ =>
        extraction(bound, column.copy(wanted = Wanted.Value(VariantType, None)), name, VariantType, None)
          .fold(missing(StringType)) { part =>
            val text = new JsonWriter.OfVariant(zoneId, job.limits.maxDepth)
            new FixedColumn(new VariantJsonVector(name, part.values, text, place))
          }
    }
  }

  /** Keys of typed objects stand in the file's schema; only residuals speak of them by ids. */
  private def needsKeys(cell: FileCell): RowGroup => Boolean = {
    val values = valuesBelow(cell)
    group => values.exists(!group.holdsNothing(_))
  }

  private def valuesBelow(cell: FileCell): Seq[Seq[String]] = cell.value.toSeq ++ (cell.typed match {
    case Some(fields: FileTyped.Object) => fields.fields.flatMap(f => valuesBelow(f._2))
    case Some(FileTyped.Array(_, element)) => valuesBelow(element)
    case _ => Nil
  })

  private def extraction(
      bound: FileVariant,
      column: PathColumn,
      name: String,
      target: DataType,
      zone: Option[String]
  ): Option[PathExtraction] =
    extractions.get((column, target)).orElse(PathEnd.find(bound.root, column.steps).map { found =>
      val vector = if (found.rest.isEmpty) cell(found.cell) else valueOnly(found.cell)
      val metadata = metadataOf(bound, name, needsMetadata(found))
      // The lists come after the leaves of the cell, one of which tells their levels.
      val hops = found.hops.map { case (array, index) => (leaves.lists(array.group), index) }
      val extraction = leaves.register(new PathExtraction(
        PathPlace(vector, hops, found.rest, found.isElement),
        metadata,
        target,
        zone,
        place,
        job.limits.maxBytes,
        leaves.vectors
      ))
      extractions((column, target)) = extraction
      extraction
    })

  private def valueOnly(bound: FileCell) =
    new CellVector(bound.path, bound.value.map(leaves.cell(_, BinaryType).vector).orNull, null)

  /** Ids in a residual point into the metadata; a scalar of a typed column has none. */
  private def needsMetadata(found: PathEnd): RowGroup => Boolean =
    (found.cell.typed, found.cell.value) match {
      case (Some(_: FileTyped.Scalar), None) if found.rest.isEmpty => _ => false
      case (Some(_: FileTyped.Scalar), Some(value)) => group => !group.holdsNothing(value)
      case (_, Some(value)) if found.rest.nonEmpty => group => !group.holdsNothing(value)
      case _ => _ => true
    }

  private def missing(dataType: DataType): ReadColumn =
    new FixedColumn(ConstantVector(dataType, None, job.batchSize))
}

/** Where a path ends among the columns of a file; see [[PathPlace]]. */
private final case class PathEnd(cell: FileCell, hops: Seq[(FileTyped.Array, Int)], rest: Seq[PathStep]) {
  def isElement: Boolean = hops.lastOption.exists(_._1.element eq cell)
}

private object PathEnd {

  /**
   * Follows a path through the typed columns. Where they end, the rest is looked up in the residual of the last cell:
   * keys that are not shredded stand there, and so does everything that is no object or array as the columns have it.
   * None if there is no residual either: no row has the path.
   */
  @tailrec def find(
      cell: FileCell,
      steps: Seq[PathStep],
      hops: Seq[(FileTyped.Array, Int)] = Nil
  ): Option[PathEnd] = {
    val (inner, array) = (cell.typed, steps.headOption) match {
      case (Some(typed: FileTyped.Object), Some(PathStep.Key(key))) => (typed.field(key), None)
      case (Some(typed: FileTyped.Array), Some(PathStep.Index(index))) =>
        (Some(typed.element), Some((typed, index)))
      case _ => (None, None)
    }
    inner match {
      case Some(found) => find(found, steps.tail, hops ++ array)
      case None if steps.isEmpty => Some(PathEnd(cell, hops, Nil))
      case None => cell.value.map(_ => PathEnd(cell, hops, steps))
    }
  }
}
