"""Save modes, partitions and Parquet's own options do what a user of Spark's `parquet` expects."""

import datetime
import re
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.errors import AnalysisException

from parquet_cells import data_files, only_file
from tables import FORMAT, frame, load, values, write
from variants import int8, obj, string

A, B = [obj(a=1), None], [string("b"), obj(a=2, z=[None])]
SHAPE = {"shredding__shape__v": "a BIGINT"}


def sorted_values(df):
    return sorted(map(repr, values(df)))


def test_error_is_the_default_mode_and_does_not_change_the_table(spark, tmp_path):
    path = write(frame(spark, *A), tmp_path / "t", **SHAPE)
    with pytest.raises(AnalysisException, match="already exists"):
        frame(spark, *B).write.format(FORMAT).save(path)
    assert values(load(spark, path)) == A


# mode: the rows of a table of A after a write of B
MODES = {"ignore": A, "overwrite": B, "append": A + B}


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_has_its_effect_on_a_table_and_on_a_new_path(spark, tmp_path, mode):
    path = write(frame(spark, *A), tmp_path / "t", mode=mode, **SHAPE)
    assert values(load(spark, path)) == A
    write(frame(spark, *B), path, mode=mode, **SHAPE)
    assert sorted_values(load(spark, path)) == sorted(map(repr, MODES[mode]))
    assert (Path(path) / "_SUCCESS").exists()


def test_appends_with_different_shapes_are_one_table(spark, tmp_path):
    path = write(frame(spark, *A), tmp_path / "t", **SHAPE)
    for shape in ("a STRING", "z ARRAY<INT>, a INT", "BIGINT"):
        write(frame(spark, *B), path, mode="append", shredding__shape__v=shape)
    write(frame(spark, *B), path, mode="append")
    assert sorted_values(load(spark, path)) == sorted(map(repr, A + B * 4))


def test_a_column_that_an_append_lacks_is_null(spark, tmp_path):
    path = write(frame(spark, v=[int8(1)]), tmp_path / "t")
    write(frame(spark, w=[int8(2)]), path, mode="append", shredding__shape__w="BIGINT")
    df = load(spark, path, schema="id INT, v VARIANT, w VARIANT")
    actual = zip(values(df, "v"), values(df, "w"), strict=True)
    assert sorted(actual, key=str) == sorted([(int8(1), None), (None, int8(2))], key=str)


# One column of each type that a partition may have, with NULL and characters that need escapes.
PARTITIONS = """SELECT * FROM VALUES
    (0, 'a b/=%:''"\\\\ß\U0001f600', 1Y, 1S, 1, 1L, true, DATE'2024-10-24',
     TIMESTAMP'2024-10-24 01:02:03.4', 1.50BD, 1.5D),
    (1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (2, '{x}#?*[]', -1Y, -1S, -1, -9223372036854775808L, false, DATE'0001-01-01',
     TIMESTAMP'1969-12-31 00:00:00', -1.50BD, -0.1D)
    AS t (id, text, tiny, small, num, big, flag, day, time, dec, dbl)"""
TYPES = (
    "text STRING, tiny TINYINT, small SMALLINT, num INT, big BIGINT, flag BOOLEAN, day DATE, "
    "time TIMESTAMP, dec DECIMAL(3,2), dbl DOUBLE"
)


@pytest.fixture(scope="module")
def partitioned(spark, tmp_path_factory):
    df = frame(spark, *A, int8(3)).join(spark.sql(PARTITIONS), "id")
    by = [c for c in df.columns if c not in ("id", "v")]
    table = tmp_path_factory.mktemp("partitioned")
    write(df, table / "t", by=by, **SHAPE)
    df.write.partitionBy(*by).parquet(str(table / "parquet"))
    return table, by


def test_partitions_of_every_type_read_back(spark, partitioned):
    table, by = partitioned
    schema = f"id INT, v VARIANT, {TYPES}"
    ours = load(spark, table / "t", schema=schema).drop("v").orderBy("id").collect()
    assert ours == spark.read.schema(schema).parquet(str(table / "parquet")).drop("v").orderBy("id").collect()
    assert ours[0].text == "a b/=%:'\"\\ß\U0001f600"
    assert (ours[2].day, ours[2].dec) == (datetime.date(1, 1, 1), Decimal("-1.50"))
    assert [*ours[1][1:]] == [None] * len(by)


def test_partition_types_are_inferred_as_parquet_does(spark, partitioned):
    table, _ = partitioned
    ours, theirs = load(spark, table / "t", schema=None), spark.read.parquet(str(table / "parquet"))
    assert dict(ours.dtypes) == dict(theirs.dtypes)
    assert ours.columns == theirs.columns
    assert values(ours) == [*A, int8(3)]
    assert ours.drop("v").orderBy("id").collect() == theirs.drop("v").orderBy("id").collect()


@pytest.fixture(scope="module")
def days(spark, tmp_path_factory):
    """A table of the partitions day=0, 1, 2."""
    df = frame(spark, *(obj(a=i) for i in range(6))).selectExpr("id", "v", "id % 3 AS day")
    return write(df, tmp_path_factory.mktemp("days") / "t", by=["day"], **SHAPE)


# condition: the ids that match, the days whose files may be read
PRUNED = {
    "day = 1": ([1, 4], {1}),
    "day IN (0, 2)": ([0, 2, 3, 5], {0, 2}),
    "day > 0 AND id < 3": ([1, 2], {1, 2}),
    "day + 1 = 3": ([2, 5], {2}),
    "day <=> 0 AND to_json(v) LIKE '%3%'": ([3], {0}),
    "day IS NULL": ([], set()),
    "day = 1 OR id = 0": ([0, 1, 4], {0, 1, 2}),
}


@pytest.mark.parametrize("condition", PRUNED)
def test_only_files_of_matching_partitions_are_opened(spark, days, tmp_path, condition):
    """All other files are replaced by invalid ones, so that opening one of them fails."""
    ids, expected = PRUNED[condition]
    for file in data_files(days):
        day = re.search("day=(.)", file)[1]
        target = tmp_path / f"day={day}" / "file.parquet"
        target.parent.mkdir()
        target.write_bytes(Path(file).read_bytes() if int(day) in expected else b"rubbish")
    df = load(spark, tmp_path, schema="id INT, v VARIANT, day INT").where(condition)
    assert sorted(r.id for r in df.select("id", "v").collect()) == ids
    assert df.select("id", "v").count() == len(ids)


def test_overwrite_replaces_all_partitions_and_dynamic_overwrite_only_those_written(spark, tmp_path):
    rows = frame(spark, *A).selectExpr("id", "v", "id AS part")
    one = frame(spark, *B).where("id = 1").selectExpr("id", "v", "id AS part")
    for how, parts in ({"partitionOverwriteMode": "dynamic"}, {0, 1}), ({}, {1}):
        path = write(rows, tmp_path / f"{len(parts)}", by=["part"], **SHAPE)
        write(one, path, by=["part"], mode="overwrite", **how, **SHAPE)
        df = load(spark, path, schema="id INT, v VARIANT, part INT")
        assert {r.part for r in df.select("part").collect()} == parts
        assert values(df.where("part = 1")) == [B[1]]


CODECS = {"snappy": "SNAPPY", "gzip": "GZIP", "zstd": "ZSTD", "none": "UNCOMPRESSED", "uncompressed": "UNCOMPRESSED"}


def footer(path):
    return pq.ParquetFile(only_file(path)).metadata


@pytest.mark.parametrize("codec", CODECS)
def test_the_codec_of_the_write_is_in_the_footer(spark, tmp_path, codec):
    group = footer(write(frame(spark, *A), tmp_path / "t", compression=codec, **SHAPE)).row_group(0)
    assert {group.column(i).compression for i in range(group.num_columns)} == {CODECS[codec]}


def test_the_codec_is_zstd_by_default_and_that_of_parquet_compression_if_it_is_set(spark, tmp_path):
    assert footer(write(frame(spark, *A), tmp_path / "default")).row_group(0).column(0).compression == "ZSTD"
    given = write(frame(spark, *A), tmp_path / "given", **{"parquet.compression": "GZIP"})
    assert footer(given).row_group(0).column(0).compression == "GZIP"


def test_options_of_parquet_reach_the_writer(spark, tmp_path):
    df = (
        spark.range(20_000)
        .selectExpr("CAST(id AS INT) AS id", "uuid() AS text", "CAST(id AS VARIANT) AS v")
        .coalesce(1)
    )
    options = {
        "parquet.block.size": 100_000,
        "parquet.enable.dictionary": "false",
        "parquet.writer.version": "PARQUET_2_0",
    }
    meta = footer(write(df, tmp_path / "t", shredding__shape__v="BIGINT", **options))
    assert meta.num_row_groups > 1
    encodings = {e for i in range(meta.num_columns) for e in meta.row_group(0).column(i).encodings}
    assert not any("DICTIONARY" in e for e in encodings)
    assert any(e.startswith("DELTA") for e in encodings)
    bloom = write(df, tmp_path / "bloom", **{"parquet.bloom.filter.enabled#text": "true"})
    assert footer(bloom).row_group(0).column(1).bloom_filter_offset


def test_max_records_per_file_splits_the_files(spark, tmp_path):
    df = spark.range(10).selectExpr("CAST(id AS INT) AS id", "CAST(id AS VARIANT) AS v").coalesce(1)
    path = write(df, tmp_path / "t", maxRecordsPerFile=4, shredding__shape__v="BIGINT")
    assert sorted(pq.ParquetFile(f).metadata.num_rows for f in data_files(path)) == [2, 4, 4]
    assert values(load(spark, path)) == [int8(i) for i in range(10)]
