/** Where the chunk of a leaf stands among the chunks of a row group: looked up for those leaves that are asked for. */
package shreddedvariant.parquet.file

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.schema.{GroupType, MessageType, Type}

/** The chunks of a row group have the order of the schema's leaves, which is checked and not trusted. */
final class LeafChunks(schema: MessageType) {
  private val places = mutable.Map.empty[Seq[String], Int]

  def find(block: BlockMetaData, leaf: Seq[String]): Option[ColumnChunkMetaData] = {
    val chunks = block.getColumns
    val place = places.getOrElseUpdate(leaf, LeafChunks.place(schema, leaf))
    if (place >= 0 && place < chunks.size && isOf(chunks.get(place), leaf)) Some(chunks.get(place))
    else chunks.asScala.find(isOf(_, leaf))
  }

  private def isOf(chunk: ColumnChunkMetaData, leaf: Seq[String]) = {
    val path = chunk.getPath
    path.size == leaf.size && path.iterator.asScala.sameElements(leaf.iterator)
  }
}

private[parquet] object LeafChunks {

  /** The number of leaves before the given one; -1 where there is no such leaf. */
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
