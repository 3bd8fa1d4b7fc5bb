"""Bytes that a query of one leaf asks the file system for, against the bytes of that leaf's column chunks."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from benchmarks import engines
from benchmarks.bench import Bench
from benchmarks.leaves import Table
from benchmarks.queries import SUM, Query
from benchmarks.result import Bound, Result
from benchmarks.tables import EVENTS

NAME = f"bytes, 1 leaf of {len(EVENTS.leaves)}"
LIMIT = 1.1
PATH = "user.id"
COLUMNS = {
    "struct": f"s.{PATH}",
    "flat": PATH.replace(".", "_"),
    "ours": "v.typed_value.user.typed_value.id.typed_value",
    "spark": "v.typed_value.user.typed_value.id.typed_value",
}


def measure(bench: Bench) -> Result:
    result = Result(NAME)
    for layout, column in COLUMNS.items():
        if layout not in bench.plan.layouts:
            continue
        files = bench.data.path(EVENTS, layout)
        leaf, footers = _chunks(files, column)
        read = _read(bench, EVENTS, layout, files)
        result.ratios[layout] = read / leaf
        result.details |= {f"{layout} read": read, f"{layout} leaf": leaf, f"{layout} footers": footers}
    result.bounds = [Bound("leaf", LIMIT, result.ratios.get("ours"))]
    return result


def _read(bench: Bench, table: Table, layout: str, files: Path) -> int:
    view = f"counted_{layout}"
    engines.show_to_spark(bench.spark, layout, f"counted://{files}", view)
    sql = Query(NAME, table, SUM, ()).spelled(layout, view)
    assert sql is not None
    jvm = bench.spark._jvm
    assert jvm is not None
    counter = jvm.shreddedvariant.bench.CountingFileSystem
    counter.take()
    bench.run_of(layout, sql)()
    return int(counter.take())


def _chunks(files: Path, column: str) -> tuple[int, int]:
    """Bytes of the column's chunks, and of the footers."""
    leaf = footers = 0
    for file in sorted(files.glob("*.parquet")):
        metadata = pq.read_metadata(file)
        footers += metadata.serialized_size
        for i in range(metadata.num_row_groups):
            group = metadata.row_group(i)
            chunks = [group.column(c) for c in range(group.num_columns)]
            leaf += sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema == column)
    return leaf, footers
