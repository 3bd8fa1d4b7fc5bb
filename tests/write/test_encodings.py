"""Numbers and texts of variants have DELTA encodings if these are smaller, and every reader reads them."""

import duckdb
import pyarrow.parquet as pq
import pytest

from parquet_cells import only_file
from tables import load, write

ROWS = 30_000
TYPES = {
    "n": "BIGINT", "small": "INT", "same": "BIGINT", "price": "DECIMAL(9,2)", "hash": "STRING", "short": "STRING",
    "few": "STRING",
}  # fmt: skip
SHAPE = ", ".join([*(f"{field} {type}" for field, type in TYPES.items()), "list ARRAY<BIGINT>"])
PATHS = [*(f"v:{field}::{type}" for field, type in TYPES.items()), "v:list[1]::bigint"]
DOCUMENTS = f"""
    SELECT CAST(id AS INT) AS id, id * 1000 AS plain, sha2(CAST(id AS STRING), 256) AS digest,
      parse_json(to_json(named_struct(
        'n', 1700000000000 + id * 1000 + abs(hash(id)) % 1000,
        'small', if(id % 11 = 0, NULL, abs(hash(id, 1)) % 100000),
        'same', xxhash64(id div 3000),
        'price', CAST(abs(hash(id, 2)) % 9000000 / 100 AS DECIMAL(9,2)),
        'hash', if(id % 7 = 3, NULL, sha2(CAST(id AS STRING), 256)),
        'short', concat('name-', abs(hash(id, 3)) % 90000),
        'few', concat('kind-', id % 5),
        'list', transform(sequence(0, CAST(id % 4 AS INT)), i -> id * i)
    ))) AS v FROM range(0, {ROWS}, 1, 1)
"""
CODECS = ["zstd", "snappy", "gzip", "uncompressed"]


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    """{codec: a table}, and `version 1`, a table with the writer version 1 of Parquet."""
    root = tmp_path_factory.mktemp("encodings")
    df = spark.sql(DOCUMENTS).cache()
    for codec in CODECS:
        write(df, root / codec, compression=codec, **{"shredding.shape.v": SHAPE})
    options = {"shredding.shape.v": SHAPE, "parquet.writer.version": "PARQUET_1_0"}
    write(df, root / "version 1", **options)
    df.write.parquet(str(root / "parquet"))
    df.unpersist()
    return root


def encodings(table):
    """{leaf: its encodings}, of the only file."""
    group = pq.ParquetFile(only_file(table)).metadata.row_group(0)
    columns = (group.column(i) for i in range(group.num_columns))
    return {column.path_in_schema: set(column.encodings) for column in columns}


@pytest.mark.parametrize("codec", CODECS)
def test_numbers_and_strings_of_variants_have_delta_encodings(tables, codec):
    result = encodings(tables / codec)
    for leaf in "n", "small", "price":
        assert "DELTA_BINARY_PACKED" in result[f"v.typed_value.{leaf}.typed_value"], leaf
    for leaf in "hash", "short":
        assert "DELTA_LENGTH_BYTE_ARRAY" in result[f"v.typed_value.{leaf}.typed_value"], leaf
    assert result["v.typed_value.few.typed_value"] <= {"RLE", "BIT_PACKED", "PLAIN", "RLE_DICTIONARY"}


@pytest.mark.parametrize("codec", CODECS)
def test_other_columns_have_encodings_that_every_reader_supports(tables, codec):
    result = encodings(tables / codec)
    assert not any("DELTA" in each for column in ("id", "plain", "digest") for each in result[column])


def test_an_explicit_writer_version_decides_the_encodings(tables):
    assert not any("DELTA" in each for all in encodings(tables / "version 1").values() for each in all)


def rows(df, *columns):
    return sorted(map(tuple, df.selectExpr(*columns).collect()), key=str)


@pytest.fixture(scope="module")
def plain(spark, tables):
    return spark.read.parquet(str(tables / "parquet"))


@pytest.mark.parametrize("table", [*CODECS, "version 1"])
def test_all_rows_are_read_as_written(spark, tables, plain, table):
    columns = ["id", "to_json(v)", *PATHS]
    assert rows(load(spark, tables / table, schema=None), *columns) == rows(plain, *columns)


@pytest.mark.parametrize("wanted", ["id % 1000 = 7", "id % 13 = 3", "id IN (0, 29999)", "id BETWEEN 100 AND 20300"])
@pytest.mark.parametrize("table", [*CODECS, "version 1"])
def test_single_rows_are_read_as_written(spark, tables, plain, table, wanted):
    columns = ["id", "to_json(v)", "digest", *PATHS]
    df = load(spark, tables / table, schema=None)
    assert rows(df.where(wanted), *columns) == rows(plain.where(wanted), *columns)


@pytest.mark.parametrize("table", [*CODECS, "version 1"])
def test_other_readers_read_the_same_rows(spark, tables, plain, table):
    file = only_file(tables / table)
    assert rows(spark.read.parquet(file), *PATHS) == rows(plain, *PATHS)
    expected = rows(plain, "v:n::bigint", "v:hash::string")
    result = duckdb.sql(f"SELECT v.n::BIGINT, v.hash::VARCHAR FROM read_parquet('{file}')").fetchall()
    assert sorted(result, key=str) == expected
    leaves = [f"v.typed_value.{field}.typed_value" for field in ("n", "hash")]
    cells = [cell["typed_value"] for cell in pq.ParquetFile(file).read(columns=leaves).column("v").to_pylist()]
    assert sorted(((c["n"]["typed_value"], c["hash"]["typed_value"]) for c in cells), key=str) == expected
