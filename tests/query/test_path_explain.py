"""EXPLAIN shows only the leaves that a query needs, for every form of plan, and why a variant is read whole."""

import re

import pytest

from explain_cases import CASES, WHOLE
from path_queries import LATE, explained, reads_only, settings
from path_tables import t_and_u
from scan_counts import run
from tables import load, write


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    yield from t_and_u(spark, tmp_path_factory.mktemp("explained"))


def of_scans(expected):
    return [expected] if expected and isinstance(expected[0], str) else expected


@pytest.mark.parametrize(("query", "expected"), CASES)
def test_a_plan_reads_only_its_leaves(tables, query, expected):
    reads_only(tables.ours.sql(query), *of_scans(expected))


@pytest.mark.parametrize(("query", "expected"), CASES)
def test_a_session_that_attached_late_reads_the_same_leaves(tables, query, expected):
    with settings(tables.ours, LATE):
        reads_only(tables.ours.sql(query), *of_scans(expected))


def test_a_null_variant_that_would_raise_where_the_join_compares_keeps_its_test(tables):
    """Law of NullTests."""
    query = tables.ours.sql("SELECT a.k FROM t a JOIN u b ON a.v:i::int = b.v:i::int AND 1 / a.id = b.id")
    reads_only(query, ["k", "id", "v.i", "v present"], ["id", "v.i"])


def test_a_cached_frame_reads_the_leaves_of_its_columns(tables):
    frame = tables.ours.sql("SELECT id, v:i::int AS i, v:o AS o FROM t WHERE v:t::string >= 'a'").cache()
    try:
        for query in (frame, frame.selectExpr("i"), frame.selectExpr("o:p::string")):
            reads_only(query, ["id", "v.i", "v.o", "v.t"])
    finally:
        frame.unpersist()
    whole = tables.ours.table("t").cache()
    try:
        reads_only(whole.selectExpr("v:i::int"), ["id", "v", "k", "w", "s", "`v.i`"])
    finally:
        whole.unpersist()


@pytest.mark.parametrize(("query", "reasons"), WHOLE)
def test_a_variant_that_is_read_whole_has_its_reason(tables, query, reasons):
    assert re.findall(r"^Whole: \[(.*)\]$", explained(tables.ours.sql(query)), re.MULTILINE) == reasons


def test_whether_an_object_is_there_takes_one_leaf_of_it(spark, tmp_path):
    rows = spark.sql("""SELECT CAST(id AS INT) AS id, parse_json(if(id % 3 = 0, '{"x": 1}',
        concat('{"o": {"a": "', repeat('a', 50), '", "b": ', id, ', "c": [', id, ']}}'))) AS v FROM range(3000)""")
    path = write(rows.coalesce(1), tmp_path / "t", shredding__shape__v="o STRUCT<a STRING, b BIGINT, c ARRAY<BIGINT>>")
    load(spark, path).createOrReplaceTempView("objects")
    (there,), counts = run(spark.sql("SELECT count(*), count_if(v:o IS NOT NULL) FROM objects"))
    assert tuple(there) == (3000, 2000)
    (_, whole) = run(spark.sql("SELECT count_if(to_json(v:o) = '{}') FROM objects"))
    assert counts.pages[0] == 1
    assert whole.pages[0] >= 3
