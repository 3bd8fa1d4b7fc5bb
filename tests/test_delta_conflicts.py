"""Writers at the same time: appends all land, overwrites notice what they would lose, nothing is half there.

`make test` runs short series of commits and kills, FUZZ=1 long ones.
"""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import clean_environment, script
from delta_tables import active, commits, files_on_disk, load, save

FUZZ = bool(os.environ.get("FUZZ"))

# Writes in a process of its own. Only rows of acknowledged writes are printed.
WRITER = """
import shredded_variant
spark = shredded_variant.attach(calm()).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
path, name, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
kept, refused = [], 0
for i in range(number):
    row = name * 1000000 + i
    mode = "overwrite" if i % 10 == 9 else "append"
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


def rows(spark, *ids):
    return (
        spark.createDataFrame([(i,) for i in ids], "id BIGINT").selectExpr("id", "CAST(id AS VARIANT) AS v").coalesce(1)
    )


def ids(spark, path):
    return sorted(r[0] for r in load(spark, path).select("id").collect())


def meanwhile(spark, path, others, **options):
    """A write whose rows come only after `others` has run: it began before."""
    from pyspark.sql import functions as f

    flag = f"{path}.done"

    def wait(row):
        while not os.path.exists(flag):
            time.sleep(0.05)
        return row

    # The Python of the tests, whatever the PATH has.
    spark.sparkContext.pythonExec = sys.executable
    slow = rows(spark, 100).withColumn("id", f.udf(wait, "bigint")("id"))
    import threading

    failures = []

    def write():
        try:
            # Unshredded, so that its file is there before its first row.
            save(slow, path, shredding="off", **options)
        except Exception as e:
            failures.append(str(e))

    writer = threading.Thread(target=write)
    before = files_on_disk(path)
    writer.start()
    while files_on_disk(path) == before and writer.is_alive():
        time.sleep(0.05)
    others()
    open(flag, "w").close()
    writer.join()
    return failures


def test_appends_at_the_same_time_all_land(spark, table):
    assert meanwhile(spark, table, lambda: save(rows(spark, 1), table)) == []
    assert ids(spark, table) == [0, 1, 100]


def test_an_overwrite_and_an_append_that_has_read_nothing_both_land(spark, table):
    assert meanwhile(spark, table, lambda: save(rows(spark, 1), table), mode="overwrite") == []
    assert ids(spark, table) == [1, 100]


def test_an_overwrite_fails_after_another_and_leaves_no_files(spark, table):
    (failure,) = meanwhile(spark, table, lambda: save(rows(spark, 1), table, mode="overwrite"), mode="overwrite")
    assert "SHREDDED_VARIANT_DELTA_CONFLICT" in failure
    assert ids(spark, table) == [1]
    assert len(files_on_disk(table) - active(table)) == 1, "the file that the other overwrite has replaced"


def test_overwrites_of_an_empty_table_notice_each_other(spark, table):
    save(rows(spark), table, mode="overwrite")
    (failure,) = meanwhile(spark, table, lambda: save(rows(spark, 1), table, mode="overwrite"), mode="overwrite")
    assert "SHREDDED_VARIANT_DELTA_CONFLICT" in failure
    assert ids(spark, table) == [1]


def test_a_serializable_table_wants_one_order(spark, tmp_path):
    path = str(tmp_path / "t")
    save(rows(spark, 0), path, delta__isolationLevel="Serializable")
    (failure,) = meanwhile(spark, path, lambda: save(rows(spark, 1), path), mode="overwrite")
    assert "SHREDDED_VARIANT_DELTA_CONFLICT" in failure
    assert ids(spark, path) == [0, 1]


def test_columns_that_change_meanwhile_end_a_write(spark, table):
    wide = rows(spark, 1).selectExpr("*", "1 AS n")
    for mode in ("append", "overwrite"):
        failures = meanwhile(spark, table, lambda df=wide: save(df, table, mergeSchema="true"), mode=mode)
        assert "SHREDDED_VARIANT_DELTA_CONFLICT" in failures[0]
        wide = wide.selectExpr("*", "2 AS m")
        os.remove(f"{table}.done")
    assert ids(spark, table) == [0, 1, 1]


def test_two_processes_lose_nothing_that_was_acknowledged(spark, table, tmp_path):
    job = script(tmp_path, WRITER)
    writers = [
        subprocess.Popen(
            [sys.executable, job, table, str(name), str(200 if FUZZ else 20)],
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


def test_a_killed_write_leaves_a_readable_table_and_no_half_commit(spark, table, tmp_path):
    job = script(tmp_path, WRITER)
    seen = 0
    for moment in range(20 if FUZZ else 3):
        writer = subprocess.Popen(
            [sys.executable, job, table, str(moment + 1), "1000"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean_environment(), start_new_session=True,
        )  # fmt: skip
        before = len(commits(table))
        while len(commits(table)) < before + 2 and writer.poll() is None:
            time.sleep(0.02)
        time.sleep(0.037 * moment)
        assert writer.poll() is None, "the writer has ended by itself"
        os.killpg(writer.pid, signal.SIGKILL)
        writer.wait()
        log = commits(table)
        seen += len(log)
        assert all("commitInfo" in commit[0] for commit in log)
        assert active(table) <= files_on_disk(table)
        assert load(spark, table).count() == len(active(table))
    assert seen > 0
    save(rows(spark, 7), table)
    assert 7 in ids(spark, table)
