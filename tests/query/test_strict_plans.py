"""Strict casts in plans that run twice, that share parts, or that look at one row only, give what Spark gives."""

import pytest

from path_queries import EARLY_OR_LATE, Failure, Pair, explained, outcome, settings
from tables import to_spark
from variants import double, obj

INVALID = Failure("INVALID_VARIANT_CAST", "")
EDGES = [
    0,
    -1,
    127,
    128,
    -128,
    -129,
    255,
    32767,
    32768,
    -32768,
    -32769,
    2**31,
    "12",
    "x",
    double(127.5),
    double(128.0),
    True,
]
SHAPES = [
    {"shredding.shape.v": "a BIGINT, up BIGINT, e INT"},
    {"shredding.shape.v": "a STRING, up INT, e DECIMAL(18,2)"},
    {"shredding.shape.v": "a INT, up STRING, e DOUBLE", "layout": "draft"},
    {"shredding": "off"},
]


@pytest.fixture(scope="module")
def pair(spark, tmp_path_factory):
    """`t`: a tree; the cast of `a` fails where `bad`. `e`: one value in each row. `one`: one row that fails."""
    pair = Pair(spark, tmp_path_factory.mktemp("plans"))
    files, edges = [], []
    for i, options in enumerate(SHAPES):
        rows = [
            (n, n % 5 == 3, to_spark(obj(a="x" if n % 5 == 3 else n, up=(n - 1) // 3)))
            for n in range(i * 15 + 1, i * 15 + 16)
        ]
        files.append((spark.createDataFrame(rows, "id INT, bad BOOLEAN, v VARIANT"), options))
        rows = [(i * 100 + n, to_spark(obj(e=edge))) for n, edge in enumerate(EDGES)]
        edges.append((spark.createDataFrame(rows, "id INT, v VARIANT"), options))
    pair.add("t", files)
    pair.add("e", edges)
    one = spark.createDataFrame([(1, to_spark(obj(a="x")))], "id INT, v VARIANT")
    pair.add("one", [(one, {"shredding.shape.v": "a INT"})])
    yield pair
    pair.drop("t", "e", "one")


def same(pair, query, late=None, must_answer=True):
    difference = pair.difference(query, ours=late, must_answer=must_answer)
    assert difference is None, difference


@EARLY_OR_LATE
@pytest.mark.parametrize("order", ["v:a::int", "variant_get(v, '$.a', 'int') DESC", "id, v:a::int LIMIT 1"])
def test_an_order_of_a_single_row_raises_what_spark_raises(pair, order, late):
    same(pair, f"SELECT id, v:a::string FROM one ORDER BY {order}", late, must_answer="LIMIT" in order)


@EARLY_OR_LATE
def test_an_order_with_a_limit_evaluates_its_key_for_a_single_row_too(pair, late):
    """Spark does not compare a row with itself. Our scan does not know whether another row follows."""
    query = "SELECT id FROM {} ORDER BY v:a::int LIMIT 1"
    with settings(pair.ours, late):
        assert outcome(pair.ours, query.format("one")) == INVALID
    same(pair, query.format("(SELECT * FROM one WHERE id > 0)"), late)
    same(pair, query.format("(SELECT * FROM one UNION ALL SELECT id, v FROM t)"), late, must_answer=False)


@pytest.mark.parametrize("target", ["tinyint", "smallint"])
def test_casts_to_narrow_integers_are_those_of_spark(pair, target):
    lax = f"try_variant_get(v, '$.e', '{target}')"
    same(pair, f"SELECT id, {lax}, try_cast(v:e AS {target}), {lax} IS NULL FROM e")
    for condition in ("= 127", "> 100", "< -100", "IS NULL", "IN (12, -1, 127)", "BETWEEN -128 AND 0"):
        same(pair, f"SELECT id FROM e WHERE {lax} {condition}")
    same(pair, f"SELECT min({lax}), max({lax}), count({lax}), sum({lax}) FROM e")
    for n in range(len(EDGES)):
        query = f"SELECT id, v:e::{target}, typeof(v:e::{target}) FROM e WHERE id % 100 = {n}"
        expected = outcome(pair.spark, query)
        assert outcome(pair.ours, query) == expected
        if expected == INVALID:
            for file in range(len(SHAPES)):
                assert outcome(pair.ours, f"SELECT if(id = {file * 100 + n}, v:e::{target}, 0Y) FROM e") == INVALID


@EARLY_OR_LATE
@pytest.mark.parametrize("reuse", ["true", "false"])
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_two_plans_that_share_an_exchange_give_the_rows_of_both(pair, reuse, adaptive, late):
    side = "SELECT id % 7 AS g, sum(if(NOT bad, v:a::int, 0)) AS n FROM t GROUP BY 1"
    query = f"SELECT a.g, a.n, b.n + 1 FROM ({side}) a JOIN ({side}) b ON a.g = b.g"
    conf = {"spark.sql.exchange.reuse": reuse, "spark.sql.adaptive.enabled": adaptive, **late}
    conf["spark.sql.autoBroadcastJoinThreshold"] = "-1"
    same(pair, query, conf)
    if adaptive == "false":
        with settings(pair.ours, conf):
            assert ("ReusedExchange" in explained(pair.ours.sql(query))) is (reuse == "true")


@EARLY_OR_LATE
def test_a_cached_table_with_strict_casts_raises_as_spark_does(pair, late):
    asked = "SELECT id, a + 1 FROM spared WHERE a > 3"
    for session, conf in ((pair.ours, late), (pair.spark, {})):
        with settings(session, conf):
            session.sql("CACHE TABLE spared AS SELECT id, bad, v, if(NOT bad, v:a::int, -1) AS a FROM t")
    try:
        same(pair, asked, late)
        same(pair, "SELECT id, v:a::int FROM spared WHERE NOT bad", late, must_answer=False)
        same(pair, "SELECT x.id, y.a FROM spared x JOIN t z ON x.id = z.v:up::int JOIN spared y ON y.id = z.id", late)
        with settings(pair.ours, late):
            assert outcome(pair.ours, "SELECT sum(v:a::int) FROM spared") == INVALID
            assert outcome(pair.ours, "CACHE TABLE raised AS SELECT v:a::int FROM t") == INVALID
    finally:
        for session in (pair.ours, pair.spark):
            for name in ("spared", "raised"):
                session.sql(f"UNCACHE TABLE IF EXISTS {name}")
                session.catalog.dropTempView(name)


RECURSIVE = """WITH RECURSIVE down(id, n) AS (SELECT 1, 0 UNION ALL
    SELECT t.id, n + if(t.bad, 0, {value}) FROM t JOIN down ON t.v:up::int = down.id WHERE {where}
    ) SELECT * FROM down"""


@EARLY_OR_LATE
def test_a_recursive_query_raises_only_for_rows_that_it_evaluates(pair, late):
    spared = RECURSIVE.format(value="variant_get(t.v, '$.a', 'int')", where="t.id > 0")
    same(pair, spared, late)
    with settings(pair.ours, late):
        met = RECURSIVE.format(value="0", where="t.v:a::int > 0")
        assert outcome(pair.ours, met) == outcome(pair.spark, met) == INVALID


@EARLY_OR_LATE
def test_two_scans_of_a_self_join_that_are_one_object_do_not_share_filters(pair, late):
    """A frame over an optimised plan has its built scan; a join with itself has the scan twice."""

    def joined(session):
        value = "if(NOT bad, v:a::int, -1) AS a, try_variant_get(v, '$.up', 'int') AS up"
        sql = f"SELECT CAST(id AS BIGINT) AS id, {value} FROM t"
        classic = session._jvm.org.apache.spark.sql.classic.Dataset
        plan = session.sql(sql)._jdf.queryExecution().optimizedPlan()
        frame = type(session.sql("SELECT 1"))(classic.ofRows(session._jsparkSession, plan), session)
        frame.createOrReplaceTempView("built")
        try:
            rows = session.sql(
                "SELECT x.id, y.id AS child, x.a, y.a AS b FROM built x JOIN built y ON y.up = x.id"
                " WHERE x.up IN (SELECT id FROM t WHERE id < 6) AND y.up IN (SELECT id FROM t WHERE id > 3)"
            )
            return session.createDataFrame(rows.collect(), rows.schema)
        finally:
            session.catalog.dropTempView("built")

    same(pair, joined, late)
    same(pair, joined, late | {"spark.sql.adaptive.enabled": "false", "spark.sql.autoBroadcastJoinThreshold": "-1"})
