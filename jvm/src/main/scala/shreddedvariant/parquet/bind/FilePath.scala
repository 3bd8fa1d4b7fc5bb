/** Finds columns of a file by their names in the query. */
package shreddedvariant.parquet.bind

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, MessageType, Type}

private[parquet] object FilePath {

  /** The top-level column of a path, with only the fields on the path. */
  def alone(file: MessageType, path: Seq[String]): Type = {
    def below(column: Type, rest: Seq[String]): Type = (column, rest) match {
      case (group: GroupType, name +: next) =>
        group.withNewFields(java.util.List.of(below(group.getType(name), next)))
      case _ => column
    }
    below((file: GroupType).getType(path.head), path.tail)
  }

  def group(file: MessageType, names: Seq[String], job: ReadJob): Option[Seq[String]] =
    names.foldLeft(Option((file: Type, Seq.empty[String]))) {
      case (Some((group: GroupType, resolved)), name) =>
        group.getFields.asScala.find(f => job.sameName(f.getName, name)).map(f => (f, resolved :+ f.getName))
      case _ => None
    }.map(_._2)
}
