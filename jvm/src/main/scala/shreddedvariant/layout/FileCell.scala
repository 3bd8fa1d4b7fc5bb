/**
 * A variant's group as one file has it: cells of `value` and `typed_value`, bound to the file's columns.
 *
 * What the four states of a cell mean, and what we do where the specification leaves a choice:
 *
 * | value | typed_value | root          | field of an object | element of an array |
 * |-------|-------------|---------------|--------------------|---------------------|
 * | null  | null        | variant null  | missing            | variant null        |
 * | set   | null        | the value     | the value          | the value           |
 * | null  | set         | the typed     | the typed          | the typed           |
 * | set   | set         | an object whose keys come from both; anything else is refused (CONFLICT)   |
 *
 * A key that stands in `value` and is shredded too takes its shredded value, or is absent where that is missing. An
 * optional group of a field (the specification wants it required) is read as a missing field where it is null.
 */
package shreddedvariant.layout

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.LogicalTypeAnnotation.{
  ListLogicalTypeAnnotation,
  VariantLogicalTypeAnnotation
}
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Type
import org.apache.parquet.schema.Type.Repetition
import shreddedvariant.Errors

/** `path` is what a user calls the cell; `value` and scalar columns are full paths of leaf columns. */
final case class FileCell(path: String, value: Option[Seq[String]], typed: Option[FileTyped])

sealed trait FileTyped

object FileTyped {
  final case class Scalar(scalar: ScalarType, column: Seq[String]) extends FileTyped

  /**
   * `group` is the path of the `typed_value` group. Fields are bound when somebody asks for them: a query on one path
   * costs the same beside ten others and beside a thousand.
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

/** A whole variant: the path of its `metadata` column and its root cell. */
final case class FileVariant(metadata: Seq[String], root: FileCell) {
  def isShredded: Boolean = root.typed.isDefined
}

object FileCell {
  def isAnnotated(group: Type): Boolean =
    group.getLogicalTypeAnnotation.isInstanceOf[VariantLogicalTypeAnnotation]

  /** Binds the group at `path` of the file; `column` is what the user calls it. */
  def bind(file: MessageType, path: Seq[String], column: String, maxDepth: Int): FileVariant = {
    val binder = new FileCellBinder(column, maxDepth)
    val group = file.getType(path: _*) match {
      case group: GroupType => group
      case _ =>
        throw Errors.malformedLayout(column, "it is a single column and not a group of metadata and value")
    }
    binder.variant(group, path)
  }
}

private final class FileCellBinder(column: String, maxDepth: Int) {
  import ParquetLayout._

  def variant(group: GroupType, path: Seq[String]): FileVariant = {
    checkFields(group, Set(Metadata, Value, TypedValue), column)
    field(group, Metadata) match {
      case Some(metadata) if isBinary(metadata) => FileVariant(path :+ Metadata, cell(group, path, column, 0))
      case Some(metadata) => throw Errors.malformedLayout(column, s"its metadata is $metadata and not binary")
      case None => throw Errors.malformedLayout(column, "it has no metadata column")
    }
  }

  private def cell(group: GroupType, path: Seq[String], name: String, depth: Int): FileCell = {
    if (depth > maxDepth) throw Errors.tooDeep(column, maxDepth)
    val value = field(group, Value).map { column =>
      if (!isBinary(column)) throw Errors.malformedLayout(name, s"its value is $column and not binary")
      path :+ Value
    }
    val typed = field(group, TypedValue).map(typedValue(_, path :+ TypedValue, name, depth))
    if (value.isEmpty && typed.isEmpty)
      throw Errors.malformedLayout(name, "it has neither value nor typed_value")
    FileCell(name, value, typed)
  }

  private def typedValue(column: Type, path: Seq[String], name: String, depth: Int): FileTyped =
    column match {
      case repeated if repeated.isRepetition(Repetition.REPEATED) =>
        throw Errors.malformedLayout(name, "its typed_value is repeated")
      case group: GroupType =>
        group.getLogicalTypeAnnotation match {
          case null => fields(group, path, name, depth)
          case _: ListLogicalTypeAnnotation => array(group, path, name, depth)
          case other => throw Errors.unsupportedType(name, s"a group of $other")
        }
      case other =>
        val primitive = other.asPrimitiveType
        val scalar =
          ScalarType.fromParquet(primitive).getOrElse(throw Errors.unsupportedType(name, describe(primitive)))
        FileTyped.Scalar(scalar, path)
    }

  private def fields(group: GroupType, path: Seq[String], name: String, depth: Int): FileTyped = {
    def bind(key: String) = field(group, key).map {
      case cellGroup: GroupType if !cellGroup.isRepetition(Repetition.REPEATED) =>
        val keyName = name + "." + Shape.quoted(key)
        checkFields(cellGroup, Set(Value, TypedValue), keyName)
        cell(cellGroup, path :+ key, keyName, depth + 1)
      case _ =>
        throw Errors.malformedLayout(name, s"its field '$key' is not a group of value and typed_value")
    }
    new FileTyped.Object(path, bind, keys(group, name))
  }

  private def keys(group: GroupType, name: String): Seq[String] = {
    val all = group.getFields.asScala.map(_.getName).toSeq
    all.diff(all.distinct).headOption.foreach { key =>
      throw Errors.malformedLayout(name, s"its field '$key' stands there twice")
    }
    all
  }

  /** Writers name the repeated group and the element as they like; the specification asks for three levels. */
  private def array(group: GroupType, path: Seq[String], name: String, depth: Int): FileTyped = {
    def refuse =
      throw Errors.malformedLayout(name, s"its array is not a three-level list but ${oneLine(group)}")
    val repeated = group.getFields.asScala.toSeq match {
      case Seq(list: GroupType) if list.isRepetition(Repetition.REPEATED) => list
      case _ => refuse
    }
    repeated.getFields.asScala.toSeq match {
      case Seq(element: GroupType) if !element.isRepetition(Repetition.REPEATED) =>
        val elementName = name + "[*]"
        checkFields(element, Set(Value, TypedValue), elementName)
        val elementPath = path :+ repeated.getName :+ element.getName
        FileTyped.Array(path, cell(element, elementPath, elementName, depth + 1))
      case _ => refuse
    }
  }

  private def checkFields(group: GroupType, known: Set[String], name: String): Unit =
    group.getFields.asScala.map(_.getName).find(!known(_)).foreach { other =>
      throw Errors.malformedLayout(name, s"it holds '$other' beside ${known.toSeq.sorted.mkString(", ")}")
    }

  private def field(group: GroupType, name: String): Option[Type] =
    if (group.containsField(name)) Some(group.getType(name)) else None

  private def isBinary(column: Type) = column match {
    case p: PrimitiveType =>
      p.getPrimitiveTypeName == PrimitiveTypeName.BINARY && !p.isRepetition(Repetition.REPEATED) &&
      p.getLogicalTypeAnnotation == null
    case _ => false
  }

  private def describe(column: PrimitiveType) =
    Option(column.getLogicalTypeAnnotation).fold(column.getPrimitiveTypeName.toString)(_.toString)

  private def oneLine(group: GroupType) = group.toString.replaceAll("\\s+", " ")
}
