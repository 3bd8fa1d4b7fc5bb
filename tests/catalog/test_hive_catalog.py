"""A Hive metastore, which wants the partition columns of a table last, knows all tables of this source."""

import json

import pytest

from programs import python

# Each entry: the statements that make and fill the table `t`, and its columns and rows.
TABLES = {
    "files": (
        ["CREATE TABLE t (p INT, id BIGINT) {using} PARTITIONED BY (p)", "INSERT INTO t SELECT 7L, 1"],
        [["id", "p"], [7, 1]],
    ),
    "a Delta table at its place": (
        ["CREATE TABLE t {using} LOCATION '{path}'", "INSERT INTO t SELECT 7L, 5, 2"],
        [["id", "q", "p"], [6, 5, 1], [7, 5, 2]],
    ),
    "a Delta table at its place, with columns": (
        ["CREATE TABLE t (p INT, id BIGINT, q INT) {using} LOCATION '{path}'", "INSERT INTO t SELECT 7L, 5, 2"],
        [["id", "q", "p"], [6, 5, 1], [7, 5, 2]],
    ),
    "a Delta table at its place, with all": (
        ["CREATE TABLE t (id BIGINT, q INT, p INT) {using} PARTITIONED BY (q, p) LOCATION '{path}'"],
        [["id", "q", "p"], [6, 5, 1]],
    ),
    "a Delta table at its place, replaced": (
        ["CREATE OR REPLACE TABLE t {using} LOCATION '{path}'", "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')"],
        [["id", "q", "p"], [6, 5, 1]],
    ),
    "a new Delta table": (
        ["CREATE TABLE t (p INT, id BIGINT) {delta} PARTITIONED BY (p)", "INSERT INTO t SELECT 7L, 1"],
        [["id", "p"], [7, 1]],
    ),
    "a new Delta table of a query": (
        ["CREATE TABLE t {delta} PARTITIONED BY (p) AS SELECT 1 AS p, 7L AS id", "INSERT INTO t SELECT 8L, 1"],
        [["id", "p"], [7, 1], [8, 1]],
    ),
    "a Delta table at its place that a query replaces": (
        [
            "CREATE OR REPLACE TABLE t {using} LOCATION '{path}' PARTITIONED BY (q, p) "
            "AS SELECT 9 AS p, 8L AS id, 5 AS q"
        ],
        [["id", "q", "p"], [8, 5, 9]],
    ),
    "a Delta table that gets a column": (
        [
            "CREATE TABLE t {using} LOCATION '{path}'",
            "INSERT INTO t SELECT 7L, 5, 2",
            "GROW {path}",
            "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')",
            "INSERT INTO t SELECT 8L, 1, 5, 3",
        ],
        [["id", "z", "q", "p"], [6, None, 5, 1], [7, 4, 5, 2], [7, None, 5, 2], [8, 1, 5, 3]],
    ),
    "a Delta table that a query replaces": (
        [
            "CREATE TABLE t (id BIGINT) {delta}",
            "CREATE OR REPLACE TABLE t {delta} PARTITIONED BY (p) AS SELECT 1 AS p, 7L AS id",
        ],
        [["id", "p"], [7, 1]],
    ),
}

CODE = """
import shredded_variant
here = sys.argv[1]
builder = calm().config("spark.sql.catalogImplementation", "hive").config("spark.sql.warehouse.dir", f"{here}/w")
metastore = f"jdbc:derby:;databaseName={here}/m;create=true"
builder = builder.config("spark.hadoop.javax.jdo.option.ConnectionURL", metastore)
spark = shredded_variant.attach(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")

def content(name):
    df = spark.table(name)
    return [df.columns, *sorted((list(row) for row in df.collect()), key=str)]

def made(number, statements):
    path = f"{here}/place{number}"
    writer = spark.sql("SELECT 1 AS p, 6L AS id, 5 AS q").write.format("shredded_variant").option("table", "delta")
    writer.partitionBy("q", "p").save(path)
    using, name = "USING shredded_variant", f"t{number}"
    try:
        for statement in statements:
            statement = statement.replace("TABLE t ", f"TABLE {name} ").replace("INTO t ", f"INTO {name} ")
            if statement.startswith("GROW"):
                grown = spark.sql("SELECT 2 AS p, 7L AS id, 5 AS q, 4 AS z").write.format("shredded_variant")
                grown.mode("append").option("mergeSchema", "true").save(path)
            else:
                spark.sql(statement.format(using=using, delta=f"{using} OPTIONS (table 'delta')", path=path))
        return content(name)
    except Exception as e:
        return str(e)[:500]

seen = [made(number, statements) for number, statements in enumerate(json.loads(sys.argv[2]))]
rows = spark.sql("SELECT 1 AS p, 7L AS id").write.format("shredded_variant").option("table", "delta").partitionBy("p")
for mode in ("error", "append", "overwrite"):
    rows.mode(mode).saveAsTable("saved")
spark.catalog.createTable("named", f"{here}/place0", "shredded_variant")

def streamed(name):
    stream = spark.readStream.table(name).writeStream.format("memory").queryName(f"{name}_rows")
    query = stream.option("checkpointLocation", f"{here}/{name}_checkpoint").trigger(availableNow=True).start()
    query.awaitTermination(120)
    return content(f"{name}_rows")

spark.sql("CREATE VIEW first AS SELECT * FROM named VERSION AS OF 0")
print(json.dumps([seen, content("saved"), content("named"), streamed("named"), content("first")]))
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hive")
    return python(folder, CODE, str(folder), json.dumps([statements for statements, _ in TABLES.values()]))


@pytest.mark.parametrize("table", TABLES)
def test_a_hive_metastore_takes_tables_whose_partition_columns_are_not_last(seen, table):
    assert seen[0][list(TABLES).index(table)] == TABLES[table][1]


def test_a_hive_metastore_takes_delta_tables_without_sql(seen):
    assert seen[1:3] == [[["id", "p"], [7, 1]], [["id", "q", "p"], [6, 5, 1]]]


def test_streams_and_versions_of_a_delta_table_have_the_columns_of_its_table_in_a_hive_metastore(seen):
    assert seen[3] == seen[4] == [["id", "q", "p"], [6, 5, 1]]
