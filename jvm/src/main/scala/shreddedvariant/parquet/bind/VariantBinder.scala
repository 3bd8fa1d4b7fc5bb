/** Binds variants of one file: whole ones, and paths into them. */
package shreddedvariant.parquet.bind

import scala.collection.mutable

import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types.{BinaryType, BooleanType, DataType, StringType, VariantType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.layout._
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.parquet.vector.{
  BatchPosition,
  BoundPath,
  CellJsonVector,
  CellPresence,
  ConstantVector,
  DraftVariants,
  EitherTextVector,
  FixedColumn,
  LazyMetadataVector,
  MadeVariantVector,
  MetadataVector,
  NoMetadataVector,
  PartPresence,
  PartVector,
  PathExtraction,
  PathLookup,
  PathPresence,
  PresenceColumn,
  PresenceVector,
  ReadColumn,
  Rebasing,
  RebuiltValueVector,
  RowVariants,
  StoredValueVector,
  VariantJsonVector,
  VariantVector
}
import shreddedvariant.shred._

final class VariantBinder(
    file: MessageType,
    place: BatchPosition,
    leaves: FileLeaves,
    job: ReadJob,
    keepsToShape: Boolean
) {
  private val handedOn = new HandedOn(job.limits.maxDepth, asTheyStand = job.isStrict)
  private val extractions = mutable.Map.empty[(PathColumn, DataType), PathExtraction]

  // ---- whole variants ----

  def whole(path: Seq[String], name: String): ColumnVector =
    whole(FileCell.bind(file, path, name, job.limits.maxDepth, keepsToShape), name)

  private def whole(bound: FileVariant, name: String): ColumnVector = bound.metadata match {
    case Some(column) =>
      val metadata =
        new MetadataVector(
          name,
          leaves.leaf(column, BinaryType, Rebasing.none, _ => true).vector,
          handedOn,
          place
        )
      val root = cell(bound.root)
      val value =
        if (bound.isShredded)
          new RebuiltValueVector(
            name,
            metadata,
            new RowRebuilder(root, job.limits.maxBytes, job.isStrict),
            handedOn,
            place
          )
        else new StoredValueVector(name, metadata, root.value, handedOn, place)
      new VariantVector(metadata, value)
    case None =>
      val rebuilder = new DraftRebuilder(cell(bound.root), job.limits.maxBytes, job.limits.maxDepth)
      made(name, leaves.variantPresence(bound), rebuilder.rebuild)
  }

  private def made(name: String, presence: Presence, variant: Int => VariantVal): ColumnVector =
    leaves.register(new MadeVariantVector(name, presence, variant, handedOn, place))

  private def metadataOf(bound: FileVariant, name: String, need: RowGroup => Boolean): ColumnVector =
    bound.metadata.fold[ColumnVector](new NoMetadataVector) { column =>
      new LazyMetadataVector(name, leaves.lazily(column, BinaryType, need), handedOn, place)
    }

  /** `texts`: for whole values, which take them row by row; a text that is a path's value is the vector's. */
  private def cell(bound: FileCell, texts: Boolean = true): CellVector = {
    val value = valueOf(bound)
    val typed: Seq[TypedVector] = bound.typed.map {
      case FileTyped.Scalar(scalar, column) =>
        val leaf = leaves.cell(column, ScalarType.decodedAs(scalar))
        val kept = if (texts && scalar == ScalarType.Str) leaf.keepTexts() else null
        new ScalarVector(scalar, leaf.vector, kept)
      case bound: FileTyped.Object =>
        val cells = bound.fields.map { case (_, field) => cell(field, texts) }
        new ObjectVector(bound.fields.map(_._1).toArray, cells.toArray, leaves.presence(bound.group))
      case FileTyped.Array(group, element) =>
        val vector = cell(element, texts)
        new ArrayVector(leaves.lists(group), vector)
    }
    new CellVector(bound.path, value, typed.toArray)
  }

  private def valueOf(bound: FileCell) = bound.value.map(leaves.cell(_, BinaryType).vector).orNull

  // ---- paths ----

  def path(column: PathColumn, requested: DataType): ReadColumn = {
    val name = column.columnName
    FilePath.group(file, column.column, job) match {
      case None => missing(requested)
      case Some(group) =>
        val bound = FileCell.bind(file, group, name, job.limits.maxDepth, keepsToShape)
        column.wanted match {
          case Wanted.Presence if column.steps.isEmpty =>
            new PresenceColumn(leaves.variantPresence(bound), job.batchSize)
          case Wanted.Presence => presence(bound, column, name)
          case Wanted.Value(_, zone) => value(bound, column, name, requested, zone)
          case Wanted.Raising(target, zone) =>
            extraction(bound, column.copy(wanted = Wanted.Value(target, zone)), name, target, zone)
              .fold(missing(requested))(_.raising)
          case Wanted.Json(zone) => json(bound, column, name, zone)
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
    ResolvedPath.find(bound, column.steps) match {
      case Some(ResolvedPath(found, Nil, Nil, _)) if target == VariantType && (found eq bound.root) =>
        new FixedColumn(whole(bound, name))
      case Some(end @ ResolvedPath(_, Nil, Nil, _)) if target == VariantType =>
        new FixedColumn(part(bound, end, name))
      case _ => extraction(bound, column, name, target, zone).fold(missing(target))(_.values)
    }

  private def presence(bound: FileVariant, column: PathColumn, name: String): ReadColumn =
    ResolvedPath.find(bound, column.steps) match {
      case Some(end @ ResolvedPath(found, Nil, Nil, outer)) =>
        if (outer.isEmpty) leaves.register(new PathPresence(outline(found), leaves.vectors, job.batchSize))
        // Where the cell is missing, the path may stand in what is stored around it.
        else new FixedColumn(new PresenceVector(lookUp(bound, end, name, outline)._2))
      case _ =>
        extraction(bound, column.copy(wanted = Wanted.Value(VariantType, None)), name, VariantType, None)
          .fold(missing(BooleanType))(part =>
            new FixedColumn(new PresenceVector(row => !part.values.vector.isNullAt(row)))
          )
    }

  /** A cell without what is below it: enough to tell where it is missing. */
  private def outline(bound: FileCell): CellVector = {
    val typed: Seq[TypedVector] = bound.typed.map {
      case FileTyped.Scalar(scalar, column) =>
        new ScalarVector(scalar, leaves.cell(column, ScalarType.decodedAs(scalar)).vector)
      case bound: FileTyped.Object => new ObjectVector(Array.empty, Array.empty, leaves.presence(bound.group))
      case FileTyped.Array(group, _) => new ArrayVector(leaves.lists(group), null)
    }
    new CellVector(bound.path, valueOf(bound), typed.toArray)
  }

  /** A part of a variant that has a cell of its own, as a variant. */
  private def part(bound: FileVariant, end: ResolvedPath, name: String): ColumnVector =
    if (bound.isDraft) {
      val lookup = lookUp(bound, end, name)._2
      made(name, lookup, lookup.variant)
    } else {
      val metadata = metadataOf(bound, name, _ => true)
      val vector = cell(end.cell)
      val rebuilder = new RowRebuilder(vector, job.limits.maxBytes)
      new PartVector(name, vector, metadata, rebuilder, handedOn, place)
    }

  private def json(bound: FileVariant, column: PathColumn, name: String, zone: String): ReadColumn = {
    val zoneId = DateTimeUtils.getZoneId(zone)
    def ofVariants(variants: ReadColumn) =
      new VariantJsonVector(name, variants, new JsonWriter.OfVariant(zoneId, job.limits.maxDepth), place)
    ResolvedPath.find(bound, column.steps) match {
      case Some(end @ ResolvedPath(found, Nil, Nil, outer)) =>
        val vector = cell(found)
        val presence =
          if (found eq bound.root) leaves.variantPresence(bound) else new CellPresence(vector)
        val keys = if (bound.isDraft) new PartKeys(vector) else new RowKeys(vector)
        val writer = new JsonWriter(vector, keys, zoneId, job.limits.maxDepth)
        val metadata = metadataOf(bound, name, needsKeys(found))
        val text = new CellJsonVector(name, presence, metadata, writer, place)
        if (outer.isEmpty) new FixedColumn(text)
        else new FixedColumn(new EitherTextVector(text, ofVariants(new FixedColumn(part(bound, end, name)))))
      case _ =>
        extraction(bound, column.copy(wanted = Wanted.Value(VariantType, None)), name, VariantType, None)
          .fold(missing(StringType))(part => new FixedColumn(ofVariants(part.values)))
    }
  }

  /** Keys of typed objects stand in the file's schema; only residuals speak of them by ids. */
  private def needsKeys(cell: FileCell): RowGroup => Boolean = {
    val values = valuesBelow(cell)
    group => values.exists(!group.holdsNothing(_))
  }

  private def valuesBelow(cell: FileCell): Seq[Seq[String]] = cell.value.toSeq ++ cell.typed.flatMap {
    case fields: FileTyped.Object => fields.fields.flatMap(f => valuesBelow(f._2))
    case FileTyped.Array(_, element) => valuesBelow(element)
    case _: FileTyped.Scalar => Nil
  }

  private def extraction(
      bound: FileVariant,
      column: PathColumn,
      name: String,
      target: DataType,
      zone: Option[String]
  ): Option[PathExtraction] =
    extractions.get((column, target)).orElse(ResolvedPath.find(bound, column.steps).map { end =>
      val (found, lookup) = lookUp(bound, end, name)
      val extraction =
        leaves.register(new PathExtraction(found, lookup, target, zone, place, leaves.vectors))
      extractions((column, target)) = extraction
      extraction
    })

  private def lookUp(
      bound: FileVariant,
      end: ResolvedPath,
      name: String,
      vectorOf: FileCell => CellVector = cell(_, texts = false)
  ): (BoundPath, PathLookup) = {
    val found = placeOf(end, vectorOf)
    val variants = bound.metadata match {
      case Some(_) =>
        new RowVariants(found.cell, metadataOf(bound, name, needsMetadata(end)), job.limits.maxBytes)
      case None => new DraftVariants(found.cell, job.limits)
    }
    (found, new PathLookup(found, variants, place))
  }

  private def placeOf(end: ResolvedPath, vectorOf: FileCell => CellVector): BoundPath = {
    val vector =
      if (end.rest.isEmpty) vectorOf(end.cell)
      else new CellVector(end.cell.path, valueOf(end.cell), Array.empty)
    // The lists come after the leaves of the cell, one of which tells their levels.
    val hops = end.hops.map { case (array, index) => (leaves.lists(array.group), index) }
    val outerValues = end.outerValues
    def matters(group: RowGroup) = outerValues.exists(!group.holdsNothing(_))
    val parts = Option.when(end.rest.nonEmpty && outerValues.nonEmpty) {
      val each = end.cell.typed.map(part => leaves.presence(groupOf(part), matters _))
      leaves.register(new PartPresence(each, matters))
    }
    BoundPath(vector, hops, end.rest, end.isElement, parts, end.outer.map(placeOf(_, vectorOf)))
  }

  private def groupOf(part: FileTyped): Seq[String] = part match {
    case FileTyped.Scalar(_, column) => column
    case fields: FileTyped.Object => fields.group
    case FileTyped.Array(group, _) => group
  }

  /** Ids in a stored value point into the metadata; a scalar of a typed column has none. */
  private def needsMetadata(end: ResolvedPath): RowGroup => Boolean =
    (end.cell.typed, end.cell.value) match {
      case (Seq(_: FileTyped.Scalar), None) if end.rest.isEmpty => _ => false
      case (Seq(_: FileTyped.Scalar), Some(value)) => group => !group.holdsNothing(value)
      case (_, Some(value)) if end.rest.nonEmpty => group => !group.holdsNothing(value)
      case _ => _ => true
    }

  private def missing(dataType: DataType): ReadColumn =
    new FixedColumn(ConstantVector(dataType, None, job.batchSize))
}
