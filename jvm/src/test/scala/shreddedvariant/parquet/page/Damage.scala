/** Damaged numbers and bytes, most of which are chosen to be accepted by a careless decoder. */
package shreddedvariant.parquet.page

import java.nio.{ByteBuffer, ByteOrder}

import scala.util.Random

private object Damage {
  def hostile(random: Random, value: Int): Int = random.nextInt(6) match {
    case 0 => -1
    case 1 => Int.MaxValue
    case 2 => Int.MinValue
    case 3 => 0
    case 4 => value + random.nextInt(9) - 4
    case _ => random.nextInt()
  }

  /** Flips a bit, overwrites bytes with large or negative numbers, truncates or extends. */
  def spoilt(random: Random, bytes: Array[Byte]): Array[Byte] =
    if (bytes.isEmpty) random.nextBytes(random.nextInt(20))
    else {
      val offset = random.nextInt(if (random.nextBoolean()) bytes.length else math.min(bytes.length, 24))
      random.nextInt(6) match {
        case 0 => bytes.take(offset)
        case 1 => bytes ++ random.nextBytes(random.nextInt(30))
        case 2 => bytes.patch(offset, varints(random.nextInt(varints.length)), random.nextInt(11))
        case 3 => bytes.patch(offset, int(ints(random.nextInt(ints.length))), 4)
        case 4 => bytes.patch(offset, random.nextBytes(1 + random.nextInt(8)), random.nextInt(8))
        case _ => bytes.updated(offset, (bytes(offset) ^ 1 << random.nextInt(8)).toByte)
      }
    }

  private val ints = Seq(-1, Int.MaxValue, Int.MinValue, 0, 1 << 30, 0x10000)
  private val varints: Seq[Array[Byte]] = {
    val ten = (0 until 9).map(_ => 0xff.toByte)
    Seq(
      (ten :+ 1.toByte).toArray,
      (ten :+ 0x7f.toByte).toArray,
      Array[Byte](-1, -1, -1, -1, 7),
      Array[Byte](-1, -1, -1, -1, 0x0f),
      Array.fill[Byte](12)(-128),
      Array.fill[Byte](9)(-128) :+ 1.toByte,
      Array[Byte](0)
    )
  }

  def int(value: Int): Array[Byte] =
    ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array
}
