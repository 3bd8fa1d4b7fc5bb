/** A dictionary that opens has all its keys within its bytes, for any offsets. */
package shreddedvariant.binary

import shreddedvariant.Outcomes

class DictionarySuite extends shreddedvariant.Suite {
  private val keys = Seq("abc", "", "\uD83D\uDE00")

  private def encoded(width: Int): Array[Byte] = {
    val texts = keys.map(_.getBytes("UTF-8"))
    val numbers = keys.length +: texts.scanLeft(0)(_ + _.length)
    Array((1 | (width - 1) << 6).toByte) ++
      numbers.flatMap(number => Seq.tabulate(width)(i => (number >>> 8 * i).toByte)) ++ texts.flatten
  }

  private def opened[A](body: => A, outcomes: Outcomes = new Outcomes): Option[A] =
    outcomes.of(body) { case _: MalformedVariant => }

  test("four-byte characters are searched in keys only, not in offsets") {
    for (width <- 1 to 4) {
      assert(Dictionary.mayHoldLongCharacters(encoded(width)))
      val plain = encoded(width)
      // The last key is ASCII and ends at an offset above 0xF0.
      val padded = plain.dropRight(4) ++ Array.fill[Byte](0xf8 - 3)('x')
      for (i <- 0 until width) padded(1 + 4 * width + i) = (0xf8 >>> 8 * i).toByte
      assertEquals(new Dictionary(padded).key(2).length, 0xf8 - 3)
      assert(!Dictionary.mayHoldLongCharacters(padded))
      for (length <- 1 until padded.length) Dictionary.mayHoldLongCharacters(padded.take(length))
    }
  }

  test("a dictionary larger than the limit of the cache is still found for the next row") {
    val names = new Names(IndexedSeq("k"))
    val dictionaries = new Dictionaries(names, objects = 1)
    val bytes = encoded(4) ++ new Array[Byte](5 << 20)
    val resolved = dictionaries.resolve(bytes)
    resolved.remember(0, new ObjectFields(Array(2, 0), Array.empty, Array(0)))
    assert(dictionaries.resolve(bytes.clone) eq resolved)
  }

  for (width <- 1 to 4) {
    val valid = encoded(width)

    test(s"a dictionary with a changed number opens or is refused: offsets of $width bytes") {
      val hostile = Seq(0, 1, 2, 3, 4, 0x7f, 0xff, 0xffff, 0xffffff, -1, Int.MaxValue, Int.MinValue)
      val numbers = hostile ++ (Int.MaxValue - 40 to Int.MaxValue)
      val (dictionaries, lengths) = (new Outcomes, new Outcomes)
      for (at <- 0 until valid.length - width + 1; number <- numbers) {
        val bytes = valid.clone
        for (i <- 0 until width) bytes(at + i) = (number >>> 8 * i).toByte
        for (dictionary <- opened(new Dictionary(bytes), dictionaries); id <- 0 until dictionary.size) {
          val (start, end) = (dictionary.keyStart(id), dictionary.keyEnd(id))
          assert(
            0 <= start && start <= end && end <= bytes.length,
            s"$at $number: key $id is at $start until $end"
          )
        }
        for (length <- opened(Dictionary.lengthIn(bytes), lengths))
          assert(0 < length && length <= bytes.length)
      }
      Seq(dictionaries, lengths).foreach(_.check(atLeast = 20))
    }

    test(
      s"a truncated dictionary is refused, and bytes after a dictionary are ignored: offsets of $width bytes"
    ) {
      for (length <- 0 until valid.length) {
        assertEquals(opened(new Dictionary(valid.take(length))).map(_.size), None)
        assertEquals(opened(Dictionary.lengthIn(valid.take(length))), None)
      }
      assertEquals(Dictionary.lengthIn(valid ++ new Array[Byte](9)), valid.length)
      assertEquals(keys.indices.map(new Dictionary(valid).key), keys)
    }
  }
}
