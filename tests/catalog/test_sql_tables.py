"""Tables in a catalog have the same rows as `parquet` tables, however they are created, filled and replaced."""

import shutil
from pathlib import Path

import pytest
from pyspark.sql import functions as F

from catalog_tables import content, create, ids, location, rows, tables
from parquet_cells import data_files
from path_queries import leaves, settings
from scan_counts import run
from tables import FORMAT, refusal

DYNAMIC = {"spark.sql.sources.partitionOverwriteMode": "dynamic"}
COLUMNS = "id BIGINT, v VARIANT, p STRING, n INT"
DOCUMENT = "parse_json(concat('[', id, ']'))"
KINDS = {"files": {}, "delta": {"OPTIONS": "(table 'delta')"}}

# Inserts into a table partitioned by p and n that has rows in (x, 1), (x, 2) and (y, 1).
INSERTS = {
    "append": f"INSERT INTO {{t}} SELECT id, {DOCUMENT}, 'x', 1 FROM range(10, 12)",
    "append to new partitions": f"INSERT INTO {{t}} SELECT id, {DOCUMENT}, id, 7 FROM range(10, 12)",
    "append values": "INSERT INTO {t} VALUES (10, parse_json('1'), 'x', 1), (11, NULL, NULL, NULL)",
    "append nothing": "INSERT INTO {t} SELECT * FROM {t} WHERE id < 0",
    "append some columns": "INSERT INTO {t} (n, id) VALUES (3, 10)",
    "append by name": f"INSERT INTO {{t}} BY NAME SELECT 1 AS n, 'z' AS p, {DOCUMENT} AS v, id FROM range(10, 12)",
    "append to a partition": f"INSERT INTO {{t}} PARTITION (p = 'x', n = 5) SELECT id, {DOCUMENT} FROM range(10, 12)",
    "append to a part of a partition": "INSERT INTO {t} PARTITION (p = 'x', n) SELECT 10, parse_json('[]'), 5",
    "append with casts": "INSERT INTO {t} SELECT CAST(10 AS INT), parse_json('{}'), 'x', 1",
    "append what it has": "INSERT INTO {t} SELECT id + 100, v, p, n FROM {t}",
    "overwrite": f"INSERT OVERWRITE {{t}} SELECT id, {DOCUMENT}, 'x', 1 FROM range(10, 12)",
    "overwrite with nothing": "INSERT OVERWRITE {t} SELECT id, NULL, 'x', 1 FROM range(0)",
    "overwrite a partition": f"INSERT OVERWRITE {{t}} PARTITION (p = 'x', n = 1) SELECT id, {DOCUMENT} FROM range(9)",
    "overwrite the partitions of a value": "INSERT OVERWRITE {t} PARTITION (p = 'x', n) SELECT 10, parse_json('3'), 9",
    "overwrite a partition of nulls": "INSERT OVERWRITE {t} PARTITION (p = NULL, n = 1) SELECT 10, parse_json('3')",
}


@pytest.fixture(params=list(KINDS))
def kind(request):
    return KINDS[request.param]


@pytest.fixture
def pair(spark, kind):
    """A table of this source and a `parquet` table, with the same rows."""
    with tables(spark, "ours", "plain") as (ours, plain):
        create(spark, ours, COLUMNS, PARTITIONED_BY="(p, n)", **kind)
        create(spark, plain, COLUMNS, "parquet", PARTITIONED_BY="(p, n)")
        for name in (ours, plain):
            places = "(0L, 'x', 1), (1L, 'x', 2), (2L, 'y', 1), (3L, NULL, 1), (4L, 'x', 1), (5L, 'y', 1)"
            spark.sql(f"INSERT INTO {name} SELECT id, {DOCUMENT}, p, n FROM VALUES {places} AS t(id, p, n)")
        yield ours, plain


@pytest.mark.parametrize("mode", ["static", "dynamic"])
@pytest.mark.parametrize("insert", list(INSERTS))
def test_an_insert_has_the_rows_of_an_insert_into_parquet(spark, pair, insert, mode):
    ours, plain = pair
    with settings(spark, DYNAMIC if mode == "dynamic" else {}):
        for name in pair:
            spark.sql(INSERTS[insert].replace("{t}", name))
    assert content(spark.table(ours)) == content(spark.table(plain))
    assert spark.table(ours).dtypes == spark.table(plain).dtypes


@pytest.mark.parametrize("mode", ["append", "overwrite"])
@pytest.mark.parametrize("conf", [{}, DYNAMIC])
def test_insert_into_has_the_rows_of_an_insert_into_parquet(spark, pair, mode, conf):
    with settings(spark, conf):
        for name in pair:
            rows(spark, 10, 11, p="'x'", n=1).write.mode(mode).insertInto(name)
            rows(spark, 12, p="'x'", n=1).write.insertInto(name, overwrite=mode == "overwrite")
    assert content(spark.table(pair[0])) == content(spark.table(pair[1]))


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("mode", ["error", "ignore", "append", "overwrite"])
def test_save_as_table_does_in_each_mode_what_it_does_with_parquet(spark, mode, exists, kind):
    def save(name, format, mode, *ids, **options):
        writer = rows(spark, *ids, p="'x'").write.format(format).partitionBy("p").options(**options).mode(mode)
        try:
            writer.saveAsTable(name)
        except Exception as error:
            return error.getCondition()
        return ids

    option = {"table": "delta"} if kind else {}
    with tables(spark, "ours", "plain") as (ours, plain):
        outcomes = []
        for name, format, options in ((ours, FORMAT, option), (plain, "parquet", {})):
            if exists:
                save(name, format, "error", 1, 2, **options)
            outcomes.append(save(name, format, mode, 3, 4, **options))
        assert outcomes[0] == outcomes[1]
        assert content(spark.table(ours)) == content(spark.table(plain))
        assert (Path(location(spark, ours)) / "_delta_log").exists() == bool(kind)


def test_columns_are_found_by_name_or_by_position_as_in_parquet(spark, kind):
    with tables(spark, "t") as t:
        create(spark, t, **kind)
        turned = rows(spark, 1).select("v", "id")
        turned.write.format(FORMAT).mode("append").saveAsTable(t)
        with pytest.raises(Exception, match="INCOMPATIBLE_DATA_FOR_TABLE"):
            turned.write.insertInto(t)
        assert ids(spark.table(t)) == [1]


def test_the_frame_writer_of_version_2_creates_appends_and_replaces(spark, kind):
    with tables(spark, "t") as t:
        writer = rows(spark, 1, 2, 3, p="'x'").writeTo(t).using(FORMAT).partitionedBy("p")
        (writer.option("table", "delta").tableProperty("table", "delta") if kind else writer).create()
        rows(spark, 4, p="'y'").writeTo(t).append()
        assert ids(spark.table(t)) == [1, 2, 3, 4]
        rows(spark, 5, p="'y'").writeTo(t).overwritePartitions()
        assert ids(spark.table(t)) == [1, 2, 3, 5]
        rows(spark, 6, p="'x'").writeTo(t).overwrite(F.col("p") == "x")
        assert ids(spark.table(t)) == [5, 6]
        rows(spark, 7, p="'x'").writeTo(t).overwrite(F.lit(True))
        assert ids(spark.table(t)) == [7]
        rows(spark, 8).writeTo(t).using(FORMAT).createOrReplace()
        assert spark.table(t).columns == ["id", "v"] and ids(spark.table(t)) == [8]
        with pytest.raises(Exception, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
            rows(spark, 9).writeTo(t).using(FORMAT).create()


def test_rows_outside_of_what_is_overwritten_are_refused_and_a_whole_partition_is_asked_for(spark, kind):
    with tables(spark, "t") as t:
        create(spark, t, COLUMNS, PARTITIONED_BY="(p, n)", **kind)
        rows(spark, 1, p="'x'", n=1).write.insertInto(t)
        name = "DELTA_REPLACE_WHERE" if kind else "OUTSIDE_OF_PARTITION"
        with pytest.raises(Exception, match=f"SHREDDED_VARIANT_{name}"):
            rows(spark, 2, p="'y'", n=1).writeTo(t).overwrite(F.col("p") == "x")
        if not kind:
            # A task refuses the row after the files of the partition are deleted, as for a `parquet` table.
            assert ids(spark.table(t)) == []
            rows(spark, 1, p="'x'", n=1).write.insertInto(t)
            for condition in (F.col("n") == 1, F.col("p") > "a", F.col("id") == 1):
                refusal(
                    lambda c=condition: rows(spark, 2, p="'x'", n=1).writeTo(t).overwrite(c),
                    "'p', 'n'",
                    name="SHREDDED_VARIANT_PARTITION_CONDITION",
                )
            assert ids(spark.table(t)) == [1]
        else:
            assert ids(spark.table(t)) == [1]
            rows(spark, 2, p="'x'", n=1).writeTo(t).overwrite((F.col("n") == 1) & (F.col("p") > "a"))
            assert ids(spark.table(t)) == [2]


@pytest.mark.parametrize("clause", [False, True])
def test_create_table_as_select_has_the_rows_of_the_query(spark, kind, clause, tmp_path):
    where = {"LOCATION": f"'{tmp_path / 'made'}'"} if clause else {}
    with tables(spark, "t") as t:
        tail = " ".join(f"{k} {v}" for k, v in (kind | where).items())
        query = f"SELECT id, {DOCUMENT} AS v, id % 2 AS p FROM range(5)"
        spark.sql(f"CREATE TABLE {t} USING {FORMAT} PARTITIONED BY (p) {tail} AS {query}")
        assert content(spark.table(t)) == content(spark.sql(query))
        spark.sql(f"CREATE TABLE IF NOT EXISTS {t} USING {FORMAT} AS SELECT 1 AS id")
        spark.sql(f"CREATE OR REPLACE TABLE {t} USING {FORMAT} {tail} AS SELECT id, v, p FROM ({query}) WHERE id = 3")
        assert ids(spark.table(t)) == [3]
        if clause:
            assert data_files(tmp_path / "made")
            spark.sql(f"DROP TABLE {t}")
            assert data_files(tmp_path / "made")


def test_dropping_a_managed_table_deletes_its_files(spark, kind):
    with tables(spark, "t") as t:
        create(spark, t, **kind)
        rows(spark, 1).write.insertInto(t)
        directory = Path(location(spark, t))
        assert data_files(directory)
        spark.sql(f"DROP TABLE {t}")
        assert not directory.exists() and not spark.catalog.tableExists(t)


def test_an_external_table_reads_existing_files_and_infers_their_columns(spark, kind, tmp_path):
    path = str(tmp_path / "t a%20b")
    option = {"table": "delta"} if kind else {}
    rows(spark, 1, 2, p="'0x'").write.format(FORMAT).options(**option).partitionBy("p").save(path)
    with tables(spark, "given", "inferred", "absent") as (given, inferred, absent):
        create(spark, given, "id BIGINT, v VARIANT, p STRING", PARTITIONED_BY="(p)", LOCATION=f"'{path}'")
        spark.sql(f"CREATE TABLE {inferred} USING {FORMAT} LOCATION '{path}'")
        for name in (given, inferred):
            rows(spark, 3, p="'0x'").write.insertInto(name)
        assert ids(spark.table(given)) == ids(spark.table(inferred)) == [1, 2, 3, 3]
        assert content(spark.table(given))[0] == ("1", '{"a":1,"b":"x1"}', "0x")
        spark.sql(f"DROP TABLE {given}")
        assert ids(spark.read.format(FORMAT).load(path)) == [1, 2, 3, 3]
        create(spark, absent, LOCATION=f"'{tmp_path / 'nothing'}'", **kind)
        assert ids(spark.table(absent)) == []


def test_a_table_reads_just_its_leaves_and_skips_as_load_does(spark, kind):
    with tables(spark, "t") as t:
        create(spark, t, **kind, TBLPROPERTIES="('shredding.shape.v' = 'a BIGINT, b STRING')")
        for start in (0, 1000, 2000):
            rows(spark, *range(start, start + 1000)).coalesce(1).write.insertInto(t)
        query = spark.sql(f"SELECT v:b::string FROM {t} WHERE v:a::bigint = 1500")
        assert leaves(query) == {"v.a", "v.b"}
        result, counts = run(query)
        assert [tuple(r) for r in result] == [("x1500",)]
        assert (counts.files if kind else counts.groups)[1] == 2
        (row,), counts = run(spark.sql(f"SELECT count(*), max(v:a::bigint) FROM {t}"))
        assert tuple(row) == (3000, 2999) and counts.answered == 3


def test_partitions_of_a_table_are_pruned(spark, pair):
    result, counts = run(spark.table(pair[0]).where("p = 'y'"))
    assert len(result) == 2 and counts.files == (2, 4)


def test_a_cached_table_is_read_again_after_a_write(spark, kind):
    with tables(spark, "t") as t:
        create(spark, t, **kind)
        spark.sql(f"CACHE TABLE {t}")
        for i in range(3):
            rows(spark, i).write.insertInto(t)
            assert ids(spark.table(t)) == list(range(i + 1))
            assert spark.catalog.isCached(t)
        spark.sql(f"UNCACHE TABLE {t}")


def test_cached_rows_of_a_path_are_not_those_of_the_path_after_a_write(spark, tmp_path, kind):
    path = str(tmp_path / "t")

    def save(mode, *ids):
        option = {"table": "delta"} if kind else {}
        rows(spark, *ids).write.format(FORMAT).options(**option).mode(mode).save(path)

    def cached():
        df = spark.read.format(FORMAT).load(path)
        assert df.cache().count() == len(ids(df))
        return df

    try:
        save("append", 1)
        cached()
        save("append", 2)
        assert ids(spark.read.format(FORMAT).load(path)) == [1, 2]
        cached()
        save("overwrite", 3)
        assert ids(spark.read.format(FORMAT).load(path)) == [3]
        cached()
        shutil.rmtree(path)
        save("append", 4)
        assert ids(spark.read.format(FORMAT).load(path)) == [4]
        again = cached()
        assert "InMemoryRelation" in again._jdf.queryExecution().withCachedData().toString()
    finally:
        spark.catalog.clearCache()


def test_a_view_of_a_path_takes_inserts_as_parquet_does(spark, tmp_path, kind):
    option = {"table": "delta"} if kind else {}
    rows(spark, 1).write.format(FORMAT).options(**option).save(str(tmp_path / "t"))
    spark.read.format(FORMAT).load(str(tmp_path / "t")).createOrReplaceTempView("loaded")
    spark.sql(f"INSERT INTO loaded SELECT 2, {DOCUMENT} FROM range(1)")
    assert ids(spark.read.format(FORMAT).load(str(tmp_path / "t"))) == [1, 2]
    spark.sql(f"INSERT OVERWRITE loaded SELECT 3, {DOCUMENT} FROM range(1)")
    assert ids(spark.read.format(FORMAT).load(str(tmp_path / "t"))) == [3]


def test_rows_are_inserted_into_one_directory_alone(spark, tmp_path):
    rows(spark, 1).write.format(FORMAT).save(str(tmp_path / "t"))
    for several in (str(tmp_path / "*"), [str(tmp_path / "t")] * 2):
        spark.read.format(FORMAT).load(several).createOrReplaceTempView("loaded")
        refusal(lambda: spark.sql("INSERT INTO loaded SELECT 4, NULL"), name="SHREDDED_VARIANT_NOT_ONE_PATH")


def test_a_write_that_fails_leaves_the_table_as_it_was(spark, kind):
    with tables(spark, "t", "made") as (t, made):
        create(spark, t, **kind)
        rows(spark, 1, 2).write.insertInto(t)
        before = content(spark.table(t))
        failing = "SELECT id, CAST(1 / (4999 - id) AS VARIANT) AS v FROM range(5000)"
        with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            spark.sql(f"INSERT INTO {t} {failing}")
        assert content(spark.table(t)) == before
        tail = " ".join(f"{k} {v}" for k, v in kind.items())
        with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            spark.sql(f"CREATE TABLE {made} USING {FORMAT} {tail} AS {failing}")
        assert not spark.catalog.tableExists(made)


def test_a_table_is_not_overwritten_by_a_query_that_reads_it(spark):
    with tables(spark, "t") as t:
        create(spark, t)
        rows(spark, 1, 2).write.insertInto(t)
        path = location(spark, t)
        for overwrite in (
            lambda: spark.sql(f"INSERT OVERWRITE {t} SELECT * FROM {t}"),
            lambda: spark.table(t).write.format(FORMAT).mode("overwrite").saveAsTable(t),
            lambda: spark.sql(f"CREATE OR REPLACE TABLE {t} USING {FORMAT} AS SELECT * FROM {t} WHERE id = 1"),
            lambda: spark.read.format(FORMAT).load(path).write.format(FORMAT).mode("overwrite").saveAsTable(t),
        ):
            refusal(overwrite, name="SHREDDED_VARIANT_OVERWRITE_OF_INPUT")
        assert ids(spark.table(t)) == [1, 2]


def test_an_overwrite_of_a_delta_table_may_read_it(spark):
    with tables(spark, "t") as t:
        create(spark, t, OPTIONS="(table 'delta')")
        rows(spark, 1, 2).write.insertInto(t)
        spark.sql(f"INSERT OVERWRITE {t} SELECT id + 10, v FROM {t} WHERE id = 1")
        assert ids(spark.table(t)) == [11]


def test_create_table_as_select_into_a_directory_with_files_is_refused(spark, tmp_path, kind):
    path = str(tmp_path / "t")
    rows(spark, 1).write.format(FORMAT).options(**({"table": "delta"} if kind else {})).save(path)
    with tables(spark, "t") as t:
        with pytest.raises(Exception, match="non-empty directory"):
            spark.sql(f"CREATE TABLE {t} USING {FORMAT} LOCATION '{path}' AS SELECT 2L AS id, parse_json('2') AS v")
        with pytest.raises(Exception, match="non-empty directory"):
            rows(spark, 2).write.format(FORMAT).option("path", path).saveAsTable(t)
        assert not spark.catalog.tableExists(t)
        rows(spark, 3).write.format(FORMAT).option("path", path).mode("overwrite").saveAsTable(t)
        assert ids(spark.table(t)) == ids(spark.read.format(FORMAT).load(path)) == [3]


def test_columns_can_be_added_and_described_but_not_dropped(spark):
    with tables(spark, "t") as t:
        create(spark, t)
        rows(spark, 1).write.insertInto(t)
        spark.sql(f"ALTER TABLE {t} ADD COLUMN s STRING")
        spark.sql(f"INSERT INTO {t} VALUES (2, NULL, 'x')")
        assert [tuple(r) for r in spark.sql(f"SELECT id, s FROM {t} ORDER BY id").collect()] == [(1, None), (2, "x")]
        for change in ("DROP COLUMN s", "RENAME COLUMN s TO r", "ALTER COLUMN id TYPE STRING"):
            refusal(lambda c=change: spark.sql(f"ALTER TABLE {t} {c}"), name="SHREDDED_VARIANT_TABLE_COLUMN")
        spark.sql(f"ALTER TABLE {t} ALTER COLUMN s COMMENT 'of note'")
        assert "of note" in str(spark.sql(f"DESCRIBE {t}").collect())


def test_spark_shows_a_table_as_it_was_made(spark):
    with tables(spark, "t") as t:
        create(spark, t, PARTITIONED_BY="(id)", COMMENT="'of events'", TBLPROPERTIES="('shredding' = 'off')")
        (made,) = (r[0] for r in spark.sql(f"SHOW CREATE TABLE {t}").collect())
        assert "USING shredded_variant" in made and "PARTITIONED BY (id)" in made and "'shredding' = 'off'" in made
        assert "LOCATION" not in made and "'path'" not in made
