/** Binds the groups of a file to cells: a common base class, and a class for each layout. */
package shreddedvariant.layout

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Type
import org.apache.parquet.schema.Type.Repetition
import shreddedvariant.Errors

private[layout] sealed abstract class FileCellBinder(column: String, maxDepth: Int) {

  /** The columns of a cell; the first has the stored values. */
  protected def names: Seq[String]

  /** Refuses a group that has fields other than the columns of a cell. */
  protected def checkFields(group: GroupType, name: String): Unit
  protected def parts(group: GroupType, path: Seq[String], name: String, depth: Int): Seq[FileTyped]

  def root(group: GroupType, path: Seq[String]): FileCell = cell(group, path, column, 0)

  private def cell(group: GroupType, path: Seq[String], name: String, depth: Int): FileCell = {
    if (depth > maxDepth) throw Errors.tooDeep(column, maxDepth)
    val value = field(group, names.head).map { column =>
      if (!FileCellBinder.isBinary(column))
        throw Errors.malformedLayout(name, s"its ${names.head} is $column and not binary")
      path :+ names.head
    }
    val typed = parts(group, path, name, depth)
    if (value.isEmpty && typed.isEmpty)
      throw Errors.malformedLayout(name, s"it has neither ${names.mkString(" nor ")}")
    FileCell(name, value, typed)
  }

  private def inner(group: GroupType, path: Seq[String], name: String, depth: Int): FileCell = {
    checkFields(group, name)
    cell(group, path, name, depth + 1)
  }

  protected def scalar(column: PrimitiveType, path: Seq[String], name: String): FileTyped =
    FileTyped.Scalar(
      ScalarType.fromParquet(column).getOrElse(throw Errors.unsupportedType(name, describe(column))),
      path
    )

  protected def fields(group: GroupType, path: Seq[String], name: String, depth: Int): FileTyped = {
    def bind(key: String) = field(group, key).map {
      case cellGroup: GroupType if !cellGroup.isRepetition(Repetition.REPEATED) =>
        inner(cellGroup, path :+ key, name + "." + Shape.quoted(key), depth)
      case _ =>
        throw Errors.malformedLayout(name, s"its field '$key' is not a group of ${names.mkString(" and ")}")
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

  /** The repeated group and the element may have any names; the specifications require three levels. */
  protected def array(group: GroupType, path: Seq[String], name: String, depth: Int): FileTyped = {
    def refuse =
      throw Errors.malformedLayout(name, s"its array is not a three-level list but ${oneLine(group)}")
    val repeated = group.getFields.asScala.toSeq match {
      case Seq(list: GroupType) if list.isRepetition(Repetition.REPEATED) => list
      case _ => refuse
    }
    repeated.getFields.asScala.toSeq match {
      case Seq(element: GroupType) if !element.isRepetition(Repetition.REPEATED) =>
        val elementPath = path :+ repeated.getName :+ element.getName
        FileTyped.Array(path, inner(element, elementPath, name + "[*]", depth))
      case _ => refuse
    }
  }

  protected def isList(column: Type): Boolean =
    column.getLogicalTypeAnnotation.isInstanceOf[ListLogicalTypeAnnotation]

  protected def field(group: GroupType, name: String): Option[Type] =
    if (group.containsField(name)) Some(group.getType(name)) else None

  protected def refuseUnknown(
      group: GroupType,
      expected: Seq[String],
      name: String
  )(isAllowed: String => Boolean): Unit =
    group.getFields.asScala.map(_.getName).find(!isAllowed(_)).foreach { unknown =>
      throw Errors.malformedLayout(name, s"it holds '$unknown' beside ${expected.sorted.mkString(", ")}")
    }

  private def describe(column: PrimitiveType) =
    Option(column.getLogicalTypeAnnotation).fold(column.getPrimitiveTypeName.toString)(_.toString)

  protected def oneLine(column: Type): String = column.toString.replaceAll("\\s+", " ")
}

private[layout] object FileCellBinder {
  def isBinary(column: Type): Boolean = column match {
    case p: PrimitiveType =>
      p.getPrimitiveTypeName == PrimitiveTypeName.BINARY && !p.isRepetition(Repetition.REPEATED) &&
      p.getLogicalTypeAnnotation == null
    case _ => false
  }
}

/** The current layout: the type of `typed_value` determines the kind of the typed part. */
private[layout] final class ParquetCellBinder(column: String, maxDepth: Int)
    extends FileCellBinder(column, maxDepth) {
  import ParquetLayout._

  override protected val names: Seq[String] = Seq(Value, TypedValue)

  def metadata(group: GroupType, path: Seq[String]): Seq[String] = {
    val expected = Metadata +: names
    refuseUnknown(group, expected, column)(expected.contains)
    field(group, Metadata) match {
      case Some(metadata) if FileCellBinder.isBinary(metadata) => path :+ Metadata
      case Some(metadata) => throw Errors.malformedLayout(column, s"its metadata is $metadata and not binary")
      case None => throw Errors.malformedLayout(column, "it has no metadata column")
    }
  }

  override protected def checkFields(group: GroupType, name: String): Unit =
    refuseUnknown(group, names, name)(names.contains)

  override protected def parts(
      group: GroupType,
      path: Seq[String],
      name: String,
      depth: Int
  ): Seq[FileTyped] = field(group, TypedValue).toSeq.map(typedValue(_, path :+ TypedValue, name, depth))

  private def typedValue(column: Type, path: Seq[String], name: String, depth: Int): FileTyped =
    column match {
      case repeated if repeated.isRepetition(Repetition.REPEATED) =>
        throw Errors.malformedLayout(name, "its typed_value is repeated")
      case group: GroupType if isList(group) => array(group, path, name, depth)
      case group: GroupType if group.getLogicalTypeAnnotation == null => fields(group, path, name, depth)
      case group: GroupType =>
        throw Errors.unsupportedType(name, s"a group of ${group.getLogicalTypeAnnotation}")
      case other => scalar(other.asPrimitiveType, path, name)
    }
}

/** The draft layout: each kind of typed part has its own column. */
private[layout] final class DraftCellBinder(column: String, maxDepth: Int)
    extends FileCellBinder(column, maxDepth) {
  import DraftLayout._

  override protected def names: Seq[String] = DraftLayout.names

  override def root(group: GroupType, path: Seq[String]): FileCell = {
    checkFields(group, column)
    super.root(group, path)
  }

  /** Allows names with a leading underscore: extensions use them, and readers may ignore them. */
  override protected def checkFields(group: GroupType, name: String): Unit =
    refuseUnknown(group, names, name)(field => names.contains(field) || isIgnored(field))

  override protected def parts(
      group: GroupType,
      path: Seq[String],
      name: String,
      depth: Int
  ): Seq[FileTyped] = {
    def refuse(column: Type, expected: String) =
      throw Errors.malformedLayout(name, s"its ${column.getName} is ${oneLine(column)} and not $expected")
    def isRepeated(column: Type) = column.isRepetition(Repetition.REPEATED)
    val objects = field(group, Object).map {
      case column: GroupType if !isRepeated(column) && column.getLogicalTypeAnnotation == null =>
        fields(column, path :+ Object, name, depth)
      case other => refuse(other, "a group of fields")
    }
    val arrays = field(group, Array).map {
      case column: GroupType if !isRepeated(column) && isList(column) =>
        array(column, path :+ Array, name, depth)
      case other => refuse(other, "a list")
    }
    val scalars = field(group, TypedValue).map {
      case column: PrimitiveType if !isRepeated(column) => scalar(column, path :+ TypedValue, name)
      case other => refuse(other, "a single column")
    }
    Seq(objects, arrays, scalars).flatten
  }
}
