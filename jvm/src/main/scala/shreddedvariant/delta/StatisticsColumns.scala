/** The columns that get statistics: those in `delta.dataSkippingStatsColumns`, or the first leaves. */
package shreddedvariant.delta

import org.apache.spark.sql.types._

/** `columns` has leaves with the names of the structs around them; `paths` is the maximum per variant. */
final case class StatisticsColumns(columns: Seq[(Seq[String], DataType)], paths: Int)

object StatisticsColumns {
  val NumberKey = "delta.dataSkippingNumIndexedCols"
  val NamesKey = "delta.dataSkippingStatsColumns"
  val DefaultNumber = 32

  def of(
      schema: StructType,
      partitionColumns: Seq[String],
      properties: Map[String, String]
  ): StatisticsColumns = {
    val number = properties.get(NumberKey).flatMap(_.toIntOption).map(n => if (n < 0) Int.MaxValue else n)
    val all = leaves(schema.filterNot(f => partitionColumns.contains(f.name)), Nil)
    val chosen = properties.get(NamesKey) match {
      case Some(names) =>
        val prefixes = parse(names)
        all.filter { case (column, _) => prefixes.exists(column.map(lower).startsWith(_)) }
      case None => all.take(number.getOrElse(DefaultNumber))
    }
    StatisticsColumns(chosen, number.getOrElse(DefaultNumber))
  }

  private def leaves(fields: Seq[StructField], parent: Seq[String]): Seq[(Seq[String], DataType)] =
    fields.flatMap { field =>
      field.dataType match {
        case struct: StructType => leaves(struct.fields.toSeq, parent :+ field.name)
        case other => Seq((parent :+ field.name, other))
      }
    }

  /** Parses dotted names that are separated by commas, with backticks around names that have commas or dots. */
  private def parse(names: String): Seq[Seq[String]] =
    splitOutside(names, ',').map(splitOutside(_, '.').map(unquoted).filter(_.nonEmpty)).filter(_.nonEmpty)

  private def unquoted(part: String): String = {
    val text = part.trim
    val isQuoted = text.length > 1 && text.startsWith("`") && text.endsWith("`")
    lower(if (isQuoted) text.substring(1, text.length - 1).replace("``", "`") else text)
  }

  private def splitOutside(text: String, separator: Char): Seq[String] = {
    val (last, parts, _) = text.foldLeft(("", Vector.empty[String], false)) {
      case ((part, parts, quoted), '`') => (part + '`', parts, !quoted)
      case ((part, parts, false), `separator`) => ("", parts :+ part, false)
      case ((part, parts, quoted), other) => (part + other, parts, quoted)
    }
    parts :+ last
  }

  private def lower(name: String) = name.toLowerCase(java.util.Locale.ROOT)
}
