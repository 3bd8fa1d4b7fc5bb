/** Binds the columns of a query to the leaves of one file, and creates the vectors of these columns. */
package shreddedvariant.parquet.bind

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{MessageType, Type}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.Errors
import shreddedvariant.layout.{PathColumn, PathResult, Shape}
import shreddedvariant.parquet.file.{FileMaps, RowGroup, VariantGroups}
import shreddedvariant.parquet.vector.{
  Assembled,
  BatchPosition,
  ConstantVector,
  ExistingDefault,
  FixedColumn,
  LeafColumnReader,
  ListVector,
  ReadColumn,
  Rebasing,
  StructVector,
  VectorAllocator
}

/** The columns of a query in one file, and the leaves and assembled parts that fill their vectors. */
final class BoundFile(
    val columns: Array[ReadColumn],
    val leaves: Seq[LeafColumnReader],
    val assembled: Seq[Assembled],
    val vectors: VectorAllocator
)

final class ColumnBinder(
    file: MessageType,
    fileVariants: FileVariants,
    position: BatchPosition,
    fileColumns: FileColumns,
    hotKeys: FileMaps,
    job: ReadJob,
    rebasing: Rebasing
) extends FileColumnBinder {
  private val leaves = new FileLeaves(file, new VectorAllocator(job.batchSize, job.offHeap), position)
  private val variants = new VariantBinder(fileVariants, position, leaves, job)
  private val maps = new MapBinder(file, position, hotKeys, leaves, this, job)

  def bind(requested: StructType): BoundFile = {
    val groups =
      requested.fields.map(field => if (job.paths.contains(field.name)) None else topLevel(field.name))
    val columns = new Array[ReadColumn](requested.length)
    // Columns that need only levels come last: the first use of a leaf decides the type that it is decoded as.
    val (valueColumns, levelColumns) = requested.fields.indices.partition(i =>
      !job.paths.get(requested(i).name).exists(_.wanted.isOfLevels)
    )
    for (i <- valueColumns ++ levelColumns)
      columns(i) = (requested(i), groups(i)) match {
        case (field, Some(group)) =>
          new FixedColumn(column(field.dataType, tree(field, group, field.name), field.name, always))
        case (field, None) => job.paths.get(field.name).fold(notInFile(field))(path(_, field.dataType))
      }
    new BoundFile(columns, leaves.all, leaves.assembled, leaves.vectors)
  }

  private def path(column: PathColumn, requested: DataType): ReadColumn = column.wanted match {
    case _: PathResult.OfMap => maps.path(column, requested)
    case _ => variants.path(column, requested)
  }

  private def notInFile(field: StructField): ReadColumn =
    new FixedColumn(fileColumns.find(field).getOrElse(missing(field.dataType, ExistingDefault(field))))

  private def missing(dataType: DataType, default: Option[Any]): ColumnVector =
    ConstantVector(dataType, default, job.batchSize)

  private def topLevel(name: String): Option[Type] = {
    val matching = file.getFields.asScala.filter(f => job.sameName(f.getName, name)).toSeq
    if (matching.size > 1) throw Errors.ambiguousColumn(name, matching.map(_.getName))
    matching.headOption
  }

  /** A column of the file, converted to a tree by Spark's own schema converter. */
  private def tree(field: StructField, fileType: Type, name: String): ParquetColumn = {
    def normalized(name: String) = if (job.caseSensitive) name else name.toLowerCase(Locale.ROOT)
    val unshredded = VariantGroups.withoutTyped(fileType, field.dataType, normalized)
    val readField = field.copy(dataType = VariantGroups.asStructs(field.dataType))
    try
      job.types
        .converter(job.caseSensitive)
        .convertParquetColumn(new MessageType(file.getName, unshredded), Some(StructType(Seq(readField))))
        .children
        .head
    catch {
      // The converter casts unchecked, for example if the file has a struct where a list is requested.
      case _: AnalysisException | _: ClassCastException =>
        throw Errors.columnType(name, fileType.toString.replaceAll("\\s+", " "), field.dataType.sql)
    }
  }

  override def column(
      path: Seq[String],
      dataType: DataType,
      name: String,
      need: RowGroup => Boolean
  ): ColumnVector = column(dataType, tree(path, dataType, name), name, need)

  override def values(map: Seq[String], dataType: DataType, name: String): ColumnVector = {
    val entries = tree(map, MapType(StringType, dataType), name)
    column(dataType, entries.children(1), name, always)
  }

  /** A column inside structs, converted without the other columns of these structs. */
  private def tree(path: Seq[String], dataType: DataType, name: String): ParquetColumn = {
    val field = path.init.foldRight(StructField(path.last, dataType)) { (outer, inner) =>
      StructField(outer, StructType(Seq(inner)))
    }
    val root = tree(field, FilePath.alone(file, path), name)
    path.tail.foldLeft(root)((node, _) => node.children.head)
  }

  private def column(
      requested: DataType,
      fileColumn: ParquetColumn,
      name: String,
      need: RowGroup => Boolean
  ): ColumnVector =
    requested match {
      case VariantType => variants.whole(fileColumn.path, name)
      case udt: UserDefinedType[_] => column(udt.sqlType, fileColumn, name, need)
      case struct: StructType => structColumn(struct, fileColumn, name)
      case array: ArrayType =>
        requireType[ArrayType](fileColumn, name, requested)
        val element = column(array.elementType, fileColumn.children.head, name + "[*]", always)
        val lists = leaves.lists(fileColumn.path, fileColumn.definitionLevel, fileColumn.repetitionLevel)
        new ListVector(array, lists, element)
      case map: MapType =>
        requireType[MapType](fileColumn, name, requested)
        val key = column(map.keyType, fileColumn.children(0), name + ".key", always)
        val value = column(map.valueType, fileColumn.children(1), name + ".value", always)
        val lists = leaves.lists(fileColumn.path, fileColumn.definitionLevel, fileColumn.repetitionLevel)
        maps.whole(map, fileColumn.path, lists, key, value, name)
      case scalar =>
        val descriptor = fileColumn.descriptor.getOrElse(throw wrongType(fileColumn, name, requested))
        leaves.leaf(descriptor.getPath.toSeq, scalar, rebasing, need).vector
    }

  private def structColumn(struct: StructType, fileColumn: ParquetColumn, name: String): ColumnVector = {
    requireType[StructType](fileColumn, name, struct)
    val names = fileColumn.sparkType.asInstanceOf[StructType].fieldNames
    val children: Array[ColumnVector] = struct.fields.map { field =>
      names.indexWhere(job.sameName(_, field.name)) match {
        case -1 => missing(field.dataType, None)
        case i =>
          column(field.dataType, fileColumn.children(i), name + "." + Shape.quoted(field.name), always)
      }
    }
    new StructVector(
      struct,
      leaves.presence(fileColumn.path, fileColumn.definitionLevel, fileColumn.repetitionLevel),
      children
    )
  }

  private def always: RowGroup => Boolean = _ => true

  private def requireType[T](fileColumn: ParquetColumn, name: String, requested: DataType)(implicit
      tag: reflect.ClassTag[T]
  ): Unit =
    if (!tag.runtimeClass.isInstance(fileColumn.sparkType)) throw wrongType(fileColumn, name, requested)

  private def wrongType(fileColumn: ParquetColumn, name: String, requested: DataType) =
    Errors.columnType(name, fileColumn.sparkType.sql, requested.sql)
}
