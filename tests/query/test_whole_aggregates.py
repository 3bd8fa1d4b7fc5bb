"""Aggregates over whole maps and variants, with DISTINCT, with FILTER and in windows, give what Spark gives."""

import pytest

from map_cases import hot
from path_queries import LATE, Pair, outcome
from tables import to_spark
from variants import obj

SCHEMA = "id INT, k STRING, m MAP<STRING, STRING>, s STRUCT<m: MAP<STRING, INT>>, v VARIANT"
MAPS, VARIANTS = ["m", "s.m"], ["v", "v:o"]
WHOLE = MAPS + VARIANTS
PARTS = ["m['a']", "v:a::string", "size(m)"]
FUNCTIONS = [
    "count({x})", "count({x}, k)", "count_if({x} IS NOT NULL)", "bool_or({x} IS NULL)", "first({x})", "last({x})",
    "any_value({x})", "first({x}, true)", "max_by({x}, id)", "min_by({x}, id)", "collect_list({x})",
    "count(coalesce({x}, {x}))", "count(if({x} IS NULL, 1, NULL))", "max_by(id, {x} IS NULL)",
]  # fmt: skip
DISTINCT = ["count(DISTINCT {x})", "count(DISTINCT {x}, k)"]
DISTINCT_PRESENCE = "count(DISTINCT k, {x} IS NULL)"
FILTERS = ["", " FILTER (WHERE id % 3 > 0)", " FILTER (WHERE {x} IS NOT NULL)"]
WINDOWS = ["PARTITION BY k", "ORDER BY id", "PARTITION BY k ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING"]
# Without this setting, Spark takes maps for different if their entries have another order.
SORTED = "spark.sql.optimizer.insertMapSortInDistinctAggregates.enabled"
RELATIONS = [
    "SELECT {a} FROM t",
    "SELECT k, {a} FROM t GROUP BY k",
    "SELECT {a}, count(*), count(DISTINCT id), count({x}) FROM t",
    "SELECT k, {a}, count(DISTINCT id), sum(id) FILTER (WHERE id > 3) FROM t GROUP BY ROLLUP (k)",
    "SELECT {a} FROM (SELECT id, k, {x} AS y FROM t)",
    "SELECT {a} FROM (SELECT id, k, m, s, v FROM t UNION ALL SELECT id, k, m, s, v FROM t)",
    "SELECT a.k, {a} FROM (SELECT k FROM t WHERE id > 2) a LEFT JOIN t USING (k) GROUP BY a.k",
]


def row(i):
    m = None if i % 5 == 4 else {"a": f"{i % 2}"} | ({"cold": "c"} if i % 3 else {})
    v = None if i % 4 == 3 else obj(a=i % 2, o=obj(p=i % 3)) if i % 7 else obj(b=1)
    return i, f"k{i % 3}", m, None if i % 6 == 5 else ({"a": i % 2} if i % 4 else None,), to_spark(v)


@pytest.fixture(scope="module")
def pair(spark, tmp_path_factory):
    pair = Pair(spark, tmp_path_factory.mktemp("aggregates"))
    rows = spark.createDataFrame([row(i) for i in range(24)], SCHEMA)
    options = {"shredding.shape.v": "a BIGINT, o STRUCT<p: BIGINT>", **hot("m", ["a"], **{"s.m": ["a"]})}
    pair.add("t", [(rows, options)])
    yield pair
    pair.drop("t")


def same(pair, queries, meaning=None, ours=None):
    result = [pair.difference(query, meaning, ours, must_answer=True) for query in queries]
    result = [difference for difference in result if difference]
    assert not result, "\n\n".join(result)


@pytest.mark.parametrize("x", WHOLE + PARTS)
def test_aggregates_with_filters_and_windows_are_sparks(pair, x):
    plain = [f.format(x=x) for f in FUNCTIONS]
    filtered = [f"{f}{by.format(x=x)}" for f in plain for by in FILTERS]
    for by in ("", ", k"):
        group = " GROUP BY k" if by else ""
        named = ", ".join(f"{f} AS f{i}" for i, f in enumerate(filtered))
        assert pair.difference(f"SELECT {named}{by} FROM t{group}", must_answer=True) is None
    over = ", ".join(f"{f} OVER ({w}) AS f{i}{j}" for i, f in enumerate(plain) for j, w in enumerate(WINDOWS))
    assert pair.difference(f"SELECT id, {over} FROM t", must_answer=True) is None


@pytest.mark.parametrize("x", WHOLE + PARTS[:2])
def test_distinct_tests_for_null_are_sparks(pair, x):
    same(pair, [f"SELECT {DISTINCT_PRESENCE}{by} FROM t".format(x=x) for by in FILTERS])


@pytest.mark.parametrize("x", MAPS + PARTS[:2])
@pytest.mark.parametrize("sort", ["true", "false"])
def test_distinct_aggregates_are_sparks(pair, x, sort):
    conf = {SORTED: sort}
    queries = [f"SELECT {f}{by} FROM t".format(x=x) for f in DISTINCT for by in FILTERS]
    same(pair, queries, conf)
    column = {RELATIONS[4]: "y", RELATIONS[6]: f"t.{x}"}
    same(pair, [r.format(a=DISTINCT[0].format(x=column.get(r, x)), x=x) for r in RELATIONS], conf)
    same(pair, [RELATIONS[0].format(a=DISTINCT[0].format(x=x))], conf, LATE)


@pytest.mark.parametrize("sort", ["true", "false"])
def test_a_distinct_count_of_maps_counts_maps(pair, sort):
    conf = {SORTED: sort}
    for x in ("m", "s.m"):
        assert pair.difference(f"SELECT count(DISTINCT {x}), count({x}) FROM t", conf, must_answer=True) is None


GROUPS = [
    "SELECT count(y), count(*) FROM (SELECT {x} AS y FROM t GROUP BY {x})",
    "SELECT k, count({x}) FROM t GROUP BY k, {x}",
    "SELECT {x}, count({x}), count(DISTINCT {x}) FROM t GROUP BY {x}",
]


@pytest.mark.parametrize("x", MAPS)
def test_groups_by_maps_are_sparks(pair, x):
    same(pair, [query.format(x=x) for query in GROUPS])


# (query, the columns for which Spark refuses it, a part of the refusal)
REFUSED = [
    *((query, VARIANTS, "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE") for query in GROUPS),
    ("SELECT DISTINCT {x} AS y FROM t", MAPS, "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE"),
    ("SELECT DISTINCT {x} AS y FROM t", VARIANTS, "UNSUPPORTED_FEATURE.SET_OPERATION_ON_VARIANT_TYPE"),
    ("SELECT count(DISTINCT {x}) OVER (PARTITION BY k) FROM t", WHOLE, "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED"),
    # Spark has no hash of a variant.
    ("SELECT count(DISTINCT {x}) FROM t", VARIANTS, "scala.MatchError"),
    ("SELECT k, count(DISTINCT {x}) FROM t GROUP BY k", VARIANTS, "scala.MatchError"),
]


@pytest.mark.parametrize(("query", "columns", "said"), REFUSED)
def test_what_spark_refuses_is_refused_with_the_same_words(pair, query, columns, said):
    for x in columns:
        failures = [outcome(session, query.format(x=x)) for session in (pair.ours, pair.spark)]
        assert [said in f"{f.condition} {f.text}" for f in failures] == [True, True], failures
