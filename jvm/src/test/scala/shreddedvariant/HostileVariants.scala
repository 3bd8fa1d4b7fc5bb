/** Variants with random and malicious changes of their bytes; a seed always gives the same variant. */
package shreddedvariant

import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.rng.Seed

object HostileVariants {
  type Variant = (Array[Byte], Array[Byte])

  private val valid: Array[Variant] = Array.tabulate(400) { i =>
    val random = new Random(i)
    val value = Value.values(1 + i % 4).pureApply(Gen.Parameters.default, Seed(i.toLong))
    Value.encode(value, keys => random.shuffle(keys))
  }

  def of(seed: Long): Variant = {
    val random = new Random(seed)
    val (metadata, value) = pick(random)
    random.nextInt(8) match {
      case 0 => (changed(metadata, random), value)
      case 1 => (changed(metadata, random), changed(value, random))
      case 2 => (pick(random)._1, value)
      case 3 => (metadata, shared(value, random))
      case 4 => (metadata, changed(shared(value, random), random))
      case _ => (metadata, changed(value, random))
    }
  }

  private def pick(random: Random) = valid(random.nextInt(valid.length))

  private def changed(bytes: Array[Byte], random: Random): Array[Byte] =
    (0 to random.nextInt(3)).foldLeft(bytes)((bytes, _) => changedOnce(bytes, random))

  private def changedOnce(bytes: Array[Byte], random: Random): Array[Byte] = {
    val position = random.nextInt(bytes.length + 1)
    random.nextInt(6) match {
      case 0 => bytes.take(position)
      case 1 => bytes ++ Array.fill(random.nextInt(20))(random.nextInt().toByte)
      case 2 => bytes.patch(position, bytes.slice(position, position + random.nextInt(9)), 0)
      case 3 => put(bytes, position, Seq(bytes.lift(position).fold(0)(_ ^ 1 << random.nextInt(8)).toByte))
      case _ =>
        val numbers = Seq(0, 1, -1, 0x7f, 0x7fff, Int.MaxValue, Int.MinValue, Int.MaxValue - bytes.length)
        val near = bytes.length + random.nextInt(5) - 2
        val number = (near +: (bytes.length - position) +: random.nextInt() +: numbers)(random.nextInt(11))
        put(bytes, position, Seq.tabulate(1 + random.nextInt(4))(i => (number >>> 8 * i).toByte))
    }
  }

  private def put(bytes: Array[Byte], position: Int, replacement: Seq[Byte]) =
    bytes.take(position) ++ replacement.take(bytes.length - position) ++ bytes.drop(
      position + replacement.length
    )

  /** Nested objects and arrays whose offsets all lead to one inner value: up to 3^levels paths to the value. */
  private def shared(value: Array[Byte], random: Random): Array[Byte] = {
    val levels =
      Seq(1, 1, 1, 2, 2, 3, 4, 5, 30, 30)(random.nextInt(10)) * (if (random.nextInt(30) == 0) 50 else 1)
    var headers = List.empty[Array[Byte]]
    var length = value.length
    for (_ <- 0 until levels) {
      val size = 1 + random.nextInt(3)
      val isObject = random.nextBoolean()
      val ids = if (isObject) Seq.tabulate(size)(_.toByte) else Nil
      val offsets = (Seq.fill(size)(0) :+ length).flatMap(o => Seq.tabulate(4)(i => (o >>> 8 * i).toByte))
      headers ::= (Seq(
        (if (isObject) 2 | 3 << 2 else 3 | 3 << 2).toByte,
        size.toByte
      ) ++ ids ++ offsets).toArray
      length += headers.head.length
    }
    (headers :+ value).toArray.flatten
  }
}
