"""Files that turn out to be damaged or missing when they are read: where that is ignored, others lose no rows by it."""

import os

import pyarrow.parquet as pq
import pytest
from parquet_cells import only_file
from path_queries import settings
from scan_counts import run
from tables import FORMAT, write

# All files in one task, the larger ones first.
ONE_TASK = {"spark.sql.files.openCostInBytes": "0", "spark.sql.files.minPartitionNum": "1"}
IGNORED = {"spark.sql.files.ignoreCorruptFiles": "true"}


def damage_pages(file):
    """Leaves the footer as it is."""
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
    """Law: no row is left out for one that a footer promises, where it may never come."""
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
    """As Spark has it where it computes them; a footer would count rows that no query can read."""
    damage_pages(two_files[0])
    with settings(spark, ONE_TASK | IGNORED):
        (row,), counts = run(table(spark, two_files).selectExpr(*aggregates))
    assert (tuple(row), counts.answered) == (expected, 0)


def test_damage_that_is_not_ignored_is_an_error(spark, two_files):
    damage_pages(two_files[0])
    with settings(spark, ONE_TASK):
        for query in (["id"], ["v:n::bigint"], ["sum(id)"]):
            with pytest.raises(Exception, match=r"FAILED_READ_FILE|SHREDDED_VARIANT"):
                table(spark, two_files).selectExpr(*query).collect()


@pytest.mark.parametrize("gone", [0, 1])
def test_a_file_that_is_missing_promises_no_rows(spark, two_files, gone):
    with settings(spark, ONE_TASK):
        df = table(spark, two_files, ignoreMissingFiles="true")
        first = df.selectExpr("v:n::bigint AS n").orderBy("n", ascending=False).limit(3)
        counted = df.selectExpr("count(v:n::bigint)", "max(id)")
        os.remove(two_files[gone])
        assert [r.n for r in first.collect()] == ([99, 98, 97] if gone == 0 else [2999, 2998, 2997])
        assert counted.collect() == [(100, 99) if gone == 0 else (2000, 2999)]
