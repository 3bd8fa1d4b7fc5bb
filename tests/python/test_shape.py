"""`Shape` parses its own texts, refuses others in a sentence, and merges in any order."""

import copy
import itertools
import json
import pickle
import random

import pytest

from programs import ROOT
from random_shapes import NAMES, SCALARS, random_ddl
from shredded_variant import Shape, ShreddedVariantError

EVENT = Shape.parse(
    "id BIGINT, user STRUCT<name STRING, `last name` STRING>, tags ARRAY<STRUCT<t STRING>>, x VARIANT, "
    "amount DECIMAL(12,2)"
)


def random_shapes(seed, count):
    rnd = random.Random(seed)
    return [Shape.parse(random_ddl(rnd)) for _ in range(count)]


# ---- texts ----


def test_a_shape_parses_its_own_texts():
    for shape in [EVENT, *random_shapes(1, 300)]:
        assert Shape.parse(shape.ddl()) == shape
        assert Shape.parse(shape.to_json()) == shape
        assert Shape.parse(f"  {json.dumps(json.loads(shape.to_json()))} ") == shape


def test_fields_are_in_the_order_of_their_utf8_bytes():
    fields = [f"`{n.replace('`', '``')}` INT" for n in NAMES]
    random.Random(1).shuffle(fields)
    shape = Shape.parse(", ".join(fields))
    assert [*Shape.parse(", ".join(reversed(fields))).paths()] == [*shape.paths()]
    assert shape.ddl() == (
        "STRUCT<`` INT, `\n` INT, ` ` INT, `'` INT, `*` INT, `.` INT, `0` INT, A INT, STRUCT INT, `[*]` INT, `\\` INT, "
        "`\\'` INT, ```` INT, a INT, `a b` INT, ab INT, `é` INT, `\uffee` INT, `😀` INT>"
    )


def test_equal_shapes_are_one_value():
    one, other = Shape.parse("b INT, a ARRAY<LONG>"), Shape.parse("struct< a : array<bigint>, b:INTEGER >")
    assert one == other and hash(one) == hash(other) and one.ddl() == other.ddl()
    assert one != Shape.parse("a ARRAY<BIGINT>") and one != one.ddl()
    assert len({one, other, EVENT}) == 2
    assert pickle.loads(pickle.dumps(EVENT)) == copy.deepcopy(EVENT) == EVENT
    with pytest.raises(AttributeError):
        one.nodes = ()


def test_a_column_that_is_not_shredded_is_a_variant():
    assert Shape.parse("VARIANT").ddl() == "VARIANT"
    assert Shape.parse("variant").paths() == {"$": "VARIANT"}


def test_json_has_the_leaves_by_their_paths():
    assert json.loads(EVENT.to_json()) == {
        "version": 1,
        "paths": {
            "$.amount": "DECIMAL(12,2)",
            "$.id": "BIGINT",
            "$.tags[*].t": "STRING",
            "$.user['last name']": "STRING",
            "$.user.name": "STRING",
            "$.x": "VARIANT",
        },
    }
    edited = '{"paths": {"$[\\"user\\"].id": "long", "$.user.name": "string", "$.tags[*]": "dec(3)"}}'
    assert Shape.parse(edited) == Shape.parse("tags ARRAY<DECIMAL(3,0)>, user STRUCT<id BIGINT, name STRING>")


JSON = {
    "{": "is no JSON at character 2",
    '{"paths": {}}': "has no `paths`",
    '{"paths": ["$.a"]}': "has no `paths`",
    '{"version": 2, "paths": {"$": "INT"}}': "another version",
    '{"paths": {"a": "INT"}}': "has the path 'a', which is none",
    '{"paths": {"$.a[0]": "INT"}}': r"has the path '\$\.a\[0\]', which is none",
    '{"paths": {"$.a": "INTT"}}': "'INTT' does not parse at character 5",
    '{"paths": {"$.a": "a INT"}}': r"no type of a leaf at '\$\.a'",
    '{"paths": {"$.a": 5}}': r"no type of a leaf at '\$\.a'",
    '{"paths": {"$.a": "INT", "$.a.b": "INT"}}': r"has at '\$\.a\.b' what another of its paths contradicts",
    '{"paths": {"$.a.b": "INT", "$.a": "INT"}}': r"has at '\$\.a' what another",
    '{"paths": {"$.a[*]": "INT", "$.a.b": "INT"}}': r"has at '\$\.a\.b' what another",
    '{"paths": {"$": "INT", "$.a": "INT"}}': r"has at '\$\.a' what another",
    '{"paths": {"$.a": "INT", "$[\'a\']": "INT"}}': "what another of its paths contradicts",
    '{"paths": {"$.a": "INT", "$.a": "INT"}}': "a key stands there twice",
    '{"paths": {"$.\\ud800": "INT"}}': "which is none",
    '{"paths": {"$[\'\\ud800\']": "INT"}}': "which is none",
    '{"version": ' + "9" * 5000 + "}": "is no JSON",
    '{"a":' * 100_000: "is nested too deeply",
    '{"paths": {"$' + "[*]" * 501 + '": "INT"}}': "is nested deeper than 500 levels",
}


@pytest.mark.parametrize("text", JSON, ids=lambda t: t[:40])
def test_json_that_is_not_a_shape_is_refused_in_one_sentence(text):
    sentence(lambda: Shape.parse(text), JSON[text])


def sentence(action, mention):
    with pytest.raises(ShreddedVariantError, match=mention) as caught:
        action()
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600 and str(caught.value).endswith(".")
    return caught.value


def test_arguments_of_other_types_are_named():
    sentence(lambda: Shape.parse(5), "Shape.parse takes a text and was given an int: pass DDL")
    sentence(lambda: EVENT.merge("a INT"), r"Shape.merge takes a Shape and was given a str: pass Shape.parse\(")
    sentence(lambda: EVENT.diff(None), "Shape.diff takes a Shape and was given a NoneType")
    assert isinstance(sentence(lambda: Shape.parse("x"), "does not parse"), ValueError)


def test_deep_and_long_texts_are_parsed_or_refused():
    for deep in (
        Shape.parse("ARRAY<" * 500 + "INT" + ">" * 500),
        Shape.parse("STRUCT<a " * 500 + "INT" + ">" * 500),
        Shape.parse("a ARRAY<" + "STRUCT<a: " * 498 + "INT" + ">" * 499),
    ):
        assert Shape.parse(deep.ddl()) == deep == Shape.parse(deep.to_json()) == deep.merge(deep)
        assert not deep.diff(deep) and deep.diff(EVENT) and hash(deep) and repr(deep) and deep._repr_html_()
    sentence(lambda: Shape.parse("ARRAY<" * 1_000_000), "nested deeper than 500 levels")
    sentence(lambda: Shape.parse("`" + "a" * 1_000_000), "a backtick is not closed")
    wide = Shape.parse(", ".join(f"a{i} INT" for i in range(20_000)))
    assert Shape.parse(wide.ddl()) == wide == wide.merge(wide) and len(repr(wide).splitlines()) == 20_003


# ---- merge ----


def test_merge_is_commutative_associative_and_idempotent():
    # Few names and shallow trees, so that the three shapes have many paths in common.
    rnd = random.Random(2)
    shapes = [Shape.parse(random_ddl(rnd, 3)) for _ in range(60)]
    shapes += [Shape.parse(f"a {t}, b STRUCT<c {u}>") for t, u in zip(SCALARS, reversed(SCALARS), strict=True)]
    for a in shapes:
        assert a.merge(a) == a == a.merge(Shape.parse("VARIANT"))
    for a, b in itertools.product(shapes, shapes):
        assert a.merge(b) == b.merge(a)
    for _ in range(6000):
        a, b, c = rnd.choices(shapes, k=3)
        assert a.merge(b).merge(c) == a.merge(b.merge(c))


def test_all_types_merge_in_any_grouping():
    shapes = {t: Shape.parse(t) for t in [*SCALARS, "ARRAY<INT>", "a INT", "ARRAY<DECIMAL(5,2)>", "a DECIMAL(5,2)"]}
    for a, b, c in itertools.product(shapes.values(), repeat=3):
        assert a.merge(b).merge(c) == a.merge(b.merge(c)) == b.merge(a).merge(c)


MERGED = [
    ("a INT", "b INT", "a INT, b INT"),
    ("a INT, b STRUCT<c INT>", "b STRUCT<d STRING>", "a INT, b STRUCT<c INT, d STRING>"),
    ("TINYINT", "BIGINT", "BIGINT"),
    ("INT", "DECIMAL(5,2)", "DECIMAL(12,2)"),
    ("DECIMAL(5,2)", "DECIMAL(9,1)", "DECIMAL(10,2)"),
    ("BIGINT", "DECIMAL(38,20)", "DECIMAL(38,19)"),
    ("DECIMAL(38,0)", "DECIMAL(38,38)", "DECIMAL(38,0)"),
    ("INT", "DOUBLE", "INT"),
    ("FLOAT", "DOUBLE", "DOUBLE"),
    ("INT", "STRING", "STRING"),
    ("subject STRING", "subject STRUCT<cid STRING>", "subject STRUCT<cid STRING>"),
    ("ARRAY<INT>", "STRING", "ARRAY<INT>"),
    ("ARRAY<INT>", "ARRAY<BIGINT>", "ARRAY<BIGINT>"),
    ("ARRAY<VARIANT>", "ARRAY<DATE>", "ARRAY<DATE>"),
    ("ARRAY<INT>", "a INT", "a INT"),
    ("a VARIANT", "a BOOLEAN", "a BOOLEAN"),
    ("VARIANT", "a BOOLEAN", "a BOOLEAN"),
]


@pytest.mark.parametrize(("a", "b", "merged"), MERGED)
def test_a_merge_has_the_narrowest_type_of_both(a, b, merged):
    assert Shape.parse(a).merge(Shape.parse(b)) == Shape.parse(merged)


def test_a_merge_has_the_paths_of_both():
    """A path that both shapes have with one type keeps it."""
    shapes = random_shapes(3, 40)
    alike = 0
    for a, b in itertools.product(shapes, shapes):
        merged = a.merge(b).paths()
        assert merged.keys() <= a.paths().keys() | b.paths().keys()
        for path, type in a.paths().items() & b.paths().items():
            assert merged.get(path, type) == type
            alike += a is not b and path in merged
    assert alike >= 10


# ---- diff ----


def test_a_diff_has_what_was_added_removed_and_changed():
    new = Shape.parse(
        "id STRING, user STRUCT<name STRING, at STRUCT<x INT>>, tags ARRAY<STRUCT<t STRING, u INT>>, x INT"
    )
    diff = EVENT.diff(new)
    assert diff
    assert diff.added == {"$.tags[*].u": "INT", "$.user.at": "STRUCT<x INT>"}
    assert diff.removed == {"$.amount": "DECIMAL(12,2)", "$.user['last name']": "STRING"}
    assert diff.changed == {"$.id": ("BIGINT", "STRING"), "$.x": ("VARIANT", "INT")}
    back = new.diff(EVENT)
    assert (back.added, back.removed) == (diff.removed, diff.added)
    assert back.changed == {path: (after, before) for path, (before, after) in diff.changed.items()}
    assert diff == EVENT.diff(new) != back


def test_a_diff_is_false_only_if_the_shapes_are_equal():
    shapes = random_shapes(4, 60)
    for a, b in itertools.product(shapes, shapes):
        assert bool(a.diff(b)) == (a != b)
    assert Shape.parse("INT").diff(Shape.parse("a INT")).changed == {"$": ("INT", "STRUCT<a INT>")}


# ---- repr ----


def test_a_shape_shows_as_a_tree():
    assert repr(EVENT) == str(EVENT)
    assert repr(EVENT).split("\n") == [
        "Shape: 5 typed paths, 1 untyped",
        "",
        "$                    OBJECT",
        "├─ amount            DECIMAL(12,2)",
        "├─ id                BIGINT",
        "├─ tags              ARRAY",
        "│  └─ [*]            OBJECT",
        "│     └─ t           STRING",
        "├─ user              OBJECT",
        "│  ├─ ['last name']  STRING",
        "│  └─ name           STRING",
        "└─ x                 VARIANT",
    ]
    assert repr(Shape.parse("VARIANT")) == "Shape: unshredded\n\n$  VARIANT"
    assert repr(Shape.parse("`\n\x1b[31m` INT")).split("\n")[3:] == ["└─ ['··[31m']  INT"]
    assert len(repr(Shape.parse(f"`{'a ' * 500}` INT")).split("\n")[-1]) < 120


def test_the_readme_shows_a_shape_as_it_prints():
    shape = Shape.parse("user STRUCT<id BIGINT, name STRING>, amount DECIMAL(12,2), tags ARRAY<STRING>")
    assert f"```\n{shape}\n```" in (ROOT / "README.md").read_text()


def test_a_diff_shows_signs():
    diff = Shape.parse("a INT, b INT").diff(Shape.parse("a BIGINT, c ARRAY<INT>"))
    assert repr(diff).split("\n") == [
        "Shapes differ: 1 added, 1 removed, 1 changed",
        "+  $.c  ARRAY<INT>",
        "-  $.b  INT",
        "~  $.a  INT → BIGINT",
    ]
    assert repr(EVENT.diff(EVENT)) == "Same shape"
    assert EVENT.diff(EVENT)._repr_html_() == "<div>Same shape</div>"


def test_notebooks_get_tables_with_everything_escaped():
    html = Shape.parse("`<b>` STRUCT<`<i>` INT>")._repr_html_()
    assert "&lt;b&gt;" in html and "&lt;i&gt;" in html and "<b>" not in html and "<i>" not in html
    assert {tag: html.count(f"<{tag}") for tag in ("tr", "th>", "td")} == {"tr": 4, "th>": 2, "td": 6}
    diff = Shape.parse("`<b>` INT").diff(Shape.parse("`<b>` STRING"))._repr_html_()
    assert "INT" in diff and "STRING" in diff and "<b>" not in diff
