"""Concurrent writers: all appends are committed, overwrites fail where they would lose rows, no commit is partial.

`make test` runs short series of commits and kills, FUZZ=1 long ones.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from delta_races import ids, meanwhile, rows
from delta_tables import active, commits, files_on_disk, load, save
from fuzz import FUZZ
from programs import clean_environment, script
from tables import refusal

pytestmark = pytest.mark.fuzz

# A process that writes one row after the other; each n-th write is an overwrite. It prints the rows it has committed.
WRITER = """
import shredded_variant
spark = shredded_variant.attach(calm()).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
path, name, number, nth = sys.argv[1], *map(int, sys.argv[2:5])
kept, refused = [], 0
for i in range(number):
    row = name * 1000000 + i
    mode = "overwrite" if i % nth == nth - 1 else "append"
    df = spark.sql(f"SELECT {row}L AS id, parse_json('{{\\"a\\":{row}}}') AS v").coalesce(1)
    try:
        df.write.format("shredded_variant").option("table", "delta").mode(mode).save(path)
        kept.append([mode, row])
    except Exception as e:
        if "SHREDDED_VARIANT_DELTA_CONFLICT" not in str(e): raise
        refused += 1
print(json.dumps([kept, refused]))
"""


@pytest.fixture
def table(spark, tmp_path):
    path = str(tmp_path / "table")
    save(rows(spark, 0), path)
    return path


def test_concurrent_appends_are_all_committed(spark, table):
    assert meanwhile(spark, table, lambda: save(rows(spark, 1), table)) == []
    assert ids(spark, table) == [0, 1, 100]


def test_an_overwrite_and_a_blind_append_are_both_committed(spark, table):
    assert meanwhile(spark, table, lambda: save(rows(spark, 1), table), mode="overwrite") == []
    assert ids(spark, table) == [1, 100]


def test_an_overwrite_fails_after_another_and_leaves_no_files(spark, table):
    (failure,) = meanwhile(spark, table, lambda: save(rows(spark, 1), table, mode="overwrite"), mode="overwrite")
    assert "SHREDDED_VARIANT_DELTA_CONFLICT" in failure
    assert ids(spark, table) == [1]
    assert len(files_on_disk(table) - active(table)) == 1, "the file that the other overwrite has replaced"


def test_an_overwrite_keeps_appends_that_its_query_has_not_read(spark, table):
    read = load(spark, table)
    save(rows(spark, 1), table)
    save(read.selectExpr("id + 100 AS id", "v"), table, mode="overwrite")
    assert ids(spark, table) == [1, 100]


def test_an_overwrite_fails_after_a_change_that_its_query_has_not_read(spark, table):
    for read in (load(spark, table), load(spark, table).cache()):
        save(load(spark, table).selectExpr("id + 1 AS id", "v"), table, mode="overwrite")
        before = ids(spark, table)
        refusal(lambda df=read: save(df, table, mode="overwrite"), name="SHREDDED_VARIANT_DELTA_CONFLICT")
        assert ids(spark, table) == before
    spark.catalog.clearCache()


def test_an_overwrite_may_replace_a_table_by_an_older_version(spark, table):
    save(rows(spark, 1), table)
    save(load(spark, table, versionAsOf=0), table, mode="overwrite")
    assert ids(spark, table) == [0]


def test_an_overwrite_of_partitions_fails_only_after_changes_of_them(spark, partitioned):
    read = load(spark, partitioned)
    for partition, expected in ((1, [100, 7]), (0, None)):
        other = rows(spark, 7).selectExpr("*", f"{partition}L AS p")
        save(other, partitioned, mode="overwrite", replaceWhere=f"p = {partition}")
        mine = read.where("p = 0").selectExpr("id + 100 AS id", "v", "p")
        ours = lambda: save(mine, partitioned, mode="overwrite", replaceWhere="p = 0")  # noqa: E731, B023
        if expected is None:
            refusal(ours, name="SHREDDED_VARIANT_DELTA_CONFLICT")
        else:
            ours()
            assert ids(spark, partitioned) == sorted(expected)


def test_concurrent_overwrites_of_an_empty_table_conflict(spark, table):
    save(rows(spark), table, mode="overwrite")
    (failure,) = meanwhile(spark, table, lambda: save(rows(spark, 1), table, mode="overwrite"), mode="overwrite")
    assert "SHREDDED_VARIANT_DELTA_CONFLICT" in failure
    assert ids(spark, table) == [1]


def test_a_serializable_table_refuses_an_overwrite_after_an_append(spark, tmp_path):
    path = str(tmp_path / "t")
    save(rows(spark, 0), path, delta__isolationLevel="Serializable")
    (failure,) = meanwhile(spark, path, lambda: save(rows(spark, 1), path), mode="overwrite")
    assert "SHREDDED_VARIANT_DELTA_CONFLICT" in failure
    assert ids(spark, path) == [0, 1]


def test_a_write_fails_if_another_commit_changes_columns(spark, table):
    wide = rows(spark, 1).selectExpr("*", "1 AS n")
    for mode in ("append", "overwrite"):
        failures = meanwhile(spark, table, lambda df=wide: save(df, table, mergeSchema="true"), mode=mode)
        assert "SHREDDED_VARIANT_DELTA_CONFLICT" in failures[0]
        wide = wide.selectExpr("*", "2 AS m")
    assert ids(spark, table) == [0, 1, 1]


@pytest.fixture
def partitioned(spark, tmp_path):
    """Row 0 in the partition 0 and row 1 in the partition 1."""
    path = str(tmp_path / "partitioned")
    save(rows(spark, 0, 1).selectExpr("*", "id AS p"), path, "p")
    return path


# Options with which a write replaces only the partition p = 0.
OF_ONE = {"dynamic": {"partitionOverwriteMode": "dynamic"}, "replaceWhere": {"replaceWhere": "p = 0"}}


@pytest.mark.parametrize("kind", OF_ONE)
@pytest.mark.parametrize("partition", [0, 1])
def test_overwrites_conflict_only_with_overwrites_of_the_same_partitions(spark, partitioned, kind, partition):
    """A write of partition 0 begins; before its commit, another write replaces the given partition."""
    other = rows(spark, 7).selectExpr("*", f"{partition}L AS p")
    others = lambda: save(other, partitioned, mode="overwrite", replaceWhere=f"p = {partition}")  # noqa: E731
    failures = meanwhile(spark, partitioned, others, "0L AS p", mode="overwrite", **OF_ONE[kind])
    if partition == 0:
        assert "SHREDDED_VARIANT_DELTA_CONFLICT" in failures[0]
        assert ids(spark, partitioned) == [1, 7]
    else:
        assert failures == []
        assert ids(spark, partitioned) == [7, 100]


@pytest.mark.timeout(3600 if FUZZ else 600)
def test_two_processes_lose_nothing_that_was_acknowledged(spark, table, tmp_path):
    job = script(tmp_path, WRITER)
    writers = [
        subprocess.Popen(
            [sys.executable, job, table, str(name), str(200 if FUZZ else 20), "10"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=clean_environment(),
        )
        for name in (1, 2)
    ]  # fmt: skip
    answers = [json.loads(w.communicate(timeout=3000)[0].strip().split("\n")[-1]) for w in writers]
    acknowledged = [row for kept, _ in answers for _, row in kept]
    log = commits(table)
    added = [[json.loads(a["add"]["stats"])["minValues"]["id"] for a in commit if "add" in a] for commit in log]
    assert sorted(row for rows in added for row in rows) == sorted([0, *acknowledged]), "each in one commit"
    last = max((i for i, commit in enumerate(log) if any("remove" in a for a in commit)), default=0)
    there = ids(spark, table)
    assert len(there) == len(set(there)) == len(active(table))
    assert {row for rows in added[last:] for row in rows} <= set(there), "all since the last overwrite"


def kill(job, path, name, nth, begun, after):
    """Kills a writing process some seconds after `begun`; the process must not end before."""
    writer = subprocess.Popen(
        [sys.executable, job, path, str(name), "1000", str(nth)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean_environment(), start_new_session=True,
    )  # fmt: skip
    while not begun() and writer.poll() is None:
        time.sleep(0.005)
    time.sleep(after)
    assert writer.poll() is None, "the writer has ended by itself"
    os.killpg(writer.pid, signal.SIGKILL)
    writer.wait()


def is_whole(spark, path):
    """Every commit has its commitInfo, every file in the log exists, and each file has one row."""
    assert all("commitInfo" in commit[0] for commit in commits(path))
    assert active(path) <= files_on_disk(path)
    assert load(spark, path).count() == len(active(path))


@pytest.mark.parametrize("nth", [1, 2], ids=["overwrites", "overwrites_and_appends"])
def test_a_killed_write_leaves_a_readable_table_and_no_half_commit(spark, table, tmp_path, nth):
    job = script(tmp_path, WRITER)
    for moment in range(10 if FUZZ else 2):
        before = len(commits(table))
        kill(job, table, moment + 1, nth, lambda b=before: len(commits(table)) >= b + 2, 0.037 * moment)
        is_whole(spark, table)
    removed = [a["remove"]["path"] for commit in commits(table) for a in commit if "remove" in a]
    assert removed, "no overwrite was under way"
    assert not set(removed) & active(table)
    save(rows(spark, 7), table)
    assert 7 in ids(spark, table)


def test_a_killed_creation_leaves_a_whole_table_or_no_table(spark, tmp_path):
    job = script(tmp_path, WRITER)
    for moment in range(10 if FUZZ else 2):
        path = tmp_path / f"t{moment}"
        # The kills come between the first file and a moment after the first commit.
        kill(job, path, 1, 10, path.exists, 0.03 * moment)
        log = path / "_delta_log"
        if log.exists() and list(log.glob("*.json")):
            is_whole(spark, path)
        else:
            name = "DELTA_UNCOMMITTED" if log.exists() else "NO_SCHEMA"
            refusal(lambda p=path: load(spark, p).collect(), name=f"SHREDDED_VARIANT_{name}")
            if any(not file.startswith("_") for file in files_on_disk(path)):
                write = lambda p=path: save(rows(spark, 7), p)  # noqa: E731
                refusal(write, "remove the files", name="SHREDDED_VARIANT_DELTA_OVER_FILES")
                shutil.rmtree(path)
        save(rows(spark, 7), path)
        assert 7 in ids(spark, path)
        is_whole(spark, path)
