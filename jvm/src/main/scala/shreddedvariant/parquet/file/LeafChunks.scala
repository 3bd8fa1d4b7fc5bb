/** Finds the column chunk of a leaf in a row group, by its index in the schema. */
package shreddedvariant.parquet.file

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.schema.{GroupType, MessageType, Type}

/**
 * Column chunks usually have the order of the schema's leaves. [[find]] verifies the path and else searches all
 * chunks.
 */
final class LeafChunks(schema: MessageType) {
  private val indexes = mutable.Map.empty[Seq[String], Int]

  def find(block: BlockMetaData, leaf: Seq[String]): Option[ColumnChunkMetaData] = {
    val chunks = block.getColumns
    val index = indexes.getOrElseUpdate(leaf, LeafChunks.place(schema, leaf))
    if (index >= 0 && index < chunks.size && isOf(chunks.get(index), leaf)) Some(chunks.get(index))
    else chunks.asScala.find(isOf(_, leaf))
  }

  private def isOf(chunk: ColumnChunkMetaData, leaf: Seq[String]) = {
    val path = chunk.getPath
    path.size == leaf.size && path.iterator.asScala.sameElements(leaf.iterator)
  }
}

private[parquet] object LeafChunks {

  /** The index of the leaf among the leaves of the group; -1 if there is no such leaf. */
  def place(group: GroupType, leaf: Seq[String]): Int =
    if (leaf.isEmpty || !group.containsField(leaf.head)) -1
    else {
      val index = group.getFieldIndex(leaf.head)
      var before = 0
      for (i <- 0 until index) before += leaves(group.getType(i))
      group.getType(index) match {
        case inner: GroupType =>
          val within = place(inner, leaf.tail)
          if (within < 0) -1 else before + within
        case _ => if (leaf.size == 1) before else -1
      }
    }

  private def leaves(column: Type): Int = column match {
    case group: GroupType =>
      var sum = 0
      for (i <- 0 until group.getFieldCount) sum += leaves(group.getType(i))
      sum
    case _ => 1
  }
}
