"""Tables in a catalog whose options give maps hot keys: every write and read uses them, and wrong ones are refused."""

import pytest

from catalog_tables import create, listed, location, tables
from map_cases import hot
from map_files import ROWS, SCHEMA, foreign, named_keys
from parquet_cells import data_files
from path_queries import leaves
from tables import FORMAT, refusal, write

COLUMNS = "id INT, m MAP<STRING, STRING>"
HOT = hot("m", ["a", "b"])
CLAUSES = ["TBLPROPERTIES", "OPTIONS"]
RESERVED = "`__paimon_map_shred_x_0`"


def keys(spark, table):
    """The hot keys of each file."""
    return [named_keys(file) for file in data_files(location(spark, table))]


def maps(spark, table):
    return sorted((r.id, sorted(map(str, (r.m or {}).items()))) for r in spark.table(table).collect())


def expected(times=1):
    return sorted((i, sorted(map(str, (m or {}).items()))) for i, m in ROWS * times)


@pytest.fixture
def source(spark):
    """A view of the rows, with one partition, so that each write makes one file."""
    spark.createDataFrame(ROWS, SCHEMA).coalesce(1).createOrReplaceTempView("maps")
    yield spark.table("maps")
    spark.catalog.dropTempView("maps")


WRITES = {
    "INSERT INTO": lambda spark, t: spark.sql(f"INSERT INTO {t} SELECT * FROM maps"),
    "INSERT BY NAME": lambda spark, t: spark.sql(f"INSERT INTO {t} BY NAME SELECT m, id FROM maps"),
    "INSERT OVERWRITE": lambda spark, t: spark.sql(f"INSERT OVERWRITE {t} SELECT * FROM maps"),
    "insertInto": lambda spark, t: spark.table("maps").write.insertInto(t),
    "saveAsTable": lambda spark, t: spark.table("maps").write.format(FORMAT).mode("append").saveAsTable(t),
    "writeTo": lambda spark, t: spark.table("maps").writeTo(t).append(),
    "overwritePartitions": lambda spark, t: spark.table("maps").writeTo(t).overwritePartitions(),
}


@pytest.mark.parametrize("clause", CLAUSES)
@pytest.mark.parametrize("name", WRITES)
def test_hot_keys_of_the_table_are_those_of_every_write(spark, source, name, clause):
    with tables(spark, "t") as t:
        create(spark, t, COLUMNS, **{clause: listed(HOT)})
        WRITES[name](spark, t)
        assert keys(spark, t) == [["a", "b"]]
        assert maps(spark, t) == expected()
        WRITES[name](spark, t)
        assert set(map(tuple, keys(spark, t))) == {("a", "b")}


@pytest.mark.parametrize("clause", CLAUSES)
@pytest.mark.parametrize("create", ["CREATE TABLE", "CREATE OR REPLACE TABLE"])
def test_a_table_that_is_made_of_a_query_has_its_hot_keys(spark, source, create, clause):
    with tables(spark, "t") as t:
        for times in (1, 2) if "REPLACE" in create else (1,):
            spark.sql(f"{create} {t} USING {FORMAT} {clause} {listed(HOT)} AS SELECT * FROM maps")
            assert keys(spark, t) == [["a", "b"]] and maps(spark, t) == expected(), times
        spark.sql(f"INSERT INTO {t} SELECT * FROM maps")
        assert keys(spark, t) == [["a", "b"]] * 2 and maps(spark, t) == expected(2)


def test_hot_keys_that_the_first_write_was_given_stay_with_the_table(spark, source):
    with tables(spark, "saved", "written") as (saved, written):
        source.write.format(FORMAT).options(**HOT).saveAsTable(saved)
        source.writeTo(written).using(FORMAT).options(**HOT).create()
        for t in (saved, written):
            spark.sql(f"INSERT INTO {t} SELECT * FROM maps")
            assert keys(spark, t) == [["a", "b"]] * 2 and maps(spark, t) == expected(2)


def test_partitions_have_the_hot_keys_of_the_table(spark, source):
    with tables(spark, "t") as t:
        create(spark, t, f"{COLUMNS}, p INT", PARTITIONED_BY="(p)", TBLPROPERTIES=listed(HOT))
        spark.sql(f"INSERT INTO {t} SELECT *, id % 2 FROM maps")
        spark.sql(f"INSERT OVERWRITE {t} PARTITION (p = 1) SELECT * FROM maps WHERE id % 2 = 1")
        assert keys(spark, t) == [["a", "b"]] * 2 and maps(spark, t) == expected()


def test_options_of_a_write_go_before_the_tables_hot_keys(spark, source):
    with tables(spark, "t") as t:
        create(spark, t, COLUMNS, TBLPROPERTIES=listed(HOT))
        source.writeTo(t).options(**hot("m", ["x"])).append()
        assert keys(spark, t) == [["x"]] and maps(spark, t) == expected()
        spark.sql(f"ALTER TABLE {t} SET TBLPROPERTIES ('parquet.map.shredding.m.keys' = 'b')")
        spark.sql(f"INSERT INTO {t} SELECT * FROM maps")
        assert sorted(keys(spark, t)) == [["b"], ["x"]] and maps(spark, t) == expected(2)
        spark.sql(
            f"ALTER TABLE {t} UNSET TBLPROPERTIES ('parquet.map.shredding.m.keys', 'parquet.map.shredding.columns')"
        )
        spark.sql(f"INSERT OVERWRITE {t} SELECT * FROM maps")
        assert keys(spark, t) == [[]] and maps(spark, t) == expected()


def test_a_table_keeps_the_hot_keys_inferred_from_its_first_rows(spark):
    options = {"parquet.map.shredding.columns": "m", "parquet.map.shredding.m.infer": "true"}
    with tables(spark, "t") as t:
        create(spark, t, COLUMNS, TBLPROPERTIES=listed(options))
        for i, key in enumerate(("k", "other", "more")):
            spark.sql(
                f"INSERT INTO {t} SELECT /*+ COALESCE(1) */ CAST(id AS INT), map('{key}', string(id)) FROM range(2000)"
            )
            assert keys(spark, t) == [["k"]] * (i + 1)
        assert spark.sql(f"SELECT count(m['k']), count(m['other']) FROM {t}").first()[:] == (2000, 2000)


def test_a_stream_writes_and_reads_the_files_of_a_table(spark, source, tmp_path):
    with tables(spark, "t") as t:
        create(spark, t, COLUMNS, LOCATION=f"'{tmp_path / 't'}'", TBLPROPERTIES=listed(HOT))
        source.write.parquet(str(tmp_path / "rows"))
        rows = spark.readStream.schema(SCHEMA).parquet(str(tmp_path / "rows"))
        to = rows.writeStream.format(FORMAT).options(**HOT).option("checkpointLocation", str(tmp_path / "check"))
        to.trigger(availableNow=True).start(str(tmp_path / "t")).awaitTermination()
        assert keys(spark, t) == [["a", "b"]] and maps(spark, t) == expected()
        read = spark.readStream.format(FORMAT).schema(SCHEMA).load(str(tmp_path / "t")).writeStream.format("parquet")
        read = read.option("checkpointLocation", str(tmp_path / "check2")).trigger(availableNow=True)
        read.start(str(tmp_path / "read")).awaitTermination()
        again = spark.read.parquet(str(tmp_path / "read"))
        again.createOrReplaceTempView("again")
        assert maps(spark, "again") == expected()
        spark.catalog.dropTempView("again")


# ---- reading ----


def test_files_without_keys_in_their_footers_have_those_of_the_table(spark, tmp_path):
    hot_key, residual = ["1", None, None, None, None], [(0, {"x": "2"}), *ROWS[1:]]
    foreign(tmp_path / "f.parquet", {0: hot_key}, None, residual)
    named = "'parquet.map.shredding.m.keys' = 'a'"
    at = f"USING {FORMAT} LOCATION '{tmp_path}'"
    with tables(spark, "given", "inferred", "bare") as (given, inferred, bare):
        spark.sql(f"CREATE TABLE {given} ({COLUMNS}) {at} TBLPROPERTIES ({named})")
        spark.sql(f"CREATE TABLE {inferred} {at} OPTIONS ({named})")
        spark.sql(f"CREATE TABLE {bare} {at}")
        for t in (given, inferred):
            assert spark.table(t).columns == ["id", "m"] and maps(spark, t) == expected()
            assert [r[0] for r in spark.sql(f"SELECT m['a'] FROM {t} ORDER BY id").collect()] == hot_key
            assert spark.sql(f"SELECT count(*) FROM {t} WHERE m['a'] = '1'").first()[0] == 1
            inserted = f"INSERT INTO {t} VALUES (9, map('a', '9'))"
            insert = lambda q=inserted: spark.sql(q)  # noqa: E731
            refusal(insert, r"parquet\.map\.shredding\.columns", name="SHREDDED_VARIANT_MAP_NOT_LISTED")
        refusal(lambda: spark.table(bare).collect(), r"f\.parquet", name="SHREDDED_VARIANT_UNNAMED_HOT_KEYS")
        spark.sql(f"ALTER TABLE {bare} SET TBLPROPERTIES ({named})")
        assert maps(spark, bare) == expected()
        assert spark.read.option("parquet.map.shredding.m.keys", "b").table(given).orderBy("id").first().m["b"] == "1"


def test_tables_have_no_columns_of_hot_keys(spark, source, tmp_path):
    path = write(source, tmp_path / "t", **HOT)
    with tables(spark, "t", "copy") as (t, copy):
        spark.sql(f"CREATE TABLE {t} USING {FORMAT} LOCATION '{path}' TBLPROPERTIES {listed(HOT)}")
        spark.sql(f"CREATE TABLE {copy} USING {FORMAT} AS SELECT * FROM {t}")
        spark.sql(f"ALTER TABLE {t} ADD COLUMN more MAP<STRING, INT>")
        spark.sql(f"INSERT INTO {t} SELECT *, map('a', id) FROM maps")
        for name, columns in ((t, ["id", "m", "more"]), (copy, ["id", "m"])):
            assert spark.table(name).columns == columns
            assert [r[0] for r in spark.sql(f"SHOW COLUMNS IN {name}").collect()] == columns
            for statement in ("DESCRIBE EXTENDED", "SHOW CREATE TABLE"):
                assert "__paimon" not in str(spark.sql(f"{statement} {name}").collect())
        assert maps(spark, t) == expected(2) and maps(spark, copy) == expected()
        assert spark.sql(f"SELECT sum(more['a']) FROM {t}").first()[0] == 10


# ---- what is refused ----

# A wrong column, in CREATE TABLE and in AS SELECT.
NAMES = {
    "a column": (f"{RESERVED} INT", f"1 AS {RESERVED}"),
    "a field of a struct": (f"s STRUCT<{RESERVED}: INT>", "named_struct('__paimon_map_shred_x_0', 1) AS s"),
    "a field in an array": (
        f"l ARRAY<STRUCT<{RESERVED}: INT>>",
        "array(named_struct('__paimon_map_shred_x_0', 1)) AS l",
    ),
    "a field in a map": (
        f"n MAP<INT, STRUCT<{RESERVED}: INT>>",
        "map(1, named_struct('__paimon_map_shred_x_0', 1)) AS n",
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_hot_keys_is_refused_wherever_a_table_gets_columns(spark, source, name):
    declared, selected = NAMES[name]
    with tables(spark, "t", "there") as (t, there):
        create(spark, there, f"{COLUMNS}, s STRUCT<n: INT>")
        for statement in (
            f"CREATE TABLE {t} (id INT, {declared}) USING {FORMAT}",
            f"CREATE TABLE {t} USING {FORMAT} AS SELECT 1 AS id, {selected}",
            f"CREATE OR REPLACE TABLE {there} (id INT, {declared}) USING {FORMAT}",
            f"CREATE OR REPLACE TABLE {there} USING {FORMAT} AS SELECT 1 AS id, {selected}",
            f"ALTER TABLE {there} ADD COLUMN {declared}" if declared[0] != "s" else
            f"ALTER TABLE {there} ADD COLUMN s.{RESERVED} INT",
            f"ALTER TABLE {there} ADD COLUMNS (fine INT, {declared.replace('s ', 'other ', 1)})",
        ):  # fmt: skip
            refusal(lambda q=statement: spark.sql(q), "__paimon_map_shred_x_0", name="SHREDDED_VARIANT_RESERVED_NAME")
        query = spark.sql(f"SELECT 1 AS id, {selected}")
        for write_ in (query.write.format(FORMAT).saveAsTable, query.writeTo(t).using(FORMAT).create):
            refusal(
                lambda w=write_: w(t) if w.__name__ == "saveAsTable" else w(), name="SHREDDED_VARIANT_RESERVED_NAME"
            )
        assert not spark.catalog.tableExists(t)
        assert spark.table(there).columns == ["id", "m", "s"]
        spark.sql(f"INSERT INTO {there} SELECT *, named_struct('n', id) FROM maps")
        assert maps(spark, there) == expected()


def test_views_of_maps_and_of_their_keys_read_the_keys_that_are_asked_of_them(spark, source):
    with tables(spark, "t") as t:
        spark.sql(f"CREATE TABLE {t} USING {FORMAT} TBLPROPERTIES {listed(HOT)} AS SELECT * FROM maps")
        views = {
            "whole_maps": f"SELECT id AS i, m AS x FROM {t}",
            "some_maps": "SELECT x AS y, i FROM whole_maps WHERE x['b'] IS NOT NULL OR size(x) > 1",
            "hot_keys": f"SELECT m['a'] AS a, m.b AS b, m['x'] AS x FROM {t}",
        }
        try:
            for name, query in views.items():
                spark.sql(f"CREATE OR REPLACE VIEW {name} AS {query}")
            for query, rows, read in (
                ("SELECT x['a'] FROM whole_maps", [None, None, None, None, "1"], {"m['a']"}),
                ("SELECT y['a'] FROM some_maps", [None, "1"], {"m['a']", "m['b']", "size(m)"}),
                (
                    "SELECT max(y['x']) FROM some_maps WHERE y['a'] = '1'",
                    ["2"],
                    {"m['a']", "m['b']", "m['x']", "size(m)"},
                ),
                ("SELECT b FROM hot_keys WHERE a IS NULL", [None, None, None, "3"], {"m['a']", "m['b']"}),
                ("SELECT x FROM hot_keys WHERE x > ''", ["2"], {"m['x']"}),
            ):
                result = spark.sql(query)
                assert sorted((r[0] for r in result.collect()), key=lambda v: (v is not None, v)) == rows, query
                assert leaves(result) == read, query
        finally:
            for name in views:
                spark.sql(f"DROP VIEW IF EXISTS {name}")


WRONG = [
    ({"parquet.map.shredding.columns": "m"}, "MAP_WITHOUT_KEYS", "'m'"),
    ({"parquet.map.shredding.columns": "w", "parquet.map.shredding.w.keys": "a"}, "NO_SUCH_COLUMN", "did you mean 'm'"),
    ({"parquet.map.shredding.columns": "id", "parquet.map.shredding.id.keys": "a"}, "NOT_A_MAP", "'id'"),
    ({**HOT, "parquet.map.shredding.m.keys": "a,a"}, "MAP_KEYS", "the key 'a' twice"),
    ({**HOT, "parquet.map.shredding.m.keys": ""}, "MAP_KEYS", "no key"),
    ({**HOT, "parquet.map.shredding.m.keys": r'["a","\\ud800"]'}, "MAP_KEYS", "a key cannot be encoded in UTF-8"),
    ({**HOT, "parquet.map.shredding.m.keys": '["a"],,b'}, "MAP_KEYS", "a key between two commas is empty"),
    ({**HOT, "parquet.map.shredding.m.maxKeys": "4"}, "MAP_NOT_INFERRED", "infer"),
    ({**HOT, "parquet.map.shredding.m.infer": "perhaps"}, "OPTION_VALUE", "true or false"),
    ({**HOT, "parquet.map.shreding.m.keys": "a"}, "UNKNOWN_OPTION", "did you mean"),
    ({**HOT, "table": "delta"}, "DELTA_OPTION", "parquet.map.shredding"),
]


@pytest.mark.parametrize("clause", CLAUSES)
@pytest.mark.parametrize(("options", "name", "said"), WRONG)
def test_wrong_hot_keys_are_refused_before_a_table_is_created_or_dropped(spark, source, clause, options, name, said):
    with tables(spark, "t", "there") as (t, there):
        spark.sql(f"CREATE TABLE {there} USING {FORMAT} AS SELECT * FROM maps")
        tail = f"USING {FORMAT} {clause} {listed(options)}"
        for statement in (
            f"CREATE TABLE {t} ({COLUMNS}) {tail}",
            f"CREATE TABLE {t} {tail} AS SELECT * FROM maps",
            f"CREATE OR REPLACE TABLE {there} ({COLUMNS}) {tail}",
            f"CREATE OR REPLACE TABLE {there} {tail} AS SELECT * FROM maps",
        ):
            refusal(lambda q=statement: spark.sql(q), said, name=f"SHREDDED_VARIANT_{name}")
        assert not spark.catalog.tableExists(t)
        if "table" not in options:
            changed = f"ALTER TABLE {there} SET TBLPROPERTIES {listed(options)}"
            refusal(lambda: spark.sql(changed), said, name=f"SHREDDED_VARIANT_{name}")
        spark.sql(f"INSERT INTO {there} SELECT * FROM maps")
        assert maps(spark, there) == expected(2)


def test_keys_of_a_map_that_no_write_lists_do_not_cost_a_table_its_rows(spark, source):
    """Such a table can only be read. CREATE OR REPLACE … AS SELECT is refused before it drops the former table."""
    options = listed({"parquet.map.shredding.m.keys": "a"})
    with tables(spark, "t", "there") as (t, there):
        spark.sql(f"CREATE TABLE {there} USING {FORMAT} AS SELECT * FROM maps")
        for statement in (f"CREATE TABLE {t}", f"CREATE OR REPLACE TABLE {there}"):
            refusal(
                lambda s=statement: spark.sql(f"{s} USING {FORMAT} TBLPROPERTIES {options} AS SELECT * FROM maps"),
                name="SHREDDED_VARIANT_MAP_NOT_LISTED",
            )
        assert not spark.catalog.tableExists(t) and maps(spark, there) == expected()
