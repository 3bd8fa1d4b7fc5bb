/**
 * Whether any row of a file may pass, by what the table's log says of the file.
 *
 * The same judgement as for row groups, with one part for each column: a path has bounds only in files where all its
 * values are typed, so there is no residual to look at, only rows that lack the path.
 */
package shreddedvariant.delta

import org.apache.spark.sql.types.{DataType, StructType, VariantType}
import shreddedvariant.layout.{PathColumn, PathStep, Wanted}
import shreddedvariant.stats._

final class FileSkipping(
    schema: StructType,
    predicate: Predicate,
    caseSensitive: Boolean,
    laws: SkippingRules = SkippingRules.all
) {
  private val judgement = new Judgement(laws)

  def mayMatch(file: DeltaFile): Boolean = file.stats.forall { json =>
    val statistics = new RecordedStatistics(json, file.isOurs)
    judgement.rows(predicate)((column, test, truth) =>
      judgement.mayBe(test, truth, possible(column, statistics))
    )
  }

  private def possible(column: Column, file: RecordedStatistics): ValueDomain = {
    val found = column.origin match {
      case Origin.Plain(names) => plain(names, column, file)
      case Origin.Path(path) => ofPath(path, column, file)
    }
    found.fold(ValueDomain.anything) { case (part, facts) => part.possible(facts) }
  }

  private def plain(
      names: Seq[String],
      column: Column,
      file: RecordedStatistics
  ): Option[(ValueSource, LeafStatistics)] =
    for {
      (found, dataType) <- FileSkipping.find(schema, names, caseSensitive)
      scalar <- RecordedStatistics.scalar(dataType)
      part <- ValueSource.typed(scalar, found, column, mayLack = false, laws)
    } yield (part, file.plain(found, scalar))

  private def ofPath(
      path: PathColumn,
      column: Column,
      file: RecordedStatistics
  ): Option[(ValueSource, LeafStatistics)] =
    FileSkipping.find(schema, path.column, caseSensitive).flatMap { case (variant, _) =>
      path.wanted match {
        case Wanted.Presence if path.steps.isEmpty =>
          Some((ValueSource.Nulls(variant, mayLack = false, laws), file.presence(variant)))
        case _: Wanted.Value | _: Wanted.Raising if column.types.head != VariantType =>
          for {
            keys <- FileSkipping.keys(path.steps)
            (scalar, facts) <- file.path(variant, NormalizedPath.of(keys))
            part <- ValueSource.typed(scalar, variant, column, mayLack = true, laws)
          } yield (part, facts)
        // Whether a part is there, and what maps hold, is not recorded.
        case _ => None
      }
    }
}

private object FileSkipping {
  def keys(steps: Seq[PathStep]): Option[Seq[String]] = {
    val keys = steps.collect { case PathStep.Key(name) => name }
    Option.when(keys.size == steps.size)(keys)
  }

  /** A column as the table spells it. */
  def find(
      schema: StructType,
      names: Seq[String],
      caseSensitive: Boolean
  ): Option[(Seq[String], DataType)] = {
    def same(a: String, b: String) = if (caseSensitive) a == b else a.equalsIgnoreCase(b)
    names.foldLeft(Option((Seq.empty[String], schema: DataType))) {
      case (Some((found, struct: StructType)), name) =>
        struct.find(f => same(f.name, name)).map(f => (found :+ f.name, f.dataType))
      case _ => None
    }
  }
}
