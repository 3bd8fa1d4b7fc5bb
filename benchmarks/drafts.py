"""Queries on paths over files of the draft layout, compared with the same files in the current layout."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.bench import Bench
from benchmarks.measure import canonical, interleaved
from benchmarks.queries import QUERIES, Query
from benchmarks.result import Bound, Result

LIMIT = 1.1
# Queries with typed leaves alone, with residual values, with late materialisation, and with skipping.
MEASURED = (
    "sum, v:user.id::bigint",
    "group, distinct, filter",
    "rare path IS NOT NULL",
    "join on a path",
    "sort by a path, limit",
    "sum, 1 % residual",
    "sum, 10 % residual",
    "count, 0.03 % clustered",
    "wide strings of 0.1 % scattered",
)


def measurements(bench: Bench) -> list[tuple[str, Callable[[], Result]]]:
    return [(f"draft: {query.name}", partial(_result, bench, query)) for query in QUERIES if query.name in MEASURED]


def _result(bench: Bench, query: Query) -> Result:
    result = Result(f"draft: {query.name}")
    result.copies = bench.copies_for(lambda copies: bench.run(query, "ours", copies))
    runs = {layout: bench.run(query, layout, result.copies) for layout in ("ours", "draft")}
    rows = {layout: canonical(run()) for layout, run in runs.items()}
    result.differs = [] if rows["draft"] == rows["ours"] and rows["ours"] else ["draft"]
    result.seconds = interleaved(runs, dict.fromkeys(runs, bench.plan.runs), bench.collect_garbage)
    times = {layout: bench.summary(seconds) for layout, seconds in result.seconds.items()}
    result.bounds.append(Bound("ours", LIMIT, times["draft"] / times["ours"]))
    result.details = {f"{layout} s": seconds for layout, seconds in times.items()}
    return result
