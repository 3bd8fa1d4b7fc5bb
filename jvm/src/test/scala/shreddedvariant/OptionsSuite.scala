/** Misspelled options are refused with the nearest option, other keys pass, and the docs list all options. */
package shreddedvariant

import java.nio.file.{Files, Paths}

class OptionsSuite extends Suite {
  private def passes(key: String, value: String = "1")(implicit loc: munit.Location): Unit =
    test(s"$key=$value passes")(Options.check(Map(key -> value)))

  passes("shredding", "off")
  passes("SHREDDING", "Infer")
  passes("shredding.shape.v", "a INT")
  passes("shredding.include.v", "$.a")
  passes("shredding.exclude.v", "$.a")
  passes("shredding.policy", "Majority")
  passes("shredding.minFieldFrequency", "0")
  passes("shredding.minFieldFrequency", "1")
  passes("shredding.minFieldFrequency", "1e-3")
  passes("shredding.maxFields", "1")
  passes("shredding.maxDepth", "100")
  passes("SHREDDING.MAXINTERMEDIATEFIELDS", "100000")
  passes("layout", "parquet")
  passes("table", "files")
  passes("keepTemporary", "1h")
  passes("keepTemporary", "7d")
  passes("maxVariantBytes", "64m")
  passes("parquet.map.shredding.columns", "m")
  passes("parquet.map.shredding.a.`b.c`.keys", "x")
  passes("parquet.map.shredding.m.infer", "true")
  passes("parquet.map.shredding.m.minFrequency", "0.5")
  passes("maxVariantDepth", "5")
  passes("parquet.block.size")
  passes("parquet.enable.dictionary")
  passes("pathGlobFilter", "*")
  passes("mergeSchema", "true")
  passes("myOwnKey")
  passes("some.other.key")
  passes("path", "/x")

  private def refuses(key: String, value: String, condition: String, hint: String)(implicit
      loc: munit.Location
  ): Unit =
    test(s"$key=$value is refused") {
      val e = intercept[ShreddedVariantException](Options.check(Map(key -> value)))
      assertEquals(e.condition, s"SHREDDED_VARIANT_$condition")
      assert(e.getMessage.contains(hint), e.getMessage)
    }

  // The option that the error names, a value, and the misspelled keys.
  for {
    (nearest, value, keys) <- Seq(
      ("shredding", "off", Seq("shreding")),
      (
        "shredding.shape.<column>",
        "a INT",
        Seq("shreding.shape.v", "shredding.shapes.v", "shredding.shape.")
      ),
      ("shredding.policy", "majority", Seq("shredding.polcy")),
      ("shredding.include.<column>", "$.a", Seq("shredding.includes.v")),
      ("layout", "parquet", Seq("layuot")),
      ("compression", "gzip", Seq("compresion")),
      ("pathGlobFilter", "*", Seq("pathGlobFiltr")),
      ("bloom.<column>", "$.a", Seq("bloom")),
      ("parquet.map.shredding.columns", "m", Seq("parquet.map.shredding.column")),
      ("parquet.map.shredding.<column>.keys", "a", Seq("parquet.map.shredding.m.key")),
      ("parquet.map.shredding.<column>.maxKeys", "3", Seq("parquet.map.shredding.m.maxKey"))
    )
    key <- keys
  } refuses(key, value, "UNKNOWN_OPTION", s"did you mean '$nearest'?")

  refuses("parquet.map.sharding.columns", "m", "UNKNOWN_OPTION", "does not exist")

  for {
    (key, values, allowed) <- Seq(
      ("shredding", Seq("on"), "use infer or off"),
      ("shredding.policy", Seq("best"), "use equivalence or majority"),
      ("shredding.minFieldFrequency", Seq("1.1", "-0.1", "NaN", "10%", ""), "use a number from 0 to 1"),
      ("shredding.maxFields", Seq("0", "100001", "1.5", "many"), "use a number from 1 to 100000"),
      ("shredding.maxIntermediateFields", Seq("0", "100001", "1.5", "many"), "use a number from 1 to 100000"),
      ("shredding.maxDepth", Seq("0", "101"), "use a number from 1 to 100"),
      ("shredding.sampleRows", Seq("0", "-1", "1.5", "all"), "a number from 1 on"),
      ("shredding.sampleBytes", Seq("0", "many", "3g"), "a size such as 64m"),
      ("keepTemporary", Seq("59min", "0", "-1d", "a day", ""), "use a time from 1h on, such as 1d"),
      ("layout", Seq("orc"), "use parquet or draft"),
      ("maxVariantBytes", Seq("many"), "a size such as 64m"),
      ("maxVariantDepth", Seq("0"), "a number from 1 on"),
      ("table", Seq("hudi"), "use files or delta"),
      ("overwriteSchema", Seq("yes"), "use true or false"),
      ("versionAsOf", Seq("-1"), "a version number from 0 on")
    )
    value <- values
  } refuses(key, value, "OPTION_VALUE", allowed)

  test("another Spark is refused") {
    SparkVersion.check("4.3.0")
    SparkVersion.check("4.3.7-SNAPSHOT")
    for (version <- Seq("4.2.0", "4.30.0", "5.0.0", "3.5.1")) {
      val e = intercept[ShreddedVariantException](SparkVersion.check(version))
      assertEquals(e.condition, "SHREDDED_VARIANT_SPARK_VERSION")
      assert(e.getMessage.contains(s"Spark $version"), e.getMessage)
    }
  }

  test("docs/options.md lists the options as they are") {
    val rows =
      Options.all.map(o => s"| `${o.key}` | ${if (o.default == "–") "" else s"`${o.default}`"} | ${o.doc} |")
    val expected = (Seq(
      "# Options",
      "",
      OptionsSuite.intro,
      "",
      "| option | default | meaning |",
      "|---|---|---|"
    ) ++ rows)
      .mkString("", "\n", "\n")
    val file = Paths.get("docs/options.md")
    if (sys.env.contains("WRITE_DOCS")) Files.writeString(file, expected)
    assertEquals(Files.readString(file), expected)
  }
}

object OptionsSuite {
  private val intro =
    "Set with a write or a read, or for a whole session as `spark.datasource.shredded_variant.<option>`. Unknown keys that\n" +
      "look like one of these are refused; other keys pass through to Spark and Parquet."
}
