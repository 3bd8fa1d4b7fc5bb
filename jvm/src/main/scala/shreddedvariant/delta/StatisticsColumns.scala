/** Which columns a table wants statistics of: `delta.dataSkippingStatsColumns`, or the first so many leaves. */
package shreddedvariant.delta

import org.apache.spark.sql.types._

/** `columns` are leaves by the names of the structs around them; `paths` is how many of each variant's paths. */
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
        val wanted = parse(names)
        all.filter { case (column, _) => wanted.exists(column.map(lower).startsWith(_)) }
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

  /** Names between commas, dotted, with backticks around what holds commas or dots. */
  private def parse(names: String): Seq[Seq[String]] =
    splitOutside(names, ',').map(splitOutside(_, '.').map(unquoted).filter(_.nonEmpty)).filter(_.nonEmpty)

  private def unquoted(part: String): String = {
    val text = part.trim
    val isQuoted = text.length > 1 && text.startsWith("`") && text.endsWith("`")
    lower(if (isQuoted) text.substring(1, text.length - 1).replace("``", "`") else text)
  }

  private def splitOutside(text: String, separator: Char): Seq[String] = {
    val (last, done, _) = text.foldLeft(("", Vector.empty[String], false)) {
      case ((now, done, quoted), '`') => (now + '`', done, !quoted)
      case ((now, done, false), `separator`) => ("", done :+ now, false)
      case ((now, done, quoted), other) => (now + other, done, quoted)
    }
    done :+ last
  }

  private def lower(name: String) = name.toLowerCase(java.util.Locale.ROOT)
}
