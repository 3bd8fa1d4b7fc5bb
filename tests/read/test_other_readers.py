"""Files that we write mean the same to Spark's own reader, to DuckDB and to readers made from the specification."""

import sys

import duckdb
import pytest

from parquet_cells import cells, data_files, only_file, rebuilt
from tables import frame, load, values, write
from variant_bytes import decode, encode

from variants import (  # isort: skip
    FALSE, NULL, array, binary, date, decimal, double, float32, int8, int16, int64, obj, string, time, timestamp,
    timestamp_nanos, timestamp_ntz, timestamp_ntz_nanos, uid,
)  # fmt: skip

COMMON = obj(
    flag=FALSE, i8=int8(-1), i16=int16(300), i64=int64(2**40), f32=float32(1.5), f64=double(0.1), d4=decimal("1.50"),
    d8=decimal("-123456789.987"), d16=decimal("12345678901234567890.1234567"), day=date(20000),
    ts=timestamp(1729794114937001), ntz=timestamp_ntz(-1), bin=binary(b"\x00\xff"), nothing=None,
    text=string("ß\U0001f600" * 40),
    list=[1, "x", None, [], {"a": 1}], inner={"a": 5, "b": "y", "rest": [1.5]},
)  # fmt: skip
RARE = obj(
    time=time(86_399_999_999),
    ntz9=timestamp_ntz_nanos(1729794114937000001),
    uuid=uid("f24f9b64-81fa-49d1-b74e-8c09a6e31c56"),
)
COMMON_ROWS = [
    COMMON,
    obj(text=1, i64="x", list={}, inner=[], other=True),
    obj(),
    array(COMMON, 1),
    int8(5),
    string("s"),
    NULL,
    None,
]
RARE_ROWS = [
    RARE,
    obj(time="12:00", uuid=binary(b"x" * 16)),
    array(RARE),
    RARE.value["uuid"],
    RARE.value["time"],
    NULL,
    None,
]
# name: shape of `v`, which other engines read; shape of `w`, whose types Spark cannot rebuild
SHAPES = {
    "none": ("off", "off"),
    "own types": (
        "flag BOOLEAN, i8 TINYINT, i16 SMALLINT, i64 BIGINT, f32 FLOAT, f64 DOUBLE, d4 DECIMAL(9,2), d8 DECIMAL(18,4), "
        "d16 DECIMAL(38,8), day DATE, ts TIMESTAMP, ntz TIMESTAMP_NTZ, bin BINARY, text STRING, list ARRAY<BIGINT>, "
        "inner STRUCT<a: INT, b: STRING>, missing INT",
        "time TIME, ntz9 TIMESTAMP_NTZ_NANOS, uuid UUID",
    ),
    "some": ("text STRING, inner STRUCT<a: BIGINT>", "uuid UUID"),
    "none that fits": ("text BIGINT, list STRUCT<a: INT>, inner STRING, flag ARRAY<INT>", "time STRING, uuid BINARY"),
    "array": ("ARRAY<STRUCT<text: STRING>>", "ARRAY<STRUCT<time: TIME>>"),
    "scalar": ("BIGINT", "UUID"),
}


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    """{name: a table of one file}, and one table `all` that holds a copy of every file."""
    root = tmp_path_factory.mktemp("readers")
    df = frame(spark, v=COMMON_ROWS, w=RARE_ROWS)
    for name, (v, w) in SHAPES.items():
        for place, mode in (name, "error"), ("all", "append"):
            write(df, root / place, mode=mode, **{"shredding.shape.v": v, "shredding.shape.w": w})
    return root


def padded(rows):
    return rows + [None] * (max(len(COMMON_ROWS), len(RARE_ROWS)) - len(rows))


EXPECTED = {"v": padded(COMMON_ROWS), "w": padded(RARE_ROWS)}


@pytest.mark.parametrize("name", SHAPES)
def test_the_specification_rebuilds_every_value(tables, name):
    for column, rows in EXPECTED.items():
        assert [rebuilt(c) for c in cells(only_file(tables / name), column)] == rows


@pytest.mark.parametrize("name", SHAPES)
def test_we_read_every_value(spark, tables, name):
    df = load(spark, tables / name, schema="id INT, v VARIANT, w VARIANT").cache()
    for column, rows in EXPECTED.items():
        assert values(df, column) == rows
    df.unpersist()


@pytest.mark.parametrize("name", SHAPES)
def test_spark_reads_every_value_of_the_types_that_it_rebuilds(spark, tables, name):
    df = spark.read.parquet(str(tables / name))
    assert dict(df.dtypes) == {"id": "int", "v": "variant", "w": "variant"}
    assert values(df) == EXPECTED["v"]
    if name == "none":
        assert values(df, "w") == EXPECTED["w"]


@pytest.mark.parametrize("name", SHAPES)
def test_duckdb_reads_every_value(tables, name):
    """DuckDB does not distinguish a variant null from an SQL NULL."""
    for column, rows in EXPECTED.items():
        assert duck(only_file(tables / name), column) == [v or NULL for v in rows]


def duck(path, column, order="id"):
    """The variants of DuckDB's own encoder, whose order of keys and width of numbers differ."""
    sql = f"SELECT variant_to_parquet_variant({column}) FROM read_parquet('{path}') ORDER BY {order}"
    return [decode(v["metadata"], v["value"]) for (v,) in duckdb.sql(sql).fetchall()]


def test_duckdb_reads_nanoseconds_with_a_zone(spark, tmp_path):
    """DuckDB cannot encode these again, so that they are compared as text."""
    rows = [obj(t=timestamp_nanos(1729794114937000001)), obj(t=timestamp_nanos(-1))]
    path = write(frame(spark, *rows), tmp_path / "t", shredding__shape__v="t TIMESTAMP_NANOS")
    with duckdb.connect() as session:
        session.sql("SET timezone = 'UTC'")
        actual = session.sql(
            f"SELECT variant_typeof(v.t), v.t::VARCHAR FROM read_parquet('{only_file(path)}') ORDER BY id"
        )
        assert [(k, t.strip("'")) for k, t in actual.fetchall()] == [
            ("TIMESTAMP_NANOS_TZ", "2024-10-24 18:21:54.937000001+00"),
            ("TIMESTAMP_NANOS_TZ", "1969-12-31 23:59:59.999999999+00"),
        ]


@pytest.mark.parametrize("name", SHAPES)
def test_the_reference_reader_reads_every_value(tables, name, conformance, monkeypatch):
    monkeypatch.syspath_prepend(str(conformance))
    import reference_reader
    from variant_decoder import compare
    from variant_decoder import decode as decoded

    for column, rows in EXPECTED.items():
        actual = reference_reader.read(only_file(tables / name), column, strict=False)
        for v, read in zip(rows, actual, strict=True):
            assert (v is None) == (read is None)
            assert v is None or not [d for d in compare(decoded(*encode(v)), read) if d[0] == "value"]
    sys.modules.pop("reference_reader")


def test_all_readers_read_files_of_different_shapes_as_one_table(spark, tables):
    assert len(data_files(tables / "all")) == len(SHAPES)
    for column in EXPECTED:
        expected = [v for v in EXPECTED[column] for _ in SHAPES]
        assert values(load(spark, tables / "all", schema="id INT, v VARIANT, w VARIANT"), column) == expected
        assert duck(tables / "all" / "*.parquet", column) == [v or NULL for v in expected]
    assert values(spark.read.parquet(str(tables / "all"))) == [v for v in EXPECTED["v"] for _ in SHAPES]


def test_expressions_have_the_same_results_on_our_table_and_in_memory(spark, tables):
    schema = "id INT, v VARIANT, w VARIANT"
    memory = frame(spark, v=COMMON_ROWS, w=RARE_ROWS).localCheckpoint()
    select = [
        "id", "to_json(v) AS j", "variant_get(v, '$.i64', 'string') AS s",
        "try_variant_get(v, '$.inner.a', 'int') AS i",
        "try_variant_get(v, '$.list[0]', 'string') AS l",
        "schema_of_variant(try_variant_get(v, '$.inner', 'variant')) AS o",
        "is_variant_null(v) AS n", "v IS NULL AS x", "try_variant_get(v, '$.ts', 'timestamp') AS t",
    ]  # fmt: skip
    expected = memory.selectExpr(select).orderBy("id").collect()
    for name in SHAPES:
        assert load(spark, tables / name, schema=schema).selectExpr(select).orderBy("id").collect() == expected, name
        for condition in ("try_variant_get(v, '$.inner.a', 'int') = 5", "v IS NULL", "is_variant_null(v)", "id > 3"):
            ids = [r.id for r in memory.where(condition).orderBy("id").collect()]
            actual = load(spark, tables / name, schema=schema).where(condition).orderBy("id").select("id").collect()
            assert [r.id for r in actual] == ids, f"{name}: {condition}"
