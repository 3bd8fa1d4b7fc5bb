/** Binds the columns that a query asks for to the columns of one file: which leaves are read, and what is made of them. */
package shreddedvariant.parquet

import java.util.Locale

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, MessageType, PrimitiveType, Type, Types}
import org.apache.parquet.schema.Type.Repetition
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.Errors
import shreddedvariant.layout.{FileCell, FileTyped, ParquetLayout, ScalarType, Shape}
import shreddedvariant.shred._

/** What a file gives for a query: a vector for each column, and what fills them. */
final class BoundFile(val columns: Array[ColumnVector], val leaves: Seq[Leaf], val assembled: Seq[Assembled])

final class ColumnBinder(
    file: MessageType,
    place: FilePlace,
    fileColumns: FileColumns,
    job: ReadJob,
    rebasing: Rebasing) {
  private val vectors = new VectorAllocator(job.batchSize, job.offHeap)
  private val leaves = mutable.LinkedHashMap.empty[Seq[String], Leaf]
  private val assembled = mutable.ArrayBuffer.empty[Assembled]

  def bind(requested: StructType): BoundFile = {
    val found = requested.fields.map(field => topLevel(field.name))
    val plain = clip(requested, found)
    val columns = requested.fields.zip(found).map {
      case (field, None) => fileColumns.find(field).getOrElse(missing(field.dataType, ExistingDefault(field)))
      case (field, Some(group)) => column(field.dataType, plain(group.getName), field.name)
    }
    new BoundFile(columns, leaves.values.toSeq, assembled.toSeq)
  }

  // ---- names ----

  private def topLevel(name: String): Option[Type] = {
    val matching = file.getFields.asScala.filter(f => same(f.getName, name)).toSeq
    if (matching.size > 1) throw Errors.ambiguousColumn(name, matching.map(_.getName))
    matching.headOption
  }

  private def same(a: String, b: String) = if (job.caseSensitive) a == b else a.equalsIgnoreCase(b)

  private def normal(name: String) = if (job.caseSensitive) name else name.toLowerCase(Locale.ROOT)

  // ---- plain columns, by the tree that Spark's own schema converter makes ----

  private def clip(requested: StructType, found: Array[Option[Type]]): Map[String, ParquetColumn] = {
    val pairs = requested.fields.zip(found).collect { case (field, Some(column)) =>
      (field, VariantGroups.withoutTyped(column, field.dataType, normal))
    }
    if (pairs.isEmpty) Map.empty
    else {
      val message = new MessageType(file.getName, pairs.map(_._2).toSeq.distinct.asJava)
      val read = StructType(pairs.map { case (field, _) => field.copy(dataType = VariantGroups.asStructs(field.dataType)) })
      val converted = job.types.converter(job.caseSensitive).convertParquetColumn(message, Some(read))
      message.getFields.asScala.map(_.getName).zip(converted.children).toMap
    }
  }

  private def column(requested: DataType, found: ParquetColumn, name: String): ColumnVector = requested match {
    case VariantType => variant(found.path, name)
    case udt: UserDefinedType[_] => column(udt.sqlType, found, name)
    case struct: StructType => structColumn(struct, found, name)
    case array: ArrayType =>
      requireType[ArrayType](found, name, requested)
      val element = column(array.elementType, found.children.head, name + "[*]")
      new ListVector(array, lists(found), element)
    case map: MapType =>
      requireType[MapType](found, name, requested)
      val key = column(map.keyType, found.children(0), name + ".key")
      val value = column(map.valueType, found.children(1), name + ".value")
      new MapVector(map, lists(found), key, value)
    case scalar =>
      val descriptor = found.descriptor.getOrElse(throw wrongType(found, name, requested))
      leaf(descriptor.getPath.toSeq, scalar, rebasing).vector
  }

  private def structColumn(struct: StructType, found: ParquetColumn, name: String): ColumnVector = {
    requireType[StructType](found, name, struct)
    val names = found.sparkType.asInstanceOf[StructType].fieldNames
    val children: Array[ColumnVector] = struct.fields.map { field =>
      names.indexWhere(same(_, field.name)) match {
        case -1 => missing(field.dataType, None)
        case i => column(field.dataType, found.children(i), name + "." + Shape.quoted(field.name))
      }
    }
    new StructVector(struct, presence(found.path, found.definitionLevel, found.repetitionLevel), children)
  }

  private def lists(found: ParquetColumn): Lists = {
    // A list that has lost its own group (a bare repeated column) has the path of its elements.
    val below = leavesBelow(found.path)
    register(new LevelLists(witness(below, found.repetitionLevel + 1), found.definitionLevel, found.repetitionLevel))
  }

  private def missing(dataType: DataType, default: Option[Any]): ColumnVector =
    ConstantVector(dataType, default, job.batchSize)

  private def requireType[T](found: ParquetColumn, name: String, wanted: DataType)(implicit
      tag: reflect.ClassTag[T]): Unit =
    if (!tag.runtimeClass.isInstance(found.sparkType)) throw wrongType(found, name, wanted)

  private def wrongType(found: ParquetColumn, name: String, wanted: DataType) =
    Errors.columnType(name, found.sparkType.sql, wanted.sql)

  // ---- variants ----

  private def variant(path: Seq[String], name: String): ColumnVector = {
    val bound = FileCell.bind(file, path, name, job.limits.maxDepth)
    val metadata = new MetadataVector(name, leaf(bound.metadata, BinaryType, Rebasing.none).vector, place)
    val root = cell(bound.root)
    val value =
      if (bound.isShredded) new RebuiltValueVector(name, metadata, new Rebuilder(root, job.limits.maxBytes), place)
      else new StoredValueVector(name, metadata, root.value, place)
    new VariantVector(metadata, value)
  }

  private def cell(bound: FileCell): CellVector = {
    val value = bound.value.map(leaf(_, BinaryType, Rebasing.none).vector).orNull
    val typed = bound.typed.map {
      case FileTyped.Scalar(scalar, column) =>
        new ScalarVector(scalar, leaf(column, ScalarType.decodedAs(scalar), Rebasing.none).vector)
      case FileTyped.Object(group, fields) =>
        val cells = fields.map { case (_, field) => cell(field) }
        new ObjectVector(fields.map(_._1).toArray, cells.toArray, presence(group))
      case FileTyped.Array(group, element) =>
        val vector = cell(element)
        new ArrayVector(listsOf(group), vector)
    }
    new CellVector(bound.path, value, typed.orNull)
  }

  private def presence(group: Seq[String]): Presence =
    presence(group, file.getMaxDefinitionLevel(group: _*), file.getMaxRepetitionLevel(group: _*))

  private def listsOf(group: Seq[String]): Lists = {
    val repetition = file.getMaxRepetitionLevel(group: _*)
    val found = witness(leavesBelow(group), repetition + 1)
    register(new LevelLists(found, file.getMaxDefinitionLevel(group: _*), repetition))
  }

  // ---- leaves and witnesses ----

  private def leaf(path: Seq[String], dataType: DataType, rebasing: Rebasing): Leaf =
    leaves.getOrElseUpdate(path, new Leaf(file.getColumnDescription(path.toArray), dataType, rebasing, vectors))

  private def presence(group: Seq[String], definition: Int, repetition: Int): Presence =
    if (definition == 0) AlwaysPresent
    else register(new LevelPresence(witness(leavesBelow(group), repetition), definition, repetition))

  private def register[A <: Assembled](node: A): A = { assembled += node; node }

  private def leavesBelow(group: Seq[String]): Seq[Seq[String]] =
    LeafPaths.of(file.getType(group: _*)).map(group ++ _)

  /**
   * The leaf that tells the levels of a node: one that is read anyway if there is one, and rather one of the node's
   * own space than a repeated one. Any leaf below the node has the node's levels.
   */
  private def witness(below: Seq[Seq[String]], repetition: Int): Leaf = {
    def distance(path: Seq[String]) = math.abs(file.getMaxRepetitionLevel(path: _*) - repetition)
    val path = below.minBy(path => (if (leaves.contains(path)) 0 else 1, distance(path)))
    leaf(path, PhysicalType.of(file.getType(path: _*).asPrimitiveType), Rebasing.none).keepLevels()
  }
}

/** The leaves below a type, as paths from it. */
private object LeafPaths {
  def of(column: Type): Seq[Seq[String]] = column match {
    case group: GroupType => group.getFields.asScala.toSeq.flatMap(field => of(field).map(field.getName +: _))
    case _ => Seq(Nil)
  }
}

/** A Spark type under which any column of a physical type can be decoded: for leaves of which only levels are read. */
private object PhysicalType {
  import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

  def of(column: PrimitiveType): DataType = column.getPrimitiveTypeName match {
    case BOOLEAN => BooleanType
    case INT32 => IntegerType
    case INT64 => LongType
    case FLOAT => FloatType
    case DOUBLE => DoubleType
    case INT96 => TimestampNTZType
    case BINARY | FIXED_LEN_BYTE_ARRAY => BinaryType
  }
}

/** Groups that are asked for as variants, brought into a form that Spark's schema converter takes for any file. */
private object VariantGroups {
  import ParquetLayout._

  private val storage = StructType(Seq(StructField(Metadata, BinaryType)))

  def asStructs(dataType: DataType): DataType = dataType match {
    case VariantType => storage
    case StructType(fields) => StructType(fields.map(f => f.copy(dataType = asStructs(f.dataType))))
    case ArrayType(element, nullable) => ArrayType(asStructs(element), nullable)
    case MapType(key, value, nullable) => MapType(asStructs(key), asStructs(value), nullable)
    case udt: UserDefinedType[_] => asStructs(udt.sqlType)
    case other => other
  }

  /**
   * Leaves only the metadata of each variant: its levels are the group's, and its other columns may have types that
   * Spark's converter refuses. [[FileCell]] binds the group itself, by its path.
   */
  def withoutTyped(column: Type, requested: DataType, normal: String => String): Type =
    (column, requested) match {
      case (group: GroupType, VariantType) =>
        if (!group.containsField(Metadata)) throw Errors.malformedLayout(group.getName, "it has no metadata column")
        withFields(group, Seq(group.getType(Metadata)), keepAnnotation = false)
      case (group: GroupType, struct: StructType) =>
        val types = struct.fields.map(f => normal(f.name) -> f.dataType).toMap
        withFields(group, group.getFields.asScala.toSeq.map { field =>
          types.get(normal(field.getName)).fold(field)(withoutTyped(field, _, normal))
        })
      case (group: GroupType, ArrayType(element, _)) => inCollection(group, Seq(element), normal)
      case (group: GroupType, MapType(key, value, _)) => inCollection(group, Seq(key, value), normal)
      case _ => column
    }

  /** Below a list or map the groups in between have any names: whatever is asked for stands at their ends. */
  private def inCollection(group: GroupType, requested: Seq[DataType], normal: String => String): Type =
    withFields(group, group.getFields.asScala.toSeq.map {
      case repeated: GroupType if repeated.isRepetition(Repetition.REPEATED) =>
        if (requested.size == 1 && repeated.getFieldCount > 1) withoutTyped(repeated, requested.head, normal)
        else
          withFields(repeated, repeated.getFields.asScala.toSeq.zipAll(requested, null, null).collect {
            case (field, wanted) if field != null => if (wanted == null) field else withoutTyped(field, wanted, normal)
          })
      case other => other
    })

  private def withFields(group: GroupType, fields: Seq[Type], keepAnnotation: Boolean = true): GroupType = {
    val builder = Types.buildGroup(group.getRepetition)
    if (keepAnnotation && group.getLogicalTypeAnnotation != null) builder.as(group.getLogicalTypeAnnotation)
    if (group.getId != null) builder.id(group.getId.intValue)
    fields.foreach(builder.addField(_))
    builder.named(group.getName)
  }
}

/** A vector that has one value in every row: null, or the default that a column had when it was added. */
object ConstantVector {
  import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
  import org.apache.spark.sql.execution.vectorized.ColumnVectorUtils

  def apply(dataType: DataType, value: Option[Any], rows: Int): ColumnVector = {
    val vector = new ConstantColumnVector(rows, dataType)
    value match {
      case Some(value) => ColumnVectorUtils.populate(vector, new GenericInternalRow(Array[Any](value)), 0)
      case None => vector.setNull()
    }
    vector
  }
}

/** `ALTER TABLE … ADD COLUMN … DEFAULT`: what rows have that were written before. */
private object ExistingDefault {
  import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns

  def apply(field: StructField): Option[Any] =
    Option(ResolveDefaultColumns.existenceDefaultValues(StructType(Seq(field))).head)
}
