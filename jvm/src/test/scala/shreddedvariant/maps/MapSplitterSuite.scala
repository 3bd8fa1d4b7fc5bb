/** The law of maps: residual and sidecars together are the original map, and each entry is in one of them. */
package shreddedvariant.maps

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData, MapData}
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.ShreddedVariantException

class MapSplitterSuite extends shreddedvariant.LawSuite {
  private type Entries = Seq[(String, Option[Long])]

  private val map = MapType(StringType, LongType)
  private val schema =
    new StructType().add("m", map).add("s", new StructType().add("x", LongType).add("m", map))

  private val key = Gen.oneOf("", "a", "b", "ab", "é", " a ", "a,b", "k" * 70, "k" * 69 + "l", "c", "d")
  private val keys = Gen.listOf(key).map(_.distinct)
  private val entries: Gen[Entries] = for {
    some <- keys
    values <- Gen.listOfN(some.size, Gen.option(Gen.choose(0L, 9L)))
  } yield some.zip(values)
  private val maps = Gen.frequency(9 -> entries.map(Option(_)), 1 -> Gen.const(None))

  private def data(map: Entries): MapData = new ArrayBasedMapData(
    new GenericArrayData(map.map(e => UTF8String.fromString(e._1)).toArray[Any]),
    new GenericArrayData(map.map(_._2.map(Long.box).orNull).toArray[Any])
  )

  private def entriesOf(map: MapData): Entries = (0 until map.numElements()).map { i =>
    val values = map.valueArray()
    (map.keyArray().getUTF8String(i).toString, if (values.isNullAt(i)) None else Some(values.getLong(i)))
  }

  /** The residual in the field `at` of a split row, and the values of the hot keys after `ownFields` fields. */
  private def parts(
      row: InternalRow,
      at: Int,
      ownFields: Int,
      hot: Seq[String]
  ): (Option[Entries], Entries) = {
    val residual = if (row.isNullAt(at)) None else Some(entriesOf(row.getMap(at)))
    val values =
      hot.indices.map(i => if (row.isNullAt(ownFields + i)) None else Some(row.getLong(ownFields + i)))
    (residual, hot.zip(values))
  }

  private def isLawful(map: Option[Entries], hot: Seq[String], residual: Option[Entries], sidecars: Entries) =
    map match {
      case None => residual.isEmpty && sidecars.forall(_._2.isEmpty)
      case Some(all) =>
        residual.contains(all.filter(e => e._2.isEmpty || !hot.contains(e._1))) &&
        sidecars == hot.map(key => key -> all.collectFirst { case (`key`, value) => value }.flatten)
    }

  property("an entry of a hot key with a value is in the sidecar, every other entry in the residual") {
    forAllNoShrink(Gen.listOf(Gen.zip(maps, maps)), keys, keys) { (rows, hot, hotInside) =>
      val splitter = RowSplitter.of(schema, HotMaps(Map(Seq("m") -> hot, Seq("s", "m") -> hotInside)))
      assertEquals(splitter.isEmpty, hot.isEmpty && hotInside.isEmpty)
      Prop(splitter.forall { splitter =>
        rows.forall { case (first, second) =>
          val row = InternalRow(first.map(data).orNull, InternalRow(7L, second.map(data).orNull))
          val split = splitter.split(row)
          val (residual, sidecars) = parts(split, 0, 2, hot)
          val inner = split.getStruct(1, 2 + hotInside.size)
          val (residualInside, sidecarsInside) = parts(inner, 1, 2, hotInside)
          split.numFields == 2 + hot.size && inner.numFields == 2 + hotInside.size && inner.getLong(0) == 7 &&
          isLawful(first, hot, residual, sidecars) && isLawful(
            second,
            hotInside,
            residualInside,
            sidecarsInside
          )
        }
      })
    }
  }

  property("a map that was split is merged again, with the residual first") {
    forAllNoShrink(entries, keys, Gen.choose(0, 3)) { (written, hot, row) =>
      val values = new Array[Any](hot.size)
      val residual = new MapSplitter("m", map, hot).split(data(written), values, 0)
      val size = residual.numElements()
      val residualKeys = new OnHeapColumnVector(math.max(size, 1) + row, StringType)
      val residualValues = new OnHeapColumnVector(math.max(size, 1) + row, LongType)
      for (((key, value), i) <- entriesOf(residual).zipWithIndex) {
        residualKeys.putByteArray(row + i, key.getBytes("UTF-8"))
        value.fold(residualValues.putNull(row + i))(residualValues.putLong(row + i, _))
      }
      val sidecars = values.map { value =>
        val vector = new OnHeapColumnVector(row + 1, LongType)
        if (value == null) vector.putNull(row) else vector.putLong(row, value.asInstanceOf[Long])
        vector: ColumnVector
      }
      val merged =
        new MergedMap(residualKeys, residualValues, hot.map(UTF8String.fromString).toArray, sidecars)
      val read = entriesOf(merged.at(row, row, size))
      assertEquals(read.toSet, written.toSet)
      assertEquals(read.take(size), entriesOf(residual))
      val hotEntries = new HotEntries(sidecars)
      assertEquals(hotEntries.count(row), written.size - size)
      val hotKeys = new MergedKeys(residualKeys, hot.map(UTF8String.fromString).toArray)
      val readKeys = hotKeys.at(row, size, hotEntries.in(row))
      assertEquals((0 until readKeys.numElements).map(readKeys.getUTF8String(_).toString), read.map(_._1))
      assertEquals(entriesOf(merged.at(row, row, size).copy()), read)
    }
  }

  property("a key list in a footer is parsed to the same keys") {
    val anyKey =
      Gen.oneOf(key, Gen.oneOf("[", "[x", "[\"a\"]", "[]", "\"", "\\", "\n", "\u00a0x", "null", ","))
    forAllNoShrink(Gen.nonEmptyListOf(anyKey)) { keys =>
      Prop(HotKeys.parse(HotKeys.text(keys)) == keys)
    }
  }

  property("the map and the key number are parsed from the name of a sidecar") {
    forAllNoShrink(Gen.oneOf("m", "", "a_0", "_", "a.b", "1_2_3"), Gen.choose(0, 20)) { (map, i) =>
      Prop(HotKeys.sidecarOf(HotKeys.sidecar(map, i)).contains((map, i)))
    }
  }

  for (name <- Seq("m", "__paimon_map_shred_m", "__paimon_map_shred_m_", "__paimon_map_shred_m_01", "x_0"))
    test(s"$name is not the name of a sidecar")(assertEquals(HotKeys.sidecarOf(name), None))

  for (
    (title, entries) <- Seq(
      "values" -> Seq("a" -> Some(1L), "a" -> Some(2L)),
      "a NULL first" -> Seq("a" -> None, "a" -> Some(1L))
    )
  )
    test(s"a hot key that occurs twice is refused: $title") {
      val splitter = new MapSplitter("m", map, Seq("a"))
      val e = intercept[ShreddedVariantException](splitter.split(data(entries), new Array[Any](1), 0))
      assertEquals(e.condition, "SHREDDED_VARIANT_MAP_KEY_TWICE")
    }
}
