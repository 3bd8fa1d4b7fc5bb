/** Binds the columns of a predicate to the leaves of one file that have their values. */
package shreddedvariant.parquet.bind

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.parquet.schema.{MessageType, PrimitiveType}
import org.apache.spark.sql.types.VariantType
import shreddedvariant.layout._
import shreddedvariant.parquet.file.FileMaps
import shreddedvariant.parquet.vector.{BatchPosition, Rebasing}
import shreddedvariant.stats._

final class PredicateBinder(
    file: MessageType,
    variants: FileVariants,
    place: BatchPosition,
    hotKeys: FileMaps,
    job: ReadJob,
    rebasing: Rebasing,
    laws: SkippingRules = SkippingRules.all
) {
  def parts(column: Column): Seq[ValueSource] = place.named {
    column.origin match {
      case Origin.Path(path @ PathColumn(_, _, PathResult.Entry(key, _))) => Seq(entryPart(path, key, column))
      case Origin.Path(PathColumn(_, _, _: PathResult.OfMap)) => Seq(ValueSource.Unknown)
      case Origin.Path(path) => pathParts(path, column)
      case Origin.Plain(names) => Seq(plainPart(names, column))
    }
  }

  // ---- paths of variants ----

  private def pathParts(path: PathColumn, column: Column): Seq[ValueSource] =
    variants.of(path) match {
      case None => Seq(ValueSource.Absent)
      case Some(bound) =>
        path.wanted match {
          case PathResult.Presence if path.steps.isEmpty => Seq(presencePart(bound))
          // The root is never missing: if all its columns are null, the root is a variant null.
          case _ if path.steps.isEmpty && column.types.head == VariantType => Seq(ValueSource.Unknown)
          case _ =>
            variants.resolve(bound, path).fold[Seq[ValueSource]](Seq(ValueSource.Absent))(cell(
              _,
              bound.isDraft
            ).of(
              column,
              laws
            ))
        }
    }

  /**
   * In the draft layout, the definition levels of stored values, which are not repeated, show where the group
   * is present.
   */
  private def presencePart(bound: FileVariant): ValueSource = (bound.metadata, bound.root.value) match {
    case (Some(metadata), _) => ValueSource.Nulls(metadata, mayLack = false, laws)
    case (None, Some(stored)) => ValueSource.Group(stored, file.getMaxDefinitionLevel(bound.group: _*), laws)
    case (None, None) => ValueSource.Unknown
  }

  private def cell(end: ResolvedPath, isDraft: Boolean): CellSources = {
    val typed = if (end.rest.isEmpty) end.cell.typed else Nil
    val scalar = typed match {
      case Seq(FileTyped.Scalar(scalar, leaf)) => Some((scalar, leaf))
      case _ => None
    }
    CellSources(
      scalar,
      isComplex = typed.nonEmpty && scalar.isEmpty,
      end.cell.value,
      end.outerValues,
      end.isElement,
      mayLack = end.hops.nonEmpty || end.rest.nonEmpty,
      isDraft
    )
  }

  // ---- keys of maps ----

  /**
   * A hot key has its value in its sidecar ([[MapBinder]] has the law); any other key is one of the residual's
   * keys.
   */
  private def entryPart(path: PathColumn, key: String, column: Column): ValueSource =
    FilePath.group(file, path.column, job).fold[ValueSource](ValueSource.Absent) { map =>
      hotKeys.hotKeys(map).collectFirst { case (`key`, sidecar) => leafPart(sidecar, column) }.getOrElse {
        val keys = MapKeyLeaf(file, map, path.columnName)
        ScalarType.fromParquet(file.getType(keys: _*).asPrimitiveType) match {
          case Some(ScalarType.Str | ScalarType.Binary) =>
            ValueSource.Keyed(keys, Datum.Bytes(key.getBytes(UTF_8)), laws)
          case _ => ValueSource.Unknown
        }
      }
    }

  // ---- columns of the file ----

  private def plainPart(names: Seq[String], column: Column): ValueSource =
    FilePath.group(file, names, job) match {
      // The column may be added to the table after the file, with a default that the rows of the file have.
      case None => ValueSource.Unknown
      case Some(path) => leafPart(path, column)
    }

  private def leafPart(path: Seq[String], column: Column): ValueSource = file.getType(path: _*) match {
    case leaf: PrimitiveType if !isRepeated(path) =>
      ScalarType.fromParquet(leaf).filter(keepsCalendar).flatMap(typedPart(_, path, column)).getOrElse(
        ValueSource.Unknown
      )
    case _ => ValueSource.Unknown
  }

  /**
   * Only with casts that never fail: Spark's readers refuse files whose values do not fit the column's type.
   */
  private def typedPart(scalar: ScalarType, path: Seq[String], column: Column): Option[ValueSource] =
    ValueSource.typed(scalar, path, column, mayLack = false, laws, MonotoneCast.reading)
      .filter(_.casts.forall(_.isTotal))

  /**
   * Whether reading keeps dates and timestamps: values that are rebased to another calendar differ from the
   * bounds.
   */
  private def keepsCalendar(scalar: ScalarType): Boolean = scalar match {
    case ScalarType.Date | ScalarType.Timestamp => rebasing.datetimeMode == "CORRECTED"
    case _ => true
  }

  private def isRepeated(path: Seq[String]) = file.getMaxRepetitionLevel(path: _*) > 0
}
