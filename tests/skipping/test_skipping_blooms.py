"""Bloom filters and dictionaries skip row groups only if they lack the value, and only if they have all values."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from parquet_cells import only_file
from parquet_fixtures import cell, write_file
from scan_counts import run
from tables import FORMAT, write

ROWS = 8000
NUMBER = f"id * 7 % {ROWS}"  # each number once
# shape: (the values, a filter for a value, a value between the bounds that no row has)
BLOOM = {
    "n BIGINT": (NUMBER, "v:n::int = {}", "99999"),
    "d DOUBLE": (f"CAST({NUMBER} AS DOUBLE)", "v:d::double = {}", "1000.5"),
    "f FLOAT": (f"CAST({NUMBER} AS FLOAT)", "v:f::float = CAST({} AS FLOAT)", "1000.5"),
    "s STRING": (f"concat('k', {NUMBER})", "v:s::string IN ('k{}', 'k-1')", "99999"),
    "m DECIMAL(12,2)": (f"CAST({NUMBER} AS DECIMAL(12,2))", "v:m::decimal(14,3) = {}", "1000.5"),
    "day DATE": (
        f"date_add(DATE'2020-01-01', CAST({NUMBER} * 2 AS INT))",
        "v:day::date = date_add(DATE'2020-01-01', CAST({} * 2 AS INT))",
        "1000.5",
    ),
    "at TIMESTAMP": (f"timestamp_seconds({NUMBER})", "v:at::timestamp = timestamp_seconds({})", "1000.5"),
    "ntz TIMESTAMP_NTZ": (
        f"CAST(timestamp_seconds({NUMBER}) AS TIMESTAMP_NTZ)",
        "v:ntz::timestamp_ntz = CAST(timestamp_seconds({}) AS TIMESTAMP_NTZ)",
        "1000.5",
    ),
}


def bloomed(spark, path, shape, rows):
    name = shape.split()[0]
    options = {
        "parquet.enable.dictionary": "false",
        f"parquet.bloom.filter.enabled#v.typed_value.{name}.typed_value": "true",
        "parquet.block.row.count.limit": "1000",
    }
    return spark.read.format(FORMAT).load(write(rows, path, **{"shredding.shape.v": shape, **options}))


@pytest.mark.parametrize("shape", BLOOM)
def test_a_bloom_filter_excludes_groups_whose_bounds_do_not(spark, tmp_path, shape):
    value, condition, none = BLOOM[shape]
    name = shape.split()[0]
    rows = spark.range(0, ROWS, 1, 1).selectExpr("id", f"to_variant_object(named_struct('{name}', {value})) AS v")
    table = bloomed(spark, tmp_path / "t", shape, rows)
    for number in (0, 5, 4321):
        result, counts = run(table.where(condition.format(number)).select("id"))
        assert [r.id for r in result] == [r.id for r in rows.where(condition.format(number)).select("id").collect()]
        assert len(result) == 1 and counts.groups[0] <= 2 < counts.groups[1]
    result, counts = run(table.where(condition.format(none)))
    assert (result, counts.groups[0]) == ([], 0)


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
@pytest.mark.parametrize("stored", ["0", "-0"])
def test_a_filter_for_zero_tests_both_zeros_in_a_bloom_filter(spark, tmp_path, stored, kind):
    """Law NegativeZero: the two zeros are equal, but have different bytes."""
    rows = spark.range(0, ROWS, 1, 1).selectExpr(
        "id",
        f"to_variant_object(named_struct('z', CAST(if(id = 0, {stored}D, {NUMBER} - 4000.5D) AS {kind}))) AS v",
    )
    table = bloomed(spark, tmp_path / "t", f"z {kind}", rows)
    for zero in ("0D", "-0D"):
        result, counts = run(table.where(f"v:z::{kind} = CAST({zero} AS {kind})").select("id"))
        assert [r.id for r in result] == [0]
        assert counts.groups[0] <= 2 < counts.groups[1]


# In each row group the dictionary has the first values, which are few; the later values do not fit into it.
FALLEN_BACK = "if(id % 1000 < 300, id % 5 * 200, id % 1000)"


@pytest.mark.parametrize("kind", ["STRING", "BIGINT", "DOUBLE"])
def test_a_dictionary_that_some_pages_do_not_use_skips_nothing(spark, tmp_path, kind):
    condition = f"v:a::{kind} = " + ("'{}'" if kind == "STRING" else "{}")
    value = f"CAST({FALLEN_BACK} AS {kind})"
    rows = spark.range(0, 2000, 1, 1).selectExpr("id", f"to_variant_object(named_struct('a', {value})) AS v")
    options = {"parquet.block.row.count.limit": "1000", "parquet.page.row.count.limit": "100",
               "parquet.dictionary.page.size": "200"}  # fmt: skip
    path = write(rows, tmp_path / "t", **{"shredding.shape.v": f"a {kind}", **options})
    table = spark.read.format(FORMAT).load(path)
    chunk = _leaf(only_file(path))
    assert chunk.has_dictionary_page and {"PLAIN", "PLAIN_DICTIONARY"} <= {
        e.replace("RLE_DICTIONARY", "PLAIN_DICTIONARY") for e in chunk.encodings
    }
    for number, count in ((777, 2), (200, 120), (999, 2), (301, 2)):
        result, counts = run(table.where(condition.format(number)).select("id"))
        assert len(result) == count
        assert counts.groups == (2, 0)
    assert run(table.where(condition.format(301).replace("=", "<>")).select("id"))[1].groups == (2, 0)


def test_a_dictionary_of_another_writer_that_some_pages_do_not_use_skips_nothing(spark, tmp_path):
    rows = [(None, {"a": (None, f"k{i % 5}" if i < 50 else f"k{i}")}) for i in range(100)]
    path = write_file(tmp_path / "f.parquet", cell({"a": cell(pa.string())}), rows, annotated=True, write_batch_size=10,
                      dictionary_pagesize_limit=40, data_page_size=1)  # fmt: skip
    chunk = _leaf(path)
    assert chunk.has_dictionary_page and {"PLAIN", "RLE_DICTIONARY"} <= set(chunk.encodings)
    table = spark.read.format(FORMAT).load(path)
    for text, ids in (("k77", [77]), ("k4", list(range(4, 50, 5))), ("k44x", [])):
        result, counts = run(table.where(f"v:a::string = '{text}'").select("id"))
        assert [r.id for r in result] == ids
        assert counts.groups == (1, 0)


def _leaf(file):
    group = pq.read_metadata(file).row_group(0)
    return next(c for c in map(group.column, range(group.num_columns)) if c.path_in_schema.endswith("a.typed_value"))
