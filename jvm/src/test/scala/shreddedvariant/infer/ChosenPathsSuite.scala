/** The effect of included and excluded paths on inference. */
package shreddedvariant.infer

import shreddedvariant.Value
import shreddedvariant.Value._
import shreddedvariant.layout.PathStep
import shreddedvariant.layout.PathStep.{Index, Key}

class ChosenPathsSuite extends shreddedvariant.Suite with InferenceCases {
  import CountsSuite.{of, Obj}

  private def paths(paths: Seq[PathStep]*) = paths
  private def keys(names: String*): Seq[PathStep] = names.map(Key(_))

  private val rare = some(1)("a" -> x, "rare" -> Integer(1, 1)) ++ some(99)("a" -> x)

  infers(
    "an included path is typed at any frequency",
    "STRUCT<a STRING, rare BIGINT>",
    Limits(include = paths(keys("rare")))
  )(rare)
  infers(
    "an included path is typed by the policy",
    "STRUCT<a STRING, rare TINYINT>",
    Limits(policy = Policy.Majority, include = paths(keys("rare")))
  )(rare)
  infers(
    "an included path without values has a cell and stays untyped",
    "STRUCT<a STRING, new STRUCT<er VARIANT>>",
    Limits(include = paths(keys("new", "er")))
  )(rare)
  infers(
    "an included path has a cell before the first row",
    "STRUCT<new ARRAY<VARIANT>>",
    Limits(include = paths(Seq(Key("new"), Index(3))))
  )()
  infers(
    "an included path whose values are all null stays untyped",
    "STRUCT<a VARIANT>",
    Limits(include = paths(keys("a")))
  )(some(5)("a" -> Null))
  infers(
    "an included path deep below a rare path",
    "STRUCT<a STRING, o STRUCT<p STRUCT<q STRING>>>",
    Limits(include = paths(keys("o", "p", "q")))
  )(some(1)("o" -> Obj("p" -> Obj("q" -> x, "r" -> x)), "a" -> x), some(99)("a" -> x))
  infers(
    "frequencies below an included path are relative to its own values",
    "STRUCT<a STRING, o STRUCT<p STRING>>",
    Limits(include = paths(keys("o")))
  )(
    some(1)("o" -> Obj("p" -> x, "q" -> x), "a" -> x),
    some(19)("o" -> Obj("p" -> x), "a" -> x),
    some(980)("a" -> x)
  )
  infers(
    "an included path that gets no type has its own cell",
    "STRUCT<a STRING, o VARIANT>",
    Limits(include = paths(keys("o")))
  )(
    (0 until 20).map(i => Obj("o" -> Obj(s"k$i" -> x), "a" -> x))
  )
  infers(
    "objects on the way to an included path take precedence over more frequent kinds",
    "STRUCT<a STRUCT<b STRING>>",
    Limits(include = paths(keys("a", "b")))
  )(some(1)("a" -> Obj("b" -> x)), some(99)("a" -> x))
  infers(
    "a path with only other kinds of values does not become an object for an included path",
    "STRUCT<a STRING>",
    Limits(include = paths(keys("a", "b")))
  )(some(100)("a" -> x))
  infers(
    "included paths go through the elements of arrays",
    "STRUCT<a STRING, l ARRAY<STRUCT<price BIGINT>>>",
    Limits(include = paths(Seq(Key("l"), Index(0), Key("price"))))
  )(
    some(1)("a" -> x, "l" -> Arr(Seq(Obj("price" -> Integer(1, 1), "other" -> x)))),
    some(99)("a" -> x)
  )
  infers(
    "included paths go deeper than maxDepth",
    "STRUCT<a STRUCT<b STRUCT<c STRING>>>",
    Limits(maxDepth = 1, include = paths(keys("a", "b", "c")))
  )(some(5)("a" -> Obj("b" -> Obj("c" -> x, "d" -> x))))
  infers(
    "included fields come before all others under the cap, and are never capped",
    "STRUCT<y STRING, z STRING>",
    Limits(maxFields = 1, include = paths(keys("z"), keys("y")))
  )(some(9)("a" -> x), some(1)("y" -> x, "z" -> x))
  infers(
    "other fields share the rest of the cap",
    "STRUCT<a STRING, z STRING>",
    Limits(maxFields = 2, include = paths(keys("z")))
  )(some(9)("a" -> x, "b" -> x), some(1)("a" -> x, "z" -> x))

  test("included paths are kept beyond all caps on leaves") {
    val names = wide(1200)
    val rows = Seq.fill(50)(object_(Seq("often"))) :+ object_(names)
    val shape = Inference.shape(of(rows.map(Some(_))), Limits(include = names.map(n => keys(n))))
    assertEquals(leaves(shape).toSet, names.map(_ + ".").toSet)
  }

  infers(
    "an excluded path and the paths below it are not shredded",
    "STRUCT<b STRING>",
    Limits(exclude = paths(keys("a")))
  )(some(5)("a" -> Obj("x" -> x), "b" -> x))
  infers(
    "siblings of an excluded path are shredded",
    "STRUCT<a STRUCT<y STRING>, b STRING>",
    Limits(exclude = paths(keys("a", "x")))
  )(
    some(5)("a" -> Obj("x" -> x, "y" -> x), "b" -> x)
  )
  infers(
    "an excluded path does not count towards the cap",
    "STRUCT<b STRING>",
    Limits(maxFields = 1, exclude = paths(keys("a")))
  )(some(5)("a" -> x), some(4)("b" -> x))
  infers(
    "excluding elements excludes the array",
    "STRUCT<b STRING>",
    Limits(exclude = paths(Seq(Key("a"), Index(0))))
  )(some(5)("a" -> Arr(Seq(x)), "b" -> x))
  infers(
    "excluding the root excludes all",
    "VARIANT",
    Limits(exclude = paths(Nil), include = paths(keys("a")))
  )(some(5)("a" -> x))
  infers(
    "a path that is excluded and included is excluded",
    "STRUCT<b STRING>",
    Limits(include = paths(keys("a"), keys("a", "b")), exclude = paths(keys("a")))
  )(some(5)("a" -> Obj("b" -> x), "b" -> x))
  infers(
    "a path below an included path is excluded",
    "STRUCT<a STRUCT<c STRING>>",
    Limits(include = paths(keys("a")), exclude = paths(keys("a", "b")))
  )(some(5)("a" -> Obj("b" -> x, "c" -> x)))
  infers(
    "a path is excluded by the policy majority",
    "STRUCT<b STRING>",
    Limits(policy = Policy.Majority, exclude = paths(keys("a")))
  )(some(5)("a" -> x, "b" -> x))

  test("paths that are included and excluded at every level take no more time than others") {
    val names = (0 until 100).map(_ => "a")
    val deep = Iterator.iterate[Value](x)(v => Obj("a" -> v)).drop(100).next()
    val limits = Limits(include = paths(keys(names: _*)), exclude = paths(keys(names: _*)))
    assertEquals(ddl(Seq(deep), limits), "VARIANT")
  }
}
