/** Generators of shapes: random shapes, and shapes that a given value fits in part. */
package shreddedvariant

import org.scalacheck.Gen
import shreddedvariant.layout.{ScalarType, Shape}

object Shapes {
  private val decimals: Gen[ScalarType] = for {
    precision <- Gen.oneOf(1, 5, 9, 10, 18, 19, 38)
    scale <- Gen.choose(0, precision)
  } yield ScalarType.Dec(precision, scale)

  val scalars: Gen[ScalarType] = Gen.frequency(3 -> Gen.oneOf(ScalarType.simple), 1 -> decimals)

  def shapes(depth: Int): Gen[Shape] = {
    val leaves = Gen.frequency(1 -> Gen.const(Shape.Untyped), 4 -> scalars.map(Shape.Scalar(_)))
    if (depth == 0) leaves
    else
      Gen.frequency(
        2 -> leaves,
        2 -> shapes(depth - 1).map(Shape.Array(_)),
        4 -> (for {
          size <- Gen.choose(1, 5)
          keys <- Gen.pick(size, Value.keys)
          fields <- Gen.listOfN(size, shapes(depth - 1))
        } yield Shape.objectOf(keys.zip(fields)))
      )
  }

  /** A shape that a value fits, except that some scalars have another type. */
  def near(value: Value): Gen[Shape] = value match {
    case Value.Obj(fields) if fields.nonEmpty =>
      for {
        chosen <- Gen.atLeastOne(fields.toSeq)
        shapes <- Gen.sequence[Seq[Shape], Shape](chosen.map { case (_, v) => near(v) })
      } yield Shape.objectOf(chosen.map(_._1).zip(shapes))
    case Value.Arr(elements) if elements.nonEmpty => near(elements.head).map(Shape.Array(_))
    case other =>
      Gen.frequency(4 -> Gen.const(Shape.Scalar(typeOf(other))), 1 -> scalars.map(Shape.Scalar(_)))
  }

  private def typeOf(value: Value): ScalarType = value match {
    case Value.Bool(_) => ScalarType.Bool
    case Value.Integer(_, 1) => ScalarType.Int8
    case Value.Integer(_, 2) => ScalarType.Int16
    case Value.Integer(_, 4) => ScalarType.Int32
    case Value.Integer(_, _) => ScalarType.Int64
    case Value.Dec(_, scale, width) => ScalarType.Dec(Map(4 -> 9, 8 -> 18, 16 -> 38)(width), scale)
    case Value.Fixed(id, _) => fixed(id)
    case Value.Bytes(_) => ScalarType.Binary
    case _ => ScalarType.Str
  }

  private val fixed = Map(
    7 -> ScalarType.Float64,
    11 -> ScalarType.Date,
    12 -> ScalarType.Timestamp,
    13 -> ScalarType.TimestampNtz,
    14 -> ScalarType.Float32,
    17 -> ScalarType.Time,
    18 -> ScalarType.TimestampNanos,
    19 -> ScalarType.TimestampNtzNanos,
    20 -> ScalarType.Uuid
  )
}
