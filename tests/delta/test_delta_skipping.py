"""Filters open only the files of a Delta table that can have matching rows."""

import shutil
from pathlib import Path

import pytest

from delta_tables import actions, files_on_disk, load, save, statistics
from path_queries import settings
from scan_counts import run
from tables import refusal

FILES = 1000
SHAPE = "n BIGINT, s STRING, f DOUBLE, o STRUCT<d DATE>"
DOCUMENT = (
    "to_variant_object(named_struct('n', id, 's', 'k' || lpad(id, 6, '0'), 'f', id / 2, "
    "'o', named_struct('d', date_add(DATE'2020-01-01', CAST(id / 100 AS INT)))))"
)


@pytest.fixture(scope="module")
def table(spark, tmp_path_factory):
    """A thousand files of a hundred rows each, in the order of `id`."""
    path = tmp_path_factory.mktemp("files") / "t"
    df = spark.range(0, FILES * 100, 1, FILES).selectExpr("id", f"{DOCUMENT} AS v", "id % 2 = 0 AS flag")
    return save(df, path, **{"shredding.shape.v": SHAPE})


# filter: how many of the thousand files are opened, and of how many of them row groups are read, if these are fewer
FILTERS = {
    "id BETWEEN 350 AND 550": 3,
    "v:n::bigint BETWEEN 350 AND 550": 3,
    "v:n::int = 350": 1,
    "v:n::double < 250.5": 3,
    "v:n::bigint IN (1, 50000, 99999, 100000)": 3,
    "v:s::string >= 'k099900'": 1,
    "v:s::string LIKE 'k0003%'": 1,
    "v:f::double < 100": 2,
    "v:o.d::date = DATE'2020-01-11'": 1,
    "v:n::bigint < 150 AND v:s::string > 'k000100'": 1,
    "v:n::bigint < 50 OR v:n::bigint > 99949": 2,
    "NOT (v:n::bigint >= 100)": 1,
    "v:n::bigint < 0": 0,
    "v IS NULL": 0,
    "v:absent::bigint = 1": (1000, 0),
    "flag": 1000,
}


@pytest.mark.parametrize("condition", FILTERS)
def test_files_that_cannot_match_are_not_opened(spark, table, condition):
    expected = FILTERS[condition]
    opened, read = expected if isinstance(expected, tuple) else (expected, expected)
    df = load(spark, table).where(condition).selectExpr("id", "v:n::bigint AS n")
    assert f"Files: [{opened} of {FILES}]" in df._jdf.queryExecution().toString()
    rows, counts = run(df)
    assert counts.files == (read, FILES - read)
    with settings(spark, {"spark.sql.parquet.filterPushdown": "false"}):
        assert sorted(map(tuple, rows)) == sorted(map(tuple, df.collect()))


@pytest.fixture
def remains(table, tmp_path):
    """The table; all its files are invalid except the three that a range matches."""
    copy = Path(shutil.copytree(table, tmp_path / "remains"))
    firsts = [file["minValues"]["id"] for file in statistics(copy, 0)]
    paths = [add["path"] for add in actions(copy, "add", 0)]
    matching = {path for path, first in zip(paths, firsts, strict=True) if first in (300, 400, 500)}
    others = files_on_disk(copy) - matching
    assert (len(matching), len(others)) == (3, FILES - 3)
    for other in others:
        (copy / other).write_bytes(b"no Parquet at all")
    return copy, others


@pytest.mark.parametrize("column", ["id", "v:n::bigint"])
def test_a_range_that_three_files_of_a_thousand_match_opens_these_three(spark, remains, column):
    path, others = remains
    condition = f"{column} BETWEEN 350 AND 550"
    rows, counts = run(load(spark, path).where(condition).select("id"))
    assert sorted(r[0] for r in rows) == list(range(350, 551))
    assert counts.files == (3, FILES - 3)
    more = load(spark, path).where(f"{column} BETWEEN 350 AND 650")
    refusal(more.collect, name="SHREDDED_VARIANT_NOT_PARQUET")
    for other in others:
        (path / other).unlink()
    assert load(spark, path).where(condition).count() == 201


def test_keys_of_a_join_skip_files(spark, table):
    load(spark, table).createOrReplaceTempView("t")
    values = "(5L, 'a'), (99000L, 'a'), (50000L, 'b')"
    spark.sql(f"SELECT * FROM VALUES {values} AS k(k, x)").createOrReplaceTempView("k")
    query = "SELECT t.id FROM t JOIN k ON t.v:n::bigint = k.k WHERE k.x = 'a'"
    with settings(spark, {"spark.sql.optimizer.dynamicPartitionPruning.enabled": "true"}):
        rows, counts = run(spark.sql(query))
    assert sorted(r[0] for r in rows) == [5, 99000]
    assert counts.files == (2, FILES - 2)


def test_a_checkpoint_keeps_the_statistics(spark, tmp_path):
    path = tmp_path / "t"
    for i in range(12):
        df = spark.range(i * 10, i * 10 + 10, 1, 1).selectExpr("id", f"{DOCUMENT} AS v")
        save(df, path, **{"shredding.shape.v": SHAPE})
    for version in range(10):
        (path / "_delta_log" / f"{version:020}.json").unlink()
    _, counts = run(load(spark, path).where("v:n::bigint = 15").select("id"))
    assert counts.files == (1, 11)
