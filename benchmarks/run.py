"""The command of `make bench`: prints a report and writes target/bench/results.json."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Callable, Sequence

from benchmarks import bytes_read, drafts, engines, maps, planning, wide, writes
from benchmarks.bench import Bench, Plan
from benchmarks.data import ROOT, Data, rows_of_tables
from benchmarks.measure import first_line
from benchmarks.queries import LAYOUTS, QUERIES
from benchmarks.result import Result, document, line, table
from benchmarks.tables import BLUESKY, CLUSTERED, EVENTS, NARROW, WIDE

ROWS = 3_000_000
# All layouts of files; the draft layout has measurements of its own.
STORED = (*LAYOUTS, "draft")


def main(arguments: Sequence[str]) -> int:
    """Returns 1 if a layout gives other rows than the plain struct, or ours fails, else 0. Bounds do not change it."""
    args = _arguments(arguments)
    os.environ["TZ"] = "UTC"
    time.tzset()
    ROOT.mkdir(parents=True, exist_ok=True)
    counts = engines.compile_helpers()
    spark = engines.start_spark(args.memory, args.jar)
    rows = rows_of_tables(args.rows, args.jsonbench_rows)
    data = Data(spark, rows, _say)
    for layout in args.rewrite:
        for each in (EVENTS, WIDE, NARROW, BLUESKY, CLUSTERED):
            data.remove(each, layout)
    layouts = tuple(name for name in LAYOUTS if name in args.layouts or name == "struct")
    plan = Plan(args.runs, args.peer_runs, args.best, args.seconds, layouts)
    bench = Bench(spark, data, plan)
    only = re.compile(args.only, re.IGNORECASE)
    results: list[Result] = []
    for name, measure in _measurements(bench, counts):
        if not only.search(name):
            continue
        results.append(_result(name, measure))
        _say(line(results[-1]))
    setting = {"rows": rows, "cores": engines.CORES, "spark": spark.version, "plan": vars(plan)}
    (ROOT / "results.json").write_text(json.dumps(document(results, setting), indent=2) + "\n")
    spark.stop()
    print(f"\n{table(results)}")
    return 1 if any(result.is_wrong for result in results) else 0


def _measurements(bench: Bench, counts: bool) -> list[tuple[str, Callable[[], Result]]]:
    events = [(query.name, lambda query=query: bench.measure(query)) for query in QUERIES if query.table is EVENTS]
    others = [(query.name, lambda query=query: bench.measure(query)) for query in QUERIES if query.table is not EVENTS]
    special: list[tuple[str, Callable[[], Result]]] = [(wide.NAME, lambda: wide.measure(bench))]
    special.append((planning.NAME, lambda: planning.measure(bench)))
    special += drafts.measurements(bench)
    special += writes.measurements(bench)
    special += maps.measurements(bench)
    if counts:
        special += bytes_read.measurements(bench)
    else:
        _say("no Java compiler (javac): bytes read are not counted")
    return [*events, *special, *others]


def _result(name: str, measure: Callable[[], Result]) -> Result:
    """The result of a measurement. If it fails, the others still run."""
    try:
        return measure()
    except Exception as e:
        return Result(name, failed={"ours": first_line(e)})


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    rows = int(os.environ.get("BENCH_ROWS", ROWS))
    parser.add_argument(
        "--rows", type=int, default=rows, help="rows of events; other tables have a third (%(default)s)"
    )
    parser.add_argument("--jsonbench-rows", type=int, help="rows of JSONBench's table, if not a third")
    parser.add_argument("--runs", type=int, default=7, help="runs of the layouts that a bound names (%(default)s)")
    parser.add_argument("--peer-runs", type=int, default=3, help="runs of the other layouts (%(default)s)")
    parser.add_argument("--best", action="store_true", help="report the best run instead of the median")
    parser.add_argument("--seconds", type=float, default=1.0, help="the minimal time of the struct (%(default)s)")
    parser.add_argument("--only", default="", help="measure the rows whose name matches this regular expression")
    parser.add_argument("--layouts", type=_layouts, default=list(LAYOUTS), help=f"some of {', '.join(LAYOUTS)}")
    parser.add_argument("--rewrite", type=_layouts, default=[], help="layouts whose files are written again")
    memory = os.environ.get("BENCH_MEMORY", "8g")
    parser.add_argument("--memory", default=memory, help="the memory of the JVM (%(default)s)")
    parser.add_argument("--jar", help="a jar to measure instead of the installed package's")
    return parser.parse_args(arguments)


def _layouts(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in STORED:
            raise argparse.ArgumentTypeError(f"{name} is none of the layouts {', '.join(STORED)}")
    return names


def _say(text: str) -> None:
    print(f"· {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
