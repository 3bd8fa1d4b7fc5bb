/** Binds the columns that a query asks for to the columns of one file: which leaves are read, and what is made of them. */
package shreddedvariant.parquet.bind

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{MessageType, Type}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.Errors
import shreddedvariant.layout.{PathColumn, Shape, Wanted}
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

/** What a file gives for a query: its columns, and what fills them. */
final class BoundFile(
    val columns: Array[ReadColumn],
    val leaves: Seq[LeafColumnReader],
    val assembled: Seq[Assembled],
    val vectors: VectorAllocator
)

final class ColumnBinder(
    file: MessageType,
    place: BatchPosition,
    fileColumns: FileColumns,
    hotKeys: FileMaps,
    job: ReadJob,
    rebasing: Rebasing,
    keepsToShape: Boolean
) extends FileColumnBinder {
  private val leaves = new FileLeaves(file, new VectorAllocator(job.batchSize, job.offHeap), place)
  private val variants = new VariantBinder(file, place, leaves, job, keepsToShape)
  private val maps = new MapBinder(file, place, hotKeys, leaves, this, job)

  def bind(requested: StructType): BoundFile = {
    val found =
      requested.fields.map(field => if (job.paths.contains(field.name)) None else topLevel(field.name))
    val columns = new Array[ReadColumn](requested.length)
    // Whose values are read says how a leaf is decoded; for whom its levels are enough comes last.
    val (first, last) = requested.fields.indices.partition(i =>
      !job.paths.get(requested(i).name).exists(_.wanted.isOfLevels)
    )
    for (i <- first ++ last)
      columns(i) = (requested(i), found(i)) match {
        case (field, Some(group)) =>
          new FixedColumn(column(field.dataType, tree(field, group, field.name), field.name, always))
        case (field, None) => job.paths.get(field.name).fold(notInFile(field))(path(_, field.dataType))
      }
    new BoundFile(columns, leaves.all, leaves.assembled, leaves.vectors)
  }

  private def path(column: PathColumn, requested: DataType): ReadColumn = column.wanted match {
    case _: Wanted.OfMap => maps.path(column, requested)
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

  /** A column of the file as the tree that Spark's own schema converter makes of it. */
  private def tree(field: StructField, found: Type, name: String): ParquetColumn = {
    def normal(name: String) = if (job.caseSensitive) name else name.toLowerCase(Locale.ROOT)
    val plain = VariantGroups.withoutTyped(found, field.dataType, normal)
    val read = field.copy(dataType = VariantGroups.asStructs(field.dataType))
    try
      job.types
        .converter(job.caseSensitive)
        .convertParquetColumn(new MessageType(file.getName, plain), Some(StructType(Seq(read))))
        .children
        .head
    catch {
      // The converter meets a struct where a list was asked for, and the like, with a blind cast.
      case _: AnalysisException | _: ClassCastException =>
        throw Errors.columnType(name, found.toString.replaceAll("\\s+", " "), field.dataType.sql)
    }
  }

  override def column(
      path: Seq[String],
      dataType: DataType,
      name: String,
      need: RowGroup => Boolean
  ): ColumnVector = column(dataType, tree(path, dataType, name), name, need)

  override def values(map: Seq[String], dataType: DataType, name: String): ColumnVector = {
    val found = tree(map, MapType(StringType, dataType), name)
    column(dataType, found.children(1), name, always)
  }

  /** A column below structs, as a tree of its own: what stands beside it does not matter. */
  private def tree(path: Seq[String], dataType: DataType, name: String): ParquetColumn = {
    val asked = path.init.foldRight(StructField(path.last, dataType)) { (outer, inner) =>
      StructField(outer, StructType(Seq(inner)))
    }
    val whole = tree(asked, FilePath.alone(file, path), name)
    path.tail.foldLeft(whole)((found, _) => found.children.head)
  }

  private def column(
      requested: DataType,
      found: ParquetColumn,
      name: String,
      need: RowGroup => Boolean
  ): ColumnVector =
    requested match {
      case VariantType => variants.whole(found.path, name)
      case udt: UserDefinedType[_] => column(udt.sqlType, found, name, need)
      case struct: StructType => structColumn(struct, found, name)
      case array: ArrayType =>
        requireType[ArrayType](found, name, requested)
        val element = column(array.elementType, found.children.head, name + "[*]", always)
        new ListVector(array, leaves.lists(found.path, found.definitionLevel, found.repetitionLevel), element)
      case map: MapType =>
        requireType[MapType](found, name, requested)
        val key = column(map.keyType, found.children(0), name + ".key", always)
        val value = column(map.valueType, found.children(1), name + ".value", always)
        val lists = leaves.lists(found.path, found.definitionLevel, found.repetitionLevel)
        maps.whole(map, found.path, lists, key, value, name)
      case scalar =>
        val descriptor = found.descriptor.getOrElse(throw wrongType(found, name, requested))
        leaves.leaf(descriptor.getPath.toSeq, scalar, rebasing, need).vector
    }

  private def structColumn(struct: StructType, found: ParquetColumn, name: String): ColumnVector = {
    requireType[StructType](found, name, struct)
    val names = found.sparkType.asInstanceOf[StructType].fieldNames
    val children: Array[ColumnVector] = struct.fields.map { field =>
      names.indexWhere(job.sameName(_, field.name)) match {
        case -1 => missing(field.dataType, None)
        case i => column(field.dataType, found.children(i), name + "." + Shape.quoted(field.name), always)
      }
    }
    new StructVector(
      struct,
      leaves.presence(found.path, found.definitionLevel, found.repetitionLevel),
      children
    )
  }

  private def always: RowGroup => Boolean = _ => true

  private def requireType[T](found: ParquetColumn, name: String, wanted: DataType)(implicit
      tag: reflect.ClassTag[T]
  ): Unit =
    if (!tag.runtimeClass.isInstance(found.sparkType)) throw wrongType(found, name, wanted)

  private def wrongType(found: ParquetColumn, name: String, wanted: DataType) =
    Errors.columnType(name, found.sparkType.sql, wanted.sql)
}
