"""Times the same queries and writes with two jars, in turns (`make compare BASE=<commit>`).

Other programs on the machine change the CPU time of a JVM less than the time that passes, so both are printed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import sys
from collections.abc import Callable, Container, Sequence
from functools import partial
from multiprocessing.connection import Connection
from statistics import geometric_mean
from typing import Any

from pyspark.sql import SparkSession

from benchmarks import drafts, engines, maps, planning, wide, writes
from benchmarks.bench import Bench, Plan
from benchmarks.data import ROOT, Data, rows_of_tables
from benchmarks.measure import Run, canonical, first_line, timed
from benchmarks.queries import BESIDE, QUERIES, Query
from benchmarks.tables import NARROW, WIDE

# The maximal ratio of the best time of the change to that of the base.
LIMIT = 1.03
# Makes the run of one row from the number of copies of its table.
Subject = Callable[[int], Run]


def main(arguments: Sequence[str]) -> int:
    """Returns 1 if the two jars give different rows, or one of them fails, else 0."""
    args = _arguments(arguments)
    engines.compile_helpers()
    results: dict[str, dict[str, Any]] = {}
    for fork in range(args.forks):
        _compare_all(args, results, f"pair {fork + 1} of {args.forks} of JVMs, all rows")
    mean = geometric_mean([result["ratio"] for result in results.values() if "ratio" in result] or [1.0])
    for fork in range(args.more):
        if slower := [name for name, result in results.items() if result.get("ratio", 0) > LIMIT]:
            _compare_all(args, results, f"pair {fork + 1} of {args.more} of JVMs, {len(slower)} slower rows", slower)
    print(f"{'row':<44}{'base s':>9}{'change s':>10}{'ratio':>8}{'of CPU':>8}")
    for name, result in results.items():
        print(_line(name, result))
    print(f"{'geometric mean of the pairs with all rows':<63}{mean:>8.2f}")
    ROOT.mkdir(parents=True, exist_ok=True)
    (ROOT / "compare.json").write_text(json.dumps(results, indent=2) + "\n")
    return 1 if any("failed" in each or each["differs"] for each in results.values()) else 0


def _compare_all(
    args: argparse.Namespace, results: dict[str, dict[str, Any]], what: str, rows: Container[str] | None = None
) -> None:
    """Adds the times of a new pair of JVMs: two JVMs may compile the same code to a speed that differs by a third."""
    print(f"· {what}", file=sys.stderr, flush=True)
    base, change = (_Side(name, jar, args) for name, jar in (("base", args.base), ("change", args.jar)))
    only = re.compile(args.only, re.IGNORECASE)
    for name in base.ask("names"):
        if only.search(name) and (rows is None or name in rows):
            result = results.setdefault(name, {"seconds": _no_times(), "cpu": _no_times(), "differs": False})
            _compare(name, base, change, args.runs, result)
            print(_line(name, result), file=sys.stderr, flush=True)
    for side in (base, change):
        side.ask("stop")


def _no_times() -> dict[str, list[float]]:
    return {"base": [], "change": []}


def _compare(name: str, base: _Side, change: _Side, runs: int, result: dict[str, Any]) -> None:
    try:
        if "copies" not in result:
            # Both sides look for the number of copies, so that both JVMs have run the query as often.
            result["copies"], _ = (side.ask("copies", name) for side in (base, change))
        rows = [side.ask("prepare", name, result["copies"]) for side in (base, change)]
        for turn in range(runs):
            for side in (base, change) if turn % 2 == 0 else (change, base):
                elapsed, used = side.ask("run")
                result["seconds"][side.name].append(elapsed)
                result["cpu"][side.name].append(used)
    except RuntimeError as e:
        result["failed"] = str(e)
        return
    result["ratio"] = min(result["seconds"]["change"]) / min(result["seconds"]["base"])
    result["cpu ratio"] = min(result["cpu"]["change"]) / min(result["cpu"]["base"])
    result["differs"] = result["differs"] or rows[0] != rows[1]


def _line(name: str, result: dict[str, Any]) -> str:
    if "failed" in result:
        return f"{name:<44} failed: {result['failed'][:200]}"
    base, change = (min(result["seconds"][side]) for side in ("base", "change"))
    verdict = "different rows" if result["differs"] else "slower" if result["ratio"] > LIMIT else ""
    ratios = f"{result['ratio']:>8.2f}{result['cpu ratio']:>8.2f}"
    return f"{name:<44}{base:>9.3f}{change:>10.3f}{ratios}  {verdict}".rstrip()


class _Side:
    """A process with a session that has one of the jars; it executes one command at a time."""

    def __init__(self, name: str, jar: str, args: argparse.Namespace) -> None:
        self.name = name
        self.connection, other = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(
            target=_serve, args=(other, name, jar, args), daemon=True
        )
        process.start()

    def ask(self, what: str, *arguments: Any) -> Any:
        self.connection.send((what, arguments))
        failed, answer = self.connection.recv()
        if failed:
            raise RuntimeError(f"{self.name}: {answer}")
        return answer


def _serve(connection: Connection, side: str, jar: str, args: argparse.Namespace) -> None:
    # G1, the default, collects beside the timed runs, as often as earlier rows of the process made it expect.
    os.environ["JAVA_TOOL_OPTIONS"] = "-XX:+UseParallelGC"
    spark = engines.start_spark(args.memory, jar)
    data = Data(spark, rows_of_tables(args.rows), lambda text: print(f"· {text}", file=sys.stderr, flush=True))
    bench = Bench(spark, data, Plan(seconds=args.seconds))
    subjects = _subjects(bench, side)
    run: Run = list
    while True:
        what, arguments = connection.recv()
        try:
            answer: Any = None
            if what == "names":
                answer = list(subjects)
            elif what == "copies":
                answer = bench.copies_for(subjects[arguments[0]]) if _has_copies(arguments[0]) else 1
            elif what == "prepare":
                run = subjects[arguments[0]](arguments[1])
                answer = canonical(run() or [])
                bench.warm_up(run)
            elif what == "run":
                bench.collect_garbage()
                before = _cpu_seconds(spark)
                elapsed = timed(run)[0]
                answer = elapsed, _cpu_seconds(spark) - before
            connection.send((False, answer))
        except Exception as e:
            connection.send((True, first_line(e)))
        if what == "stop":
            spark.stop()
            return


def _cpu_seconds(spark: SparkSession) -> float:
    """Of the JVM so far. Other programs on the machine change it less than the time that passes."""
    jvm: Any = spark.sparkContext._jvm
    nanoseconds: int = jvm.shreddedvariant.bench.CpuTime.nanoseconds()
    return nanoseconds / 1e9


def _subjects(bench: Bench, side: str) -> dict[str, Subject]:
    """All queries and writes of the data source that `make bench` times, by their names."""
    queries = [query for query in QUERIES if not query.name.endswith(BESIDE)]
    rows: dict[str, Subject] = {query.name: partial(bench.run, query, "ours") for query in queries}
    for query in queries:
        if query.name in drafts.MEASURED:
            rows[f"draft: {query.name}"] = partial(bench.run, query, "draft")
    for table in (WIDE, NARROW):
        rows[f"one leaf, {table.name}"] = partial(bench.run, Query("", table, wide.SUM, ()), "ours")
    for entries in maps.SPEEDUPS:
        for what in maps.QUERIES:
            rows[f"map of {entries:,}, {what}"] = partial(maps.ours, bench, entries, what)
        rows[f"map of {entries:,}, write"] = partial(_one_copy, partial(maps.write_ours, bench, entries, side))
    for table in writes.TABLES:
        for kind in writes.TIMES:
            write = partial(writes.ours, bench, table, kind, side)
            rows[f"write {table.name}, {kind} shape"] = partial(_one_copy, write)
    rows["plan 10,000 files of a Delta table"] = partial(_one_copy, partial(planning.ours, bench, 10_000))
    return rows


def _one_copy(make: Callable[[], Run], _: int) -> Run:
    return make()


def _has_copies(name: str) -> bool:
    return "write " not in name and ", write" not in name and not name.startswith("plan ")


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("--base", required=True, help="the jar to compare with")
    parser.add_argument("--jar", required=True, help="the jar of the change")
    parser.add_argument(
        "--rows", type=int, default=1_500_000, help="rows of events; other tables have a third (%(default)s)"
    )
    parser.add_argument("--runs", type=int, default=7, help="runs of each jar; the best one counts (%(default)s)")
    parser.add_argument(
        "--forks", type=int, default=2, help="pairs of JVMs, of which the best times count (%(default)s)"
    )
    parser.add_argument("--more", type=int, default=6, help="more pairs for rows that are slower (%(default)s)")
    parser.add_argument("--seconds", type=float, default=0.7, help="the minimal time of a query (%(default)s)")
    parser.add_argument("--only", default="", help="compare the rows whose name matches this regular expression")
    parser.add_argument("--memory", default="6g", help="the memory of each JVM (%(default)s)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
