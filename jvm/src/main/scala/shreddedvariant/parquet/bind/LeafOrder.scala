/** The leaves of a file in the order of its schema, in which the leaves below a group follow one another. */
package shreddedvariant.parquet.bind

import java.util.IdentityHashMap

import scala.collection.mutable

import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.parquet.schema.Type.Repetition.REPEATED

/**
 * One pass over the schema numbers the leaves, so what is below a group of any depth is found without a walk
 * through it.
 */
private[bind] final class LeafOrder(file: MessageType) {
  private val ranges = new IdentityHashMap[Type, Range]
  private val repetitions = mutable.ArrayBuffer.empty[Int]
  number(file, 0)

  def size: Int = repetitions.size

  /** The maximal repetition level of a leaf. */
  def repetition(leaf: Int): Int = repetitions(leaf)

  /** The numbers of the leaves below a group; of a leaf, its own number. */
  def below(path: Seq[String]): Range = ranges.get(file.getType(path: _*))

  def path(leaf: Int): Seq[String] = {
    val path = Seq.newBuilder[String]
    var column: Type = file
    while (!column.isPrimitive) {
      column = childWith(leaf, column.asGroupType)
      path += column.getName
    }
    path.result()
  }

  /** The last child that starts at the leaf or before it. */
  private def childWith(leaf: Int, group: GroupType): Type = {
    var (low, high) = (0, group.getFieldCount - 1)
    while (low < high) {
      val middle = (low + high + 1) / 2
      if (ranges.get(group.getType(middle)).start <= leaf) low = middle else high = middle - 1
    }
    group.getType(low)
  }

  private def number(column: Type, outer: Int): Unit = {
    val from = repetitions.size
    val repetition = outer + (if (column.isRepetition(REPEATED)) 1 else 0)
    column match {
      case group: GroupType =>
        var i = 0
        while (i < group.getFieldCount) {
          number(group.getType(i), repetition)
          i += 1
        }
      case _ => repetitions += repetition
    }
    ranges.put(column, from until repetitions.size)
    ()
  }
}
