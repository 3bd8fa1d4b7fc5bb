/** The cells of shredded values: what is typed, what is stored beside it, and that no leaf loses a row. */
package shreddedvariant.shred

import scala.collection.mutable

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.{Shapes, Value}
import shreddedvariant.binary.Dictionary
import shreddedvariant.layout.{Shape, WriteLayout}

class ShredderSuite extends shreddedvariant.LawSuite {
  import ShredderSuite._

  private final class Recorder extends LeafWriter {
    val entries = mutable.ArrayBuffer.empty[Entry]
    private def typed(r: Int, d: Int): Unit = entries += Entry(r, d, None)
    def writeNull(r: Int, d: Int): Unit = entries += Entry(r, d, None)
    def write(bytes: Array[Byte], from: Int, length: Int, r: Int, d: Int): Unit =
      entries += Entry(r, d, Some(bytes.slice(from, from + length).toSeq))
    def write(value: Int, r: Int, d: Int): Unit = typed(r, d)
    def write(value: Long, r: Int, d: Int): Unit = typed(r, d)
    def write(value: Boolean, r: Int, d: Int): Unit = typed(r, d)
    def write(value: Float, r: Int, d: Int): Unit = typed(r, d)
    def write(value: Double, r: Int, d: Int): Unit = typed(r, d)
  }

  /** The cells of a shape by their leaves, which stand one after the other: `value`, then those of the typed part. */
  private def cells(shape: Shape, from: Int): (Seq[Stored], Int) = {
    val own = Stored(from, shape)
    shape match {
      case Shape.Untyped => (Seq(own), from + 1)
      case Shape.Scalar(_) => (Seq(own), from + 2)
      case Shape.Array(element) =>
        val (inner, end) = cells(element, from + 1)
        (own +: inner, end)
      case Shape.Object(fields) =>
        fields.foldLeft((Seq(own), from + 1)) { case ((all, at), (_, field)) =>
          val (inner, end) = cells(field, at)
          (all ++ inner, end)
        }
    }
  }

  private def holds(layout: WriteLayout, values: Seq[Value], shape: Shape): Prop = {
    val first = if (layout.hasMetadata) 1 else 0
    val (stored, size) = cells(shape, first)
    val leaves = Array.fill(size)(new Recorder)
    val shredder = new Shredder(shape, layout, 1, 0)
    shredder.prepare(leaves.map(leaf => leaf: LeafWriter))
    val faults = values.flatMap { value =>
      val (metadata, bytes) = Value.encode(value)
      leaves.foreach(_.entries.clear())
      shredder.write(metadata, bytes, 0)
      val found = lost(leaves) ++ stored.flatMap(cell => misplaced(layout, metadata, cell, leaves(cell.leaf)))
      found.map(fault => s"$value: $fault")
    }
    Prop(faults.isEmpty) :| s"$layout ${shape.ddl}\n ${faults.mkString("\n ")}"
  }

  /** Leaves that have not exactly one entry at the beginning of a row. */
  private def lost(leaves: Array[Recorder]): Seq[String] =
    leaves.indices.filter(i =>
      leaves(i).entries.indexWhere(_.r == 0) != 0 || leaves(i).entries.count(_.r == 0) != 1
    )
      .map(i => s"leaf $i has ${leaves(i).entries}")

  /** Stored values that the typed part of their cell should hold. */
  private def misplaced(
      layout: WriteLayout,
      metadata: Array[Byte],
      cell: Stored,
      leaf: Recorder
  ): Seq[String] =
    for {
      entry <- leaf.entries.toSeq
      bytes <- entry.bytes.map(_.toArray)
      start = if (layout.hasMetadata) 0 else Dictionary.lengthIn(bytes)
      value = Value.decode(if (layout.hasMetadata) metadata else bytes.take(start), bytes.drop(start))
      if (cell.shape match {
        case Shape.Untyped => false
        case Shape.Scalar(scalar) => ScalarShredderSuite.held(scalar, value).isDefined
        case Shape.Array(_) => value.isInstanceOf[Value.Arr]
        case Shape.Object(fields) => value match {
            // The other fields of an object; an empty one is typed alone.
            case Value.Obj(others) => others.isEmpty || fields.exists(field => others.contains(field._1))
            case _ => false
          }
      })
    } yield s"leaf ${cell.leaf}, ${cell.shape.ddl}, stores $value"

  private def holds(values: Seq[Value], shape: Shape): Prop =
    Prop.all(WriteLayout.all.values.toSeq.map(holds(_, values, shape)): _*)

  private val rows = Gen.choose(1, 12).flatMap(Gen.listOfN(_, Value.values(3)))

  property("no leaf loses a row, and nothing is stored that a typed column can hold: any shape") {
    forAllNoShrink(rows, Shapes.shapes(3))(holds)
  }

  property(
    "no leaf loses a row, and nothing is stored that a typed column can hold: a shape that fits in part"
  ) {
    val fitting = rows.flatMap(values => Shapes.near(values.head).map(values -> _))
    forAllNoShrink(fitting) { case (values, shape) => holds(values, shape) }
  }

  property("an element of an array has an entry in each leaf below it") {
    forAllNoShrink(Gen.choose(0, 5).flatMap(Gen.listOfN(_, Value.values(1))), Shapes.shapes(1)) {
      (elements, shape) =>
        val leaves = Array.fill(cells(Shape.Array(shape), 1)._2)(new Recorder)
        val shredder = new Shredder(Shape.Array(shape), WriteLayout.Parquet, 1, 0)
        shredder.prepare(leaves.map(leaf => leaf: LeafWriter))
        val (metadata, bytes) = Value.encode(Value.Arr(elements))
        shredder.write(metadata, bytes, 0)
        // An empty array has one entry too, which says so by its level.
        leaves.drop(2).forall(_.entries.count(_.r <= 1) == math.max(elements.size, 1))
    }
  }
}

private object ShredderSuite {

  /** An entry of a leaf: its levels, and the bytes of a stored value. */
  final case class Entry(r: Int, d: Int, bytes: Option[Seq[Byte]])

  /** The `value` leaf of a cell, and the cell's shape. */
  final case class Stored(leaf: Int, shape: Shape)
}
