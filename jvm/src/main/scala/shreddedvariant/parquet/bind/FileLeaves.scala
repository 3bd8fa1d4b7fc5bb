/** The leaves of one file that a query reads, and the levels that nesting above them takes from one of them. */
package shreddedvariant.parquet.bind

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, MessageType, PrimitiveType, Type}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.layout.FileVariant
import shreddedvariant.parquet.file.RowGroup
import shreddedvariant.parquet.vector.{
  AlwaysPresent,
  Assembled,
  BatchPosition,
  KnownPresence,
  LeafColumnReader,
  LevelLists,
  LevelPresence,
  OfLevels,
  Rebasing,
  Spaces,
  TextVector,
  VectorAllocator
}
import shreddedvariant.shred.{Lists, Presence}

final class FileLeaves(file: MessageType, val vectors: VectorAllocator, place: BatchPosition) {
  private val leaves = mutable.LinkedHashMap.empty[Seq[String], LeafColumnReader]
  private val nodes = mutable.ArrayBuffer.empty[Assembled]
  private val levels = mutable.ArrayBuffer.empty[OfLevels]

  def all: Seq[LeafColumnReader] = leaves.values.toSeq

  /** Levels first, since what else is assembled is found by them. */
  def assembled: Seq[Assembled] = {
    val repeated = all.filter(_.maxRepetition > 0)
    val spaces = Option.when(repeated.nonEmpty)(new Spaces(file, repeated, levels.toSeq, place))
    levels.toSeq ++ spaces ++ nodes
  }

  def register[A <: Assembled](node: A): A = { nodes += node; node }
  private def ofLevels[A <: OfLevels](node: A): A = { levels += node; node }

  def leaf(
      path: Seq[String],
      dataType: DataType,
      rebasing: Rebasing,
      need: RowGroup => Boolean
  ): LeafColumnReader =
    found(path, dataType, rebasing).neededWhen(need).eagerly()

  /** A leaf that is decoded in those batches only in which somebody asks for it. */
  def lazily(path: Seq[String], dataType: DataType, need: RowGroup => Boolean): LeafColumnReader =
    found(path, dataType, Rebasing.none).neededWhen(need)

  private def found(path: Seq[String], dataType: DataType, rebasing: Rebasing) =
    leaves.getOrElseUpdate(
      path,
      new LeafColumnReader(file.getColumnDescription(path.toArray), dataType, rebasing, vectors, place)
    )

  /** The same column for those who ask for all its texts, one after the other, where it is a leaf of texts. */
  def texts(column: ColumnVector): ColumnVector =
    all.find(_.vector eq column).filter(_.vector.dataType.isInstanceOf[StringType]).fold(column) { leaf =>
      new TextVector(leaf.vector, leaf.keepTexts())
    }

  /** A column of a variant: read where it holds something. A repeated one always is, since its levels count. */
  def cell(path: Seq[String], dataType: DataType): LeafColumnReader =
    leaf(
      path,
      dataType,
      Rebasing.none,
      group => file.getMaxRepetitionLevel(path: _*) > 0 || !group.holdsNothing(path)
    )

  def presence(column: Seq[String]): Presence = presence(column, _ => true)

  /** The presence of a group or leaf, in those row groups in which somebody asks for it. */
  def presence(column: Seq[String], need: RowGroup => Boolean): Presence =
    presence(column, file.getMaxDefinitionLevel(column: _*), file.getMaxRepetitionLevel(column: _*), need)

  def presence(group: Seq[String], definition: Int, repetition: Int): Presence =
    presence(group, definition, repetition, _ => true)

  private def presence(
      column: Seq[String],
      definition: Int,
      repetition: Int,
      need: RowGroup => Boolean
  ): Presence =
    if (definition == 0) AlwaysPresent
    else ofLevels(new LevelPresence(witness(column, repetition, need), definition, repetition))

  /** The presence of a group or leaf whose levels are read only where the footer does not tell that it is in every row. */
  def presenceUnless(
      column: Seq[String],
      isEverywhere: RowGroup => Boolean,
      isNowhere: RowGroup => Boolean = _ => false
  ): KnownPresence = {
    def isOpen(group: RowGroup) = !isEverywhere(group) && !isNowhere(group)
    register(new KnownPresence(isEverywhere, isNowhere, presence(column, isOpen(_))))
  }

  /** The presence of a variant's group: it is in every row if a leaf below it is, as metadata is. */
  def variantPresence(bound: FileVariant): KnownPresence = {
    val tellers = bound.metadata.fold(someLeaves(bound.group))(Seq(_))
    presenceUnless(bound.group, group => tellers.exists(group.hasNoNulls))
  }

  /** A few leaves below a group that are not repeated. */
  private def someLeaves(group: Seq[String]): Seq[Seq[String]] = {
    val repetition = file.getMaxRepetitionLevel(group: _*)
    val below = pathsBelow(file.getType(group: _*)).iterator.map(group ++ _)
    below.filter(path => file.getMaxRepetitionLevel(path: _*) == repetition).take(16).toSeq
  }

  def lists(group: Seq[String]): Lists =
    lists(group, file.getMaxDefinitionLevel(group: _*), file.getMaxRepetitionLevel(group: _*))

  def lists(group: Seq[String], definition: Int, repetition: Int): Lists =
    ofLevels(new LevelLists(witness(group, repetition + 1, _ => true), definition, repetition))

  /**
   * The leaf that tells the levels of a node: one that is read anyway if there is one, and rather one of the node's
   * own space than a repeated one. Any leaf below the node has the node's levels.
   */
  private def witness(group: Seq[String], repetition: Int, need: RowGroup => Boolean): LeafColumnReader = {
    def distance(path: Seq[String]) = math.abs(file.getMaxRepetitionLevel(path: _*) - repetition)
    val below = pathsBelow(file.getType(group: _*)).map(group ++ _)
    val path = below.minBy(path => (if (leaves.contains(path)) 0 else 1, distance(path)))
    leaf(path, physicalType(file.getType(path: _*).asPrimitiveType), Rebasing.none, need).keepLevels(need)
  }

  private def pathsBelow(column: Type): Seq[Seq[String]] = column match {
    case group: GroupType => group.getFields.asScala.toSeq.flatMap(f => pathsBelow(f).map(f.getName +: _))
    case _ => Seq(Nil)
  }

  /** A Spark type under which any column of a physical type can be decoded: for leaves of which only levels count. */
  private def physicalType(column: PrimitiveType): DataType = column.getPrimitiveTypeName match {
    case BOOLEAN => BooleanType
    case INT32 => IntegerType
    case INT64 => LongType
    case FLOAT => FloatType
    case DOUBLE => DoubleType
    case INT96 => TimestampNTZType
    case BINARY | FIXED_LEN_BYTE_ARRAY => BinaryType
  }
}
