/** Maps expressions over a scan to columns for which files may have statistics. */
package shreddedvariant.source.scan

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.types._
import shreddedvariant.layout.{PathColumn, PathResult, Shape}
import shreddedvariant.rules.StrictCast
import shreddedvariant.stats.{Column, MonotoneCast, Origin}

/** `paths` are the hidden columns by their names, `files` the columns of the files. */
final class ScanColumns(paths: Map[String, PathColumn], files: StructType, caseSensitive: Boolean) {

  /** The column of an expression, or the reason why the expression has no statistics. */
  def find(e: Expression): Either[String, Column] = e match {
    case Path(path, isStrict) => ofPath(path, isStrict)
    // Spark normalizes zeros and NaN in join keys; predicates treat both zeros, and all NaN, as equal anyway.
    case KnownFloatingPointNormalized(NormalizeNaNAndZero(child)) => find(child)
    case Cast(child, to, _, _) =>
      find(child).filterOrElse(
        column => MonotoneCast.widening(column.dataType, to).isDefined,
        s"it is cast to ${to.sql}"
      ).map(column => column.copy(types = column.types :+ to, text = s"CAST(${column.text} AS ${to.sql})"))
    case other =>
      names(other) match {
        case Some(path) if holds(files, path) =>
          Right(Column(
            Origin.Plain(path),
            Seq(other.dataType),
            isStrict = false,
            path.map(Shape.quoted).mkString(".")
          ))
        case Some(path) => Left(s"files have no statistics of ${path.mkString(".")}")
        case None => Left(s"${other.prettyName} is no column")
      }
  }

  /** The SQL of an expression in EXPLAIN, with the paths of hidden columns. */
  def text(e: Expression): String = {
    val shown = e.transformUp {
      case Path(path, _) => AttributeReference(s"‹${path.path}›", path.wanted.dataType)()
    }
    shown.sql.replaceAll("`‹", "").replaceAll("›`", "").replace("``", "`")
  }

  private def ofPath(path: PathColumn, isStrict: Boolean): Either[String, Column] = path.wanted match {
    case PathResult.Value(target, _) => Right(Column(Origin.Path(path), Seq(target), isStrict, path.path))
    case PathResult.Raising(target, _) =>
      Right(Column(Origin.Path(path), Seq(target), isStrict = true, path.path))
    case PathResult.Entry(_, value) =>
      Right(Column(Origin.Path(path), Seq(value), isStrict = false, path.path))
    case PathResult.HasEntry(_) => Left("it tests for a key, not for its value")
    case PathResult.MapPresence | PathResult.MapSize | PathResult.MapKeys =>
      Left("files have no statistics of whole maps")
    case PathResult.Presence =>
      Right(Column(Origin.Path(path), Seq(BooleanType), isStrict = false, path.path))
    case _: PathResult.Failure => Left("files have no statistics of failed casts")
    case _: PathResult.Json => Left("it is JSON text, for which files have no statistics")
  }

  /** A hidden column; a [[StrictCast]] of the column and its failed casts is a strict column. */
  private object Path {
    def unapply(e: Expression): Option[(PathColumn, Boolean)] = e match {
      case a: Attribute => paths.get(a.name).map((_, false))
      case StrictCast(value, failing, target) =>
        (paths.get(value.name), paths.get(failing.name)) match {
          case (Some(path @ PathColumn(_, _, PathResult.Value(dataType, zone))), Some(failures))
              if dataType == target && failures == path.copy(wanted = PathResult.Failure(dataType, zone)) =>
            Some((path, true))
          case _ => None
        }
      case _ => None
    }
  }

  private def names(e: Expression): Option[Seq[String]] = e match {
    case a: Attribute => Some(Seq(a.name))
    case f: GetStructField => names(f.child).map(_ :+ f.childSchema(f.ordinal).name)
    case _ => None
  }

  private def holds(dataType: DataType, names: Seq[String]): Boolean = (dataType, names) match {
    case (_, Nil) => true
    case (struct: StructType, name +: rest) =>
      struct.fields.exists(f => same(f.name, name) && holds(f.dataType, rest))
    case _ => false
  }

  private def same(a: String, b: String) = if (caseSensitive) a == b else a.equalsIgnoreCase(b)
}
