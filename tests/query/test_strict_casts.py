"""A strict cast raises the error of Spark for the rows for which Spark raises it, and for no other row."""

import pytest

from path_queries import EARLY_OR_LATE, Failure, Pair, outcome, settings
from strict_casts import MOVED, PARTS, SPELLINGS
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
    ("$.a", "array<int>"),
    ("$.o", "struct<n: int>"),
    ("$.o", "map<string, int>"),
    ("$.l", "array<struct<n: int>>"),
    ("$.d", "struct<m: struct<n: array<int>>>"),
    ("$.d", "map<string, map<string, array<smallint>>>"),
    ("$", "struct<o: struct<n: int>, a: array<variant>>"),
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


@pytest.mark.parametrize(("path", "target"), CASTS, ids=map(" ".join, CASTS))
def test_a_part_that_cannot_be_cast_is_an_error_as_in_spark(pair, path, target):
    strict, lax = (f"{get}(v, '{path}', '{target}')" for get in ("variant_get", "try_variant_get"))
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


@EARLY_OR_LATE
@pytest.mark.parametrize("query", PARTS)
def test_a_query_of_a_cast_with_parts_raises_what_spark_raises(pair, query, late):
    with settings(pair.ours, late):
        assert outcome(pair.ours, query) == outcome(pair.spark, query) == Failure(INVALID, "")


@EARLY_OR_LATE
@pytest.mark.parametrize("query", SPELLINGS)
def test_two_spellings_of_a_strict_cast_are_not_evaluated_together(pair, query, late):
    difference = pair.difference(query, ours=late, must_answer=True)
    assert difference is None, difference


@EARLY_OR_LATE
@pytest.mark.parametrize("query", MOVED)
def test_an_access_that_spark_moves_raises_only_where_it_stands(pair, query, late):
    with settings(pair.ours, late):
        found, expected = outcome(pair.ours, query), outcome(pair.spark, query)
    assert found == expected and not isinstance(found, Failure), f"{found}\n{expected}"
