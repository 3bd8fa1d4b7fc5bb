"""Measures a query: chooses the copies of its table, compares the rows of the layouts, then times these in turns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from duckdb import DuckDBPyConnection
from pyspark.sql import SparkSession

from benchmarks import engines
from benchmarks.data import Data
from benchmarks.leaves import Table
from benchmarks.measure import Rows, Run, canonical, first_line, interleaved, summary, timed
from benchmarks.queries import FILES_OF, LAYOUTS, Query
from benchmarks.result import Bound, Result

MAX_COPIES = 100
# The seconds for which each layout runs before it is timed, so that the JVM has compiled its code.
WARM_UP = 3.0
# The number of documents that are compared if a query writes those of all rows to a sink.
SAMPLED = 500


@dataclass(frozen=True)
class Plan:
    """How often and how long each query runs."""

    runs: int = 7
    peer_runs: int = 3
    best: bool = False
    # The minimal time of the query of the plain struct.
    seconds: float = 1.0
    layouts: tuple[str, ...] = LAYOUTS


@dataclass
class Bench:
    spark: SparkSession
    data: Data
    plan: Plan
    duckdb: DuckDBPyConnection = field(default_factory=engines.start_duckdb)
    views: dict[tuple[str, str, int], str] = field(default_factory=dict)

    def measure(self, query: Query) -> Result:
        result = Result(query.name)
        minimum = self.plan.seconds * query.times
        result.copies = self.copies_for(lambda copies: self.run(query, query.sized_by, copies), minimum)
        required = {"struct", "ours"} | {layout for layout, _ in query.bounds}
        layouts = [x for x in self.plan.layouts if x in required or (query.with_peers and x != "eager")]
        runs = self._checked(query, layouts, result)
        for name, run in runs.items():
            if name in required:
                self.warm_up(run)
        peer_runs = min(self.plan.runs, self.plan.peer_runs)
        rounds = {name: self.plan.runs if name in required else peer_runs for name in runs}
        result.seconds = interleaved(runs, rounds, self.collect_garbage)
        self._judge(query, result)
        return result

    def copies_for(self, run: Callable[[int], Run], minimum: float | None = None) -> int:
        """The number of copies of the table with which the query takes `minimum` seconds, or those of the plan."""
        minimum = self.plan.seconds if minimum is None else minimum
        copies, seconds = 1, 0.0
        self.warm_up(run(1))
        while copies < MAX_COPIES:
            seconds = min(timed(run(copies))[0] for _ in range(2))
            if seconds >= minimum:
                break
            copies = min(MAX_COPIES, max(copies + 1, math.ceil(1.1 * copies * minimum / seconds)))
        return copies

    def view(self, table: Table, layout: str, copies: int) -> str:
        """A view of the table's files in this layout, in the engine of the layout."""
        key = (table.name, layout, copies)
        if key not in self.views:
            name = f"{table.name}_{layout.replace(' ', '_')}_{copies}"
            path = str(self.data.path(table, FILES_OF.get(layout, layout), copies))
            if layout.startswith("duckdb"):
                engines.create_view_in_duckdb(self.duckdb, path, name)
            else:
                engines.create_view_in_spark(self.spark, layout, path, name)
            self.views[key] = name
        return self.views[key]

    def warm_up(self, run: Run) -> None:
        spent = 0.0
        while spent < WARM_UP:
            spent += timed(run)[0]

    def run_of(self, layout: str, sql: str, to_sink: bool = False) -> Run:
        if layout.startswith("duckdb"):
            return lambda: self.duckdb.execute(sql).fetchall()
        return lambda: engines.run_in_spark(self.spark, sql, to_sink)

    def summary(self, seconds: list[float]) -> float:
        return summary(seconds, self.plan.best)

    def collect_garbage(self) -> None:
        """Runs before each timed run, so that no run includes the garbage collection of the previous one."""
        jvm = self.spark._jvm
        assert jvm is not None
        jvm.System.gc()

    def run(self, query: Query, layout: str, copies: int) -> Run:
        sql = query.sql_for(layout, self.view(query.table, layout, copies))
        assert sql is not None, f"{query.name} has no SQL for {layout}"
        return self.run_of(layout, sql, query.to_sink)

    def _checked(self, query: Query, layouts: list[str], result: Result) -> dict[str, Run]:
        """Runs the query once in each layout that supports it, and compares its rows with those of the struct."""
        runs: dict[str, Run] = {}
        expected: Rows | None = None
        for layout in layouts:
            if query.sql_for(layout, "t") is None:
                continue
            try:
                view = self.view(query.table, layout, result.copies)
                result.sql[layout] = query.sql_for(layout, view) or ""
                run = self.run(query, layout, result.copies)
                rows = run()
                actual = self._rows_of_sink(query, layout, result.copies) if query.to_sink else canonical(rows)
            except Exception as e:
                result.failed[layout] = first_line(e)
                continue
            expected = actual if expected is None else expected
            if actual != expected or not actual:
                result.differs.append(layout)
            runs[layout] = run
        return runs

    def _rows_of_sink(self, query: Query, layout: str, copies: int) -> Rows:
        """For a query whose rows go to a sink: checksums of all its rows, and the documents of some rows."""
        every = max(1, self.data.rows[query.table.name] // SAMPLED)
        checksums = query.checksums(layout, self.view(query.table, layout, copies))
        documents = query.documents(layout, self.view(query.table, layout, 1), every)
        return [row for sql in (checksums, documents) for row in canonical(self.run_of(layout, sql)())]

    def _judge(self, query: Query, result: Result) -> None:
        times = {layout: self.summary(seconds) for layout, seconds in result.seconds.items()}
        ours = times.get("ours")
        for against, limit in query.bounds:
            ratio = max(ours - query.slack, 0.0) / times[against] if ours is not None and against in times else None
            result.bounds.append(Bound(against, limit, ratio))
        result.struct = times.get("struct")
        if result.struct is not None:
            result.ratios = {layout: seconds / result.struct for layout, seconds in times.items()}
