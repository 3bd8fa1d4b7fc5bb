"""The time to plan and to run a query on 3 files of a Delta table, by the number of files of the table."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

from pyspark.sql import DataFrame, SparkSession

from benchmarks.bench import Bench
from benchmarks.data import ROOT
from benchmarks.measure import Run, interleaved
from benchmarks.result import Bound, Result

NAME = "plan files of a Delta table"
FILES = (100, 1_000, 10_000)
# The maximal ratio of the times for 10,000 and for 1,000 files.
LIMIT = 10.0
# The number of files that exist; the log names more.
EXISTING = 100
ROWS_PER_FILE = 10
MATCHING = 3


def measure(bench: Bench) -> Result:
    """`new` opens the log in a new session, `known` plans one more query of an existing DataFrame."""
    result = Result(NAME)
    runs: dict[str, Callable[[], Any]] = {}
    for files in FILES:
        path = _table(bench, files)
        runs[f"{files} new"] = partial(_plan_in_new_session, bench.spark, path)
        runs[f"{files} known"] = _plan_of_known(bench.spark, path)
        runs[f"{files} query"] = partial(_run_in_new_session, bench.spark, path)
    for files in FILES:
        if runs[f"{files} new"]() != MATCHING or len(runs[f"{files} query"]()) != MATCHING * ROWS_PER_FILE:
            result.differs.append(f"{files} files")
    result.seconds = interleaved(runs, dict.fromkeys(runs, bench.plan.runs), bench.collect_garbage)
    times = {name: bench.summary(seconds) for name, seconds in result.seconds.items()}
    for kind in ("new", "known"):
        result.bounds.append(Bound(f"1,000 {kind}", LIMIT, times[f"10000 {kind}"] / times[f"1000 {kind}"]))
    result.details = {f"{name} s": seconds for name, seconds in times.items()}
    return result


def ours(bench: Bench, files: int) -> Run:
    path = _table(bench, files)
    return lambda: [(_plan_in_new_session(bench.spark, path),)]


def _plan_in_new_session(spark: SparkSession, path: Path) -> int:
    return _plan(_query(spark.newSession(), path))


def _run_in_new_session(spark: SparkSession, path: Path) -> list[Any]:
    return _query(spark.newSession(), path).collect()


def _plan_of_known(spark: SparkSession, path: Path) -> Callable[[], int]:
    frame = spark.read.format("shredded_variant").load(str(path))
    return lambda: _plan(_filtered(frame))


def _query(spark: SparkSession, path: Path) -> DataFrame:
    return _filtered(spark.read.format("shredded_variant").load(str(path)))


def _filtered(frame: DataFrame) -> DataFrame:
    """The rows of the 51st, 52nd and 53rd file."""
    first = 50 * ROWS_PER_FILE
    return frame.where(f"v:n::bigint BETWEEN {first} AND {first + MATCHING * ROWS_PER_FILE - 1}").selectExpr(
        "v:s::string"
    )


def _plan(frame: DataFrame) -> int:
    """The number of files in the input partitions of the scan."""
    scan = cast("Any", frame)._jdf.queryExecution().executedPlan().collectLeaves().head()
    partitions = scan.inputPartitions()
    return sum(len(partitions.apply(i).files()) for i in range(partitions.size()))


def _table(bench: Bench, files: int) -> Path:
    """A Delta table with 100 files; its log and checkpoint name more files, which have the bounds of the last one."""
    path, done = ROOT / "planning" / str(files), ROOT / "planning" / f"{files}.done"
    if not done.is_file():
        bench.data.say(f"writing a Delta table of {files:,} files")
        shutil.rmtree(path, ignore_errors=True)
        _append(bench.spark.range(0, (EXISTING - 1) * ROWS_PER_FILE, 1, 1), path)
        log = path / "_delta_log"
        lines = (log / f"{0:020}.json").read_text().splitlines()
        last = max((json.loads(line)["add"] for line in lines if '"add"' in line), key=_first)
        more = [{"add": last | {"path": f"never-opened-{i}.parquet"}} for i in range(files - EXISTING)]
        added = [{"commitInfo": {"operation": "WRITE"}}, *more]
        (log / f"{1:020}.json").write_text("".join(json.dumps(line) + "\n" for line in added))
        # This commit writes the checkpoint.
        _append(bench.spark.range((EXISTING - 1) * ROWS_PER_FILE, EXISTING * ROWS_PER_FILE, 1, 1), path)
        done.touch()
    return path


def _first(add: dict[str, Any]) -> int:
    return int(json.loads(add["stats"])["minValues"]["id"])


def _append(ids: DataFrame, path: Path) -> None:
    """Appends rows whose files have bounds for a column, a path of numbers and a path of strings."""
    rows = ids.selectExpr("id", "to_variant_object(named_struct('n', id, 's', 'k' || id)) AS v")
    writer = rows.write.format("shredded_variant").mode("append").option("table", "delta")
    writer = writer.option("shredding.shape.v", "n BIGINT, s STRING").option("maxRecordsPerFile", ROWS_PER_FILE)
    writer.option("shredding.pin", "none").option("delta.checkpointInterval", 1).save(str(path))
