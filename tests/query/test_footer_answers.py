"""Counts, minima and maxima come from footers if these are exact, otherwise from pages, and are equal to Spark's."""

import re

import pytest

from footer_cases import AS_USUAL, FROM_FOOTERS, FROM_PAGES, ROWS, SHAPE, VARIANT
from path_queries import explained
from scan_counts import compared
from tables import FORMAT, ours_and_plain, views, write


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    rows = spark.range(0, ROWS, 1, 1).selectExpr(
        "id", "CASE WHEN id % 3 > 0 THEN concat('p', id) END AS name", "CAST(id AS INT) AS i", f"{VARIANT} AS v"
    )
    options = {
        "shredding.shape.v": SHAPE,
        "parquet.block.size": "100000",
        "parquet.block.size.row.check.min": "1000",
        "parquet.block.size.row.check.max": "1000",
        "parquet.page.row.count.limit": "500",
    }
    ours, plain = ours_and_plain(rows, tmp_path_factory.mktemp("answers"), **options)
    with views(spark, ours=ours, plain=plain):
        yield spark


def answer(spark, query):
    """The counts of a query, whose rows must be those of unshredded rows."""
    return compared(spark, query, "ours", "plain")[1]


def shown(df):
    """What EXPLAIN shows of the answers of each scan."""
    return re.findall("^Answers from footers: (.*)$", explained(df), re.MULTILINE)


def answer_of_one_scan(spark, aggregates):
    """The counts of a query with these aggregates, all of which one scan must compute."""
    query = f"SELECT {aggregates} FROM {{t}}"
    assert len(shown(spark.sql(query.format(t="ours")))) == 1
    return answer(spark, query)


@pytest.mark.parametrize("aggregates", FROM_FOOTERS)
def test_an_aggregate_that_footers_answer_exactly_reads_no_page(tables, aggregates):
    counts = answer_of_one_scan(tables, aggregates)
    assert (counts.files, counts.groups, counts.pages, counts.bytes) == ((1, 0), (0, 0), (0, 0), (0, 0))
    assert counts.answered > 1


@pytest.mark.parametrize("aggregates", FROM_FOOTERS[::5])
def test_other_sessions_read_no_page_either(tables, other_session, aggregates):
    test_an_aggregate_that_footers_answer_exactly_reads_no_page(tables, aggregates)


@pytest.mark.parametrize("aggregates", FROM_PAGES)
def test_pages_are_decoded_if_footers_are_not_exact(tables, aggregates):
    counts = answer_of_one_scan(tables, aggregates)
    assert counts.pages[0] > 0
    assert counts.groups[0] > 0


@pytest.mark.parametrize("aggregates", FROM_PAGES[::5])
def test_other_sessions_decode_pages_if_footers_are_not_exact(tables, other_session, aggregates):
    test_pages_are_decoded_if_footers_are_not_exact(tables, aggregates)


def test_only_row_groups_and_columns_that_need_it_are_decoded(tables):
    mixed = "count(try_variant_get(v, '$.mixed', 'bigint'))"
    some = answer(tables, f"SELECT {mixed}, max(v:n::bigint), count(*) FROM {{t}}")
    assert some.groups[0] > 0 and some.answered > 0
    assert some.pages == answer(tables, f"SELECT {mixed} FROM {{t}}").pages


@pytest.mark.parametrize("query", AS_USUAL)
def test_everything_else_is_computed_as_usual(tables, query):
    assert answer(tables, query).answered == 0
    assert shown(tables.sql(query.format(t="ours"))) == []


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
    assert shown(query) == ["[count(*), max(v.n), count(v), min(id)]"]


def test_subqueries_and_unions_keep_their_answers_apart(tables):
    query = """
        SELECT (SELECT max(v:n::int) FROM {t}) AS a, (SELECT max(v:n::double) FROM {t}) AS b,
               (SELECT min(v:n::int) FROM {t}) AS c, (SELECT count(v:n) FROM {t}) AS d
        UNION ALL SELECT max(v:n::int), min(v:n::int), count(v:n), count(*) FROM {t}
        UNION ALL SELECT max(v:i::int), min(v:n::int), count(v:n), count(*) FROM {t}"""
    assert answer(tables, query).pages[0] == 0


# ---- partitions, files, none ----


@pytest.fixture(scope="module")
def parts(spark, tmp_path_factory):
    rows = spark.range(0, 4000, 1, 3).selectExpr(
        "id",
        "CAST(id % 3 AS INT) AS p",
        "CASE WHEN id % 5 = 0 THEN NULL ELSE concat('q', id % 2) END AS q",
        "CASE WHEN id % 7 > 0 THEN parse_json(concat('{\"a\":', id, '}')) END AS v",
    )
    folder = tmp_path_factory.mktemp("parts")
    ours, plain = ours_and_plain(rows, folder, by=["p", "q"], shredding__shape__v="a BIGINT")
    with views(spark, parted=ours, parted_plain=plain):
        yield spark


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
    _, counts = compared(parts, query, "parted", "parted_plain")
    assert (counts.files[0], counts.pages[0], counts.answered) == (files, 0, files)


def test_a_partition_as_a_value_is_computed_as_usual(parts):
    query = ["max(p)", "count(q)", "min(v:a::bigint)"]
    ours, plain = (parts.table(name).selectExpr(*query) for name in ("parted", "parted_plain"))
    assert ours.collect() == plain.collect()


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
