/** Counts do not depend on the order of rows or on how rows are split; their bytes are complete and checked. */
package shreddedvariant.infer

import java.math.BigInteger

import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.{Outcomes, Value}
import shreddedvariant.binary.MalformedVariant

class CountsSuite extends shreddedvariant.LawSuite {
  import CountsSuite._

  private val rows: Gen[Seq[Option[Value]]] =
    Gen.choose(0, 15).flatMap(Gen.listOfN(
      _,
      Gen.frequency(1 -> Gen.const(None), 9 -> Value.values(3).map(Some(_)))
    ))

  /** Maximum numbers of paths, small enough to cut the generated values. */
  private val guards = Gen.oneOf(1, 2, 5, 10, 20, 1000)

  private def equal(a: Counts, b: Counts) = a.toBytes.sameElements(b.toBytes)

  property("counts do not depend on the order of rows") {
    forAllNoShrink(rows, guards, Gen.long) { (rows, guard, seed) =>
      equal(of(rows, guard), of(new Random(seed).shuffle(rows), guard))
    }
  }

  property("counts do not depend on partitions, batches or the order of merges") {
    forAllNoShrink(rows, guards, Gen.choose(1, 5), Gen.long) { (rows, guard, parts, seed) =>
      val random = new Random(seed)
      val counted = rows.groupBy(_ => random.nextInt(parts)).values.map(of(_, guard)).toSeq
      val merged = Counts.limitedTo(guard)
      random.shuffle(counted).foreach(merged.merge)
      equal(merged, of(rows, guard))
    }
  }

  property("merging is commutative") {
    forAllNoShrink(rows, rows, guards) { (a, b, guard) =>
      val ab = of(a, guard)
      ab.merge(of(b, guard))
      val ba = of(b, guard)
      ba.merge(of(a, guard))
      equal(ab, ba)
    }
  }

  property("merging is associative, and does not change the merged counts") {
    forAllNoShrink(rows, rows, rows, guards) { (a, b, c, guard) =>
      val left = of(a, guard)
      left.merge(of(b, guard))
      left.merge(of(c, guard))
      val right = of(a, guard)
      val bc = of(b, guard)
      bc.merge(of(c, guard))
      val before = bc.toBytes
      right.merge(bc)
      equal(left, right) && bc.toBytes.sameElements(before)
    }
  }

  property("rows can be added after a merge and after toBytes") {
    forAllNoShrink(rows, rows, rows, guards) { (a, b, c, guard) =>
      val counts = of(a, guard)
      counts.merge(of(b, guard))
      counts.toBytes
      c.foreach(add(counts, _))
      equal(counts, of(a ++ b ++ c, guard))
    }
  }

  property("counts are restored from their bytes") {
    forAllNoShrink(rows, guards) { (rows, guard) =>
      val counts = of(rows, guard)
      val read = Counts.fromBytes(counts.toBytes)
      equal(
        read,
        counts
      ) && read.rows == rows.size && read.values == counts.values && read.isCut == counts.isCut
    }
  }

  property("counts do not depend on the order of a dictionary or on unused keys") {
    forAllNoShrink(Value.values(3), Gen.long) { (value, seed) =>
      val counts = new Counts
      val (metadata, bytes) =
        Value.encode(value, keys => new Random(seed).shuffle(keys ++ Seq("unused", "other")))
      counts.add(metadata, bytes)
      equal(counts, of(Seq(Some(value))))
    }
  }

  property("counts that are cut to a size are exact, also after a merge with counts of another size") {
    forAllNoShrink(rows, rows, Gen.choose(60, 400), Gen.choose(60, 400)) { (a, b, some, few) =>
      val (left, right, whole) = (of(a).within(some), of(b).within(few), of(a ++ b))
      val merged = of(a).within(some)
      merged.merge(right)
      val other = of(b).within(few)
      other.merge(left)
      equal(merged, other) && isPart(merged.tree, whole.tree) && merged.rows == whole.rows &&
      merged.values == whole.values && left.isCut == (of(a).toBytes.length > some)
    }
  }

  /** Whether each path of one tree has the same counts in the other tree. */
  private def isPart(some: Node, all: Node): Boolean =
    some.counts.sameElements(all.counts) && some.largest == all.largest && some.scale == all.scale &&
      some.sortedFields.forall(f => isPart(f, field(all, new String(f.name.bytes, "UTF-8")))) &&
      (some.element == null || isPart(some.element, all.element))

  test("counts are cut to any size down to one path, and use at least half of the size") {
    val counts = of(Seq(Some(Obj((0 until 5000).map(i => f"name$i%04d" -> Value.Bool(true)): _*))))
    val all = counts.toBytes.length
    assert(counts.within(all) eq counts)
    for (maxSize <- Seq(all - 1, all / 2, all / 10, 100, 30)) {
      val bytes = counts.within(maxSize).toBytes.length
      assert(bytes <= maxSize && bytes >= maxSize / 2, s"$bytes of $maxSize")
    }
    assertEquals(PathLimiter.paths(counts.within(1).tree), 1)
  }

  test("counts merge with themselves") {
    val rows = Seq(Some(Value.Obj(Map("a" -> Value.Integer(1, 1)))), None)
    val counts = of(rows)
    counts.merge(counts)
    assert(equal(counts, of(rows ++ rows)))
  }

  test("rows counts all rows; values counts rows that are neither NULL nor the variant null") {
    val counts =
      of(Seq(None, Some(Value.Null), Some(Value.Bool(true)), Some(Value.Obj(Map("a" -> Value.Null)))))
    assertEquals((counts.rows, counts.values), (4L, 2L))
    assertEquals(counts.tree.fieldCount, 0)
  }

  test("digits of exact numbers are counted as BigDecimal counts them") {
    val numbers = (0 to 37).flatMap { p =>
      val ten = BigInteger.TEN.pow(p)
      Seq(ten, ten.subtract(BigInteger.ONE), ten.negate, ten.negate.add(BigInteger.ONE))
    } :+ BigInteger.TEN.pow(38).subtract(BigInteger.ONE)
    for (number <- numbers; (width, maxDigits) <- Seq(4 -> 9, 8 -> 18, 16 -> 38)) {
      val digits = new java.math.BigDecimal(number).precision
      if (digits <= maxDigits) {
        val counts = of(Seq(Some(Value.Dec(number, 0, width))))
        assertEquals(counts.tree.integerDigits, digits, s"$number in $width bytes")
      }
    }
    for (number <- numbers if number.bitLength < 64)
      assertEquals(
        Scalars.digits(number.longValue),
        new java.math.BigDecimal(number).precision,
        number.toString
      )
    assertEquals(Scalars.digits(Long.MinValue), 19)
  }

  test("digits of several decimals are the maxima before and after the point, in any order") {
    val random = new scala.util.Random(7)
    for (_ <- 0 until 2000) {
      val decimals = Seq.fill(1 + random.nextInt(6)) {
        val (width, maxDigits) = Seq(4 -> 9, 8 -> 18)(random.nextInt(2))
        val number =
          BigInteger.valueOf(random.nextLong(math.pow(10, random.nextInt(maxDigits + 1).toDouble).toLong))
        Value.Dec(if (random.nextBoolean()) number else number.negate, random.nextInt(maxDigits + 1), width)
      }
      val node = of(decimals.map(Some(_))).tree
      val digits = decimals.map(d => new java.math.BigDecimal(d.unscaled).precision - d.scale)
      assertEquals(node.integerDigits, math.max(0, digits.max), s"$decimals")
      assertEquals(node.scale, decimals.map(_.scale).max, s"$decimals")
    }
  }

  // ---- hostile values ----

  test("new keys in every row: memory is bounded, counts are exact and do not depend on the order") {
    val rows = (0 until 6000).map { i =>
      val keys = (0 until 10).map(n => s"$i-key$n" -> Obj(s"x$i" -> Value.Bool(true)))
      Obj(keys ++ Seq("type" -> Value.Text("x"), "id" -> Value.Integer(i.toLong, 4)): _*)
    }
    val counts = of(rows.map(Some(_)))
    assert(counts.isCut)
    assert(PathLimiter.paths(counts.tree) <= PathLimiter.MaxPaths)
    assertEquals(field(counts, "type").total, 6000L)
    assertEquals(field(counts, "id").total, 6000L)
    val merged = new Counts
    new Random(1).shuffle(rows).grouped(700).foreach(part => merged.merge(of(part.map(Some(_)))))
    assert(equal(merged, counts))
    assertEquals(Inference.shape(counts, Limits()).ddl, "STRUCT<id BIGINT, type STRING>")
  }

  test("a hundred thousand paths are tracked, and not one more") {
    // Keys with equal numbers of digits and equal lengths: only hashes order them.
    def wide(from: Int, until: Int) = Obj((from until until).map(i => f"k$i%06d" -> Value.Bool(true)): _*)
    for ((fields, isCut) <- Seq(99999 -> false, 100000 -> true)) {
      val counts = of((0 until fields by 1000).map(i => Some(wide(i, math.min(fields, i + 1000)))))
      assertEquals(counts.isCut, isCut, s"$fields")
      // The object itself is a path too, and several paths may share the place of the limit.
      assert(counts.tree.fieldCount <= 99999 && counts.tree.fieldCount >= math.min(fields, 99990))
    }
  }

  test("names of a fixed schema stay beside an object with many generated ids") {
    val user = Obj("name" -> Value.Text("x"), "address1" -> Value.Text("x"), "sha256" -> Value.Text("x"))
    val rows = (0 until 600).map { i =>
      Obj("user" -> user, "seen" -> Obj((0 until 50).map(n => s"u${i * 1000L + n + 1000000}" -> user): _*))
    }
    val counts = of(rows.map(Some(_)))
    assert(counts.isCut)
    val kept = field(counts, "user").sortedFields.toSeq
    assertEquals(kept.map(f => new String(f.name.bytes)), Seq("address1", "name", "sha256"))
    assertEquals(kept.map(_.total), Seq(600L, 600L, 600L))
  }

  test("a name of more than 256 bytes is not tracked, and isCut is true") {
    assert(!of(Seq(Some(Obj("k" * 256 -> Value.Bool(true))))).isCut)
    val long = of(Seq(Some(Obj("k" * 257 -> Value.Bool(true), "a" -> Value.Bool(true)))))
    assert(long.isCut)
    assertEquals(long.tree.fieldCount, 1)
  }

  test("a deeply nested value is counted down to the maximum depth only") {
    def nested(depth: Int, wrap: Value => Value) =
      Iterator.iterate[Value](Value.Bool(true))(wrap).drop(depth).next()
    for (wrap <- Seq[Value => Value](v => Obj("a" -> v), v => Value.Arr(Seq(v)))) {
      val counts = of(Seq(Some(nested(500, wrap))))
      assertEquals(PathLimiter.paths(counts.tree), Counts.MaxDepth + 1)
    }
    // Arrays of one element, nested deeper than any stack.
    val depth = 100000
    val bytes = new Array[Byte](depth * 10 + 1)
    for (i <- 0 until depth) {
      val at = i * 10
      bytes(at) = 0x0f
      bytes(at + 1) = 1
      val size = (depth - 1 - i) * 10 + 1
      for (b <- 0 until 4) bytes(at + 6 + b) = (size >> 8 * b).toByte
    }
    bytes(depth * 10) = 1 << 2
    val counts = new Counts
    counts.add(Array[Byte](1, 0, 0), bytes)
    assertEquals(PathLimiter.paths(counts.tree), Counts.MaxDepth + 1)
  }

  test("a huge array is one path") {
    val counts = of(Seq(Some(Value.Arr(Seq.fill(100000)(Obj("a" -> Value.Integer(1, 1)))))))
    assertEquals(PathLimiter.paths(counts.tree), 3)
    assertEquals(counts.tree.element.total, 100000L)
  }

  test("a short value whose parts share bytes is refused") {
    // Each array has two elements, and both are the next array.
    val depth = 60
    val bytes = new Array[Byte](depth * 5 + 1)
    for (i <- 0 until depth) bytes(i * 5) = 3
    for (i <- 0 until depth) bytes(i * 5 + 1) = 2
    val refused = intercept[MalformedVariant](new Counts().add(Array[Byte](1, 0, 0), bytes))
    assertEquals(refused.reason, "its parts overlap or end too early")
  }

  test("a malformed value is counted or refused, wherever the fault is") {
    val random = new Random(5)
    val good = Value.encode(Obj(
      "a" -> Obj("b" -> Value.Arr(Seq(Value.Integer(1, 8), Value.Text("x")))),
      "c" -> Value.Null
    ))
    val outcomes = new Outcomes
    for (_ <- 0 until 20000) {
      val metadata = good._1.clone
      val value = if (random.nextBoolean()) good._2.take(random.nextInt(good._2.length)) else good._2.clone
      if (value.nonEmpty) value(random.nextInt(value.length)) = random.nextInt().toByte
      if (random.nextBoolean()) metadata(random.nextInt(metadata.length)) = random.nextInt().toByte
      outcomes.of(new Counts().add(metadata, value)) { case _: MalformedVariant => }
    }
    outcomes.check(atLeast = 1000)
  }
}

object CountsSuite {
  def Obj(fields: (String, Value)*): Value = Value.Obj(fields.toMap)

  def add(counts: Counts, row: Option[Value]): Unit = row match {
    case Some(value) =>
      val (metadata, bytes) = Value.encode(value)
      counts.add(metadata, bytes)
    case None => counts.addNull()
  }

  def of(rows: Seq[Option[Value]], maxPaths: Int = PathLimiter.MaxPaths): Counts = {
    val counts = Counts.limitedTo(maxPaths)
    rows.foreach(add(counts, _))
    counts
  }

  def field(counts: Counts, name: String): Node = field(counts.tree, name)
  def field(node: Node, name: String): Node =
    node.sortedFields.find(f => new String(f.name.bytes) == name).get
}
