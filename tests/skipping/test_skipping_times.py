"""Times and intervals are stored as whole numbers: bounds skip row groups, find first rows and answer aggregates."""

from datetime import time, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from path_queries import settings, skipping_shown
from scan_counts import run
from tables import FORMAT, frame, load, ours_and_plain, views, write
from variants import obj, string

ROWS = 1000
PAGE = 100  # rows
OPTIONS = {
    "parquet.page.row.count.limit": str(PAGE),
    "parquet.map.shredding.columns": "m",
    "parquet.map.shredding.m.keys": "k",
}


@pytest.fixture(scope="module", autouse=True)
def times(spark):
    with settings(spark, {"spark.sql.timeType.enabled": "true"}):
        yield


@pytest.fixture(scope="module")
def table(spark, times, tmp_path_factory):
    """A minute, a day and a month more in each row; the same rows in Spark's own files are `plain_times`."""
    at = "make_time(CAST(id DIV 60 AS INT), CAST(id % 60 AS INT), 1.25)"
    rows = spark.range(0, ROWS, 1, 1).selectExpr(
        "id", f"{at} AS t", f"CAST({at} AS TIME(0)) AS seconds", f"map('k', {at}) AS m",
        "make_dt_interval(id) AS d", "CAST(make_dt_interval(id) AS INTERVAL DAY) AS days",
        "make_ym_interval(0, CAST(id AS INT)) AS y", "if(id % 3 = 0, NULL, make_dt_interval(id)) AS gaps",
    )  # fmt: skip
    ours, plain = ours_and_plain(rows, tmp_path_factory.mktemp("times"), **OPTIONS)
    with views(spark, plain_times=plain):
        yield ours


# (filter, maximum of rows that are read)
HITS = [
    ("t = TIME'10:00:01.25'", PAGE),
    ("t < TIME'00:50:00'", PAGE),
    ("TIME'16:00:00' <= t", PAGE),
    ("t BETWEEN TIME'10:00:00' AND TIME'10:10:00'", PAGE),
    ("t IN (TIME'00:00:01.25', TIME'16:39:01.25', TIME'16:39:02')", 2 * PAGE),
    ("seconds = CAST(TIME'10:00:01' AS TIME(0))", PAGE),
    ("m['k'] < TIME'00:10:00'", PAGE),
    ("d = INTERVAL '5' DAY", PAGE),
    ("d < INTERVAL '120' HOUR", PAGE),
    ("NOT d <= INTERVAL '950' DAY", PAGE),
    ("d IN (INTERVAL '5' DAY, INTERVAL '995' DAY)", 2 * PAGE),
    ("days = INTERVAL '5' DAY", PAGE),
    ("gaps > INTERVAL '990' DAY", PAGE),
    ("y = INTERVAL '5' MONTH", PAGE),
    ("y > INTERVAL '80' YEAR", PAGE),
    # A cast between the column and the constant may truncate.
    ("seconds = TIME'10:00:01'", ROWS),
    ("days = INTERVAL '5 00' DAY TO HOUR", ROWS),
]
MISSES = ["t < TIME'00:00:01'", "t = TIME'23:00:00'", "d < INTERVAL '0' DAY", "y > INTERVAL '999' MONTH", "d IS NULL"]


@pytest.mark.parametrize(("condition", "maximum"), HITS)
def test_a_filter_reads_the_pages_that_can_match(spark, table, condition, maximum):
    rows, counts = run(table.where(condition).select("id"))
    assert rows == spark.table("plain_times").where(condition).select("id").collect() != []
    assert maximum - PAGE < ROWS - counts.rows_skipped <= maximum


@pytest.mark.parametrize("condition", MISSES)
def test_a_filter_that_matches_nothing_reads_nothing(table, condition):
    rows, counts = run(table.where(condition).select("id"))
    assert (rows, counts.rows_skipped, counts.bytes[0]) == ([], ROWS, 0)


@pytest.mark.parametrize("column", ["t", "seconds", "m['k']", "d", "days", "y"])
@pytest.mark.parametrize("direction", ["ASC", "DESC"])
def test_the_first_rows_of_an_order_come_from_the_page_that_holds_them(table, column, direction):
    ascending = direction == "ASC"
    rows, counts = run(table.selectExpr("id", f"{column} AS c").orderBy("c", ascending=ascending).limit(2).select("id"))
    assert [r.id for r in rows] == ([0, 1] if ascending else [ROWS - 1, ROWS - 2])
    assert counts.rows_skipped == ROWS - PAGE


@pytest.mark.parametrize("column", ["t", "seconds", "m['k']", "d", "days", "y", "gaps"])
def test_minima_and_maxima_come_from_the_footer(spark, table, column):
    # As texts: Python has no intervals of months.
    ends = [f"CAST(min({column}) AS STRING)", f"CAST(max({column}) AS STRING)", f"count({column})"]
    rows, counts = run(table.selectExpr(*ends))
    assert rows == spark.table("plain_times").selectExpr(*ends).collect()
    assert (counts.answered, counts.pages[0]) == (1, 0)


def test_times_of_other_writers_are_truncated_to_the_precision_of_the_type(spark, times, tmp_path):
    """Bounds of the file are truncated like its values, as in Spark's reader."""
    micros = [i * 1_000_000 + 999_999 for i in range(40)]
    pq.write_table(
        pa.table({"id": pa.array(range(40), pa.int32()), "t": pa.array(micros, pa.time64("us"))}),
        tmp_path / "f.parquet", row_group_size=10, use_dictionary=False,
    )  # fmt: skip
    df = spark.read.format(FORMAT).schema("id INT, t TIME(0)").load(str(tmp_path / "f.parquet"))
    for second in (0, 9, 10, 39):
        rows, counts = run(df.where(f"t = CAST(TIME'00:00:{second:02}' AS TIME(0))").select("id"))
        assert ([r.id for r in rows], counts.groups) == ([second], (1, 3))
    rows, counts = run(df.selectExpr("min(t)", "max(t)"))
    assert (rows, counts.answered) == ([(time(0, 0, 0), time(0, 0, 39))], 4)
    exact = spark.read.format(FORMAT).load(str(tmp_path / "f.parquet")).where("t > TIME'00:00:39.999998'")
    rows, counts = run(exact.select("id", "t"))
    assert ([tuple(r) for r in rows], counts.groups) == ([(39, time(0, 0, 39, 999_999))], (1, 3))


def test_times_as_strings_in_variants_are_read(spark, times, tmp_path):
    """Spark's variants have no TIME; times as text have another order."""
    rows = [obj(t=string(f"{i // 60}:{i % 60:02}:00")) for i in range(300)]
    df = load(spark, write(frame(spark, *rows), tmp_path / "t", shredding__shape__v="t STRING"))
    result, counts = run(df.where("try_variant_get(v, '$.t', 'time') = TIME'02:05:00'").select("id"))
    assert ([r.id for r in result], counts.rows_skipped) == ([125], 0)


def test_explain_shows_times_as_constants(table):
    used, unused = skipping_shown(table.where("d = INTERVAL '1' DAY AND t > TIME'10:00:00'").select("id"))
    assert "INTERVAL '1 00:00:00' DAY TO SECOND" in used and "10:00:00" in used
    assert unused == "[]"
    assert table.selectExpr("max(d)").collect() == [(timedelta(days=ROWS - 1),)]
