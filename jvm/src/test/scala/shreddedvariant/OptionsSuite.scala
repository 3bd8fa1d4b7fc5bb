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

  refuses("shreding", "off", "UNKNOWN_OPTION", "did you mean 'shredding'?")
  refuses("shreding.shape.v", "a INT", "UNKNOWN_OPTION", "did you mean 'shredding.shape.<column>'?")
  refuses("shredding.shapes.v", "a INT", "UNKNOWN_OPTION", "did you mean 'shredding.shape.<column>'?")
  refuses("shredding.shape.", "a INT", "UNKNOWN_OPTION", "shredding.shape.<column>")
  refuses("layuot", "parquet", "UNKNOWN_OPTION", "did you mean 'layout'?")
  refuses("compresion", "gzip", "UNKNOWN_OPTION", "did you mean 'compression'?")
  refuses("pathGlobFiltr", "*", "UNKNOWN_OPTION", "did you mean 'pathGlobFilter'?")
  refuses("parquet.map.sharding.columns", "m", "UNKNOWN_OPTION", "does not exist")
  refuses("shredding", "on", "OPTION_VALUE", "use infer or off")
  refuses("shredding.policy", "best", "OPTION_VALUE", "use equivalence or majority")
  refuses("shredding.polcy", "majority", "UNKNOWN_OPTION", "did you mean 'shredding.policy'?")
  refuses("shredding.includes.v", "$.a", "UNKNOWN_OPTION", "did you mean 'shredding.include.<column>'?")
  for (value <- Seq("1.1", "-0.1", "NaN", "10%", ""))
    refuses("shredding.minFieldFrequency", value, "OPTION_VALUE", "use a number from 0 to 1")
  for (value <- Seq("0", "100001", "1.5", "many")) {
    refuses("shredding.maxFields", value, "OPTION_VALUE", "use a number from 1 to 100000")
    refuses("shredding.maxIntermediateFields", value, "OPTION_VALUE", "use a number from 1 to 100000")
  }
  for (value <- Seq("0", "101"))
    refuses("shredding.maxDepth", value, "OPTION_VALUE", "use a number from 1 to 100")
  for (value <- Seq("0", "-1", "1.5", "all"))
    refuses("shredding.sampleRows", value, "OPTION_VALUE", "a number from 1 on")
  for (value <- Seq("0", "many", "3g"))
    refuses("shredding.sampleBytes", value, "OPTION_VALUE", "a size such as 64m")
  for (value <- Seq("59min", "0", "-1d", "a day", ""))
    refuses("keepTemporary", value, "OPTION_VALUE", "use a time from 1h on, such as 1d")
  refuses("layout", "orc", "OPTION_VALUE", "use parquet or draft")
  refuses("maxVariantBytes", "many", "OPTION_VALUE", "a size such as 64m")
  refuses("maxVariantDepth", "0", "OPTION_VALUE", "a number from 1 on")
  refuses("table", "hudi", "OPTION_VALUE", "use files or delta")
  refuses("overwriteSchema", "yes", "OPTION_VALUE", "use true or false")
  refuses("bloom", "$.a", "UNKNOWN_OPTION", "did you mean 'bloom.<column>'")
  refuses(
    "parquet.map.shredding.column",
    "m",
    "UNKNOWN_OPTION",
    "did you mean 'parquet.map.shredding.columns'?"
  )
  refuses("parquet.map.shredding.m.key", "a", "UNKNOWN_OPTION", "'parquet.map.shredding.<column>.keys'?")
  refuses(
    "parquet.map.shredding.m.maxKey",
    "3",
    "UNKNOWN_OPTION",
    "'parquet.map.shredding.<column>.maxKeys'?"
  )
  refuses("versionAsOf", "-1", "OPTION_VALUE", "a version number from 0 on")

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
