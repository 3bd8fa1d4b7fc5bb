"""Writes of a million documents, along an explicit and an inferred shape, compared with Spark's writes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from pyspark.sql import DataFrame

from benchmarks import engines
from benchmarks.bench import Bench
from benchmarks.data import CODEC, ROOT, Settings, bytes_of, spark_shredding
from benchmarks.leaves import Table
from benchmarks.measure import Rows, Run, canonical, interleaved
from benchmarks.result import Bound, Result
from benchmarks.tables import BLUESKY, EVENTS

DOCUMENTS = 1_000_000
# The maximal ratios to the time of Spark's unshredded write, and to the bytes of Spark's shredded files.
TIMES = {"explicit": 1.15, "inferred": 1.2}
BYTES = 1.0
SAMPLED = 500
TABLES = (EVENTS, BLUESKY)


def measurements(bench: Bench) -> list[tuple[str, Callable[[], Result]]]:
    return [(_name(table, kind), partial(_result, bench, table, kind)) for table in TABLES for kind in TIMES]


def _name(table: Table, kind: str) -> str:
    return f"write {table.name}, {kind} shape"


def ours(bench: Bench, table: Table, kind: str, to: str) -> Run:
    return _write(bench, table, kind, _source(bench, table), ROOT / "writes" / table.name / to)


def _result(bench: Bench, table: Table, kind: str) -> Result:
    """One of our writes of a table; all writes of a table are measured together, in turns."""
    seconds, sizes, differs = _measured(bench, table.name)
    times = {name: bench.summary(runs_of) for name, runs_of in seconds.items()}
    result = Result(_name(table, kind), seconds=dict(seconds), differs=[kind] if kind in differs else [])
    result.bounds = [
        Bound("unshredded", TIMES[kind], times[kind] / times["unshredded"]),
        Bound("spark bytes", BYTES, sizes[kind] / sizes["spark"]),
    ]
    result.ratios = {"spark": times["spark"] / times["unshredded"], "unshredded": 1.0}
    # Every time includes the time to read the rows.
    read = times["input"]
    result.details = {"unshredded s": times["unshredded"], "input s": read, "bytes": sizes[kind]}
    if times["unshredded"] > read:
        result.details["without input"] = (times[kind] - read) / (times["unshredded"] - read)
    return result


@cache
def _measured(bench: Bench, name_of_table: str) -> tuple[dict[str, list[float]], dict[str, int], list[str]]:
    table = next(each for each in TABLES if each.name == name_of_table)
    source = _source(bench, table)
    home = ROOT / "writes" / table.name
    runs: dict[str, Run] = {"input": lambda: _noop(source)}
    for name in ("unshredded", "spark", *TIMES):
        runs[name] = _write(bench, table, name, source, home / name)
    for run in runs.values():
        run()
    written = {name: home / name for name in runs if name != "input"}
    expected = _sample(source)
    differs = [name for name, path in written.items() if _sample(_read(bench, name, path)) != expected]
    sizes = {name: bytes_of(path) for name, path in written.items()}
    rounds = {name: bench.plan.peer_runs if name == "spark" else bench.plan.runs for name in runs}
    seconds = interleaved(runs, rounds, bench.collect_garbage)
    shutil.rmtree(home)
    return seconds, sizes, differs


def _source(bench: Bench, table: Table) -> DataFrame:
    """Unshredded variants: about a million rows, in whole files, each of which one task reads."""
    files = sorted(bench.data.path(table, "unshredded").glob("*.parquet"))
    rows = bench.data.rows[table.name]
    return bench.spark.read.parquet(*map(str, files[: max(1, round(len(files) * min(1.0, DOCUMENTS / rows)))]))


def _noop(source: DataFrame) -> list[tuple[int]]:
    source.write.format("noop").mode("overwrite").save()
    return []


def _write(bench: Bench, table: Table, name: str, source: DataFrame, to: Path) -> Run:
    shredding = {"spark.sql.variant.writeShredding.enabled": "false"} if name != "spark" else spark_shredding(table)

    def run() -> list[tuple[int]]:
        with Settings(bench.spark, shredding):
            writer = source.write.mode("overwrite").option("compression", CODEC)
            if name in TIMES:
                writer = writer.format("shredded_variant")
                if name == "explicit":
                    writer = writer.option("shredding.shape.v", table.shape())
            else:
                writer = writer.format("parquet")
            writer.save(str(to))
        return []

    return run


def _read(bench: Bench, name: str, path: Path) -> DataFrame:
    view = f"written_{name}"
    engines.create_view_in_spark(bench.spark, "ours" if name in TIMES else name, str(path), view)
    return bench.spark.table(view)


def _sample(rows: DataFrame) -> Rows:
    """The number of rows, and the documents of some of them."""
    count = rows.count()
    every = max(1, count // SAMPLED)
    documents = rows.where(f"row % {every} = 0").selectExpr("row", "to_json(v)").collect()
    return [(str(count),), *canonical(documents)]
