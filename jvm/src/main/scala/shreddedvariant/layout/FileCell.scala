/**
 * A variant's group as one file has it: cells of a stored value and typed parts, bound to the file's columns.
 *
 * Today's layout has `value` and one `typed_value`; the draft has `untyped_value` and up to three typed parts, `object`,
 * `array` and `typed_value`, of which a row sets one. What the states of a cell mean, and what we do where the
 * specifications leave a choice:
 *
 * | stored | typed | root          | field of an object | element of an array |
 * |--------|-------|---------------|--------------------|---------------------|
 * | null   | null  | variant null  | missing            | variant null        |
 * | set    | null  | the stored    | the stored         | the stored          |
 * | null   | one   | the typed     | the typed          | the typed           |
 * | set    | one   | an object whose keys come from both; anything else is refused (CONFLICT)   |
 * | any    | more  | refused (CONFLICT)                                                         |
 *
 * A key that is stored and shredded too takes its shredded value. Where that is missing, it is absent in today's layout,
 * which forbids such keys, and takes its stored value in the draft, whose algorithm looks it up there. An optional group
 * of a field is read as a missing field where it is null.
 */
package shreddedvariant.layout

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.LogicalTypeAnnotation.VariantLogicalTypeAnnotation
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.Type
import shreddedvariant.Errors

/**
 * `path` is what a user calls the cell; `value`, the stored values, and scalar columns are full paths of leaf columns.
 * There is at most one typed part of a kind.
 */
final case class FileCell(path: String, value: Option[Seq[String]], typed: Seq[FileTyped]) {
  def fields: Option[FileTyped.Object] = typed.collectFirst { case part: FileTyped.Object => part }
  def array: Option[FileTyped.Array] = typed.collectFirst { case part: FileTyped.Array => part }
}

sealed trait FileTyped

object FileTyped {
  final case class Scalar(scalar: ScalarType, column: Seq[String]) extends FileTyped

  /**
   * `group` is the path of the object's group. Fields are bound when somebody asks for them: a query on one path costs
   * the same beside ten others and beside a thousand.
   */
  final class Object(val group: Seq[String], bind: String => Option[FileCell], keys: => Seq[String])
      extends FileTyped {
    def field(key: String): Option[FileCell] = bind(key)

    /** All fields, ordered by key. */
    lazy val fields: IndexedSeq[(String, FileCell)] = {
      val cells = for (key <- keys; cell <- bind(key)) yield (key, cell)
      cells.toIndexedSeq.sortWith((a, b) => Shape.compareKeys(Shape.utf8(a._1), Shape.utf8(b._1)) < 0)
    }
  }
  final case class Array(group: Seq[String], element: FileCell) extends FileTyped
}

/**
 * A whole variant: the path of its group, of its `metadata` column, which the draft has none of, and its root cell.
 * `mayStandOutside` says that what has a cell may be stored further out where the cell is missing.
 */
final case class FileVariant(
    group: Seq[String],
    metadata: Option[Seq[String]],
    root: FileCell,
    mayStandOutside: Boolean
) {
  def isDraft: Boolean = metadata.isEmpty
  def isShredded: Boolean = root.typed.nonEmpty
}

object FileCell {
  def isAnnotated(group: Type): Boolean =
    group.getLogicalTypeAnnotation.isInstanceOf[VariantLogicalTypeAnnotation]

  /**
   * Binds the group at `path` of the file; `column` is what the user calls it. `keepsToShape` says that a draft's writer
   * puts into its cell what has one.
   */
  def bind(
      file: MessageType,
      path: Seq[String],
      column: String,
      maxDepth: Int,
      keepsToShape: Boolean = false
  ): FileVariant = file.getType(path: _*) match {
    case group: GroupType if DraftLayout.isDraft(group) =>
      FileVariant(path, None, new DraftCellBinder(column, maxDepth).root(group, path), !keepsToShape)
    case group: GroupType =>
      val binder = new ParquetCellBinder(column, maxDepth)
      val metadata = binder.metadata(group, path)
      FileVariant(path, Some(metadata), binder.root(group, path), mayStandOutside = false)
    case _ =>
      throw Errors.malformedLayout(column, "it is a single column and not a group of metadata and value")
  }
}
