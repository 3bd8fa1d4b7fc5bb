"""Counts, minima and maxima come from footers if these are exact, otherwise from pages, and are equal to Spark's."""

import pytest

from scan_counts import run
from tables import FORMAT, write

ROWS = 8000
SHAPE = (
    "n BIGINT, i INT, small SMALLINT, d DOUBLE, f FLOAT, nan DOUBLE, zero DOUBLE, m DECIMAL(12,2), w DECIMAL(30,3), "
    "s STRING, b BOOLEAN, day DATE, at TIMESTAMP, ntz TIMESTAMP_NTZ, l ARRAY<BIGINT>, o STRUCT<p: BIGINT>, "
    "mixed BIGINT, nulls BIGINT, never BIGINT"
)
# `mixed` is a list in the third quarter; `nulls` is a JSON null in every tenth row; some rows have no variant.
VARIANT = """
    CASE WHEN id % 1000 = 999 THEN NULL ELSE to_variant_object(named_struct(
        'n', id, 'i', CAST(id AS INT), 'small', CAST(id AS SMALLINT), 'd', id + 0.5D, 'f', CAST(id + 0.25 AS FLOAT),
        'nan', CASE WHEN id = 4321 THEN double('NaN') ELSE id + 1D END,
        'zero', CASE WHEN id % 2 = 0 THEN 0D ELSE -0D END,
        'm', CAST(id / 4 AS DECIMAL(12,2)), 'w', CAST(id AS DECIMAL(30,3)) * 1000000000000BD,
        's', concat('s', id), 'b', id >= 4000, 'day', date_add(DATE'2020-01-01', CAST(id AS INT)),
        'at', timestamp_seconds(id * 60), 'ntz', CAST(timestamp_seconds(id * 60) AS TIMESTAMP_NTZ),
        'l', array(id, id + 1), 'o', named_struct('p', id, 'k', id),
        'mixed', CASE WHEN id BETWEEN 4000 AND 5999 THEN to_variant_object(array(id)) ELSE CAST(id AS VARIANT) END,
        'nulls', CASE WHEN id % 10 = 0 THEN parse_json('null') ELSE CAST(id AS VARIANT) END,
        'big', id * 1000000
    )) END
"""


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    rows = spark.range(0, ROWS, 1, 1).selectExpr(
        "id", "CASE WHEN id % 3 > 0 THEN concat('p', id) END AS name", "CAST(id AS INT) AS i", f"{VARIANT} AS v"
    )
    rows.write.parquet(str(folder / "plain"))
    options = {
        "parquet.block.size": "100000",
        "parquet.block.size.row.check.min": "1000",
        "parquet.block.size.row.check.max": "1000",
        "parquet.page.row.count.limit": "500",
    }
    path = write(rows, folder / "ours", **{"shredding.shape.v": SHAPE, **options})
    spark.read.format(FORMAT).load(path).createOrReplaceTempView("ours")
    spark.read.parquet(str(folder / "plain")).createOrReplaceTempView("plain")
    yield spark
    spark.catalog.dropTempView("ours")
    spark.catalog.dropTempView("plain")


def answer(spark, query):
    """The counts of a query, whose rows must be those of unshredded rows."""
    rows, counts = run(spark.sql(query.format(t="ours")))
    assert sorted(map(str, rows)) == sorted(map(str, spark.sql(query.format(t="plain")).collect()))
    return counts


def explained(df):
    text = df._jdf.queryExecution().explainString(
        df.sparkSession._jvm.org.apache.spark.sql.execution.ExplainMode.fromString("formatted")
    )
    return [line.split(": ", 1)[1] for line in text.splitlines() if line.startswith("Answers from footers")]


FROM_FOOTERS = [
    "count(*)",
    "count(1), count(v), count(id), count(name), count(i)",
    "max(id), min(id), max(i), min(i)",
    "count(v:n), count(v:n::bigint), min(v:n::bigint), max(v:n::bigint)",
    "max(v:n::bigint) - min(v:n::bigint) + count(*), max(v:n::bigint)",
    "min(v:i::int), max(v:i::int), max(v:small::smallint), max(v:small::int)",
    # Casts that keep the order.
    "min(v:n::int), max(v:n::smallint), max(v:n::double), max(v:n::float), min(v:n::decimal(20,4))",
    "max(v:m::int), max(v:m::double), max(v:d::int), min(v:d::float)",
    "min(v:d::double), max(v:d::double), min(v:f::float), max(v:f::double)",
    "min(v:m::decimal(12,2)), max(v:m::decimal(12,2)), max(v:m::decimal(14,1)), max(v:w::decimal(38,3))",
    "min(v:b::boolean), max(v:b::boolean), min(v:day::date), max(v:day::date)",
    "min(v:at::timestamp), max(v:at::timestamp), max(v:ntz::timestamp_ntz)",
    "count(v:s::string), count(v:b::boolean), count(v:zero::double), count(v:nan::double)",
    "max(v:o.p::bigint), count(v:o.p)",
    # A residual variant null is NULL to a cast.
    "count(v:nulls::bigint), max(v:nulls::bigint), min(v:nulls::int)",
    "count(v:never::bigint), max(v:never::bigint), count(v:never)",
    "count(try_variant_get(v, '$.n', 'int')), max(try_variant_get(v, '$.n', 'int'))",
    "count(v:n.more::int), max(try_variant_get(v, '$.n[3]', 'int'))",
]


@pytest.mark.parametrize("aggregates", FROM_FOOTERS)
def test_an_aggregate_that_footers_answer_exactly_reads_no_page(tables, aggregates):
    counts = answer(tables, f"SELECT {aggregates} FROM {{t}}")
    assert (counts.files, counts.groups, counts.pages, counts.bytes) == ((1, 0), (0, 0), (0, 0), (0, 0))
    assert counts.answered > 1
    assert len(explained(tables.sql(f"SELECT {aggregates} FROM ours"))) == 1


@pytest.mark.parametrize("aggregates", FROM_FOOTERS[::5])
def test_other_sessions_read_no_page_either(tables, other_session, aggregates):
    test_an_aggregate_that_footers_answer_exactly_reads_no_page(tables, aggregates)


# The scan computes these aggregates from pages.
FROM_PAGES = [
    # Some values cannot be cast, and are NULL.
    "count(try_variant_get(v, '$.n', 'tinyint')), max(try_variant_get(v, '$.n', 'tinyint'))",
    "count(try_variant_get(v, '$.big', 'int'))",
    "max(try_variant_get(v, '$.d', 'tinyint')), min(try_variant_get(v, '$.w', 'int'))",
    # Values outside the typed column.
    "count(try_variant_get(v, '$.mixed', 'bigint')), max(try_variant_get(v, '$.mixed', 'bigint'))",
    "count(v:mixed), count(v:nulls)",
    "max(v:big::bigint), count(v:big), count(v:o.k::int)",
    # Bounds exclude NaN, and do not have the sign of zero.
    "max(v:nan::double), min(v:nan::double), max(v:nan::float)",
    "max(v:zero::double), min(v:zero::double)",
    # The bounds have another order than the cast, or are bounds of list elements, which rows may lack.
    "count(v:n::string), count(v:l[1]::bigint), max(v:l[0]::bigint), count(v:l[5]::int), count(v:l)",
    "count(v:o), count(try_variant_get(v, '$.s', 'int'))",
]


@pytest.mark.parametrize("aggregates", FROM_PAGES)
def test_pages_are_decoded_if_footers_are_not_exact(tables, aggregates):
    counts = answer(tables, f"SELECT {aggregates} FROM {{t}}")
    assert counts.pages[0] > 0
    assert counts.groups[0] > 0
    assert len(explained(tables.sql(f"SELECT {aggregates} FROM ours"))) == 1


@pytest.mark.parametrize("aggregates", FROM_PAGES[::5])
def test_other_sessions_decode_pages_if_footers_are_not_exact(tables, other_session, aggregates):
    test_pages_are_decoded_if_footers_are_not_exact(tables, aggregates)


def test_only_row_groups_and_columns_that_need_it_are_decoded(tables):
    mixed = "count(try_variant_get(v, '$.mixed', 'bigint'))"
    some = answer(tables, f"SELECT {mixed}, max(v:n::bigint), count(*) FROM {{t}}")
    assert some.groups[0] > 0 and some.answered > 0
    assert some.pages == answer(tables, f"SELECT {mixed} FROM {{t}}").pages


# The scan does not compute these: filters, groups, other functions, minima of strings, whose bounds may be truncated.
AS_USUAL = [
    "SELECT count(*), max(v:n::bigint) FROM {t} WHERE v:n::bigint > 7000",
    "SELECT count(v:n) FROM {t} WHERE id % 2 = 0",
    "SELECT v:b::boolean, count(*), max(v:n::bigint) FROM {t} GROUP BY 1",
    "SELECT max(v:s::string), min(name) FROM {t}",
    "SELECT sum(v:n::bigint), count(*) FROM {t}",
    "SELECT count(DISTINCT v:b::boolean) FROM {t}",
    "SELECT max(v:n::bigint + 1) FROM {t}",
    "SELECT count(*) FILTER (WHERE v:b::boolean) FROM {t}",
    "SELECT count(v:n::bigint, id) FROM {t}",
]


@pytest.mark.parametrize("query", AS_USUAL)
def test_everything_else_is_computed_as_usual(tables, query):
    assert answer(tables, query).answered == 0
    assert explained(tables.sql(query.format(t="ours"))) == []


def test_a_sample_or_a_limit_counts_only_its_rows(tables):
    for rows, expected in (("(SELECT * FROM ours LIMIT 10)", 10), ("(SELECT id FROM ours OFFSET 7990)", 10)):
        assert tables.sql(f"SELECT count(*) FROM {rows}").collect()[0][0] == expected


@pytest.mark.parametrize("cast", ["v:n::tinyint", "v:mixed::bigint", "v:s::int", "v:big::int", "v:o::int"])
@pytest.mark.parametrize("function", ["max", "min", "count"])
def test_a_strict_cast_that_fails_is_the_querys_error(tables, cast, function):
    for ignored in ("false", "true"):
        tables.conf.set("spark.sql.files.ignoreCorruptFiles", ignored)
        try:
            with pytest.raises(Exception, match="INVALID_VARIANT_CAST"):
                tables.sql(f"SELECT {function}({cast}) FROM ours").collect()
        finally:
            tables.conf.unset("spark.sql.files.ignoreCorruptFiles")


def test_a_session_that_attached_late_has_the_same_answers(tables):
    tables.conf.set("spark.sql.optimizer.excludedRules", "shreddedvariant.rules.PathPushdown")
    try:
        for aggregates in ("count(v), max(id)", "max(v:n::bigint), count(*)", "count(v:s::string), count(v)"):
            counts = answer(tables, f"SELECT {aggregates} FROM {{t}}")
            assert (counts.pages[0], counts.groups) == (0, (0, 0))
            assert counts.answered > 1
        with pytest.raises(Exception, match="INVALID_VARIANT_CAST"):
            tables.sql("SELECT max(v:n::tinyint) FROM ours").collect()
    finally:
        tables.conf.unset("spark.sql.optimizer.excludedRules")


def test_explain_names_the_answers(tables):
    query = tables.sql("SELECT count(*), max(v:n::bigint), count(v), min(id) FROM ours")
    assert explained(query) == ["[count(*), max(v.n), count(v), min(id)]"]


def test_subqueries_and_unions_keep_their_answers_apart(tables):
    query = """
        SELECT (SELECT max(v:n::int) FROM {t}) AS a, (SELECT max(v:n::double) FROM {t}) AS b,
               (SELECT min(v:n::int) FROM {t}) AS c, (SELECT count(v:n) FROM {t}) AS d
        UNION ALL SELECT max(v:n::int), min(v:n::int), count(v:n), count(*) FROM {t}
        UNION ALL SELECT max(v:i::int), min(v:n::int), count(v:n), count(*) FROM {t}"""
    assert answer(tables, query).pages[0] == 0


# ---- partitions, files, none ----


@pytest.fixture(scope="module")
def parts(spark, tables, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    rows = spark.range(0, 4000, 1, 3).selectExpr(
        "id",
        "CAST(id % 3 AS INT) AS p",
        "CASE WHEN id % 5 = 0 THEN NULL ELSE concat('q', id % 2) END AS q",
        "CASE WHEN id % 7 > 0 THEN parse_json(concat('{\"a\":', id, '}')) END AS v",
    )
    path = write(rows, folder / "t", by=["p", "q"], shredding__shape__v="a BIGINT")
    rows.write.parquet(str(folder / "plain"))
    return rows.sparkSession, path, str(folder / "plain")


@pytest.mark.parametrize(
    ("query", "files"),
    [
        ("SELECT p, count(*), max(v:a::bigint), count(v) FROM {t} GROUP BY p", 27),
        ("SELECT q, p, min(v:a::bigint), count(v:a) FROM {t} GROUP BY p, q", 27),
        ("SELECT q FROM {t} GROUP BY q", 27),
        ("SELECT DISTINCT q, p FROM {t}", 27),
        ("SELECT count(*), max(id) FROM {t} WHERE p = 1", 9),
        ("SELECT q, count(*) FROM {t} WHERE p = 1 AND q IS NULL GROUP BY q", 3),
        ("SELECT count(*), max(v:a::bigint), count(v) FROM {t} WHERE p = 7", 0),
        ("SELECT q, count(*) FROM {t} WHERE p = 7 GROUP BY q", 0),
        ("SELECT p + 1, count(*) FROM {t} GROUP BY p", 27),
        ("SELECT p, count(*) AS n FROM {t} GROUP BY p HAVING n > 10 ORDER BY p LIMIT 2", 27),
    ],
)
def test_partitions_are_groups(parts, query, files):
    spark, path, plain = parts
    spark.read.format(FORMAT).load(path).createOrReplaceTempView("parted")
    spark.read.parquet(plain).createOrReplaceTempView("parted_plain")
    rows, counts = run(spark.sql(query.format(t="parted")))
    assert sorted(map(str, rows)) == sorted(map(str, spark.sql(query.format(t="parted_plain")).collect()))
    assert (counts.files[0], counts.pages[0], counts.answered) == (files, 0, files)


def test_a_partition_as_a_value_is_computed_as_usual(parts):
    spark, path, plain = parts
    query = ["max(p)", "count(q)", "min(v:a::bigint)"]
    ours = spark.read.format(FORMAT).load(path).selectExpr(*query)
    assert ours.collect() == spark.read.parquet(plain).selectExpr(*query).collect()


def test_no_files_and_no_rows_count_zero(spark, tmp_path):
    schema = "id BIGINT, v VARIANT"
    (tmp_path / "none").mkdir()
    write(spark.range(0).selectExpr("id", "CAST(id AS VARIANT) AS v"), tmp_path / "empty", shredding__shape__v="a INT")
    for name in ("none", "empty"):
        df = spark.read.format(FORMAT).schema(schema).load(str(tmp_path / name))
        rows = df.selectExpr("count(*)", "count(v)", "max(id)", "min(v:a::int)", "count(id) + 1").collect()
        assert [tuple(r) for r in rows] == [(0, 0, None, None, 1)]
        assert df.groupBy().count().collect()[0][0] == 0


def test_missing_and_corrupt_files_that_are_ignored_count_zero(spark, tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "f.parquet").write_bytes(b"no parquet at all")
    df = spark.read.format(FORMAT).schema("id BIGINT, v VARIANT").option("ignoreCorruptFiles", "true")
    assert df.load(str(tmp_path / "t")).selectExpr("count(*)", "max(id)").collect() == [(0, None)]


def test_a_file_of_several_splits_counts_each_row_once(tables):
    tables.conf.set("spark.sql.files.maxPartitionBytes", "100000")
    try:
        assert answer(tables, "SELECT count(*), max(v:n::bigint), count(v), min(id) FROM {t}").pages[0] == 0
        answer(tables, "SELECT count(try_variant_get(v, '$.n', 'tinyint')), min(v:zero::double) FROM {t}")
    finally:
        tables.conf.unset("spark.sql.files.maxPartitionBytes")
