"""Streams into Delta tables: each micro-batch is committed exactly once, whenever the query is stopped.

`make test` kills a query a few times, FUZZ=1 many times.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from delta_spark import delta_spark  # noqa: F401
from delta_tables import actions, active, bounds, commits, files_on_disk, load, save, statistics
from fuzz import FUZZ
from programs import clean_environment, script
from tables import FORMAT, refusal
from variants import V

pytestmark = pytest.mark.fuzz

COLUMNS = "id BIGINT, v VARIANT"

# A stream that reads one file in each batch, and ends only when it is stopped.
STREAM = """
import shredded_variant
spark = shredded_variant.attach(calm()).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
source, path, checkpoint = sys.argv[1:4]
rows = spark.readStream.schema("id BIGINT, v VARIANT").option("maxFilesPerTrigger", 1).parquet(source)
stream = rows.writeStream.format("shredded_variant").option("table", "delta").option("checkpointLocation", checkpoint)
stream.trigger(processingTime="0 seconds").start(path).awaitTermination()
"""


class Stream:
    """A stream from a folder of Parquet files into a table, with a checkpoint."""

    def __init__(self, spark, folder, path, **options):
        self.spark, self.folder, self.path = spark, Path(folder), str(path)
        self.checkpoint, self.options = self.folder / "checkpoint", {"table": "delta"} | options

    def arrive(self, *ids, v="parse_json(concat('{\"a\":', id, '}'))", columns=("id", "v")):
        df = self.spark.createDataFrame([(i,) for i in ids], "id BIGINT").selectExpr("id", f"{v} AS v")
        df.selectExpr(*columns).coalesce(1).write.mode("append").parquet(str(self.folder / "source"))
        return self

    def start(self, *by, select=("*",), mode="append", columns=COLUMNS):
        rows = self.spark.readStream.schema(columns).parquet(str(self.folder / "source")).selectExpr(*select)
        stream = rows if mode == "append" else rows.groupBy("id").count()
        writer = stream.writeStream.format(FORMAT).outputMode(mode).partitionBy(*by)
        options = {k.replace("__", "."): v for k, v in self.options.items()}
        return writer.options(**options).option("checkpointLocation", str(self.checkpoint)).trigger(availableNow=True)

    def run(self, *by, **how):
        query = self.start(*by, **how).start(self.path)
        try:
            assert query.awaitTermination(120)
        finally:
            query.stop()
        return self

    def forget(self, batch):
        """Deletes the query's own note of a batch, as if it was killed after the commit and before the note."""
        (self.checkpoint / "commits" / str(batch)).unlink()
        (self.checkpoint / "commits" / f".{batch}.crc").unlink(missing_ok=True)


@pytest.fixture
def stream(spark, table, tmp_path):
    return Stream(spark, tmp_path / "one", table)


def ids(spark, path):
    return sorted(r[0] for r in load(spark, path).select("id").collect())


def batches(path):
    """The numbers of the batches in a table's log, in order."""
    return [a["txn"]["version"] for commit in commits(path) for a in commit if "txn" in a]


def test_each_batch_is_one_commit_that_names_query_and_batch(spark, stream, table):
    stream.arrive(1, 2).run().arrive(3).run()
    query = json.loads((stream.checkpoint / "metadata").read_text())["id"]
    (first,), (second,) = actions(table, "txn", 1), actions(table, "txn", 2)
    assert (first["appId"], first["version"], second["version"]) == (query, 0, 1)
    assert len(commits(table)) == 3, "the table's beginning and two batches"
    assert ids(spark, table) == [1, 2, 3]
    assert not (Path(table) / "_spark_metadata").exists()


def test_an_existing_table_is_recognised_by_its_log(spark, table, tmp_path):
    save(spark.sql("SELECT 0L AS id, parse_json('{\"a\":0}') AS v"), table)
    stream = Stream(spark, tmp_path, table).arrive(1)
    stream.options = {}
    stream.run()
    assert ids(spark, table) == [0, 1]


def test_files_are_shredded_partitioned_and_have_statistics_as_those_of_batch_writes(spark, stream, table):
    stream.options["shredding.shape.v"] = "a BIGINT"
    stream.arrive(1, 2, 3).run("p", select=("*", "id % 2 AS p"))
    assert {a["partitionValues"]["p"] for a in actions(table, "add")} == {"0", "1"}
    result = {s["numRecords"]: s for s in statistics(table)}
    assert bounds(result[2]["minValues"]["v"]) == {"$['a']": V("int64", 1)}
    assert bounds(result[2]["maxValues"]["v"]) == {"$['a']": V("int64", 3)}
    schema = str(pq.ParquetFile(f"{table}/{sorted(active(table))[0]}").schema)
    assert "typed_value" in schema
    assert sorted(map(tuple, load(spark, table).selectExpr("id", "v:a::int", "p").collect())) == [
        (1, 1, 1),
        (2, 2, 0),
        (3, 3, 1),
    ]


def test_columns_are_found_by_name_and_cast(spark, table, tmp_path):
    save(spark.sql("SELECT parse_json('{\"a\":0}') AS v, 0 AS id, 'x' AS s"), table)
    Stream(spark, tmp_path, table).arrive(1).run()
    rows = load(spark, table).selectExpr("v:a::int", "id", "s").collect()
    assert sorted(map(tuple, rows), key=str) == [(0, 0, "x"), (1, 1, None)]
    assert dict(load(spark, table).dtypes)["id"] == "int"


def test_a_batch_that_was_committed_is_not_written_again(spark, stream, table):
    stream.arrive(1).run().arrive(2).run()
    before, files = commits(table), files_on_disk(table)
    stream.forget(1)
    stream.run()
    assert commits(table) == before
    assert files_on_disk(table) == files
    stream.arrive(3).run()
    assert ids(spark, table) == [1, 2, 3]
    assert batches(table) == [0, 1, 2]


def test_a_batch_is_not_written_again_after_a_checkpoint_of_the_table(spark, stream, table):
    stream.options["delta.checkpointInterval"] = "2"
    for i in range(4):
        stream.arrive(i).run()
    assert list((Path(table) / "_delta_log").glob("*.checkpoint*.parquet"))
    for log in sorted((Path(table) / "_delta_log").glob("*.json"))[:3]:
        log.unlink()
    stream.forget(3)
    stream.run()
    assert ids(spark, table) == [0, 1, 2, 3]


def test_two_streams_write_one_table(spark, table, tmp_path):
    streams = [Stream(spark, tmp_path / name, table) for name in ("one", "two")]
    for i in range(4):
        queries = [s.arrive(10 * n + i).start().start(s.path) for n, s in enumerate(streams)]
        for query in queries:
            assert query.awaitTermination(120)
    assert ids(spark, table) == [0, 1, 2, 3, 10, 11, 12, 13]
    assert sorted(batches(table)) == [0, 0, 1, 1, 2, 2, 3, 3]
    for s in streams:
        s.forget(3)
        s.run()
    assert ids(spark, table) == [0, 1, 2, 3, 10, 11, 12, 13]


def test_a_killed_query_reads_each_row_once_after_its_restart(spark, table, tmp_path):
    stream = Stream(spark, tmp_path / "one", table)
    kills = 20 if FUZZ else 2
    number = 6 * kills
    for i in range(number):
        stream.arrive(i)
    job = script(tmp_path, STREAM)
    command = [sys.executable, job, stream.folder / "source", table, stream.checkpoint]
    for moment in range(kills):
        query = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean_environment(),
            start_new_session=True,
        )  # fmt: skip
        before = len(commits(table))
        while len(commits(table)) < min(before + 2, number) and query.poll() is None:
            time.sleep(0.02)
        time.sleep(0.03 * (moment % 7))
        assert query.poll() is None, "the query has ended by itself"
        os.killpg(query.pid, signal.SIGKILL)
        query.wait()
        assert len(ids(spark, table)) == len(set(ids(spark, table)))
        assert active(table) <= files_on_disk(table)
    stream.run()
    assert ids(spark, table) == list(range(number))
    assert batches(table) == sorted(set(batches(table)))


def test_a_complete_result_replaces_the_last_one(spark, stream, table):
    stream.arrive(1, 2).run(mode="complete").arrive(2).run(mode="complete")
    assert sorted(map(tuple, load(spark, table).collect())) == [(1, 1), (2, 2)]
    assert actions(table, "remove")
    stream.forget(1)
    stream.run(mode="complete")
    assert len(commits(table)) == 3


def test_new_columns_need_mergeSchema(spark, table, tmp_path):
    save(spark.sql("SELECT 0L AS id"), table)
    stream = Stream(spark, tmp_path, table).arrive(1)
    refusal(stream.run, name="SHREDDED_VARIANT_DELTA_COLUMNS")
    assert ids(spark, table) == [0]
    stream.options["mergeSchema"] = "true"
    stream.run()
    assert ids(spark, table) == [0, 1]


def test_what_a_table_does_not_allow_is_refused(spark, stream, table, tmp_path):
    stream.arrive(1)
    for options, mention in (
        ({"replaceWhere": "id = 1"}, "replaceWhere"),
        ({"layout": "draft"}, "layout"),
        ({"versionAsOf": "1"}, "versionAsOf"),
    ):
        refusal(Stream(spark, stream.folder, table, **options).run, mention)
    refusal(lambda: stream.start(mode="update").start(table), "update", name="STREAMING_OUTPUT_MODE")
    assert not files_on_disk(table)
    save(spark.sql("SELECT 0L AS id, 1L AS count"), tmp_path / "only", delta__appendOnly="true")
    counts = Stream(spark, stream.folder, tmp_path / "only")
    refusal(lambda: counts.run(mode="complete"), r"delta\.appendOnly")
    assert ids(spark, tmp_path / "only") == [0]


def test_delta_spark_reads_what_streams_have_written(spark, stream, table, delta_spark):  # noqa: F811
    stream.arrive(1, 2).run().arrive(3).run()
    rows = delta_spark.sql("SELECT id, variant_get(v, '$.a', 'int') FROM {t} ORDER BY id", t=table)
    assert rows == [[1, 1], [2, 2], [3, 3]]
