"""A strict cast raises the error of Spark for the rows for which Spark raises it, and for no other row."""

import pytest

from path_queries import LATE, Failure, Pair, outcome, settings
from tables import to_spark
from variants import array, obj

INVALID = "INVALID_VARIANT_CAST"
# A value and a part, an overflow, a missing field, a variant null and another type at each depth.
DOCUMENTS = [
    obj(a=[1, 2], o=obj(n=1), l=[obj(n=1), obj(n=2)], d=obj(m=obj(n=[1]))),
    obj(a=[1, "x"], o=obj(n="x"), l=[obj(n=1), obj(n="x")], d=obj(m=obj(n=["x"]))),
    obj(a=[1, 5_000_000_000], o=obj(n=5_000_000_000), l=[obj(n=5_000_000_000)], d=obj(m=obj(n=[5_000_000_000]))),
    obj(a=[None, 1], o=obj(n=None), l=[None, obj(n=None)], d=obj(m=obj(n=[None]))),
    obj(a=[], o=obj(x="x"), l=[obj(x="x")], d=obj(m=obj())),
    obj(a="x", o=[1], l=[1], d=obj(m=[1])),
    obj(a=[[1]], o=obj(n=obj()), l=[[obj(n=1)]], d=obj(m=obj(n=1))),
    obj(),
    None,
    obj(a=array("1", " 2 "), o=obj(n="7", z=True), l=[obj(n="7", z=[1])], d=obj(m=obj(n=["7"], z=1))),
]
SHAPES = [
    {"shredding.shape.v": "a ARRAY<INT>, o STRUCT<n INT>, l ARRAY<STRUCT<n INT>>, d STRUCT<m STRUCT<n ARRAY<INT>>>"},
    {"shredding.shape.v": "a ARRAY<STRING>, o STRUCT<n BIGINT, z BOOLEAN>, l ARRAY<STRUCT<n STRING>>, d VARIANT"},
    {"shredding.shape.v": "a ARRAY<INT>, o STRUCT<n INT>, l ARRAY<STRUCT<n INT>>", "layout": "draft"},
    {"shredding": "off"},
]
CASTS = [
    ("v", "$.a", "array<int>"),
    ("v", "$.o", "struct<n: int>"),
    ("v", "$.o", "map<string, int>"),
    ("v", "$.l", "array<struct<n: int>>"),
    ("v", "$.d", "struct<m: struct<n: array<int>>>"),
    ("v", "$.d", "map<string, map<string, array<smallint>>>"),
    ("v", "$", "struct<o: struct<n: int>, a: array<variant>>"),
]
TEN = len(DOCUMENTS)


@pytest.fixture(scope="module")
def pair(spark, tmp_path_factory):
    """`t`: a file of each shape with all documents. `k`: a cast fails only where k is NULL. `p`: only a part fails."""
    pair = Pair(spark, tmp_path_factory.mktemp("casts"))
    files = []
    for i, options in enumerate(SHAPES):
        rows = [(i * TEN + j, to_spark(document)) for j, document in enumerate(DOCUMENTS)]
        files.append((spark.createDataFrame(rows, "id INT, v VARIANT"), options))
    pair.add("t", files)
    rows = [(i, i, to_spark(obj(a=i, b=i + 1))) for i in range(6)]
    rows += [(6, None, to_spark(obj(a="x", b="y"))), (7, 7, to_spark(obj())), (8, 8, to_spark(None))]
    rows = [(*row, (row[2],)) for row in rows]
    k = spark.createDataFrame(rows, "id INT, k INT, v VARIANT, s STRUCT<v: VARIANT>")
    pair.add("k", [(k, {"shredding.shape.v": "a INT, b INT", "shredding.shape.s.v": "a INT"})])
    p = spark.createDataFrame([(j, to_spark(DOCUMENTS[j])) for j in range(2)], "id INT, v VARIANT")
    pair.add("p", [(p, SHAPES[0])])
    yield pair
    pair.drop("t", "k", "p")


@pytest.mark.parametrize("cast", CASTS, ids=lambda cast: f"{cast[1]} {cast[2]}")
def test_a_part_that_cannot_be_cast_is_an_error_as_in_spark(pair, cast):
    strict, lax = (f"{get}({cast[0]}, '{cast[1]}', '{cast[2]}')" for get in ("variant_get", "try_variant_get"))
    both = f"SELECT id, {lax}, if(id < 0, {strict}, NULL) FROM t"
    assert (difference := pair.difference(both, must_answer=True)) is None, difference
    failing = []
    for j in range(TEN):
        expected = outcome(pair.spark, f"SELECT id, {strict} FROM t WHERE id = {j}")
        if isinstance(expected, Failure):
            assert expected.condition == INVALID
            failing.append(j)
            for file in range(len(SHAPES)):
                at = file * TEN + j
                query = f"SELECT {strict} FROM t WHERE id = {at}"
                if (file + j) % 2:
                    query = f"SELECT if(id = {at}, {strict}, NULL) FROM t"
                found = outcome(pair.ours, query)
                assert found == expected, f"{query}\n{found}"
    spared = f"SELECT id, {lax}, if(id % {TEN} NOT IN ({', '.join(map(str, failing))}), {strict}, NULL) FROM t"
    assert 0 < len(failing) < TEN
    for query in (spared, spared.replace(f"{lax}, ", "")):
        assert (difference := pair.difference(query, must_answer=True)) is None, difference


PARTS = [
    "SELECT count(v:a::array<int>) FROM p",
    "SELECT max(v:a::array<int>) FROM p",
    "SELECT count(*) FILTER (WHERE v:a::array<int> IS NULL) FROM p",
    "SELECT id FROM p WHERE v:a::array<int> IS NULL",
    "SELECT id FROM p WHERE v:a::array<int> IS NOT NULL",
    "SELECT id FROM p WHERE v:a::array<int>[0] > 9",
    "SELECT id FROM p WHERE variant_get(v, '$.o', 'struct<n: int>').n > 9",
    "SELECT id, explode(v:a::array<int>) FROM p",
    "SELECT id FROM p ORDER BY v:a::array<int>",
    "SELECT id FROM p ORDER BY v:a::array<int> DESC LIMIT 1",
]


@pytest.mark.parametrize("late", [{}, LATE], ids=["", "attached late"])
@pytest.mark.parametrize("query", PARTS)
def test_a_query_of_a_cast_with_parts_raises_what_spark_raises(pair, query, late):
    with settings(pair.ours, late):
        assert outcome(pair.ours, query) == outcome(pair.spark, query) == Failure(INVALID, "")


# Two spellings of one path: Spark evaluates neither where k is NULL.
SPELLINGS = [
    "SELECT id, k + v:a::int, k * variant_get(v, '$.a', 'int') FROM k",
    "SELECT id FROM k WHERE k > v:a::int + variant_get(v, '$.a', 'int')",
    "SELECT id, k + variant_get(v, '$.a', 'int'), k - variant_get(v, '$[\"a\"]', 'int') FROM k",
    "SELECT id, k + variant_get(v:a, '$', 'int'), k - v:a::int, k * variant_get(v, '$.a', 'int') FROM k",
    "SELECT sum(k + v:a::int), sum(k * variant_get(v, '$.a', 'int')) FROM k",
    "SELECT x.id, x.k + x.v:a::int, x.k - variant_get(x.v, '$.a', 'int') FROM k x JOIN k y ON x.id = y.id",
]


@pytest.mark.parametrize("late", [{}, LATE], ids=["", "attached late"])
@pytest.mark.parametrize("query", SPELLINGS)
def test_two_spellings_of_a_strict_cast_are_not_evaluated_together(pair, query, late):
    difference = pair.difference(query, ours=late, must_answer=True)
    assert difference is None, difference


# Spark moves a `variant_get` of a column below aggregates and joins, in sessions that attach late.
MOVED = [
    "SELECT sum(CAST(v AS STRUCT<a: INT>).a) FILTER (WHERE k IS NOT NULL) FROM k",
    "SELECT sum(variant_get(s.v, '$.a', 'int')) FILTER (WHERE k IS NOT NULL) FROM k",
    "SELECT sum(if(x.k > 0, variant_get(x.v, '$.a', 'int'), 0)), count(y.k + variant_get(y.v, '$.b', 'int')) FROM k x"
    " JOIN k y ON x.id = y.id",
    "SELECT sum(variant_get(v, '$.a', 'int')) FILTER (WHERE k IS NOT NULL) FROM k",
    "SELECT sum(variant_get(v, '$.a', 'int')) FILTER (WHERE try_variant_get(v, '$.a', 'int') IN (1, 2, 5)) FROM k",
    "SELECT k % 2, sum(if(k > 0, variant_get(v, '$.a', 'int') + variant_get(v, '$.b', 'int'), 0)) FROM k GROUP BY 1",
    "SELECT x.id, y.id FROM k x LEFT JOIN k y ON x.id = y.id AND NOT isnull(x.k)"
    " AND variant_get(x.v, '$.a', 'int') > 2",
    "SELECT x.id, y.id FROM k x LEFT JOIN k y ON x.k = y.k AND variant_get(x.v, '$.a', 'int') >="
    " variant_get(y.v, '$.a', 'int')",
    "SELECT x.id, variant_get(y.v, '$.a', 'int') FROM k x JOIN k y ON x.k = y.k",
    "SELECT sum(variant_get(y.v, '$.a', 'int')) FROM k x JOIN k y ON x.k = y.k",
    "SELECT x.id FROM k x JOIN k y ON x.k = y.k ORDER BY variant_get(y.v, '$.a', 'int'), x.id",
    "SELECT id FROM (SELECT * FROM k ORDER BY id LIMIT 3) ORDER BY variant_get(v, '$.a', 'int'), id",
    "SELECT sum(variant_get(w, '$.a', 'int')) FILTER (WHERE k IS NOT NULL) FROM (SELECT k, v AS w FROM k)",
    "SELECT x.id FROM k x LEFT SEMI JOIN k y ON x.k = y.k AND x.k > 1 AND variant_get(x.v, '$.a', 'int') > y.k - 1",
]


@pytest.mark.parametrize("late", [{}, LATE], ids=["", "attached late"])
@pytest.mark.parametrize("query", MOVED)
def test_an_access_that_spark_moves_raises_only_where_it_stands(pair, query, late):
    with settings(pair.ours, late):
        found, expected = outcome(pair.ours, query), outcome(pair.spark, query)
    assert found == expected and not isinstance(found, Failure), f"{found}\n{expected}"
