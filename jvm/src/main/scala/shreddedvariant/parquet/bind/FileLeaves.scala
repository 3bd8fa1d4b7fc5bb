/** Creates the leaf readers of one file, and chooses the leaves whose levels give presence and list offsets. */
package shreddedvariant.parquet.bind

import scala.collection.mutable

import org.apache.parquet.schema.{MessageType, PrimitiveType}
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

final class FileLeaves(file: MessageType, val vectors: VectorAllocator, position: BatchPosition) {
  private val leaves = mutable.LinkedHashMap.empty[Seq[String], LeafColumnReader]
  private val nodes = mutable.ArrayBuffer.empty[Assembled]
  private val levels = mutable.ArrayBuffer.empty[OfLevels]
  private lazy val order = new LeafOrder(file)

  /** By the number of the leaf; without the `unmarked` leaves, the latest ones. */
  private lazy val isRead = new Array[Boolean](order.size)
  private val unmarked = mutable.ArrayBuffer.empty[Seq[String]]

  def all: Seq[LeafColumnReader] = leaves.values.toSeq

  /** Levels come first, because the other assembled parts use them. */
  def assembled: Seq[Assembled] = {
    val repeated = all.filter(_.maxRepetition > 0)
    val spaces = Option.when(repeated.nonEmpty)(new Spaces(file, repeated, levels.toSeq, position))
    levels.toSeq ++ spaces ++ nodes
  }

  def register[A <: Assembled](node: A): A = { nodes += node; node }
  private def registerLevels[A <: OfLevels](node: A): A = { levels += node; node }

  def leaf(
      path: Seq[String],
      dataType: DataType,
      rebasing: Rebasing,
      need: RowGroup => Boolean
  ): LeafColumnReader =
    reader(path, dataType, rebasing).neededWhen(need).eagerly()

  /** A leaf that is decoded only in batches in which its vector is accessed. */
  def lazily(path: Seq[String], dataType: DataType, need: RowGroup => Boolean): LeafColumnReader =
    reader(path, dataType, Rebasing.none).neededWhen(need)

  private def reader(path: Seq[String], dataType: DataType, rebasing: Rebasing) =
    leaves.getOrElseUpdate(
      path, {
        unmarked += path
        new LeafColumnReader(file.getColumnDescription(path.toArray), dataType, rebasing, vectors, position)
      }
    )

  /**
   * If the column is a leaf of texts: a vector that creates each text of the dictionary once. Else the column
   * itself.
   */
  def texts(column: ColumnVector): ColumnVector =
    all.find(_.vector eq column).filter(_.vector.dataType.isInstanceOf[StringType]).fold(column) { leaf =>
      new TextVector(leaf.vector, leaf.keepTexts())
    }

  /**
   * A leaf of a variant, read only if it has values. A repeated leaf is always read, because its levels are
   * needed.
   */
  def cell(path: Seq[String], dataType: DataType): LeafColumnReader =
    leaf(
      path,
      dataType,
      Rebasing.none,
      group => file.getMaxRepetitionLevel(path: _*) > 0 || !group.holdsNothing(path)
    ).ofVariant()

  def presence(column: Seq[String]): Presence = presence(column, _ => true)

  /** The presence of a group or leaf, in row groups that match `need`. */
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
    else registerLevels(new LevelPresence(witness(column, repetition, need), definition, repetition))

  /**
   * The presence of a group or leaf. Levels are read only in row groups that match neither of the two
   * conditions.
   */
  def presenceUnless(
      column: Seq[String],
      isEverywhere: RowGroup => Boolean,
      isNowhere: RowGroup => Boolean = _ => false
  ): KnownPresence = {
    def needsLevels(group: RowGroup) = !isEverywhere(group) && !isNowhere(group)
    register(new KnownPresence(isEverywhere, isNowhere, presence(column, needsLevels(_))))
  }

  /**
   * The presence of a variant's group: in every row if the metadata, or another leaf below the group, has no
   * nulls.
   */
  def variantPresence(bound: FileVariant): KnownPresence = {
    val witnesses = bound.metadata.fold(leavesInSpace(bound.group))(Seq(_))
    presenceUnless(bound.group, group => witnesses.exists(group.hasNoNulls))
  }

  /** At most 16 leaves below a group that are not repeated within the group. */
  private def leavesInSpace(group: Seq[String]): Seq[Seq[String]] = {
    val repetition = file.getMaxRepetitionLevel(group: _*)
    order.below(group).iterator.filter(order.repetition(_) == repetition).take(16).map(order.path).toSeq
  }

  def lists(group: Seq[String]): Lists =
    lists(group, file.getMaxDefinitionLevel(group: _*), file.getMaxRepetitionLevel(group: _*))

  def lists(group: Seq[String], definition: Int, repetition: Int): Lists =
    registerLevels(new LevelLists(witness(group, repetition + 1, _ => true), definition, repetition))

  /**
   * The leaf whose levels a node uses. Any leaf below the node has the node's levels. A leaf that is read
   * anyway comes first, then a leaf whose repetition level is closest to the node's.
   */
  private def witness(group: Seq[String], repetition: Int, need: RowGroup => Boolean): LeafColumnReader = {
    unmarked.foreach(path => isRead(order.below(path).start) = true)
    unmarked.clear()
    def distance(leaf: Int) = math.abs(order.repetition(leaf) - repetition)
    val path = order.path(order.below(group).minBy(leaf => (!isRead(leaf), distance(leaf))))
    leaf(path, physicalType(file.getType(path: _*).asPrimitiveType), Rebasing.none, need).keepLevels(need)
  }

  /**
   * A Spark type as which any column of the physical type can be decoded, for leaves that are read for their
   * levels.
   */
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
