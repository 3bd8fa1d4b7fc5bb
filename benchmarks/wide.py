"""One leaf among 1,000 against one among 10, with the reading of footers told apart."""

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
    """Our scans count what footers take; a query reads them on all cores, and what it takes beyond is the leaf."""
    result = Result(NAME)
    result.copies = bench.copies_for(lambda copies: _sum(bench, NARROW, "struct", copies))
    layouts = [layout for layout in LAYOUTS if layout in bench.plan.layouts]
    leaves: dict[str, list[float]] = {table.name: [] for table in (WIDE, NARROW)}
    runs: dict[str, Run] = {}
    for layout in layouts:
        for table in (WIDE, NARROW):
            runs[f"{layout} {table.name}"] = _sum(bench, table, layout, result.copies)
    for table in (WIDE, NARROW):
        runs[f"ours {table.name}"] = _told_apart(bench, table, result.copies, leaves[table.name])
    rows = {name: canonical(run()) for name, run in runs.items()}
    result.differs = sorted(name for name in rows if rows[name] != rows["struct narrow"])
    for warm_up in leaves.values():
        warm_up.clear()
    full, few = bench.plan.runs, min(bench.plan.runs, bench.plan.peer_runs)
    rounds = {name: few if name.startswith("spark") else full for name in runs}
    result.seconds = interleaved(runs, rounds, bench.quiet)
    _judge(bench, layouts, leaves, result)
    return result


def _judge(bench: Bench, layouts: list[str], leaves: dict[str, list[float]], result: Result) -> None:
    taken = {name: bench.summary(seconds) for name, seconds in result.seconds.items()}
    result.struct = taken["struct narrow"]
    leaf = {name: bench.summary(seconds) for name, seconds in leaves.items()}
    result.bounds.append(Bound("narrow", LIMIT, leaf[WIDE.name] / leaf[NARROW.name]))
    for layout in layouts:
        result.details[f"{layout} with footers"] = taken[f"{layout} wide"] / taken[f"{layout} narrow"]
    for table in (WIDE, NARROW):
        result.details[f"ours {table.name} footers s"] = taken[f"ours {table.name}"] - leaf[table.name]


def _told_apart(bench: Bench, table: Table, copies: int, leaves: list[float]) -> Run:
    """Our query, which notes the seconds that it takes without those for footers."""
    sql = Query(NAME, table, SUM, ()).spelled("ours", bench.view(table, "ours", copies))
    assert sql is not None

    def run() -> Sequence[Sequence[Any]]:
        frame = bench.spark.sql(sql)
        seconds, rows = timed(frame.collect)
        leaves.append(seconds - scan_metrics(frame)["footerTime"] / 1e9 / CORES)
        return rows

    return run


def _sum(bench: Bench, table: Table, layout: str, copies: int) -> Run:
    sql = Query(NAME, table, SUM, ()).spelled(layout, bench.view(table, layout, copies))
    assert sql is not None
    return bench.run_of(layout, sql)
