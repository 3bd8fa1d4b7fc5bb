"""Damaged and missing files: the other files lose no rows, and an error names the file."""

import os
import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fuzz import FUZZ
from parquet_cells import only_file
from parquet_footer import edit_meta_data, spoil
from path_queries import settings
from scan_counts import run
from tables import ACCIDENT, FORMAT, causes, refusal, write

pytestmark = pytest.mark.fuzz

# All files in one task, the larger ones first.
ONE_TASK = {"spark.sql.files.openCostInBytes": "0", "spark.sql.files.minPartitionNum": "1"}
IGNORED = {"spark.sql.files.ignoreCorruptFiles": "true"}


def damage_pages(file):
    """Overwrites all pages, and leaves the footer as it is."""
    metadata = pq.read_metadata(file)
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    end = max(_end(group.column(c)) for group in groups for c in range(group.num_columns))
    with open(file, "r+b") as f:
        f.seek(4)
        f.write(b"\xff" * (end - 4))


def _end(chunk):
    return min(filter(None, (chunk.dictionary_page_offset, chunk.data_page_offset))) + chunk.total_compressed_size


@pytest.fixture
def two_files(spark, tmp_path):
    """The files, the larger one first: `n` from 1000 to 2999 in the one and from 0 to 99 in the other."""
    files = []
    for name, start, end in (("large", 1000, 3000), ("small", 0, 100)):
        rows = spark.range(start, end, 1, 1).selectExpr("id", "parse_json(concat('{\"n\":', id, '}')) AS v")
        write(rows, tmp_path / name, **{"shredding.shape.v": "n BIGINT", "parquet.page.row.count.limit": "50"})
        files.append(only_file(tmp_path / name))
    return files


def table(spark, files, **options):
    return spark.read.format(FORMAT).schema("id BIGINT, v VARIANT").options(**options).load(files)


@pytest.mark.parametrize("by", ["v:n::bigint", "id"])
@pytest.mark.parametrize("how", ["setting", "option"])
def test_the_first_rows_are_those_of_files_that_can_be_read(spark, two_files, by, how):
    """Law: the footer of a file that may be ignored removes no rows of other files."""
    damage_pages(two_files[0])
    options = {"ignoreCorruptFiles": "true"} if how == "option" else {}
    with settings(spark, ONE_TASK | (IGNORED if how == "setting" else {})):
        first = table(spark, two_files, **options).selectExpr(f"{by} AS n").orderBy("n", ascending=False).limit(3)
        assert [r.n for r in first.collect()] == [99, 98, 97]


def test_the_first_rows_of_whole_files_are_found_by_their_footers_unless_damage_is_ignored(spark, two_files):
    for ignored, skips in (("false", True), ("true", False)):
        with settings(spark, ONE_TASK):
            df = table(spark, two_files, ignoreCorruptFiles=ignored)
            rows, counts = run(df.selectExpr("v:n::bigint AS n").orderBy("n", ascending=False).limit(3))
        assert [r.n for r in rows] == [2999, 2998, 2997]
        assert (counts.rows_skipped > 2000) == skips


@pytest.mark.parametrize("query", ["v:n::bigint AS n", "id AS n"])
def test_a_limit_takes_its_rows_from_files_that_can_be_read(spark, two_files, query):
    damage_pages(two_files[0])
    with settings(spark, ONE_TASK | IGNORED):
        rows = table(spark, two_files).selectExpr(query).limit(10).collect()
    assert sorted(r.n for r in rows) == list(range(10))


@pytest.mark.parametrize(
    ("aggregates", "expected"),
    [
        (["count(v:n::bigint)", "min(v:n::bigint)", "max(v:n::bigint)"], (100, 0, 99)),
        (["count(id)", "max(id)"], (100, 99)),
        (["sum(v:n::bigint)", "max(v:n::bigint)"], (4950, 99)),
    ],
)
def test_aggregates_are_those_of_the_rows_that_can_be_read(spark, two_files, aggregates, expected):
    """Spark computes these aggregates too; a footer counts rows that no query can read."""
    damage_pages(two_files[0])
    with settings(spark, ONE_TASK | IGNORED):
        (row,), counts = run(table(spark, two_files).selectExpr(*aggregates))
    assert (tuple(row), counts.answered) == (expected, 0)


def test_damage_that_is_not_ignored_is_an_error(spark, two_files):
    damage_pages(two_files[0])
    with settings(spark, ONE_TASK):
        for query in (["id"], ["v:n::bigint"], ["sum(id)"]):
            df = table(spark, two_files).selectExpr(*query)
            refusal(df.collect, Path(two_files[0]).name, name="SHREDDED_VARIANT_DAMAGED_PAGES")


@pytest.mark.parametrize("gone", [0, 1])
def test_a_missing_file_adds_no_rows(spark, two_files, gone):
    with settings(spark, ONE_TASK):
        df = table(spark, two_files, ignoreMissingFiles="true")
        first = df.selectExpr("v:n::bigint AS n").orderBy("n", ascending=False).limit(3)
        counted = df.selectExpr("count(v:n::bigint)", "max(id)")
        os.remove(two_files[gone])
        assert [r.n for r in first.collect()] == ([99, 98, 97] if gone == 0 else [2999, 2998, 2997])
        assert counted.collect() == [(100, 99) if gone == 0 else (2000, 2999)]


# ---- files with damage or wrong facts anywhere ----

SHAPE = "n BIGINT, few STRING, long STRING, list ARRAY<STRUCT<x BIGINT>>, d DECIMAL(9,2)"
ROWS = """
    SELECT id, CAST(id % 7 AS STRING) AS s, map('k', CAST(id AS STRING), concat('o', id % 3), 'x') AS m,
      array(id, id + 1) AS l, named_struct('a', array(named_struct('b', id))) AS t,
      parse_json(to_json(named_struct('n', id * 1000 + id % 13, 'few', concat('text ', id % 5),
        'long', repeat(sha2(CAST(id AS STRING), 256), 2), 'd', id / 4,
        'list', transform(sequence(0, CAST(id % 4 AS INT)), i -> named_struct('x', id * i)),
        'k1', if(id % 3 = 1, array(id), NULL)))) AS v
    FROM range(0, 300, 1, 1)
"""
QUERIES = {
    "all": lambda df: df,
    "paths": lambda df: df.selectExpr("v:n::bigint", "v:few::string", "v:list[1].x::int", "v:k1[0]::int", "m['k']"),
    "few rows": lambda df: df.where("v:n::bigint % 50 = 3").selectExpr("v:long::string", "l", "t", "s"),
    "one row": lambda df: df.where("id = 151"),
    "aggregates": lambda df: df.selectExpr("count(v:n::bigint)", "min(v:few::string)", "max(id)", "count(m['k'])"),
    "first rows": lambda df: df.selectExpr("v:n::bigint AS n", "v:long::string").orderBy("n").limit(3),
    "sizes": lambda df: df.selectExpr("size(m)", "size(l)", "cast(v AS string)"),
}
DAMAGED = range(400 if FUZZ else 60)
HOSTILE = [b"\xff" * 9 + b"\x01", b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", bytes(4), b""]


@pytest.fixture(scope="module")
def whole_files(spark, tmp_path_factory):
    """The bytes of two files of the same rows, uncompressed and zstd, and the schema."""
    root = tmp_path_factory.mktemp("whole")
    rows = spark.sql(ROWS)
    for codec, rows_of_page in (("uncompressed", 50), ("zstd", 20000)):
        options = {"shredding.shape.v": SHAPE, "parquet.page.row.count.limit": str(rows_of_page)}
        options |= {"parquet.map.shredding.columns": "m", "parquet.map.shredding.m.keys": "k"}
        write(rows, root / codec, compression=codec, **options)
    return [Path(only_file(root / codec)).read_bytes() for codec in ("uncompressed", "zstd")], rows.schema


def read_or_refused(spark, schema, file, query):
    """Whether the file is read; if not, one of our errors must name it, without an accidental error around it."""
    try:
        df = spark.read.format(FORMAT).schema(schema).load(str(file))
        QUERIES[query](df).write.format("noop").mode("overwrite").save()
    except Exception as e:
        said = causes(e)
        ours = [i for i, (_, m) in enumerate(said) if m.startswith("[SHREDDED_VARIANT_")]
        assert ours, "\n".join(f"{c}: {m[:3000]}" for c, m in said)
        sentence = said[ours[0]][1]
        assert file.name in sentence, said
        assert "\n" not in sentence
        assert not [c for c, _ in said[: ours[0]] if ACCIDENT.search(c)], said
        return False
    return True


@pytest.mark.parametrize("part", ["pages", "footer", "what the footer says"])
@pytest.mark.parametrize("off_heap", ["false", "true"])
def test_a_file_with_any_damage_is_read_or_refused_by_its_name(spark, whole_files, tmp_path, part, off_heap):
    files, schema = whole_files
    rnd = random.Random(f"{part} {off_heap}")
    outcomes = {True: 0, False: 0}
    with settings(spark, {"spark.sql.columnVector.offheap.enabled": off_heap}):
        for i in DAMAGED:
            damaged = bytearray(rnd.choice(files))
            footer = len(damaged) - 8 - int.from_bytes(damaged[-8:-4], "little")
            file = tmp_path / f"damaged{i}.parquet"
            if part == "what the footer says":
                file.write_bytes(damaged)
                edit_meta_data(file, lambda meta: [spoil(meta, rnd) for _ in range(rnd.choice((1, 1, 3)))])
            else:
                start, end = (4, footer) if part == "pages" else (footer, len(damaged) - 8)
                for _ in range(rnd.choice((1, 3, 20))):
                    at = rnd.randrange(start, end - 10)
                    wrong = rnd.choice([*HOSTILE, rnd.randbytes(1), rnd.randbytes(1), rnd.randbytes(1)])
                    damaged[at : at + len(wrong)] = wrong
                file.write_bytes(damaged)
            query = rnd.choice(list(QUERIES))
            outcomes[read_or_refused(spark, schema, file, query)] += 1
            file.unlink()
    assert min(outcomes.values()) > 0, outcomes
