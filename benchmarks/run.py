"""The command behind `make bench`: a table on the terminal, and target/bench/results.json."""

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
from benchmarks.queries import LAYOUTS, QUERIES
from benchmarks.result import Result, document, line, table
from benchmarks.tables import BLUESKY, CLUSTERED, EVENTS, NARROW, WIDE

ROWS = 3_000_000
# The draft is measured in rows of its own.
STORED = (*LAYOUTS, "draft")


def main(arguments: Sequence[str]) -> int:
    """0 whether or not the bounds hold; 1 if a layout gives other rows than the plain struct, or ours none."""
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
            data.forget(each, layout)
    layouts = tuple(name for name in LAYOUTS if name in args.layouts or name == "struct")
    plan = Plan(args.runs, args.peer_runs, args.best, args.seconds, layouts)
    bench = Bench(spark, data, plan)
    wanted = re.compile(args.only, re.IGNORECASE)
    results: list[Result] = []
    for name, measure in _measurements(bench, counts):
        if not wanted.search(name):
            continue
        results.append(_kept_going(name, measure))
        _say(line(results[-1]))
    setting = {"rows": rows, "cores": engines.CORES, "spark": spark.version, "plan": vars(plan)}
    (ROOT / "results.json").write_text(json.dumps(document(results, setting), indent=2) + "\n")
    spark.stop()
    print(f"\n{table(results)}")
    return 1 if any(result.is_wrong for result in results) else 0


def _measurements(bench: Bench, counts: bool) -> list[tuple[str, Callable[[], Result]]]:
    events = [(query.name, lambda query=query: bench.measure(query)) for query in QUERIES if query.table is EVENTS]
    others = [(query.name, lambda query=query: bench.measure(query)) for query in QUERIES if query.table is not EVENTS]
    lone: list[tuple[str, Callable[[], Result]]] = [(wide.NAME, lambda: wide.measure(bench))]
    lone.append((planning.NAME, lambda: planning.measure(bench)))
    lone += drafts.measurements(bench)
    lone += writes.measurements(bench)
    lone += maps.measurements(bench)
    if counts:
        lone += bytes_read.measurements(bench)
    else:
        _say("no Java compiler (javac): bytes read are not counted")
    return [*events, *lone, *others]


def _kept_going(name: str, measure: Callable[[], Result]) -> Result:
    """One measurement that fails takes no other with it."""
    try:
        return measure()
    except Exception as e:
        return Result(name, failed={"ours": (str(e).splitlines() or [type(e).__name__])[0][:300]})


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    rows = int(os.environ.get("BENCH_ROWS", ROWS))
    parser.add_argument("--rows", type=int, default=rows, help="events; the other tables have a third (%(default)s)")
    parser.add_argument("--jsonbench-rows", type=int, help="rows of JSONBench's table, if not a third")
    parser.add_argument("--runs", type=int, default=7, help="of layouts that a bound names (%(default)s)")
    parser.add_argument("--peer-runs", type=int, default=3, help="of the others, for information (%(default)s)")
    parser.add_argument("--best", action="store_true", help="take the best run instead of the median")
    parser.add_argument("--seconds", type=float, default=1.0, help="the struct's query takes (%(default)s)")
    parser.add_argument("--only", default="", help="measure what matches this regular expression")
    parser.add_argument("--layouts", type=_layouts, default=list(LAYOUTS), help=f"some of {', '.join(LAYOUTS)}")
    parser.add_argument("--rewrite", type=_layouts, default=[], help="layouts whose files are written anew")
    parser.add_argument("--memory", default=os.environ.get("BENCH_MEMORY", "8g"), help="of the JVM (%(default)s)")
    parser.add_argument("--jar", help="a jar to measure instead of the installed package's")
    return parser.parse_args(arguments)


def _layouts(text: str) -> list[str]:
    asked = [name.strip() for name in text.split(",")]
    for name in asked:
        if name not in STORED:
            raise argparse.ArgumentTypeError(f"{name} is none of the layouts {', '.join(STORED)}")
    return asked


def _say(text: str) -> None:
    print(f"· {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
