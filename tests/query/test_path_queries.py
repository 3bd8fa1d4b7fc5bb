"""A query on paths gives the rows, names, types and errors that Spark gives over unshredded rows, in any plan."""

import functools
import re
import tempfile

import pytest
from pyspark.sql import functions as F

from path_cases import ALONE, EXPRESSIONS, SCALARS
from path_plans import PARTITIONED, QUERIES, REFUSED
from path_queries import EARLY_OR_LATE, LATE, explained, leaves, outcome, settings
from path_tables import FILES, SCHEMA, row, t_and_u
from strict_casts import WITH_ERROR, WITHOUT_ERROR


@pytest.fixture(scope="module")
def pair(spark, tmp_path_factory):
    yield from t_and_u(spark, tmp_path_factory.mktemp("paths"))


def cached(before):
    def query(session):
        df = (
            session.table("t")
            if before
            else session.sql("SELECT id, v:i::int AS i, v:o AS o, v FROM t WHERE v:t::string >= 'a'")
        )
        df = df.cache()
        try:
            if not before:
                rows = df.selectExpr("id", "i", "o:p AS p", "v:t::string AS t", "count(v) OVER () AS n")
            else:
                rows = df.where("v:i::int > 0").selectExpr("id", "v:i::int AS i", "v:o AS o", "to_json(v) AS j")
            return session.createDataFrame(rows.collect(), rows.schema)
        finally:
            df.unpersist()

    return query


def inserted(session):
    session.sql(
        "CREATE OR REPLACE TEMP VIEW q AS "
        "SELECT id, v:i::int AS i, v:o AS o, s.v:b::string AS b FROM t WHERE v IS NOT NULL"
    )
    session.sql("DROP TABLE IF EXISTS path_target")
    session.sql("CREATE TABLE path_target (id INT, i INT, o VARIANT, b STRING) USING parquet")
    try:
        session.sql("INSERT INTO path_target SELECT * FROM q")
        session.sql("INSERT INTO path_target SELECT id, v:rare::int, v:l, v:t::string FROM t WHERE v:rare::int > 0")
        rows = session.table("path_target")
        return session.createDataFrame(rows.collect(), rows.schema)
    finally:
        session.sql("DROP TABLE path_target")
        session.sql("DROP VIEW q")


def viewed(session):
    session.sql("CREATE OR REPLACE TEMP VIEW q AS SELECT id, v, v:o AS o, v:i::int AS i FROM t")
    return session.sql(
        "SELECT a.i, a.o:p, b.v:t::string FROM q a JOIN q b ON a.id = b.id WHERE b.o:q::string IS NOT NULL"
    )


def pruned(session):
    """A join whose other side has dynamic pruning, so that the plan has a copy of our side."""
    with tempfile.TemporaryDirectory() as folder:
        rows = session.range(60).selectExpr("id AS x", "id % 20 AS p")
        rows.coalesce(1).write.partitionBy("p").mode("overwrite").parquet(folder)
        session.read.parquet(folder).createOrReplaceTempView("facts")
        df = session.sql(
            "SELECT x, t.v:t::string AS t FROM facts JOIN t ON facts.p = t.id WHERE t.v:i::int = 1 AND t.v:b IS NULL"
        )
        assert "dynamicpruning" in explained(df)
        return session.createDataFrame(df.collect(), df.schema)


FRAMES = {
    "cache, then paths": cached(before=True),
    "paths, then cache": cached(before=False),
    "insert into another table": inserted,
    "a view used twice": viewed,
    "repartition by a path": lambda s: s.table("t").repartition(3, F.expr("v:t::string")).selectExpr("id", "v:i::int"),
    "coalesce and distinct": lambda s: s.table("t").coalesce(1).selectExpr("v:t::string t", "v:i::int i").distinct(),
    "drop duplicates": lambda s: s.table("t").selectExpr("v:t::string t").dropDuplicates(["t"]),
    "sample everything": lambda s: s.table("t").sample(1.0, seed=1).selectExpr("v:i::int", "v:t::string"),
    "random split": lambda s: s.table("t").coalesce(1).sort("id").randomSplit([0.5, 0.5], 7)[0].selectExpr("v:i::int"),
    "pivot": lambda s: s.table("t").selectExpr("k", "v:t::string t", "v:i::int i").groupBy("k").pivot("t").sum("i"),
    "with columns": lambda s: s.table("t").withColumns({"i": F.expr("v:i::int"), "v": F.expr("v:o")}).drop("w", "s"),
    "functions, not SQL": lambda s: s.table("t").select(
        F.try_variant_get("v", "$.x", "int"), F.variant_get("v", "$.t", "string").alias("t"), F.is_variant_null("v")),
    "a Python function of a path": lambda s: s.table("t").select(
        "id", F.udf(lambda x: f"<{x}>", "string")(F.expr("v:t::string")), F.expr("v:i::int")),
    "a Python function in a filter": lambda s: s.table("t").where(
        F.udf(lambda x: x is not None and x > 1, "boolean")(F.expr("v:i::int"))).selectExpr("id", "v:t::string"),
    "a Python function of a variant": lambda s: s.table("t").select(
        "id", F.udf(lambda x: None if x is None else str(x.toJson()), "string")(F.expr("v:o")).alias("o")),
    "tail and head": lambda s: s.createDataFrame(s.table("t").sort("id").selectExpr("v:i::int i").tail(9), "i INT"),
    "checkpoint": lambda s: s.table("t").where("v:i::int > 0").localCheckpoint().selectExpr("v:t::string"),
    "fill and drop nulls": lambda s: s.table("t").selectExpr("v:i::int i", "v:t::string t").na.fill(0).na.drop(),
    "an observed metric": lambda s: s.table("t").observe("m", F.expr("count(v:i)").alias("c")).selectExpr("v:i::int"),
    "a whole variant to Python": lambda s: s.table("t").select("id", "v", F.expr("v:i::int")),
    "a join that prunes partitions by a path": pruned,
    "union by name": lambda s: s.table("t").select("id", "v").unionByName(s.table("u")).selectExpr("v:o", "id"),
}  # fmt: skip

GUARDED = "a strict cast that another filter guards"
NEW_YORK = {"spark.sql.session.timeZone": "America/New_York"}
LENIENT = {"spark.sql.ansi.enabled": "false"}
SENSITIVE = {"spark.sql.caseSensitive": "true"}
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
ROW_BY_ROW = {"spark.sql.parquet.enableVectorizedReader": "false"}
# Settings of both sides, and of our side only.
SETTINGS = {
    "without ANSI": (LENIENT, {}),
    "in New York": (NEW_YORK, {}),
    "in New York without ANSI": ({**NEW_YORK, **LENIENT}, {}),
    "case sensitive": (SENSITIVE, {}),
    "without whole-stage code": ({}, {"spark.sql.codegen.wholeStage": "false"}),
    "interpreted": ({}, INTERPRETED),
    "without the vectorised reader": ({}, ROW_BY_ROW),
    "without the vectorised reader, interpreted": ({}, {**ROW_BY_ROW, **INTERPRETED}),
    "in batches of three": ({}, {"spark.sql.parquet.columnarReaderBatchSize": "3"}),
    "off heap": ({}, {"spark.sql.columnVector.offheap.enabled": "true"}),
    "without adaptive plans": ({}, {"spark.sql.adaptive.enabled": "false"}),
    "without variant pushdown": ({}, {"spark.sql.variant.pushVariantIntoScan": "false"}),
    "attached late": ({}, LATE),
    "attached late, without variant pushdown": ({}, {**LATE, "spark.sql.variant.pushVariantIntoScan": "false"}),
}
# The cases that run with each of these settings.
EVERYWHERE = {
    "values": [e for name in EXPRESSIONS if "every" not in name for e in EXPRESSIONS[name]][::5]
    + [f"try_variant_get(v, '$.{k}', '{t}')" for k in ("d", "ts", "x") for t in SCALARS],
    "queries": [query for queries in QUERIES.values() for query in queries[:1]] + QUERIES[GUARDED][:3],
    "alone": ["v:x::int", "v:t::int", "v:d::date", "v:i::bigint"],
}


def named(groups):
    return [pytest.param(name, case, id=f"{name}: {case}") for name, cases in groups.items() for case in cases]


@pytest.fixture(scope="module")
def projected(pair):
    """The differences of a group of expressions, which run once, in one query."""
    return functools.cache(lambda name: pair.column_differences(EXPRESSIONS[name]))


@pytest.mark.parametrize(("name", "expression"), named(EXPRESSIONS))
def test_an_expression_gives_what_spark_gives_over_unshredded_rows(projected, name, expression):
    differences = projected(name)
    difference = differences.get(expression) or (
        next(iter(differences.values())) if set(differences) - set(EXPRESSIONS[name]) else None
    )
    assert difference is None, difference


@pytest.mark.parametrize(("condition", "expression"), [(c, e) for c, es in ALONE.items() for e in es])
def test_each_expression_alone_gives_the_same_rows_or_the_same_error(pair, condition, expression):
    query = f"SELECT {expression} FROM t"
    difference = pair.difference(query, must_answer=condition is None)
    assert difference is None, difference
    assert getattr(outcome(pair.ours, query), "condition", None) == condition


@pytest.mark.parametrize(("form", "query"), named(QUERIES))
def test_a_plan_gives_what_spark_gives_over_unshredded_rows(pair, form, query):
    # Whether a guarded cast raises depends on settings of Spark.
    difference = pair.difference(query, must_answer=form != GUARDED and query not in REFUSED)
    assert difference is None, difference


@pytest.mark.parametrize("query", REFUSED)
def test_a_query_that_spark_refuses_is_refused_by_the_same_condition(pair, query):
    assert outcome(pair.ours, query).condition == outcome(pair.spark, query).condition == REFUSED[query]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_gives_what_spark_gives_over_unshredded_rows(pair, frame):
    difference = pair.difference(FRAMES[frame], must_answer=True)
    assert difference is None, difference


@pytest.mark.parametrize("setting", SETTINGS)
def test_session_settings_change_the_answers_as_they_change_sparks(pair, setting):
    meaning, ours = SETTINGS[setting]
    pair.answered = 0
    queries = [*EVERYWHERE["queries"], pruned, *(f"SELECT {e} FROM t" for e in EVERYWHERE["alone"])]
    result = [pair.difference(query, meaning, ours) for query in queries]
    result += pair.column_differences(EVERYWHERE["values"], meaning=meaning, ours=ours).values()
    result = [difference for difference in result if difference]
    assert not result, "\n\n".join(result)
    # The other queries raise errors on both sides.
    assert pair.answered > 0.7 * len(queries)


@EARLY_OR_LATE
def test_the_scan_gives_batches_or_rows_as_the_setting_of_sparks_own_reader_says(pair, late):
    for query in ("SELECT v:i::int, to_json(v) FROM t", "SELECT v, s.v:b::string FROM t WHERE v:t::string = 'a'"):
        for setting in ("true", "false"):
            conf = {**late, "spark.sql.parquet.enableVectorizedReader": setting}
            with settings(pair.ours, conf):
                assert ("ColumnarToRow" in explained(pair.ours.sql(query))) is (setting == "true")


@pytest.mark.parametrize("query", WITHOUT_ERROR)
def test_a_strict_cast_that_is_not_evaluated_for_every_row_raises_no_error(pair, query):
    """Law of EveryRow: below an access that may raise an error, no node removes rows or skips the evaluation."""
    assert not re.search(r"\bv\.x::\w+ raising", explained(pair.ours.sql(query)))
    difference = pair.difference(query, must_answer=True)
    assert difference is None, difference


@pytest.mark.parametrize("query", WITH_ERROR)
def test_a_strict_cast_that_is_evaluated_for_every_row_raises_the_error_of_spark(pair, query):
    assert "raising" in explained(pair.ours.sql(query))
    difference = pair.difference(query)
    assert difference is None, difference
    failure = outcome(pair.ours, query)
    assert failure.condition == "INVALID_VARIANT_CAST"
    assert re.search('The variant value `.*` cannot be cast into `"[A-Z]+', failure.text), failure.text


@pytest.fixture(scope="module")
def partitioned(pair, spark):
    pair.add("p", [(spark.createDataFrame([row(i) for i in ids], SCHEMA), options) for ids, options in FILES], by=["k"])
    yield pair
    pair.drop("p")


@pytest.mark.parametrize("query", PARTITIONED)
def test_a_scan_that_is_rebuilt_keeps_its_pushed_filters_and_columns(partitioned, query):
    """Law of Scans: the filters, columns and fields of the first scan are those of the second."""
    difference = partitioned.difference(query, ours=LATE, must_answer=True)
    assert difference is None, difference
    read = leaves(partitioned.ours.sql(query))
    with settings(partitioned.ours, LATE):
        assert leaves(partitioned.ours.sql(query)) == read


def test_the_oracle_is_unshredded_and_our_files_are_not(pair):
    import pyarrow.parquet as pq

    def shredded(source):
        files = sorted((pair.folder / f"t.{source}").glob("*.parquet"))
        return ["typed_value" in str(pq.read_schema(file)) for file in files]

    assert set(shredded("parquet")) == {False}
    assert sorted(shredded("shredded_variant")) == [False, True, True]
