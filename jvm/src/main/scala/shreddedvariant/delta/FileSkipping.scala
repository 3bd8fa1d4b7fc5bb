/**
 * Decides from the statistics in the table's log whether a file may have matching rows.
 *
 * The evaluation is the same as for row groups, with one source for each column: a path has bounds only in
 * files where all its values are typed, so there is no residual to consider, only rows that lack the path.
 */
package shreddedvariant.delta

import org.apache.spark.sql.types.{DataType, StructType, VariantType}
import shreddedvariant.layout.{PathColumn, PathResult, PathStep}
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
    val source = column.origin match {
      case Origin.Plain(names) => plain(names, column, file)
      case Origin.Path(path) => ofPath(path, column, file)
    }
    source.fold(ValueDomain.anything) { case (part, statistics) => part.possible(statistics) }
  }

  private def plain(
      names: Seq[String],
      column: Column,
      file: RecordedStatistics
  ): Option[(ValueSource, LeafStatistics)] =
    for {
      (resolved, dataType) <- FileSkipping.find(schema, names, caseSensitive)
      scalar <- RecordedStatistics.scalar(dataType)
      part <- ValueSource.typed(scalar, resolved, column, mayLack = false, laws)
    } yield (part, file.plain(resolved, scalar))

  private def ofPath(
      path: PathColumn,
      column: Column,
      file: RecordedStatistics
  ): Option[(ValueSource, LeafStatistics)] =
    FileSkipping.find(schema, path.column, caseSensitive).flatMap { case (variant, _) =>
      path.wanted match {
        case PathResult.Presence if path.steps.isEmpty =>
          Some((ValueSource.Nulls(variant, mayLack = false, laws), file.presence(variant)))
        case _: PathResult.Value | _: PathResult.Raising if column.types.head != VariantType =>
          for {
            keys <- FileSkipping.keys(path.steps)
            (scalar, facts) <- file.path(variant, NormalizedPath.of(keys))
            part <- ValueSource.typed(scalar, variant, column, mayLack = true, laws)
          } yield (part, facts)
        // Statistics do not record the presence of nested paths and the contents of maps.
        case _ => None
      }
    }
}

private object FileSkipping {
  def keys(steps: Seq[PathStep]): Option[Seq[String]] = {
    val keys = steps.collect { case PathStep.Key(name) => name }
    Option.when(keys.size == steps.size)(keys)
  }

  /** The names of a column as the table spells them, and its type. */
  def find(
      schema: StructType,
      names: Seq[String],
      caseSensitive: Boolean
  ): Option[(Seq[String], DataType)] = {
    def same(a: String, b: String) = if (caseSensitive) a == b else a.equalsIgnoreCase(b)
    names.foldLeft(Option((Seq.empty[String], schema: DataType))) {
      case (Some((resolved, struct: StructType)), name) =>
        struct.find(f => same(f.name, name)).map(f => (resolved :+ f.name, f.dataType))
      case _ => None
    }
  }
}
