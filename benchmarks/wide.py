"""A query on one leaf of a file with 1,000 leaves, compared with a file of 10, without the time for footers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.bench import Bench
from benchmarks.engines import CORES
from benchmarks.leaves import Table
from benchmarks.measure import Run, canonical, interleaved, timed
from benchmarks.queries import Query
from benchmarks.result import Bound, Result
from benchmarks.tables import NARROW, WIDE
from shredded_variant.jobs.metrics import scan_metrics

NAME = "one leaf of 1,000 / of 10"
SUM = "SELECT sum([f0 bigint]) FROM {t}"
LIMIT = 1.1
LAYOUTS = ("struct", "ours", "spark")


def measure(bench: Bench) -> Result:
    """Measures the time for the leaf: that of the query without `footerTime` of its scans, divided by the cores."""
    result = Result(NAME)
    result.copies = bench.copies_for(lambda copies: _sum(bench, NARROW, "struct", copies))
    layouts = [layout for layout in LAYOUTS if layout in bench.plan.layouts]
    leaves: dict[str, list[float]] = {table.name: [] for table in (WIDE, NARROW)}
    runs: dict[str, Run] = {}
    for layout in layouts:
        for table in (WIDE, NARROW):
            runs[f"{layout} {table.name}"] = _sum(bench, table, layout, result.copies)
    for table in (WIDE, NARROW):
        runs[f"ours {table.name}"] = _without_footers(bench, table, result.copies, leaves[table.name])
    rows = {name: canonical(run()) for name, run in runs.items()}
    result.differs = sorted(name for name in rows if rows[name] != rows["struct narrow"])
    for warm_up in leaves.values():
        warm_up.clear()
    peer_runs = min(bench.plan.runs, bench.plan.peer_runs)
    rounds = {name: peer_runs if name.startswith("spark") else bench.plan.runs for name in runs}
    result.seconds = interleaved(runs, rounds, bench.collect_garbage)
    _judge(bench, layouts, leaves, result)
    return result


def _judge(bench: Bench, layouts: list[str], leaves: dict[str, list[float]], result: Result) -> None:
    times = {name: bench.summary(seconds) for name, seconds in result.seconds.items()}
    result.struct = times["struct narrow"]
    leaf = {name: bench.summary(seconds) for name, seconds in leaves.items()}
    result.bounds.append(Bound("narrow", LIMIT, leaf[WIDE.name] / leaf[NARROW.name]))
    for layout in layouts:
        result.details[f"{layout} with footers"] = times[f"{layout} wide"] / times[f"{layout} narrow"]
    for table in (WIDE, NARROW):
        result.details[f"ours {table.name} footers s"] = times[f"ours {table.name}"] - leaf[table.name]


def _without_footers(bench: Bench, table: Table, copies: int, leaves: list[float]) -> Run:
    """Our query, which appends its seconds without those for footers to `leaves`."""
    sql = Query(NAME, table, SUM, ()).sql_for("ours", bench.view(table, "ours", copies))
    assert sql is not None

    def run() -> Sequence[Sequence[Any]]:
        frame = bench.spark.sql(sql)
        seconds, rows = timed(frame.collect)
        leaves.append(seconds - scan_metrics(frame)["footerTime"] / 1e9 / CORES)
        return rows

    return run


def _sum(bench: Bench, table: Table, layout: str, copies: int) -> Run:
    sql = Query(NAME, table, SUM, ()).sql_for(layout, bench.view(table, layout, copies))
    assert sql is not None
    return bench.run_of(layout, sql)
