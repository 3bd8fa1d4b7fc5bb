"""A new table has a log directory before it has data files, and no reader reads the files before the first commit."""

import shutil
from pathlib import Path

import pytest

from catalog_tables import create, tables
from delta_tables import active, commits, files_on_disk, load, save
from tables import FORMAT, refusal

UNCOMMITTED = "SHREDDED_VARIANT_DELTA_UNCOMMITTED"


def rows(spark, *ids):
    df = spark.createDataFrame([(i,) for i in ids], "id BIGINT").coalesce(1)
    return df.selectExpr("id", "CAST(id AS VARIANT) AS v")


def ids(df):
    return sorted(r[0] for r in df.select("id").collect())


def raising(spark):
    """Rows whose last one makes the write fail, after the first rows are in a file."""
    return spark.sql("SELECT id, IF(id = 99999, raise_error('no more'), id)::VARIANT AS v FROM range(0, 100000, 1, 1)")


@pytest.fixture
def begun(spark, tmp_path):
    """A path as a killed write leaves it: an empty log, and a data file that no commit names."""
    path = tmp_path / "begun"
    rows(spark, 1).write.format(FORMAT).save(str(path))
    shutil.rmtree(path / "_shredding", ignore_errors=True)
    (path / "_SUCCESS").unlink(missing_ok=True)
    (path / "_delta_log").mkdir()
    return path


def test_rows_of_a_write_that_was_killed_are_not_read(spark, begun):
    refusal(lambda: load(spark, begun).collect(), str(begun), "remove the directory", name=UNCOMMITTED)
    # As if a process was killed during its commit.
    (begun / "_delta_log" / ".00000000000000000000.json.1.tmp").write_text("{}")
    refusal(lambda: load(spark, begun).collect(), name=UNCOMMITTED)
    refusal(lambda: load(spark, f"{begun}/*.parquet").collect(), "begun", name="SHREDDED_VARIANT_INSIDE_DELTA_TABLE")
    refusal(lambda: load(spark, begun.parent / "beg*").collect(), "begun", name="SHREDDED_VARIANT_DELTA_ROUTE")
    refusal(lambda: spark.readStream.format(FORMAT).load(str(begun)), name=UNCOMMITTED)


def test_files_of_an_uncommitted_creation_are_named_and_never_read(spark, begun):
    for mode in ("append", "overwrite"):
        for options in ({}, {"table": "delta"}):
            write = rows(spark, 2).write.format(FORMAT).mode(mode).options(**options)
            refusal(lambda w=write: w.save(str(begun)), "remove the files", name="SHREDDED_VARIANT_DELTA_OVER_FILES")
    assert (begun / "_delta_log").is_dir(), "a write that is refused takes no log away"
    for file in files_on_disk(begun):
        (begun / file).unlink()
    save(rows(spark, 2), begun)
    assert ids(load(spark, begun)) == [2] and len(commits(begun)) == 1


def test_a_stream_makes_the_table(spark, begun, tmp_path):
    for file in files_on_disk(begun):
        (begun / file).unlink()
    rows(spark, 3).write.parquet(str(tmp_path / "source"))
    stream = spark.readStream.schema("id BIGINT, v VARIANT").parquet(str(tmp_path / "source")).writeStream
    stream = stream.format(FORMAT).option("checkpointLocation", str(tmp_path / "checkpoint"))
    assert stream.trigger(availableNow=True).start(str(begun)).awaitTermination(120)
    assert ids(load(spark, begun)) == [3]


@pytest.mark.parametrize("options", [{}, {"OPTIONS": "(table 'delta')"}], ids=["without_the_option", "with_it"])
def test_a_table_of_a_catalog_has_no_rows_until_then(spark, begun, options):
    with tables(spark, "t") as name:
        create(spark, name, LOCATION=f"'{begun}'", **options)
        assert ids(spark.table(name)) == []
        for file in files_on_disk(begun):
            (begun / file).unlink()
        spark.sql(f"INSERT INTO {name} SELECT 4L, CAST(4 AS VARIANT)")
        assert ids(spark.table(name)) == ids(load(spark, begun)) == [4]


def test_a_creation_that_fails_leaves_no_log(spark, tmp_path):
    path = tmp_path / "t"
    with pytest.raises(Exception, match="no more"):
        save(raising(spark), path)
    assert not (path / "_delta_log").exists() and not files_on_disk(path)
    save(rows(spark, 5), path)
    assert ids(load(spark, path)) == [5]


def test_a_failed_write_does_not_remove_a_log_of_another_writer(spark, tmp_path):
    path = save(rows(spark, 5), tmp_path / "t")
    with pytest.raises(Exception, match="no more"):
        save(raising(spark), path)
    assert ids(load(spark, path)) == [5] and files_on_disk(path) == active(path)


def test_files_of_a_table_are_not_read_before_its_first_commit(spark, tmp_path):
    """The log directory exists when the first row is written."""
    from pyspark.sql import functions as f

    path, seen = tmp_path / "t", tmp_path / "seen"

    def look(row):
        with open(seen, "a") as out:
            out.write(f"{Path(path, '_delta_log').is_dir()}\n")
        return row

    save(rows(spark, 1, 2).withColumn("id", f.udf(look, "bigint")("id")), path)
    assert set(seen.read_text().split()) == {"True"}
    assert ids(load(spark, path)) == [1, 2]
