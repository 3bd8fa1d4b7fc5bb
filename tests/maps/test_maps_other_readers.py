"""Spark's own reader and DuckDB read the residual map and the columns of hot keys, for odd, nested and typed maps."""

import datetime
from decimal import Decimal

import duckdb
import pyarrow.parquet as pq
import pytest

from map_cases import ODD_KEYS, hot
from map_files import entries
from parquet_cells import only_file
from tables import write

SIDECAR = "__paimon_map_shred_m_0"
HOT = [key for i, key in enumerate(ODD_KEYS) if i % 2]
MAPS = [dict.fromkeys(ODD_KEYS, "v"), None, {}, dict.fromkeys(ODD_KEYS), {key: key for key in ODD_KEYS}, {"": "x"}]


def left(m):
    """The residual of a map."""
    return None if m is None else {k: v for k, v in m.items() if v is None or k not in HOT}


def sidecars(m):
    return [(m or {}).get(key) for key in HOT]


@pytest.fixture(scope="module")
def odd(spark, tmp_path_factory):
    """A file with a map of odd keys, the same map in a struct, and in a struct with a dot in its name."""
    rows = [(i, m, (m,), ((m,),)) for i, m in enumerate(MAPS)]
    text = "MAP<STRING, STRING>"
    schema = f"id INT, m {text}, s STRUCT<m: {text}>, `x.y` STRUCT<t: STRUCT<`d.m`: {text}>>"
    options = hot("m", HOT, **{"s.m": HOT, "`x.y`.t.`d.m`": HOT})
    return only_file(
        write(spark.createDataFrame(rows, schema).coalesce(1), tmp_path_factory.mktemp("odd") / "t", **options)
    )


PLACES = {"m": ("m", "", "m"), "a struct": ("s.m", "s.", "m"), "names with dots": ("`x.y`.t.`d.m`", "`x.y`.t.", "d.m")}


@pytest.mark.parametrize("place", PLACES)
def test_spark_reads_a_residual_of_odd_keys(spark, odd, place):
    path, parent, name = PLACES[place]
    columns = [f"{parent}`__paimon_map_shred_{name}_{i}`" for i in range(len(HOT))]
    rows = spark.read.parquet(odd).orderBy("id").selectExpr(path, *columns).collect()
    assert [r[0] for r in rows] == [left(m) for m in MAPS]
    assert [list(r[1:]) for r in rows] == [sidecars(m) for m in MAPS]


@pytest.mark.parametrize("place", PLACES)
def test_duckdb_reads_a_residual_of_odd_keys(odd, place):
    path, parent, name = (text.replace("`", '"') for text in PLACES[place])
    columns = ", ".join(f'{parent}"__paimon_map_shred_{name}_{i}"' for i in range(len(HOT)))
    rows = duckdb.sql(f"SELECT {path}, {columns} FROM '{odd}' ORDER BY id").fetchall()
    assert [r[0] for r in rows] == [left(m) for m in MAPS]
    assert [list(r[1:]) for r in rows] == [sidecars(m) for m in MAPS]


def test_arrow_reads_a_residual_of_odd_keys(odd):
    table = pq.read_table(odd)
    for maps in (table["m"], table["s"].combine_chunks().field("m")):
        assert [entries(m) for m in maps.to_pylist()] == [left(m) for m in MAPS]


# The type of the values; one value as SQL, in Spark and in DuckDB.
DAY, TIME = datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
TYPES = {
    "BOOLEAN": ("true", True, True),
    "TINYINT": ("CAST(-3 AS TINYINT)", -3, -3),
    "SMALLINT": ("CAST(300 AS SMALLINT)", 300, 300),
    "INT": ("7", 7, 7),
    "BIGINT": ("70000000000", 70000000000, 70000000000),
    "FLOAT": ("CAST(0.5 AS FLOAT)", 0.5, 0.5),
    "DOUBLE": ("0.1D", 0.1, 0.1),
    "DECIMAL(5,2)": ("1.25", Decimal("1.25"), Decimal("1.25")),
    "DECIMAL(30,3)": ("CAST(12345678901234567890.5 AS DECIMAL(30,3))", *2 * [Decimal("12345678901234567890.500")]),
    "BINARY": ("unhex('00ff')", b"\x00\xff", b"\x00\xff"),
    "DATE": ("DATE'2026-01-02'", DAY, DAY),
    "TIMESTAMP_NTZ": ("TIMESTAMP_NTZ'2026-01-02 03:04:05.678901'", TIME, TIME),
    "TIMESTAMP": ("TIMESTAMP'2026-01-02 03:04:05.678901Z'", TIME, TIME),
    "STRING COLLATE UTF8_LCASE": ("CAST('É' AS STRING COLLATE UTF8_LCASE)", "É", "É"),
    "ARRAY<INT>": ("array(1, NULL)", [1, None], [1, None]),
    "STRUCT<x: INT, y: ARRAY<STRING>>": (
        "named_struct('x', 1, 'y', array('é'))", (1, ["é"]), {"x": 1, "y": ["é"]}),
    "MAP<STRING, INT>": ("map('i', 1, 'j', NULL)", *2 * [{"i": 1, "j": None}]),
}  # fmt: skip


@pytest.mark.parametrize("ddl", TYPES)
def test_other_readers_read_a_residual_of_each_type(spark, tmp_path, ddl):
    value, of_spark, of_duckdb = TYPES[ddl]
    rows = spark.range(0, 3, 1, 1).selectExpr(
        "id",
        f"CASE id WHEN 0 THEN map('hot', {value}, 'cold', {value})"
        f" WHEN 1 THEN map('hot', CAST(NULL AS {ddl})) END AS m",
    )
    file = only_file(write(rows, tmp_path / "t", **hot("m", ["hot"])))
    actual = spark.read.parquet(file).orderBy("id").select("m", SIDECAR).collect()
    assert [r[0] for r in actual] == [{"cold": of_spark}, {"hot": None}, None]
    assert [r[1] for r in actual] == [of_spark, None, None]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        actual = connection.execute(f"SELECT m, {SIDECAR} FROM '{file}' ORDER BY id").fetchall()
    assert [r[0] for r in actual] == [{"cold": of_duckdb}, {"hot": None}, None]
    # DuckDB gives times in a map with their zone.
    hot_value = actual[0][1].replace(tzinfo=None) if ddl == "TIMESTAMP" else actual[0][1]
    assert [hot_value, *(r[1] for r in actual[1:])] == [of_duckdb, None, None]


def test_other_readers_read_a_residual_of_variants(spark, tmp_path):
    document = """parse_json('{"a": [1, "x"]}')"""
    rows = spark.range(0, 3, 1, 1).selectExpr(
        "id", f"CASE id WHEN 0 THEN map('hot', {document}, 'cold', {document}) WHEN 1 THEN map('hot', NULL) END AS m"
    )
    file = only_file(write(rows, tmp_path / "t", **hot("m", ["hot"])))
    actual = (
        spark.read.parquet(file).orderBy("id").selectExpr("to_json(m['cold'])", f"to_json({SIDECAR})", "map_keys(m)")
    )
    text = '{"a":[1,"x"]}'
    assert [r[:] for r in actual.collect()] == [(text, text, ["cold"]), (None, None, ["hot"]), (None, None, None)]
    actual = duckdb.sql(f"SELECT m, {SIDECAR} FROM '{file}' ORDER BY id").fetchall()
    document = {"a": [1, "x"]}
    assert actual == [({"cold": document}, document), ({"hot": None}, None), (None, None)]
