"""Delta tables as sources of streams: first their rows, then the rows of each commit, each row once."""

import json
import shutil
from pathlib import Path

import pytest

from delta_spark import delta_spark  # noqa: F401
from delta_tables import commits, load, save
from path_queries import settings
from tables import FORMAT


def rows(spark, *ids):
    """The partition column is first, so that a wrong order of columns shows."""
    text = """parse_json(concat('{"a":', id, '}'))"""
    df = spark.createDataFrame([(i,) for i in ids], "id BIGINT").coalesce(1)
    return df.selectExpr("id % 2 AS p", "id", f"{text} AS v")


class Reader:
    """A stream from a table into a folder, with a checkpoint."""

    def __init__(self, spark, table, folder, **options):
        self.spark, self.table, self.folder, self.options = spark, str(table), Path(folder), options

    def load(self):
        return self.spark.readStream.format(FORMAT).options(**self.options).load(self.table)

    def start(self, select=("*",), **trigger):
        stream = self.load().selectExpr(*select).writeStream.format("parquet").trigger(**trigger)
        stream = stream.option("checkpointLocation", str(self.folder / "checkpoint"))
        return stream.start(str(self.folder / "rows"))

    def run(self, select=("*",)):
        """Reads the present rows, and returns all ids that the stream has read so far, with repeats."""
        query = self.start(select, availableNow=True)
        try:
            assert query.awaitTermination(120)
        finally:
            query.stop()
        return self.ids()

    def ids(self):
        return sorted(r[0] for r in self.spark.read.parquet(str(self.folder / "rows")).select("id").collect())

    def batches(self):
        """The end offset of each batch."""
        logs = (self.folder / "checkpoint" / "offsets").glob("[0-9]*")
        return [json.loads(log.read_text().split("\n")[2]) for log in sorted(logs, key=lambda f: int(f.name))]


@pytest.fixture
def reader(spark, table, tmp_path):
    save(rows(spark, 0, 1, 2), table, "p")
    return Reader(spark, table, tmp_path / "stream")


@pytest.mark.parametrize("batches", ["true", "false"])
def test_a_stream_gives_batches_or_rows_as_the_setting_of_sparks_own_reader_says(spark, reader, batches):
    with settings(spark, {"spark.sql.parquet.enableVectorizedReader": batches}):
        query = reader.start(("id", "p", "to_json(v) AS j"), availableNow=True)
        assert query.awaitTermination(120)
    plan = query._jsq.explainInternal(True)
    assert "MicroBatchScan" in plan and ("ColumnarToRow" in plan) is (batches == "true")
    read = spark.read.parquet(str(reader.folder / "rows"))
    assert sorted(map(tuple, read.collect())) == [(0, 0, '{"a":0}'), (1, 1, '{"a":1}'), (2, 0, '{"a":2}')]


def test_a_table_is_read_first_and_then_what_each_commit_adds(spark, reader, table):
    assert reader.run() == [0, 1, 2]
    save(rows(spark, 3), table)
    save(rows(spark, 4, 5), table)
    assert reader.run() == [0, 1, 2, 3, 4, 5]
    assert reader.run() == [0, 1, 2, 3, 4, 5]
    assert len(reader.batches()) == 2


def test_rows_have_their_columns_values_and_files(spark, reader, table):
    save(rows(spark, 3), table)
    reader.run(("*", "v:a::int AS a", "_metadata.file_name AS file"))
    result = spark.read.parquet(str(reader.folder / "rows"))
    assert reader.load().columns == ["p", "id", "v"]
    assert sorted(map(tuple, result.selectExpr("p", "id", "to_json(v)", "a").collect())) == [
        (0, 0, '{"a":0}', 0),
        (0, 2, '{"a":2}', 2),
        (1, 1, '{"a":1}', 1),
        (1, 3, '{"a":3}', 3),
    ]
    files = {Path(a["add"]["path"]).name for commit in commits(table) for a in commit if "add" in a}
    assert {r[0] for r in result.select("file").collect()} == files


def test_files_that_were_removed_before_the_start_are_not_read(spark, reader, table):
    save(rows(spark, 7), table, mode="overwrite")
    assert reader.run() == [7]


def test_a_running_query_reads_new_commits(spark, reader, table):
    query = reader.start(processingTime="0 seconds")
    try:
        query.processAllAvailable()
        for i in (3, 4, 5):
            save(rows(spark, i), table)
            query.processAllAvailable()
        assert reader.ids() == [0, 1, 2, 3, 4, 5]
    finally:
        query.stop()


def test_state_is_kept_over_batches(spark, reader, table, tmp_path):
    def counts():
        stream = reader.load().groupBy("p").count().writeStream.format(FORMAT).outputMode("complete")
        stream = stream.option("table", "delta").option("checkpointLocation", str(tmp_path / "c"))
        stream.trigger(availableNow=True).start(str(tmp_path / "counts")).awaitTermination(120)
        return sorted(map(tuple, load(spark, tmp_path / "counts").collect()))

    assert counts() == [(0, 2), (1, 1)]
    save(rows(spark, 3, 5), table)
    assert counts() == [(0, 2), (1, 3)]


@pytest.mark.parametrize(("options", "sizes"), [
    ({"maxFilesPerTrigger": "1"}, 6),
    ({"maxFilesPerTrigger": "2"}, 3),
    ({"maxBytesPerTrigger": "1"}, 6),
    ({"maxBytesPerTrigger": "1g", "maxFilesPerTrigger": "4"}, 2),
    ({"maxBytesPerTrigger": "1g"}, 1),
])  # fmt: skip
def test_limits_make_batches_of_files_within_versions(spark, tmp_path, options, sizes):
    table = tmp_path / "t"
    save(rows(spark, 0, 1), table, "p")
    save(rows(spark, 2, 3), table)
    save(rows(spark, 4, 5), table)
    for name, start in (("first", {}), ("later", {"startingVersion": "0"})):
        reader = Reader(spark, table, tmp_path / name, **options, **start)
        assert reader.run() == [0, 1, 2, 3, 4, 5]
        assert len(reader.batches()) == sizes


def test_a_restarted_query_continues_after_its_last_batch(spark, reader, table):
    """Also if the sink has the batch but the query has no note of it, and if a version was read in part."""
    reader.options = {"maxFilesPerTrigger": "1"}
    reader.run()
    save(rows(spark, 3, 4), table)
    save(rows(spark, 5), table)
    reader.run()
    commits_ = reader.folder / "checkpoint" / "commits"
    for name in ("4", ".4.crc"):
        (commits_ / name).unlink()
    offsets = reader.folder / "checkpoint" / "offsets"
    for name in ("5", ".5.crc"):
        if (offsets / name).exists():
            (offsets / name).unlink()
    assert reader.run() == [0, 1, 2, 3, 4, 5]


def test_a_query_that_was_stopped_in_its_first_batch_starts_at_the_same_place(spark, reader, table):
    reader.run()
    for log in ("commits", "offsets"):
        shutil.rmtree(reader.folder / "checkpoint" / log)
    shutil.rmtree(reader.folder / "rows")
    save(rows(spark, 3), table, mode="overwrite")
    reader.options = {"skipChangeCommits": "true"}
    assert reader.run() == [0, 1, 2]


def test_an_empty_table_and_one_without_new_commits_have_no_batch(spark, tmp_path):
    save(rows(spark), tmp_path / "t")
    reader = Reader(spark, tmp_path / "t", tmp_path / "s")
    query = reader.start(availableNow=True)
    assert query.awaitTermination(120)
    assert reader.batches() == []
    save(rows(spark, 1), tmp_path / "t")
    assert reader.run() == [1]


def test_a_version_or_a_time_to_start_at(spark, reader, table, tmp_path):
    import os
    import time

    save(rows(spark, 3), table)
    save(rows(spark, 4), table)
    base = time.time() - 100
    for i, log in enumerate(sorted((Path(table) / "_delta_log").glob("*.json"))):
        os.utime(log, (base + 10 * i, base + 10 * i))
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(base + 15))
    for name, options, expected in (
        ("0", {"startingVersion": "0"}, [0, 1, 2, 3, 4]),
        ("2", {"startingVersion": "2"}, [4]),
        ("time", {"startingTimestamp": at}, [4]),
    ):
        assert Reader(spark, table, tmp_path / name, **options).run() == expected
    latest = Reader(spark, table, tmp_path / "latest", startingVersion="latest")
    query = latest.start(availableNow=True)
    assert query.awaitTermination(120)
    save(rows(spark, 5), table)
    assert latest.run() == [5]


REFUSED = {
    "a version to come": ({"startingVersion": "9"}, "startingVersion"),
    "no version": ({"startingVersion": "x"}, "startingVersion"),
    "a time to come": ({"startingTimestamp": "2999-01-01"}, "2999"),
    "no time": ({"startingTimestamp": "soon"}, "startingTimestamp"),
    "version and time": ({"startingVersion": "0", "startingTimestamp": "2026-01-01"}, "startingVersion"),
    "a version to read": ({"versionAsOf": "0"}, "startingVersion"),
    "no number of files": ({"maxFilesPerTrigger": "0"}, "maxFilesPerTrigger"),
    "no size": ({"maxBytesPerTrigger": "x"}, "maxBytesPerTrigger"),
    "neither true nor false": ({"ignoreDeletes": "perhaps"}, "ignoreDeletes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_options_that_cannot_be_meant_are_refused(reader, name):
    reader.options, mention = REFUSED[name]
    with pytest.raises(Exception, match=f"SHREDDED_VARIANT_[A-Z_]*].*{mention}"):
        reader.run()


def replaced(spark, table):
    save(rows(spark, 3), table, mode="overwrite")


def emptied(spark, table):
    save(rows(spark).limit(0), table, mode="overwrite")


# (change of the table, options, the ids that are read in the end, or the refusal)
REMOVALS = [
    (replaced, {}, "ignoreChanges"),
    (replaced, {"ignoreDeletes": "true"}, "skipChangeCommits"),
    (replaced, {"ignoreChanges": "true"}, [0, 1, 2, 3, 4]),
    (replaced, {"skipChangeCommits": "true"}, [0, 1, 2, 4]),
    (emptied, {}, "ignoreDeletes"),
    (emptied, {"ignoreDeletes": "true"}, [0, 1, 2, 4]),
    (emptied, {"ignoreChanges": "true"}, [0, 1, 2, 4]),
    (emptied, {"skipChangeCommits": "true"}, [0, 1, 2, 4]),
]


@pytest.mark.parametrize(("change", "options", "expected"), REMOVALS)
def test_removed_rows_are_refused_without_an_option(spark, reader, table, change, options, expected):
    reader.run()
    change(spark, table)
    save(rows(spark, 4), table)
    reader.options = options
    if isinstance(expected, list):
        assert reader.run() == expected
    else:
        with pytest.raises(Exception, match=f"SHREDDED_VARIANT_DELTA_STREAM_REMOVAL].*{expected}"):
            reader.run()
        assert reader.ids() == [0, 1, 2]


def test_the_same_rows_in_other_files_are_passed_over(spark, reader, table):
    reader.run()
    save(rows(spark, 3), table)
    save(load(spark, table), table, mode="overwrite")
    log = sorted((Path(table) / "_delta_log").glob("*.json"))[-1]
    assert '"remove"' in log.read_text()
    log.write_text(log.read_text().replace('"dataChange":true', '"dataChange":false'))
    save(rows(spark, 4), table)
    assert reader.run() == [0, 1, 2, 3, 4]


def test_columns_that_are_added_end_the_query_once(spark, reader, table):
    query = reader.start(processingTime="0 seconds")
    query.processAllAvailable()
    save(rows(spark, 3).selectExpr("*", "'x' AS s"), table, mergeSchema="true")
    with pytest.raises(Exception, match="SHREDDED_VARIANT_DELTA_STREAM_COLUMNS"):
        query.awaitTermination(60)
    assert reader.run() == [0, 1, 2, 3]
    assert spark.read.schema("id BIGINT, s STRING").parquet(str(reader.folder / "rows")).where("s = 'x'").count() == 1


def test_columns_that_do_not_fit_are_refused(spark, reader, table):
    reader.run()
    save(rows(spark, 3).selectExpr("id", "id AS n"), table, mode="overwrite", overwriteSchema="true")
    reader.options = {"skipChangeCommits": "true"}
    with pytest.raises(Exception, match="SHREDDED_VARIANT_DELTA_STREAM_COLUMNS"):
        reader.run()


def test_a_checkpoint_of_another_table_or_an_invalid_one_is_refused(spark, reader, table):
    reader.run()
    shutil.rmtree(table)
    save(rows(spark, 9), table, "p")
    with pytest.raises(Exception, match="SHREDDED_VARIANT_DELTA_STREAM_OFFSET"):
        reader.run()
    offset = reader.folder / "checkpoint" / "offsets" / "0"
    (offset.parent / ".0.crc").unlink()
    head = offset.read_text().split("\n")[:2]
    for text in ('{"version":1}', "hello", '{"table":"x","version":-1,"file":0,"isSnapshot":true}'):
        offset.write_text("\n".join([*head, text]))
        with pytest.raises(Exception, match="SHREDDED_VARIANT_DELTA_STREAM_OFFSET"):
            reader.run()


def test_a_version_that_the_log_has_lost_is_named(spark, table, tmp_path):
    save(rows(spark, 0), table, "p", delta__checkpointInterval="2")
    reader = Reader(spark, table, tmp_path / "stream")
    reader.run()
    for i in (1, 2, 3):
        save(rows(spark, i), table)
    for file in (Path(table) / "_delta_log").glob(f"{1:020}*"):
        file.unlink()
    assert load(spark, table).count() == 4
    with pytest.raises(Exception, match=r"SHREDDED_VARIANT_DELTA_STREAM_VERSION\].*version 1"):
        reader.run()


def test_a_table_of_an_independent_delta_is_followed(spark, tmp_path, delta_spark):  # noqa: F811
    table = tmp_path / "t"
    delta_spark.sql("CREATE TABLE {t} (id BIGINT, v VARIANT) USING delta", t=table)
    delta_spark.sql("INSERT INTO {t} SELECT 1, parse_json('{{\"a\":1}}')", t=table)
    reader = Reader(spark, table, tmp_path / "s")
    assert reader.run() == [1]
    delta_spark.sql("INSERT INTO {t} SELECT 2, parse_json('{{\"a\":2}}')", t=table)
    assert reader.run() == [1, 2]


def test_one_table_follows_another(spark, reader, table, tmp_path):
    def follow():
        stream = reader.load().writeStream.format(FORMAT).option("table", "delta").partitionBy("p")
        stream = stream.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True)
        assert stream.start(str(tmp_path / "copy")).awaitTermination(120)
        return sorted(r[0] for r in load(spark, tmp_path / "copy").selectExpr("v:a::int").collect())

    assert follow() == [0, 1, 2]
    save(rows(spark, 3), table)
    assert follow() == [0, 1, 2, 3]
    assert follow() == [0, 1, 2, 3]
