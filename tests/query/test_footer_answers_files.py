"""Files of other writers and calendars: footers answer an aggregate only if they are exact."""

import pyarrow as pa
import pytest

from parquet_fixtures import MISSING, cell, write_file
from scan_counts import run
from tables import FORMAT, write
from variants import NULL, int8, int64, string

NAN = float("nan")
NUMBERS = cell({"a": cell(pa.int64())})
DOUBLES = cell({"a": cell(pa.float64())})


def of_a(*typed):
    """Rows whose field `a` is a cell."""
    return [(None, {"a": t}) for t in typed]


def typed(*values):
    return of_a(*((None, v) for v in values))


def of_file(spark, path, shape, rows, query, **options):
    """(answer, row groups decoded, row groups answered), in row groups of ten."""
    write_file(path, shape, rows, row_group_size=10, annotated=True, **options)
    df = spark.read.format(FORMAT).load(str(path))
    result, counts = run(df.selectExpr(*query))
    # A limit below the aggregation keeps Spark from pushing the aggregates into the scan.
    assert str(result) == str(df.limit(1000).selectExpr(*query).collect())
    return tuple(result[0]), counts.groups[0], counts.answered


ALL = ["count(v:a::{})", "min(v:a::{})", "max(v:a::{})"]
BIGINT = [a.format("bigint") for a in ALL]
DOUBLE = [a.format("double") for a in ALL]
LOW, HIGH = typed(*range(10)), typed(*range(100, 110))


@pytest.mark.parametrize(("options", "read"), [({}, 0), ({"write_statistics": False}, 2)])
def test_files_without_statistics_are_decoded(spark, tmp_path, options, read):
    result = of_file(spark, tmp_path / "f.parquet", NUMBERS, LOW + HIGH, BIGINT, **options)
    assert result == ((20, 0, 109), read, 2 - read)
    result = of_file(spark, tmp_path / "f.parquet", NUMBERS, LOW + HIGH, ["count(v)", "count(v:a)"], **options)
    assert result == ((20, 20), read, 2 - read)


@pytest.mark.parametrize(("stray", "greatest"), [(string("205"), 205), (int8(120), 120), (int64(7000), 7000)])
def test_a_row_group_with_a_residual_value_is_decoded(spark, tmp_path, stray, greatest):
    rows = of_a(*((None, i) for i in range(9)), (stray, None)) + HIGH
    assert of_file(spark, tmp_path / "f.parquet", NUMBERS, rows, BIGINT) == ((20, 0, greatest), 1, 1)
    assert of_file(spark, tmp_path / "f.parquet", NUMBERS, rows, ["count(v:a)"]) == ((20,), 1, 1)


def test_variant_nulls_and_missing_fields_are_no_values(spark, tmp_path):
    rows = of_a(*((None, i) for i in range(8)), (NULL, None), MISSING) + HIGH
    assert of_file(spark, tmp_path / "f.parquet", NUMBERS, rows, BIGINT) == ((18, 0, 109), 0, 2)
    assert of_file(spark, tmp_path / "f.parquet", NUMBERS, rows, ["count(v:a)"]) == ((19,), 1, 1)
    assert of_file(spark, tmp_path / "f.parquet", NUMBERS, of_a(*[MISSING] * 10), BIGINT) == ((0, None, None), 0, 1)


@pytest.mark.parametrize(
    ("values", "minimum", "maximum"),
    [
        ([1.0, NAN, 3.0], 1.0, NAN),
        ([NAN, NAN], NAN, NAN),
        ([-1.0, -0.0], -1.0, -0.0),
        ([0.0, 5.0], 0.0, 5.0),
        ([float("-inf"), float("inf")], float("-inf"), float("inf")),
    ],
)
def test_bounds_of_other_writers_do_not_tell_of_nan(spark, tmp_path, values, minimum, maximum):
    result, read, _ = of_file(spark, tmp_path / "f.parquet", DOUBLES, typed(*values), DOUBLE)
    assert str(result) == str((len(values), minimum, maximum))
    assert read == 1
    assert of_file(spark, tmp_path / "f.parquet", DOUBLES, typed(*values), DOUBLE[:1])[1] == 0


def test_an_infinite_number_or_a_failed_cast_is_not_a_whole_number(spark, tmp_path):
    query = ["count(try_variant_get(v, '$.a', 'int'))", "max(try_variant_get(v, '$.a', 'int'))"]
    for stray in (NAN, 1e300, float("inf")):
        rows = typed(1.0, 2.5, stray)
        assert of_file(spark, tmp_path / "f.parquet", DOUBLES, rows, query) == ((2, 2), 1, 0)


def test_strings_are_counted_by_footers_and_compared_in_pages(spark, tmp_path):
    rows = typed("b", "é", "", None)
    texts = cell({"a": cell(pa.string())})
    assert of_file(spark, tmp_path / "f.parquet", texts, rows, ["count(v:a::string)", "count(v:a)"]) == ((3, 3), 0, 1)
    assert of_file(spark, tmp_path / "f.parquet", texts, rows, ["max(v:a::string)"])[1:] == (1, 0)


def test_files_of_all_kinds_add_up(spark, tmp_path):
    path = write(
        spark.range(0, 10, 1, 1).selectExpr("id", "parse_json(concat('{\"a\":', id, '}')) AS v"),
        tmp_path / "t",
        shredding__shape__v="a BIGINT",
    )
    unshredded = spark.range(500, 510, 1, 1).selectExpr("id", "parse_json(concat('{\"a\":', id, '}')) AS v")
    write(unshredded, path, mode="append", shredding="off")
    write_file(f"{path}/other.parquet", NUMBERS, HIGH, annotated=True)
    write_file(f"{path}/floating.parquet", DOUBLES, typed(NAN, 0.5, -7.0), annotated=True)
    rows, counts = run(spark.read.format(FORMAT).load(path).selectExpr(*DOUBLE, "count(*)", "count(v)"))
    assert str(tuple(rows[0])) == str((33, -7.0, NAN, 33, 33))
    assert (counts.files[0], counts.groups[0], counts.answered) == (4, 2, 2)


def test_timestamps_and_dates_of_files_are_those_of_spark(spark, tmp_path):
    rows = spark.sql(
        "SELECT id, date_add(DATE'1500-01-01', CAST(id AS INT)) AS d, timestamp_seconds(id - 20000000000) AS t, "
        "CAST(id AS TINYINT) AS b, CAST(id AS SMALLINT) AS s, id % 2 = 0 AS flag, "
        "CAST(concat(id, repeat('9', 34), '.25') AS DECIMAL(38,2)) AS m "
        "FROM range(100)"
    )
    every = [f"{f}({c})" for c in rows.columns for f in ("min", "max", "count")]
    expected = rows.selectExpr(*every).collect()
    for mode, kind, read in (
        ("CORRECTED", "INT96", 1),
        ("CORRECTED", "TIMESTAMP_MICROS", 0),
        ("LEGACY", "TIMESTAMP_MICROS", 1),
    ):
        settings = {
            "spark.sql.parquet.outputTimestampType": kind,
            "spark.sql.parquet.datetimeRebaseModeInWrite": mode,
            "spark.sql.parquet.int96RebaseModeInWrite": mode,
        }
        for key, value in settings.items():
            spark.conf.set(key, value)
        try:
            rows.coalesce(1).write.mode("overwrite").parquet(str(tmp_path / "t"))
        finally:
            for key in settings:
                spark.conf.unset(key)
        result, counts = run(spark.read.format(FORMAT).load(str(tmp_path / "t")).selectExpr(*every))
        assert result == expected
        assert counts.groups[0] == read


def test_a_column_that_was_added_later_has_its_default(spark, tmp_path):
    write(spark.range(5).selectExpr("id").coalesce(1), tmp_path / "t")
    df = spark.read.format(FORMAT).schema("id BIGINT, more INT, v VARIANT").load(str(tmp_path / "t"))
    assert df.selectExpr("count(more)", "max(more)", "count(v)", "count(v:a)").collect() == [(0, None, 0, 0)]


def test_a_column_of_another_type_is_refused(spark, tmp_path):
    write(spark.range(5).selectExpr("CAST(id AS STRING) AS id").coalesce(1), tmp_path / "t")
    df = spark.read.format(FORMAT).schema("id BIGINT").load(str(tmp_path / "t"))
    for query in ("max(id)", "count(id)"):
        with pytest.raises(Exception, match="SHREDDED_VARIANT_COLUMN_TYPE"):
            df.selectExpr(query).collect()
