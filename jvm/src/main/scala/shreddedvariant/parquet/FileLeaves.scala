/** The leaves of one file that a query reads, and the levels that nesting above them takes from one of them. */
package shreddedvariant.parquet

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, MessageType, PrimitiveType, Type}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import shreddedvariant.layout.FileVariant
import shreddedvariant.shred.{Lists, Presence}

final class FileLeaves(file: MessageType, val vectors: VectorAllocator) {
  private val leaves = mutable.LinkedHashMap.empty[Seq[String], Leaf]
  private val nodes = mutable.ArrayBuffer.empty[Assembled]

  def all: Seq[Leaf] = leaves.values.toSeq
  def assembled: Seq[Assembled] = nodes.toSeq

  def register[A <: Assembled](node: A): A = { nodes += node; node }

  def leaf(path: Seq[String], dataType: DataType, rebasing: Rebasing, need: RowGroup => Boolean): Leaf =
    found(path, dataType, rebasing).neededWhen(need).eagerly()

  /** A leaf that is decoded in those batches only in which somebody asks for it. */
  def lazily(path: Seq[String], dataType: DataType, need: RowGroup => Boolean): Leaf =
    found(path, dataType, Rebasing.none).neededWhen(need)

  private def found(path: Seq[String], dataType: DataType, rebasing: Rebasing) =
    leaves.getOrElseUpdate(
      path,
      new Leaf(file.getColumnDescription(path.toArray), dataType, rebasing, vectors)
    )

  /** The same column for those who ask for all its texts, one after the other, where it is a leaf of texts. */
  def texts(column: ColumnVector): ColumnVector =
    all.find(_.vector eq column).filter(_.vector.dataType.isInstanceOf[StringType]).fold(column) { leaf =>
      new TextVector(leaf.vector, leaf.keepTexts())
    }

  /** A column of a variant: read where it holds something. A repeated one always is, since its levels count. */
  def cell(path: Seq[String], dataType: DataType): Leaf =
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
    else register(new LevelPresence(witness(column, repetition, need), definition, repetition))

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
    register(new LevelLists(witness(group, repetition + 1, _ => true), definition, repetition))

  /**
   * The leaf that tells the levels of a node: one that is read anyway if there is one, and rather one of the node's
   * own space than a repeated one. Any leaf below the node has the node's levels.
   */
  private def witness(group: Seq[String], repetition: Int, need: RowGroup => Boolean): Leaf = {
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
