"""The log says `isBlindAppend` of an append only if the append has read nothing from its own table.

Other writers may order an overwrite before a blind append, so a wrong `true` loses rows.
"""

from pathlib import Path

import pandas
import pytest
from pyspark.sql.datasource import DataSource, DataSourceReader

from delta_races import ids, meanwhile, rows
from delta_tables import actions, commits, load, save
from tables import FORMAT


@pytest.fixture(scope="module")
def table(spark, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("blind") / "tables" / "t able")
    save(rows(spark, 0, 1), path)
    spark.sql(f"CREATE TABLE blind_t USING {FORMAT} LOCATION '{path}'")
    load(spark, path).createOrReplaceTempView("blind_view")
    yield path
    spark.sql("DROP TABLE blind_t")


@pytest.fixture(scope="module")
def other(spark, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("blind") / "tables" / "t able2")
    save(rows(spark, 5), path)
    load(spark, path).createOrReplaceTempView("blind_other")
    spark.dataSource.register(source_of_another())
    spark.sql("CREATE TABLE blind_partitioned USING parquet PARTITIONED BY (p) AS SELECT 1L AS id, 2 AS p")
    yield path
    spark.sql("DROP TABLE blind_partitioned")


def source_of_another():
    """A source of which this project knows nothing, in a function, so that workers get the code of its classes."""

    class Ones(DataSource):
        @classmethod
        def name(cls):
            return "blind_ones"

        def schema(self):
            return "id BIGINT"

        def reader(self, schema):
            return OnesReader()

    class OnesReader(DataSourceReader):
        def read(self, partition):
            yield (1,)

    return Ones


def is_blind(path):
    (info,) = actions(path, "commitInfo")
    assert info["operationParameters"]["mode"] == "Append"
    return info["isBlindAppend"]


def linked(path):
    link = Path(path).parent / "link"
    if not link.exists():
        link.symlink_to(path)
    return str(link)


def link(target, name):
    """A link to a path in the directory of a table, in the directory above."""
    place = next(above for above in Path(target).parents if above.name.startswith("blind")) / name
    if not place.is_symlink():
        place.symlink_to(target)
    return str(place)


def data_file(path):
    return next(Path(path).glob("*.parquet"))


def folder_with_a_link(path):
    folder = Path(path).parent.parent / "folder"
    folder.mkdir(exist_ok=True)
    if not (folder / "x.parquet").exists():
        (folder / "x.parquet").symlink_to(data_file(path))
    return str(folder)


def of_rdd(df):
    """A DataFrame of the rows of another one, without its plan."""
    return df.sparkSession.createDataFrame(df.rdd.map(tuple), df.schema)


def without(new, spark, path):
    """Rows that are not in a table, which the plan broadcasts."""
    from pyspark.sql import functions as f

    return new.select("id").join(f.broadcast(load(spark, path).select("id")), "id", "left_anti")


def cached(df):
    df.persist().count()
    return df


# Queries whose rows are appended: the DataFrame `new` has rows of no table, `t` is the table itself.
ITSELF = {
    "load": lambda spark, t, new: load(spark, t),
    "a path with a slash at its end": lambda spark, t, new: load(spark, t + "/"),
    "a path with dots": lambda spark, t, new: load(spark, f"{Path(t).parent}/x/../{Path(t).name}"),
    "a URI": lambda spark, t, new: load(spark, Path(t).as_uri().replace("%20", " ")),
    "a link to the directory": lambda spark, t, new: load(spark, linked(t)),
    "an older version": lambda spark, t, new: load(spark, t, versionAsOf="0"),
    "a path in SQL": lambda spark, t, new: spark.sql(f"SELECT * FROM {FORMAT}.`{t}`"),
    "a name of the catalog": lambda spark, t, new: spark.table("blind_t"),
    "a view": lambda spark, t, new: spark.table("blind_view"),
    "no column": lambda spark, t, new: load(spark, t).selectExpr("7L AS id"),
    "an aggregate that footers answer": lambda spark, t, new: load(spark, t).selectExpr("count(*) AS id"),
    "files that a filter skips": lambda spark, t, new: load(spark, t).where("id > 1000"),
    "one side of a join": lambda spark, t, new: new.join(load(spark, t).select("id"), "id", "left_anti"),
    "one side of a union": lambda spark, t, new: new.select("id").union(load(spark, t).select("id")),
    "EXISTS": lambda spark, t, new: new.where("EXISTS (SELECT 1 FROM blind_t WHERE blind_t.id = 0)"),
    "IN": lambda spark, t, new: new.where("id NOT IN (SELECT id FROM blind_t)"),
    "a scalar subquery": lambda spark, t, new: new.selectExpr("id + (SELECT max(id) FROM blind_view) AS id"),
    "a subquery in a subquery": lambda spark, t, new: new.where(
        "id > (SELECT count(*) FROM range(3) WHERE id IN (SELECT id FROM blind_view))"
    ),
    "a CTE": lambda spark, t, new: spark.sql("WITH a AS (SELECT id FROM blind_t) SELECT x.id FROM a x, a y"),
    "a cached DataFrame": lambda spark, t, new: cached(load(spark, t)),
    "a cached join": lambda spark, t, new: cached(new.join(load(spark, t).select("id"), "id", "left_anti")).limit(1),
    "an RDD": lambda spark, t, new: spark.createDataFrame(load(spark, t).select("id").rdd.map(tuple), "id BIGINT"),
    "an RDD of rows that a join chooses while it runs": lambda spark, t, new: spark.createDataFrame(
        load(spark, t).select("id").join(new.where("id > 0").select("id").hint("broadcast"), "id").rdd.map(tuple),
        "id BIGINT",
    ),
    "an RDD after a shuffle": lambda spark, t, new: spark.createDataFrame(
        load(spark, t).select("id").rdd.map(tuple).distinct(), "id BIGINT"
    ),
    "an RDD of a query that broadcasts it": lambda spark, t, new: of_rdd(without(new, spark, t)),
    "an RDD of a query with a subquery": lambda spark, t, new: of_rdd(
        new.selectExpr("id + (SELECT max(id) FROM blind_view) AS id")
    ),
    "a cached RDD of a query": lambda spark, t, new: cached(of_rdd(without(new, spark, t))),
    "an RDD of a query that skips all files": lambda spark, t, new: of_rdd(
        load(spark, t).where("id > 1000").select("id").union(new.select("id"))
    ),
    "an RDD of its bytes": lambda spark, t, new: spark.createDataFrame(
        spark.sparkContext.binaryFiles(t).map(lambda file: (len(file[1]),)), "id BIGINT"
    ),
    "a lazy checkpoint": lambda spark, t, new: without(new, spark, t).localCheckpoint(eager=False),
    "a checkpoint": lambda spark, t, new: load(spark, t).select("id").localCheckpoint(),
    "files of Spark's parquet": lambda spark, t, new: spark.read.parquet(t).select("id"),
    "files below a link": lambda spark, t, new: spark.read.parquet(link(t, "files")).select("id"),
    "a link above it": lambda spark, t, new: spark.read.parquet(
        link(f"{t}/..", "above") + "/" + Path(t).name
    ).select("id"),
    "a file below a link": lambda spark, t, new: spark.read.parquet(
        f"{link(t, 'files')}/{data_file(t).name}"
    ).select("id"),
    "a link to a file": lambda spark, t, new: spark.read.parquet(link(str(data_file(t)), "f.parquet")).select("id"),
    "a directory with a link to a file": lambda spark, t, new: spark.read.parquet(folder_with_a_link(t)).select("id"),
    "a link to it as bytes": lambda spark, t, new: spark.read.format("binaryFile").load(
        link(t, "files")).selectExpr("length AS id"),
    "an RDD of a link": lambda spark, t, new: of_rdd(load(spark, link(t, "files")).select("id")),
    "a pandas function": lambda spark, t, new: load(spark, t).select("id").mapInPandas(lambda b: b, "id BIGINT"),
}  # fmt: skip

# Queries that do not read the table; `o` is the path of another table.
ELSEWHERE = {
    "values": lambda spark, o, new: new,
    "a range": lambda spark, o, new: spark.range(3),
    "an RDD": lambda spark, o, new: spark.createDataFrame(spark.sparkContext.parallelize([(1,)]), "id BIGINT"),
    "another table": lambda spark, o, new: load(spark, o),
    "a subquery of another": lambda spark, o, new: new.where("id NOT IN (SELECT id FROM blind_other)"),
    "a cached DataFrame": lambda spark, o, new: cached(load(spark, o)),
    "an RDD after a shuffle": lambda spark, o, new: spark.createDataFrame(
        spark.sparkContext.parallelize([(1,), (2,)]).distinct().union(spark.sparkContext.parallelize([(3,)])),
        "id BIGINT",
    ),
    "no rows": lambda spark, o, new: spark.createDataFrame(spark.sparkContext.emptyRDD(), "id BIGINT"),
    "a pandas DataFrame": lambda spark, o, new: spark.createDataFrame(pandas.DataFrame({"id": [1]})),
    "a CTE": lambda spark, o, new: spark.sql("WITH a AS (SELECT id FROM blind_other) SELECT x.id FROM a x, a y"),
    "a join": lambda spark, o, new: without(new, spark, o),
    "a recursive CTE": lambda spark, o, new: spark.sql(
        "WITH RECURSIVE r(id) AS (SELECT 1L UNION ALL SELECT id + 1 FROM r WHERE id < 3) SELECT id FROM r"
    ),
    "a partitioned table of Spark's": lambda spark, o, new: spark.table("blind_partitioned").select("id"),
    "files below a link": lambda spark, o, new: spark.read.parquet(link(o, "other")).select("id"),
    "files of another": lambda spark, o, new: spark.read.parquet(o).select("id"),
    "a Python function": lambda spark, o, new: load(spark, o).select("id").mapInPandas(lambda b: b, "id BIGINT"),
    "no rows of the table": lambda spark, o, new: spark.table("blind_t").where("1 = 0"),
}  # fmt: skip

# Queries of which nothing says whether they read the table.
UNKNOWN = {
    "an RDD of a query": lambda spark, o, new: of_rdd(load(spark, o).select("id")),
    "an RDD of files": lambda spark, o, new: spark.createDataFrame(
        spark.sparkContext.binaryFiles(o).map(lambda file: (len(file[1]),)), "id BIGINT"
    ),
    "a checkpoint": lambda spark, o, new: load(spark, o).select("id").localCheckpoint(),
    "a table of another source": lambda spark, o, new: spark.read.format("blind_ones").load(),
}


@pytest.mark.parametrize("source", ITSELF)
def test_an_append_of_rows_of_the_same_table_is_not_blind(spark, table, source):
    df = ITSELF[source](spark, table, rows(spark, 7, 8))
    try:
        save(df.limit(1), table)
        assert is_blind(table) is False
    finally:
        spark.catalog.clearCache()


@pytest.mark.parametrize("source", ELSEWHERE)
def test_an_append_of_rows_from_elsewhere_is_blind(spark, table, other, source):
    try:
        save(ELSEWHERE[source](spark, other, rows(spark, 7, 8)), table)
        assert is_blind(table) is True
    finally:
        spark.catalog.clearCache()


@pytest.mark.parametrize("source", UNKNOWN)
def test_an_append_of_rows_whose_source_is_unknown_is_not_blind(spark, table, other, source):
    save(UNKNOWN[source](spark, other, rows(spark, 7, 8)), table)
    assert is_blind(table) is False


@pytest.mark.parametrize("blind", [False, True])
def test_inserts_and_writes_by_name_are_blind_appends_or_not(spark, table, other, blind):
    spark.sql(f"CREATE OR REPLACE TEMP VIEW source AS SELECT * FROM {FORMAT}.`{other if blind else table}` LIMIT 1")
    for write in (
        lambda: spark.sql("INSERT INTO blind_t SELECT * FROM source"),
        lambda: spark.sql(
            "WITH a AS (SELECT *, rand() AS r FROM source) INSERT INTO blind_t SELECT x.id, x.v FROM a x, a y"
        ),
        lambda: spark.table("source").writeTo("blind_t").append(),
        lambda: spark.table("source").write.insertInto("blind_t"),
        lambda: spark.table("source").write.format(FORMAT).mode("append").saveAsTable("blind_t"),
        lambda: save(spark.table("source"), linked(table)),
    ):
        before = len(commits(table))
        write()
        assert len(commits(table)) == before + 1
        assert is_blind(table) is blind


def stream(spark, df, path, checkpoint):
    query = df.writeStream.format(FORMAT).option("table", "delta").option("checkpointLocation", str(checkpoint))
    query.trigger(availableNow=True).start(path).awaitTermination(120)


def test_each_batch_of_a_stream_is_a_blind_append_or_not(spark, table, other, tmp_path):
    def source(path):
        return spark.readStream.format(FORMAT).load(path)

    stream(spark, source(other), table, tmp_path / "1")
    assert is_blind(table) is True
    stream(spark, source(table), table, tmp_path / "2")
    assert is_blind(table) is False
    still = source(other).join(load(spark, table).select("id").distinct(), "id", "left_semi")
    stream(spark, still, table, tmp_path / "3")
    assert len(actions(table, "txn")) == 1 and is_blind(table) is False


@pytest.mark.parametrize("blind", [False, True])
def test_a_batch_that_a_function_writes_is_a_blind_append_or_not(spark, table, other, tmp_path, blind):
    source = spark.readStream.format(FORMAT).load(other if blind else table)
    query = source.writeStream.foreachBatch(lambda df, id: save(df, table) and None)
    query = query.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start()
    assert query.awaitTermination(120) and query.exception() is None
    assert is_blind(table) is blind


def test_a_batch_that_a_function_joins_with_the_table_is_no_blind_append(spark, table, other, tmp_path):
    source = without(spark.readStream.format(FORMAT).load(other), spark, table)
    query = source.writeStream.foreachBatch(lambda df, id: save(df, table) and None)
    query = query.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start()
    assert query.awaitTermination(120) and query.exception() is None
    assert is_blind(table) is False


def test_an_overwrite_fails_after_an_append_that_has_read_the_table(spark, table):
    before = ids(spark, table)
    (failure,) = meanwhile(spark, table, lambda: save(load(spark, table), table), mode="overwrite")
    assert "SHREDDED_VARIANT_DELTA_CONFLICT" in failure
    assert ids(spark, table) == sorted(before * 2)
