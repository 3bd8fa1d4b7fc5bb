"""Whatever way a write or a view names the directory of a Delta table, its log is obeyed or nothing happens."""

import json
from pathlib import Path

import pytest

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
    """Row 1 has been replaced by row 2, whose file is the only one there is."""
    path = str(tmp_path / "t")
    save(rows(spark, 1), path)
    save(rows(spark, 2), path, mode="overwrite")
    return path


def state(path):
    """The log's own bytes, and all data files."""
    log = {f.name: f.read_bytes() for f in (Path(path) / "_delta_log").iterdir() if f.suffix == ".json"}
    return log, files_on_disk(path)


MODES = {"append": [2, 3], "overwrite": [3], "ignore": [2], "error": [2]}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("options", [{}, {"table": "delta"}], ids=["without_the_option", "with_it"])
def test_save_knows_the_table_in_every_mode(spark, table, mode, options):
    log, files = state(table)
    write = rows(spark, 3).write.format(FORMAT).mode(mode).options(**options)
    if mode == "error":
        with pytest.raises(Exception, match="PATH_ALREADY_EXISTS"):
            write.save(table)
    else:
        write.save(table)
    assert ids(load(spark, table)) == MODES[mode]
    later, _ = state(table)
    assert later.items() >= log.items()
    assert len(later) - len(log) == (1 if mode in ("append", "overwrite") else 0)
    assert active(table) <= files_on_disk(table)
    if mode in ("ignore", "error"):
        assert state(table) == (log, files)


def test_a_session_that_means_files_is_refused(spark, table):
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
    other = "(id BIGINT, w VARIANT)"
    with pytest.raises(Exception, match="SHREDDED_VARIANT_DELTA"):
        spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW wrong {other} USING {FORMAT} OPTIONS (path '{table}')")
        spark.table("wrong").collect()
    assert state(table) == before


def test_inserts_into_a_view_of_load_change_nothing_but_by_a_commit(spark, table):
    log, _ = state(table)
    load(spark, table).createOrReplaceTempView("loaded")
    for kind, expected in (("INTO", [2, 4]), ("OVERWRITE", [4])):
        before = state(table)
        try:
            spark.sql(f"INSERT {kind} loaded SELECT 4L, parse_json('1'), 0")
        except Exception:
            assert state(table) == before
            continue
        assert ids(load(spark, table)) == expected
        assert state(table)[0].items() >= log.items()


def test_paths_in_sql_are_no_way_to_write(spark, table):
    before = state(table)
    for statement in (
        f"INSERT INTO {FORMAT}.`{table}` SELECT 4L, parse_json('1'), 0",
        f"INSERT OVERWRITE {FORMAT}.`{table}` SELECT 4L, parse_json('1'), 0",
        f"TRUNCATE TABLE {FORMAT}.`{table}`",
        f"DROP TABLE {FORMAT}.`{table}`",
        f"DELETE FROM {FORMAT}.`{table}`",
    ):
        with pytest.raises(Exception) as caught:
            spark.sql(statement)
        assert "NullPointer" not in str(caught.value)
        assert state(table) == before, statement
    assert json.loads(before[0][f"{0:020}.json"].splitlines()[0])


@pytest.mark.parametrize("format", ["parquet", "json"])
def test_a_write_of_another_format_is_not_ours_to_judge_but_streams_of_ours_are(spark, table, tmp_path, format):
    rows(spark, 5).select("id").write.format(format).save(str(tmp_path / "source"))
    stream = spark.readStream.schema("id BIGINT").format(format).load(str(tmp_path / "source"))
    writer = stream.writeStream.format(FORMAT).option("checkpointLocation", str(tmp_path / "c"))
    query = writer.trigger(availableNow=True).start(table)
    assert query.awaitTermination(120)
    assert ids(load(spark, table)) == [2, 5]
    assert not (Path(table) / "_spark_metadata").exists()
