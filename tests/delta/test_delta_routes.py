"""A write or view that names the directory of a Delta table, by any route, follows its log or changes nothing."""

from pathlib import Path

import pytest
from pyspark.errors import AnalysisException

from delta_tables import active, commits, files_on_disk, load, save
from path_queries import settings
from tables import FORMAT, refusal


def rows(spark, *ids, p=0):
    df = spark.createDataFrame([(i,) for i in ids], "id BIGINT").coalesce(1)
    return df.selectExpr("id", "parse_json(concat('{\"a\":', id, '}')) AS v", f"{p} AS p")


def ids(df):
    return sorted(r[0] for r in df.select("id").collect())


@pytest.fixture
def table(spark, tmp_path):
    """A table whose row 1 an overwrite has replaced by row 2."""
    path = str(tmp_path / "t")
    save(rows(spark, 1), path)
    save(rows(spark, 2), path, mode="overwrite")
    return path


def state(path):
    """The bytes of each commit by its file name, and the names of the data files."""
    log = {f.name: f.read_bytes() for f in (Path(path) / "_delta_log").iterdir() if f.suffix == ".json"}
    return log, files_on_disk(path)


OPTIONS = pytest.mark.parametrize("options", [{}, {"table": "delta"}], ids=["without_the_option", "with_it"])


@OPTIONS
@pytest.mark.parametrize(("mode", "expected"), [("append", [2, 3]), ("overwrite", [3])])
def test_save_appends_and_overwrites_by_one_commit(spark, table, mode, expected, options):
    log, _ = state(table)
    rows(spark, 3).write.format(FORMAT).mode(mode).options(**options).save(table)
    assert ids(load(spark, table)) == expected
    later, _ = state(table)
    assert later.items() >= log.items() and len(later) == len(log) + 1
    assert active(table) <= files_on_disk(table)


@OPTIONS
def test_save_in_the_modes_ignore_and_error_changes_nothing(spark, table, options):
    before = state(table)
    write = rows(spark, 3).write.format(FORMAT).options(**options)
    write.mode("ignore").save(table)
    with pytest.raises(Exception, match="PATH_ALREADY_EXISTS"):
        write.mode("error").save(table)
    assert state(table) == before and ids(load(spark, table)) == [2]


def test_a_write_of_files_into_a_delta_table_is_refused(spark, table):
    before = state(table)
    for mode in ("append", "overwrite"):
        refusal(lambda m=mode: save(rows(spark, 3), table, mode=m, table="files"), "'table'")
    with settings(spark, {"spark.datasource.shredded_variant.table": "files"}):
        assert ids(load(spark, table)) == [2]
    assert state(table) == before


def test_insert_overwrite_directory_replaces_the_rows_of_the_table(spark, table):
    log, _ = state(table)
    rows(spark, 3).createOrReplaceTempView("new_rows")
    spark.sql(f"INSERT OVERWRITE DIRECTORY '{table}' USING {FORMAT} SELECT * FROM new_rows")
    assert ids(load(spark, table)) == [3]
    assert ids(load(spark, table, versionAsOf=str(len(log) - 1))) == [2]
    assert state(table)[0].items() >= log.items()
    spark.sql(f"INSERT OVERWRITE DIRECTORY '{table}' USING {FORMAT} OPTIONS (table 'delta') SELECT * FROM new_rows")
    assert ids(load(spark, table)) == [3]
    before = state(table)
    refusal(
        lambda: spark.sql(
            f"INSERT OVERWRITE DIRECTORY '{table}' USING {FORMAT} OPTIONS (table 'files') SELECT * FROM new_rows"
        ),
        "'table'",
    )
    refusal(
        lambda: spark.sql(f"INSERT OVERWRITE DIRECTORY '{table}/p' USING {FORMAT} SELECT * FROM new_rows"), "inside"
    )
    assert state(table) == before


def test_insert_overwrite_directory_makes_a_table_where_it_is_asked_to(spark, tmp_path):
    rows(spark, 3).createOrReplaceTempView("new_rows")
    path = str(tmp_path / "new")
    spark.sql(f"INSERT OVERWRITE DIRECTORY '{path}' USING {FORMAT} OPTIONS (table 'delta') SELECT * FROM new_rows")
    assert (ids(load(spark, path)), len(commits(path))) == ([3], 1)


@pytest.mark.parametrize("columns", ["", "(id BIGINT, v VARIANT, p INT)"])
def test_a_temporary_view_shows_what_the_log_says(spark, table, columns):
    before = state(table)
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW seen {columns} USING {FORMAT} OPTIONS (path '{table}')")
    assert ids(spark.table("seen")) == [2]
    assert spark.sql("SELECT count(*), max(v:a::int), max(p) FROM seen WHERE v:a::int > 0").collect() == [(1, 2, 0)]
    other = f"CREATE TEMPORARY VIEW wrong (id BIGINT, w VARIANT) USING {FORMAT} OPTIONS (path '{table}')"
    refusal(lambda: spark.sql(other), r"schema\(", name="SHREDDED_VARIANT_DELTA_SCHEMA")
    assert state(table) == before


@pytest.mark.parametrize(("kind", "expected"), [("INTO", [2, 4]), ("OVERWRITE", [4])])
def test_an_insert_into_a_view_of_load_is_one_commit(spark, table, kind, expected):
    log, _ = state(table)
    load(spark, table).createOrReplaceTempView("loaded")
    spark.sql(f"INSERT {kind} loaded SELECT 4L, parse_json('1'), 0")
    assert ids(load(spark, table)) == expected
    later, _ = state(table)
    assert later.items() >= log.items() and len(later) == len(log) + 1


# statement: the condition of Spark's error; only queries find a table by its path
WRITES = {
    "INSERT INTO {t} SELECT 4L, parse_json('1'), 0": "TABLE_OR_VIEW_NOT_FOUND",
    "INSERT OVERWRITE {t} SELECT 4L, parse_json('1'), 0": "TABLE_OR_VIEW_NOT_FOUND",
    "TRUNCATE TABLE {t}": "TABLE_OR_VIEW_NOT_FOUND",
    "DROP TABLE {t}": "TABLE_OR_VIEW_NOT_FOUND",
    "DELETE FROM {t}": "does not support deletes",
}


@pytest.mark.parametrize("statement", WRITES)
def test_writes_to_paths_in_sql_are_refused(spark, table, statement):
    before = state(table)
    with pytest.raises(AnalysisException, match=WRITES[statement]):
        spark.sql(statement.format(t=f"{FORMAT}.`{table}`"))
    assert state(table) == before


@pytest.mark.parametrize("format", ["parquet", "json"])
def test_a_stream_from_another_format_writes_by_a_commit(spark, table, tmp_path, format):
    rows(spark, 5).select("id").write.format(format).save(str(tmp_path / "source"))
    stream = spark.readStream.schema("id BIGINT").format(format).load(str(tmp_path / "source"))
    writer = stream.writeStream.format(FORMAT).option("checkpointLocation", str(tmp_path / "c"))
    query = writer.trigger(availableNow=True).start(table)
    assert query.awaitTermination(120)
    assert ids(load(spark, table)) == [2, 5]
    assert not (Path(table) / "_spark_metadata").exists()
