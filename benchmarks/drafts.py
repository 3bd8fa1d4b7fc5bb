"""Queries on paths over files of the draft layout, beside the same files in today's."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.measure import canonical, interleaved
from benchmarks.queries import QUERIES
from benchmarks.result import Bound, Result

NAME = "path queries, draft ÷ ours"
LIMIT = 1.1
# Leaves alone, leaves with stored values beside them, late materialisation, and skipping.
ASKED = (
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


def measure(bench: Bench) -> Result:
    """One bound for all of them together; each query's own ratio stands in the details."""
    result = Result(NAME)
    queries = [query for query in QUERIES if query.name in ASKED]
    result.copies = bench.copies_for(lambda copies: bench.run(queries[0], "struct", copies))
    runs = {
        f"{layout}: {query.name}": bench.run(query, layout, result.copies)
        for query in queries
        for layout in ("ours", "draft")
    }
    rows = {name: canonical(run()) for name, run in runs.items()}
    result.differs = [
        f"draft: {query.name}"
        for query in queries
        if rows[f"draft: {query.name}"] != rows[f"ours: {query.name}"] or not rows[f"ours: {query.name}"]
    ]
    result.seconds = interleaved(runs, dict.fromkeys(runs, bench.plan.runs), bench.quiet)
    taken = {name: bench.summary(seconds) for name, seconds in result.seconds.items()}
    ours, drafts = (sum(taken[f"{layout}: {query.name}"] for query in queries) for layout in ("ours", "draft"))
    result.bounds.append(Bound("ours", LIMIT, drafts / ours))
    for query in queries:
        result.details[query.name] = taken[f"draft: {query.name}"] / taken[f"ours: {query.name}"]
    return result
