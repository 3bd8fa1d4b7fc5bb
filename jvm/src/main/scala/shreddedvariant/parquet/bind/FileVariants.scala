/** The variants of one file, and the paths of a query in them: each is bound once and shared by predicates and columns. */
package shreddedvariant.parquet.bind

import scala.collection.mutable

import org.apache.parquet.schema.MessageType
import shreddedvariant.layout.{FileCell, FileVariant, PathColumn, PathStep}

final class FileVariants(file: MessageType, job: ReadJob, keepsToShape: Boolean) {
  private val variants = mutable.HashMap.empty[Seq[String], FileVariant]
  private val paths = mutable.HashMap.empty[(Seq[String], Seq[PathStep]), Option[ResolvedPath]]

  /** The variant of a group of the file; errors name it by `name`. */
  def at(group: Seq[String], name: String): FileVariant =
    variants.getOrElseUpdate(group, FileCell.bind(file, group, name, job.limits.maxDepth, keepsToShape))

  /** None if the file does not have the column. */
  def of(path: PathColumn): Option[FileVariant] =
    FilePath.group(file, path.column, job).map(at(_, path.columnName))

  def resolve(variant: FileVariant, path: PathColumn): Option[ResolvedPath] =
    paths.getOrElseUpdate((variant.group, path.steps), ResolvedPath.find(variant, path.steps))
}
