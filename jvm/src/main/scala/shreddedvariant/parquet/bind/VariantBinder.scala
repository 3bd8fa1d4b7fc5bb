/** Binds variants of one file: whole variants, and paths into variants. */
package shreddedvariant.parquet.bind

import scala.collection.mutable

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types.{BinaryType, BooleanType, DataType, StringType, VariantType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.VariantVal
import shreddedvariant.Errors
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
  VariantOutput,
  VariantVector
}
import shreddedvariant.shred._

final class VariantBinder(
    variants: FileVariants,
    position: BatchPosition,
    leaves: FileLeaves,
    job: ReadJob
) {
  private val forSpark = new VariantForSpark(job.limits.maxDepth, unchanged = job.isStrict)
  private val extractions = mutable.Map.empty[(PathColumn, DataType), PathExtraction]

  private def output(name: String) = new VariantOutput(name, forSpark, position)

  // ---- whole variants ----

  def whole(path: Seq[String], name: String): ColumnVector =
    whole(variants.at(path, name), name)

  private def whole(bound: FileVariant, name: String): ColumnVector = bound.metadata match {
    case Some(column) =>
      val stored = leaves.leaf(column, BinaryType, Rebasing.none, _ => true).vector
      val metadata = new MetadataVector(stored, output(name))
      val root = cell(bound.root)
      val value =
        if (bound.isShredded) {
          val rebuilder = new RowRebuilder(root, job.limits.maxBytes, job.isStrict)
          new RebuiltValueVector(metadata, rebuilder, output(name))
        } else new StoredValueVector(metadata, root.value, output(name))
      new VariantVector(metadata, value)
    case None =>
      val rebuilder = new DraftRebuilder(cell(bound.root), job.limits.maxBytes, job.limits.maxDepth)
      madeVariants(name, leaves.variantPresence(bound), rebuilder.rebuild)
  }

  private def madeVariants(name: String, presence: Presence, variant: Int => VariantVal): ColumnVector =
    leaves.register(new MadeVariantVector(presence, variant, output(name)))

  private def metadataOf(bound: FileVariant, name: String, need: RowGroup => Boolean): ColumnVector =
    bound.metadata.fold[ColumnVector](new NoMetadataVector) { column =>
      new LazyMetadataVector(leaves.lazily(column, BinaryType, need), output(name))
    }

  /**
   * With `texts`, for whole values, texts are copied from the dictionary page. A path takes its texts from the
   * vector.
   */
  private def cell(bound: FileCell, texts: Boolean = true, level: Int = 0): CellVector = {
    if (level > FileCell.MaxLevels) throw Errors.shreddedTooDeep(bound.path, FileCell.MaxLevels)
    val value = storedVector(bound)
    val typed = new Array[TypedVector](bound.typed.size)
    // Loops, because a closure would take several frames of the stack at each level.
    var i = 0
    while (i < typed.length) {
      typed(i) = bound.typed(i) match {
        case FileTyped.Scalar(scalar, column) =>
          val leaf = leaves.cell(column, scalar.decodedAs)
          val kept = if (texts && scalar == ScalarType.Str) leaf.keepTexts() else null
          new ScalarVector(scalar, leaf.vector, kept)
        case bound: FileTyped.Object =>
          val cells = new Array[CellVector](bound.fields.size)
          var field = 0
          while (field < cells.length) {
            cells(field) = cell(bound.fields(field)._2, texts, level + 1)
            field += 1
          }
          new ObjectVector(bound.fields.map(_._1).toArray, cells, leaves.presence(bound.group))
        case FileTyped.Array(group, element) =>
          val vector = cell(element, texts, level + 1)
          new ArrayVector(leaves.lists(group), vector)
      }
      i += 1
    }
    new CellVector(bound.path, value, typed)
  }

  private def storedVector(bound: FileCell) = bound.value.map(leaves.cell(_, BinaryType).vector).orNull

  // ---- paths ----

  def path(column: PathColumn, requested: DataType): ReadColumn = {
    val name = column.columnName
    variants.of(column) match {
      case None => missing(requested)
      case Some(bound) =>
        column.wanted match {
          case PathResult.Presence if column.steps.isEmpty =>
            new PresenceColumn(leaves.variantPresence(bound), job.batchSize)
          case PathResult.Presence => presence(bound, column, name)
          case PathResult.Value(_, zone) => value(bound, column, name, requested, zone)
          case PathResult.Raising(target, zone) =>
            extraction(bound, column.copy(wanted = PathResult.Value(target, zone)), name, target, zone)
              .fold(missing(requested))(_.raising)
          case PathResult.Json(zone) => json(bound, column, name, zone)
          case PathResult.Failure(target, zone) =>
            extraction(bound, column.copy(wanted = PathResult.Value(target, zone)), name, target, zone)
              .fold(missing(requested))(_.failures)
          case other => throw new IllegalStateException(s"$other is not for variants")
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
    variants.resolve(bound, column) match {
      case Some(ResolvedPath(fileCell, Nil, Nil, _)) if target == VariantType && (fileCell eq bound.root) =>
        new FixedColumn(whole(bound, name))
      case Some(end @ ResolvedPath(_, Nil, Nil, _)) if target == VariantType =>
        new FixedColumn(part(bound, end, name))
      case _ => extraction(bound, column, name, target, zone).fold(missing(target))(_.values)
    }

  private def presence(bound: FileVariant, column: PathColumn, name: String): ReadColumn =
    variants.resolve(bound, column) match {
      case Some(end @ ResolvedPath(fileCell, Nil, Nil, outer)) =>
        if (outer.isEmpty) leaves.register(new PathPresence(outline(fileCell), leaves.vectors, job.batchSize))
        // Where the cell is missing, the stored value of an enclosing cell may have the path.
        else new FixedColumn(new PresenceVector(lookupOf(bound, end, name, outline)._2))
      case _ =>
        extraction(bound, column.copy(wanted = PathResult.Value(VariantType, None)), name, VariantType, None)
          .fold(missing(BooleanType))(part =>
            new FixedColumn(new PresenceVector(row => !part.values.vector.isNullAt(row)))
          )
    }

  /** A cell without its fields and elements, which is sufficient to find out where the cell is missing. */
  private def outline(bound: FileCell): CellVector = {
    val typed: Seq[TypedVector] = bound.typed.map {
      case FileTyped.Scalar(scalar, column) =>
        new ScalarVector(scalar, leaves.cell(column, scalar.decodedAs).vector)
      case bound: FileTyped.Object => new ObjectVector(Array.empty, Array.empty, leaves.presence(bound.group))
      case FileTyped.Array(group, _) => new ArrayVector(leaves.lists(group), null)
    }
    new CellVector(bound.path, storedVector(bound), typed.toArray)
  }

  /** A part of a variant that has its own cell, as a variant. */
  private def part(bound: FileVariant, end: ResolvedPath, name: String): ColumnVector =
    if (bound.isDraft) {
      val lookup = lookupOf(bound, end, name)._2
      madeVariants(name, lookup, lookup.variant)
    } else {
      val metadata = metadataOf(bound, name, _ => true)
      val vector = cell(end.cell)
      val rebuilder = new RowRebuilder(vector, job.limits.maxBytes)
      new PartVector(vector, metadata, rebuilder, output(name))
    }

  private def json(bound: FileVariant, column: PathColumn, name: String, zone: String): ReadColumn = {
    val zoneId = DateTimeUtils.getZoneId(zone)
    def ofVariants(variants: ReadColumn) =
      new VariantJsonVector(
        name,
        variants,
        new JsonWriter.OfVariant(name, zoneId, job.limits.maxBytes, job.limits.maxDepth),
        position
      )
    variants.resolve(bound, column) match {
      case Some(end @ ResolvedPath(fileCell, Nil, Nil, outer)) =>
        val vector = cell(fileCell)
        val presence =
          if (fileCell eq bound.root) leaves.variantPresence(bound) else new CellPresence(vector)
        val keys = if (bound.isDraft) new PartKeys(vector) else new RowKeys(vector)
        val writer = new JsonWriter(vector, keys, zoneId, job.limits.maxBytes, job.limits.maxDepth)
        val metadata = metadataOf(bound, name, needsKeys(fileCell))
        val text = new CellJsonVector(name, presence, metadata, writer, position)
        if (outer.isEmpty) new FixedColumn(text)
        else new FixedColumn(new EitherTextVector(text, ofVariants(new FixedColumn(part(bound, end, name)))))
      case _ =>
        extraction(bound, column.copy(wanted = PathResult.Value(VariantType, None)), name, VariantType, None)
          .fold(missing(StringType))(part => new FixedColumn(ofVariants(part.values)))
    }
  }

  /** The file's schema has the keys of typed objects. Only residuals refer to keys by ids. */
  private def needsKeys(cell: FileCell): RowGroup => Boolean = {
    val values = FileCell.valuesBelow(cell)
    group => values.exists(!group.holdsNothing(_))
  }

  private def extraction(
      bound: FileVariant,
      column: PathColumn,
      name: String,
      target: DataType,
      zone: Option[String]
  ): Option[PathExtraction] =
    extractions.get((column, target)).orElse(variants.resolve(bound, column).map { end =>
      val (endpoint, lookup) = lookupOf(bound, end, name)
      val extraction =
        leaves.register(new PathExtraction(endpoint, lookup, target, zone, position, leaves.vectors))
      extractions((column, target)) = extraction
      extraction
    })

  private def lookupOf(
      bound: FileVariant,
      end: ResolvedPath,
      name: String,
      vectorOf: FileCell => CellVector = cell(_, texts = false)
  ): (BoundPath, PathLookup) = {
    val endpoint = boundPath(end, vectorOf)
    val variants = bound.metadata match {
      case Some(_) =>
        new RowVariants(endpoint.cell, metadataOf(bound, name, needsMetadata(end)), job.limits.maxBytes)
      case None => new DraftVariants(endpoint.cell, job.limits)
    }
    (endpoint, new PathLookup(endpoint, variants, position))
  }

  private def boundPath(end: ResolvedPath, vectorOf: FileCell => CellVector): BoundPath = {
    val vector =
      if (end.rest.isEmpty) vectorOf(end.cell)
      else new CellVector(end.cell.path, storedVector(end.cell), Array.empty)
    // The lists are created after the leaves of the cell, so that they use the levels of one of these leaves.
    val hops = end.hops.map { case (array, index) => (leaves.lists(array.group), index) }
    val outerValues = end.outerValues
    def matters(group: RowGroup) = outerValues.exists(!group.holdsNothing(_))
    val parts = Option.when(end.rest.nonEmpty && outerValues.nonEmpty) {
      val each = end.cell.typed.map(part => leaves.presence(groupOf(part), matters _))
      leaves.register(new PartPresence(each, matters))
    }
    BoundPath(vector, hops, end.rest, end.isElement, parts, end.outer.map(boundPath(_, vectorOf)))
  }

  private def groupOf(part: FileTyped): Seq[String] = part match {
    case FileTyped.Scalar(_, column) => column
    case fields: FileTyped.Object => fields.group
    case FileTyped.Array(group, _) => group
  }

  /** Ids in stored values refer to keys in the metadata. A scalar in a typed column has no ids. */
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
