/** Lists of paths are parsed as Spark parses each path; errors name the invalid path. */
package shreddedvariant.source.options

import shreddedvariant.ShreddedVariantException
import shreddedvariant.layout.PathStep
import shreddedvariant.layout.PathStep.{Index, Key}

class PathListSuite extends shreddedvariant.Suite {
  private val key = "shredding.include.v"

  private def reads(text: String, paths: Seq[PathStep]*)(implicit loc: munit.Location): Unit =
    test(s"'$text' is a list of paths")(assertEquals(PathList.parse(key, text), paths))

  reads("$", Nil)
  reads("$.a", Seq(Key("a")))
  reads("$.user.id, $.tags", Seq(Key("user"), Key("id")), Seq(Key("tags")))
  reads("  $.a  ,$.b,$.c", Seq(Key("a")), Seq(Key("b")), Seq(Key("c")))
  reads("$.a b.c-d", Seq(Key("a b"), Key("c-d")))
  reads("$['a.b'], $[\"c\"].d", Seq(Key("a.b")), Seq(Key("c"), Key("d")))
  reads("$['a,b'], $[\"c, $.d\"]", Seq(Key("a,b")), Seq(Key("c, $.d")))
  reads("$['it\"s'].b, $[\"it's\"]", Seq(Key("it\"s"), Key("b")), Seq(Key("it's")))
  reads("$['']", Seq(Key("")))
  reads("$.l[3].x, $.m[*].y", Seq(Key("l"), Index(3), Key("x")), Seq(Key("m"), Index(0), Key("y")))
  reads("$['[*]'][*]", Seq(Key("[*]"), Index(0)))
  reads("$.é.😀", Seq(Key("é"), Key("😀")))
  reads("$" + ".a" * 100, Seq.fill(100)(Key("a")))

  private def refuses(text: String, path: String, reason: String = "it is not a path")(implicit
      loc: munit.Location
  ): Unit =
    test(s"'${text.take(20)}' is refused") {
      val e = intercept[ShreddedVariantException](PathList.parse(key, text))
      assertEquals(e.condition, "SHREDDED_VARIANT_PATH")
      assert(
        e.getMessage.contains(s"'$key' names the path '$path', but $reason: write paths as"),
        e.getMessage
      )
    }

  refuses("", "")
  refuses("$.a,", "")
  refuses("user.id", "user.id")
  refuses("$.a, b", "b")
  refuses("$a", "$a")
  refuses("$.a.", "$.a.")
  refuses("$..a", "$..a")
  refuses("$['a", "$['a")
  refuses("$['a'", "$['a'")
  refuses("$[a]", "$[a]")
  refuses("$[-1]", "$[-1]")
  refuses("$[99999999999]", "$[99999999999]")
  refuses("$" + ".a" * 101, ("$" + ".a" * 101).take(77) + "…", "it has more than 100 steps")
}
