"""Reading takes paths, schemas and plain columns as Spark's `parquet` does, and gives the same rows."""

import os
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

from parquet_cells import data_files
from tables import FORMAT, frame, load, values, write
from variants import array, int8, obj, string

SHAPE = {"shredding__shape__v": "a BIGINT"}
# Every type a Parquet column of Spark may have, with nulls at every level and the ends of the ranges.
PLAIN = """
    SELECT id, IF(even, CAST(-128 + id AS TINYINT), NULL) AS i8, CAST(id AS SMALLINT) AS i16,
      9223372036854775807 - id AS i64,
      CAST(id / 7 AS FLOAT) AS f32, IF(even, DOUBLE('NaN'), -0.0D) AS f64, even AS flag,
      concat('ß\U0001f600', id) AS text,
      CAST('ab' AS CHAR(5)) AS fixed, CAST(text AS VARCHAR(9)) AS var, IF(even, CAST(text AS BINARY), X'') AS bin,
      CAST(id AS DECIMAL(9,2)) AS d4, CAST(-id AS DECIMAL(18,9)) AS d8, CAST(id AS DECIMAL(38,18)) AS d16,
      date_add(DATE'0001-01-01', id) AS day, TIMESTAMP'1969-12-31 23:59:59.999999' AS ts,
      IF(even, TIMESTAMP_NTZ'2024-10-24 01:02:03', NULL) AS ntz,
      make_ym_interval(id, 3) AS months, make_dt_interval(id, 0, 0, 1.5) AS days,
      IF(even, named_struct('a', IF(id = 2, NULL, id), 'b', named_struct('c', text, 'd', array(id, NULL))), NULL) AS s,
      CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN array() WHEN 2 THEN array(NULL, array())
        ELSE array(array(id, NULL), NULL) END AS ll,
      IF(even, map(text, map(id, NULL)), map()) AS m, IF(even, array(named_struct('x', id, 'y', NULL)), NULL) AS ls,
      map_from_arrays(array(named_struct('k', id)), array(array(text))) AS ms
    FROM (SELECT CAST(id AS INT) AS id, CAST(id AS STRING) AS text, id % 2 = 0 AS even FROM range(9))"""


def rows(df):
    """Comparable rows, also with NaN; intervals of months, which Python lacks, are text."""
    months = {c: df[c].cast("string") for c in df.columns if c == "months"}
    return [repr(r) for r in df.withColumns(months).orderBy("id").collect()]


def test_plain_columns_of_every_type_are_as_parquet_writes_and_reads_them(spark, tmp_path):
    df = spark.sql(PLAIN).coalesce(1)
    write(df, tmp_path / "ours")
    df.write.parquet(str(tmp_path / "theirs"))
    expected = rows(spark.read.parquet(str(tmp_path / "theirs")))
    for path in ("ours", "theirs"):
        assert rows(load(spark, tmp_path / path, schema=None)) == expected, path
        assert rows(load(spark, tmp_path / path, schema=df.schema)) == expected, path
    assert rows(spark.read.parquet(str(tmp_path / "ours"))) == expected
    assert load(spark, tmp_path / "ours", schema=None).schema == spark.read.parquet(str(tmp_path / "theirs")).schema
    # All columns are nullable, as in a table that Spark reads.
    spark.read.parquet(str(tmp_path / "theirs")).write.parquet(str(tmp_path / "nullable"))
    ours, theirs = (pq.read_schema(data_files(tmp_path / p)[0]) for p in ("ours", "nullable"))
    assert ours.remove_metadata() == theirs.remove_metadata()


def test_plain_columns_and_variants_are_read_in_any_choice_and_order(spark, tmp_path):
    df = spark.sql(PLAIN).withColumn("v", F.expr("parse_json(concat('{\"a\":', id, ',\"b\":[', id, ']}'))"))
    path = write(df.coalesce(1), tmp_path / "t", **SHAPE)
    table = load(spark, path, schema=None)
    given = df.localCheckpoint()
    for columns in (["v", "s", "id"], ["id", "ll", "text"], ["id", "v"], ["ms", "id", "m", "v", "ls"]):
        assert rows(table.select(columns)) == rows(given.select(columns)), columns
    nested = ["id", "s.b.c AS c", "s.b.d[0] AS d", "get(ll, 0)[0] AS l", "m[text] AS m"]
    assert rows(table.selectExpr(nested)) == rows(given.selectExpr(nested))


def test_a_schema_from_the_user_may_choose_reorder_and_add_columns(spark, tmp_path):
    df = frame(spark, obj(a=1), None, string("x")).selectExpr("id", "v", "id * 2 AS two")
    path = write(df, tmp_path / "t", **SHAPE)
    actual = load(spark, path, schema="two INT, w VARIANT, v VARIANT, more STRUCT<x: INT, v: VARIANT>, id INT")
    assert actual.columns == ["two", "w", "v", "more", "id"]
    assert values(actual) == [obj(a=1), None, string("x")]
    assert [(r.two, r.w, r.more) for r in actual.orderBy("id").collect()] == [(i * 2, None, None) for i in range(3)]
    assert [r.id for r in load(spark, path, schema="id LONG").orderBy("id").collect()] == [0, 1, 2]
    assert load(spark, path, schema="V VARIANT, ID INT").orderBy("ID").columns == ["V", "ID"]


def test_reads_of_no_column_count_the_rows(spark, tmp_path):
    df = spark.range(0, 10_000, 1, 2).selectExpr("CAST(id AS INT) AS id", "CAST(id AS VARIANT) AS v")
    path = write(df, tmp_path / "t", shredding__shape__v="BIGINT")
    assert load(spark, path).count() == 10_000
    assert load(spark, path).where("false").count() == 0
    assert load(spark, path, schema="absent INT").count() == 10_000
    assert len(load(spark, path).selectExpr("1").collect()) == 10_000


def test_an_empty_dataframe_is_a_table_without_rows(spark, tmp_path):
    path = write(frame(spark, obj(a=1)).where("id < 0"), tmp_path / "t", **SHAPE)
    df = load(spark, path, schema=None)
    assert df.schema.simpleString() == "struct<id:int,v:variant>"
    assert (df.count(), df.collect()) == (0, [])


@pytest.fixture(scope="module")
def several(spark, tmp_path_factory):
    """Two tables, a deeper directory, and files that a reader must ignore."""
    root = tmp_path_factory.mktemp("several")
    for i, name in enumerate(("one", "two", "two/deeper/in")):
        write(frame(spark, int8(i)), root / name, shredding__shape__v=("BIGINT", "STRING", "ARRAY<INT>")[i])
    for name in ("_hidden.parquet", ".hidden.parquet", "_temporary/0/x.parquet"):
        (root / "one" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "one" / name).write_text("rubbish")
    return root


# name: (paths, options, the values that are read)
READS = {
    "several paths": (["one", "two"], {}, [0, 1]),
    "a glob": (["*o*"], {}, [0, 1]),
    "braces": (["{one,nothing}"], {}, [0]),
    "a file": (["one/*.parquet"], {}, [0]),
    "recursive lookup": (["two"], {"recursiveFileLookup": "true"}, [1, 2]),
    "a filter of names": (["one", "two"], {"pathGlobFilter": "*.none"}, []),
    "modified before": (["one"], {"modifiedBefore": "2000-01-01T00:00:00"}, []),
    "modified after": (["one"], {"modifiedAfter": "2000-01-01T00:00:00"}, [0]),
}


@pytest.mark.parametrize("name", READS)
def test_paths_and_their_options_find_the_files_that_parquet_finds(spark, several, name):
    paths, options, expected = READS[name]
    df = load(spark, [str(several / p) for p in paths], **options)
    assert sorted(x.value for x in values(df)) == expected


def test_merge_schema_joins_the_columns_of_all_files(spark, tmp_path):
    write(frame(spark, v=[int8(1)]), tmp_path / "t", shredding__shape__v="BIGINT")
    write(frame(spark, w=[int8(2)]).withColumn("id", F.col("id") + 1), tmp_path / "t", mode="append")
    df = load(spark, tmp_path / "t", schema=None, mergeSchema="true")
    assert sorted(df.columns) == ["id", "v", "w"]
    assert (values(df, "v"), values(df, "w")) == ([int8(1), None], [None, int8(2)])


INFERRED = {"spark.sql.variant.writeShredding.enabled": "true", "spark.sql.variant.inferShreddingSchema": "true"}


def test_shredded_and_unshredded_files_of_spark_have_the_rows_that_spark_reads(spark, tmp_path):
    df = spark.sql("""SELECT CAST(id AS INT) AS id, parse_json(CASE id % 4
        WHEN 0 THEN concat('{"a":', id, ',"b":["x",', id, ']}')
        WHEN 1 THEN '{"a":4,"c":{"d":1.5}}' WHEN 2 THEN '{"a":"s","b":null}' END) AS v FROM range(0, 1000, 1, 1)""")
    before = {k: spark.conf.get(k) for k in INFERRED}
    for name, flag in ("shredded", "true"), ("plain", "false"):
        try:
            for k in INFERRED:
                spark.conf.set(k, flag)
            df.write.parquet(str(tmp_path / name))
        finally:
            for k, v in before.items():
                spark.conf.set(k, v)
    assert any("typed_value" in str(pq.ParquetFile(f).schema) for f in data_files(tmp_path / "shredded"))
    expected = values(df)
    for name in ("shredded", "plain"):
        assert values(load(spark, tmp_path / name, schema=None)) == expected
    assert sorted(map(repr, values(load(spark, [str(tmp_path / "shredded"), str(tmp_path / "plain")])))) == sorted(
        map(repr, expected * 2)
    )


@pytest.mark.parametrize("codegen", ["true", "false"])
def test_rows_of_many_batches_row_groups_and_files_are_read(spark, tmp_path, codegen):
    n = 30_000
    df = spark.range(0, n, 1, 2).selectExpr(
        "CAST(id AS INT) AS id",
        """CASE WHEN id % 7 = 0 THEN NULL WHEN id % 11 = 0 THEN parse_json(concat('"', id, '"'))
           ELSE parse_json(concat('{"a":', id, ',"l":[', id % 3, '],"r', id % 5, '":null}')) END AS v""",
        "IF(id % 2 = 0, concat('x', id), NULL) AS text",
    )
    path = write(df, tmp_path / "t", **{"parquet.block.size": 60_000, "shredding.shape.v": "a BIGINT, l ARRAY<INT>"})
    assert max(pq.ParquetFile(f).num_row_groups for f in data_files(path)) > 1
    spark.conf.set("spark.sql.codegen.wholeStage", codegen)
    try:
        text = "id", "to_json(v) AS j", "text"
        ours = load(spark, path, schema="id INT, v VARIANT, text STRING").selectExpr(*text)
        assert ours.exceptAll(df.selectExpr(*text)).isEmpty()
        assert ours.count() == n
        assert ours.where("j IS NULL").count() == len(range(0, n, 7))
    finally:
        spark.conf.unset("spark.sql.codegen.wholeStage")


def test_a_table_of_many_columns_is_read(spark, tmp_path):
    columns = {f"v{i}": [obj(a=i), None, array(i)] for i in range(60)}
    options = {f"shredding.shape.v{i}": "a BIGINT" for i in range(60)}
    df = frame(spark, **columns).selectExpr("*", *(f"id + {i} AS n{i}" for i in range(150)))
    path = write(df, tmp_path / "t", **options)
    actual = (
        load(spark, path, schema=None)
        .orderBy("id")
        .selectExpr("to_json(v59) AS j", "n149", "v0 IS NULL AS x")
        .collect()
    )
    assert [tuple(r) for r in actual] == [('{"a":59}', 149, False), (None, 150, True), ("[59]", 151, False)]


def test_a_table_can_be_copied_and_moved(spark, tmp_path):
    path = write(frame(spark, obj(a=1)), tmp_path / "t", **SHAPE)
    shutil.copytree(path, tmp_path / "with space and % ß")
    os.rename(path, tmp_path / "moved")
    for name in ("with space and % ß", "moved"):
        assert values(load(spark, tmp_path / name)) == [obj(a=1)]
        assert values(spark.sql(f"SELECT * FROM {FORMAT}.`{tmp_path / name}`")) == [obj(a=1)]


def test_a_plain_file_of_another_writer_is_read(spark, tmp_path):
    table = pa.table({"id": pa.array([0, 1], pa.int32()), "u": pa.array([1, 2**32 - 1], pa.uint32()), "s": ["a", None]})
    pq.write_table(table, tmp_path / "p.parquet")
    assert [tuple(r) for r in load(spark, tmp_path, schema=None).orderBy("id").collect()] == [
        (0, 1, "a"),
        (1, 2**32 - 1, None),
    ]


def test_the_metadata_columns_of_a_file_source_can_be_read(spark, tmp_path):
    path = write(frame(spark, obj(a=1), None), tmp_path / "t", **SHAPE)
    hidden = "_metadata.file_name AS n", "_metadata.row_index AS i", "input_file_name() AS f"
    actual = load(spark, path).selectExpr("id", *hidden).orderBy("id").collect()
    (file,) = data_files(path)
    name = file.rsplit("/", 1)[1]
    assert [(r.id, r.n, r.i, r.f.rsplit("/", 1)[1]) for r in actual] == [(0, name, 0, name), (1, name, 1, name)]


def test_vectors_may_be_off_heap(spark, tmp_path):
    c = "if(id % 3 = 0, '1', '\"r\"')"
    rows = spark.range(10000).selectExpr(
        "id", f"""parse_json('{{"a": ' || id || ', "b": ["x", "' || id || '"], "c": ' || {c} || '}}') v"""
    )
    path = write(rows, tmp_path / "t", shredding__shape__v="a BIGINT, b ARRAY<STRING>, c INT")
    columns = ["id", "to_json(v) j", "v:a::string a", "try_cast(v:c AS INT) c"]
    spark.conf.set("spark.sql.columnVector.offheap.enabled", "true")
    try:
        actual = load(spark, path, schema=None).selectExpr(*columns).orderBy("id").collect()
    finally:
        spark.conf.unset("spark.sql.columnVector.offheap.enabled")
    assert actual == rows.selectExpr(*columns).orderBy("id").collect()
