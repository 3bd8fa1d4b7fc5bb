/**
 * The group of a variant in one file: cells of a stored value and typed parts, bound to the file's columns.
 *
 * The current layout has `value` and one `typed_value`; the draft layout has `untyped_value` and up to three
 * typed parts, `object`, `array` and `typed_value`, of which a row may set one. The table gives the meaning of
 * each state of a cell, with our decision where the specifications leave a choice:
 *
 * | stored | typed | root          | field of an object | element of an array |
 * |--------|-------|---------------|--------------------|---------------------|
 * | null   | null  | variant null  | missing            | variant null        |
 * | set    | null  | the stored    | the stored         | the stored          |
 * | null   | one   | the typed     | the typed          | the typed           |
 * | set    | one   | an object whose keys come from both; anything else is refused (CONFLICT)   |
 * | any    | more  | refused (CONFLICT)                                                         |
 *
 * If a key is both stored and shredded, its shredded value is read. If the shredded value is missing, the key
 * is absent in the current layout, which forbids such keys; in the draft layout its stored value is read, as
 * the algorithm of the draft demands. If the optional group of a field is null, the field is missing.
 */
package shreddedvariant.layout

import scala.collection.mutable

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.LogicalTypeAnnotation.VariantLogicalTypeAnnotation
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.Type
import shreddedvariant.Errors

/**
 * `path` names the cell to the user. `value`, the column of stored values, and the columns of scalars are full
 * paths of leaf columns. There is at most one typed part of each kind.
 */
final case class FileCell(path: String, value: Option[Seq[String]], typed: Seq[FileTyped]) {
  def fields: Option[FileTyped.Object] = typed.collectFirst { case part: FileTyped.Object => part }
  def array: Option[FileTyped.Array] = typed.collectFirst { case part: FileTyped.Array => part }
}

sealed trait FileTyped

object FileTyped {
  final case class Scalar(scalar: ScalarType, column: Seq[String]) extends FileTyped

  /**
   * `group` is the path of the object's group. Fields are bound on demand, so the cost of a query on one path
   * does not depend on the number of other fields.
   */
  final class Object(val group: Seq[String], bind: String => Option[FileCell], keys: => Seq[String])
      extends FileTyped {
    def field(key: String): Option[FileCell] = bind(key)

    /** All fields, sorted by key. */
    lazy val fields: IndexedSeq[(String, FileCell)] = {
      val cells = for (key <- keys; cell <- bind(key)) yield (key, cell)
      cells.toIndexedSeq.sortWith((a, b) => Shape.compareKeys(Shape.utf8(a._1), Shape.utf8(b._1)) < 0)
    }
  }
  final case class Array(group: Seq[String], element: FileCell) extends FileTyped
}

/**
 * A whole variant: the path of its group, the path of its `metadata` column (None in the draft layout), and its
 * root cell. `mayBeOutside` says that a value at the path of a cell may be stored in an outer cell if the
 * cell is missing.
 */
final case class FileVariant(
    group: Seq[String],
    metadata: Option[Seq[String]],
    root: FileCell,
    mayBeOutside: Boolean
) {
  def isDraft: Boolean = metadata.isEmpty
  def isShredded: Boolean = root.typed.nonEmpty
}

object FileCell {

  /** A variant with cells below more levels is not read as a whole: each level takes some of a thread's stack. */
  val MaxLevels = 500

  /** The columns of stored values of a cell and of all cells below it. */
  def valuesBelow(cell: FileCell): Seq[Seq[String]] = {
    val values = mutable.ArrayBuffer.empty[Seq[String]]
    val open = mutable.Stack(cell)
    while (open.nonEmpty) {
      val next = open.pop()
      values ++= next.value
      next.typed.foreach {
        case fields: FileTyped.Object => fields.fields.foreach(field => open.push(field._2))
        case FileTyped.Array(_, element) => open.push(element)
        case _: FileTyped.Scalar => ()
      }
    }
    values.toSeq
  }

  def isAnnotated(group: Type): Boolean =
    group.getLogicalTypeAnnotation.isInstanceOf[VariantLogicalTypeAnnotation]

  /**
   * Binds the group at `path` of the file; `column` names the variant to the user. `keepsToShape` says whether
   * the file has the declaration of [[DraftLayout.FooterKey]].
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
      FileVariant(path, Some(metadata), binder.root(group, path), mayBeOutside = false)
    case _ =>
      throw Errors.malformedLayout(column, "it is a single column and not a group of metadata and value")
  }
}
