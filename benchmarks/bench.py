"""Measures a query: sizes it by one layout, checks every layout's rows, then times the layouts in rounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import SparkSession

from benchmarks import engines
from benchmarks.data import Data
from benchmarks.leaves import Table
from benchmarks.measure import Rows, Run, canonical, interleaved, summary, timed
from benchmarks.queries import FILES_OF, LAYOUTS, Query
from benchmarks.result import Bound, Result

MOST_COPIES = 100
# Seconds for which each layout runs before its time is taken: by then what it runs is compiled.
WARM = 3.0
# Whole documents that are compared for a query that hands on those of all rows.
SAMPLED = 500


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    runs: int = 7
    peer_runs: int = 3
    best: bool = False
    # The plain struct's query takes at least so long.
    seconds: float = 1.0
    layouts: tuple[str, ...] = LAYOUTS


class Bench:
    def __init__(self, spark: SparkSession, data: Data, plan: Plan) -> None:
        self.spark = spark
        self.data = data
        self.plan = plan
        self.duckdb = engines.start_duckdb()
        self.views: dict[tuple[str, str, int], str] = {}

    def measure(self, query: Query) -> Result:
        result = Result(query.name)
        least = self.plan.seconds * query.times
        result.copies = self.copies_for(lambda copies: self.run(query, query.sized_by, copies), least)
        wanted = {"struct", "ours"} | {layout for layout, _ in query.bounds}
        layouts = [x for x in self.plan.layouts if x in wanted or (query.with_peers and x != "eager")]
        runs = self._checked(query, layouts, result)
        for name, run in runs.items():
            if name in wanted:
                self.warm(run)
        rounds = {name: self.plan.runs if name in wanted else min(self.plan.runs, self.plan.peer_runs) for name in runs}
        result.seconds = interleaved(runs, rounds, self.quiet)
        self._judge(query, result)
        return result

    def copies_for(self, run: Callable[[int], Run], least: float | None = None) -> int:
        """So many copies of the table that the query takes so many seconds, or as long as planned."""
        least = self.plan.seconds if least is None else least
        copies, seconds = 1, 0.0
        self.warm(run(1))
        while copies < MOST_COPIES:
            seconds = min(timed(run(copies))[0] for _ in range(2))
            if seconds >= least:
                break
            copies = min(MOST_COPIES, max(copies + 1, math.ceil(1.1 * copies * least / seconds)))
        return copies

    def view(self, table: Table, layout: str, copies: int) -> str:
        """A view of the table's files in this layout, in the engine of the layout."""
        key = (table.name, layout, copies)
        if key not in self.views:
            stored = FILES_OF.get(layout, layout)
            name = f"{table.name}_{layout.replace(' ', '_')}_{copies}"
            path = str(self.data.path(table, stored, copies))
            if layout.startswith("duckdb"):
                engines.show_to_duckdb(self.duckdb, path, name)
            else:
                engines.show_to_spark(self.spark, layout, path, name)
            self.views[key] = name
        return self.views[key]

    def warm(self, run: Run) -> None:
        spent = 0.0
        while spent < WARM:
            spent += timed(run)[0]

    def run_of(self, layout: str, sql: str, hands_on: bool = False) -> Run:
        if layout.startswith("duckdb"):
            return lambda: self.duckdb.execute(sql).fetchall()
        return lambda: engines.run_in_spark(self.spark, sql, hands_on)

    def summary(self, seconds: list[float]) -> float:
        return summary(seconds, self.plan.best)

    def quiet(self) -> None:
        """Collects garbage before a run, so that none pays for the one before."""
        jvm = self.spark._jvm
        assert jvm is not None
        jvm.System.gc()

    def run(self, query: Query, layout: str, copies: int) -> Run:
        sql = query.spelled(layout, self.view(query.table, layout, copies))
        assert sql is not None, f"{query.name} has no spelling for {layout}"
        return self.run_of(layout, sql, query.hands_on)

    def _checked(self, query: Query, layouts: list[str], result: Result) -> dict[str, Run]:
        """The layouts that answer the query, each run once to warm up, its rows compared with the struct's."""
        runs: dict[str, Run] = {}
        expected: Rows | None = None
        for layout in layouts:
            if query.spelled(layout, "t") is None:
                continue
            try:
                view = self.view(query.table, layout, result.copies)
                result.sql[layout] = query.spelled(layout, view) or ""
                run = self.run(query, layout, result.copies)
                rows = run()
                got = self._handed_on(query, layout, result.copies) if query.hands_on else canonical(rows)
            except Exception as e:
                result.failed[layout] = (str(e).splitlines() or [type(e).__name__])[0][:300]
                continue
            expected = got if expected is None else expected
            if got != expected or not got:
                result.differs.append(layout)
            runs[layout] = run
        return runs

    def _handed_on(self, query: Query, layout: str, copies: int) -> Rows:
        """What tells the rows that a query hands on: which they are, in all copies, and documents of theirs in one."""
        every = max(1, self.data.rows[query.table.name] // SAMPLED)
        found = query.found(layout, self.view(query.table, layout, copies))
        documents = query.documents(layout, self.view(query.table, layout, 1), every)
        return [row for sql in (found, documents) for row in canonical(self.run_of(layout, sql)())]

    def _judge(self, query: Query, result: Result) -> None:
        taken = {layout: self.summary(seconds) for layout, seconds in result.seconds.items()}
        ours = taken.get("ours")
        for against, limit in query.bounds:
            ratio = max(ours - query.slack, 0.0) / taken[against] if ours is not None and against in taken else None
            result.bounds.append(Bound(against, limit, ratio))
        result.struct = taken.get("struct")
        if result.struct is not None:
            result.ratios = {layout: seconds / result.struct for layout, seconds in taken.items()}
