"""The bytes that queries read: for one leaf, and for filters that match nothing or little."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks import engines
from benchmarks.bench import Bench
from benchmarks.data import Settings, bytes_of
from benchmarks.queries import SUM, Query
from benchmarks.result import Bound, Result
from benchmarks.tables import EVENTS

LEAF = f"bytes, 1 leaf of {len(EVENTS.leaves)}"
NEVER = "bytes, a filter that never matches"
ONE_OF_50 = "bytes, one row group of 50"
FOOTERS = "bytes, max and count of a path"
PATH = "user.id"
COLUMNS = {
    "struct": f"s.{PATH}",
    "flat": PATH.replace(".", "_"),
    "ours": "v.typed_value.user.typed_value.id.typed_value",
    "spark": "v.typed_value.user.typed_value.id.typed_value",
}
GROUPS = 50


def measurements(bench: Bench) -> list[tuple[str, Callable[[], Result]]]:
    return [
        (LEAF, lambda: _leaf(bench)),
        (NEVER, lambda: _never(bench)),
        (ONE_OF_50, lambda: _one_of_50(bench)),
        (FOOTERS, lambda: _footers(bench)),
    ]


def _leaf(bench: Bench) -> Result:
    """The bytes that a query on one leaf reads, as a ratio to the bytes of the leaf; readers also read footers."""
    result = Result(LEAF)
    for layout, column in COLUMNS.items():
        if layout not in bench.plan.layouts:
            continue
        files = bench.data.path(EVENTS, layout)
        leaf, footers = _chunks(files, column)
        read = _read(bench, layout, files, SUM)
        result.ratios[layout] = read / leaf
        result.details |= {f"{layout} read": read, f"{layout} leaf": leaf, f"{layout} footers": footers}
    result.bounds = [Bound("leaf", 1.1, result.ratios.get("ours"))]
    return result


def _never(bench: Bench) -> Result:
    sql = "SELECT count(*) FROM {t} WHERE [ts bigint] < 0 OR [currency string] = 'CHF' AND [id bigint] > 9000000000"
    return _share(bench, NEVER, bench.data.path(EVENTS, "ours"), sql, 0.02)


def _one_of_50(bench: Bench) -> Result:
    """A query on 101 rows of the events in one file of about 50 row groups."""
    files = bench.data.path(EVENTS, "ours").parent / "groups"
    if not files.is_dir():
        size = bytes_of(bench.data.path(EVENTS, "ours"))
        rows = bench.spark.read.parquet(str(bench.data.path(EVENTS, "unshredded"))).orderBy("row").coalesce(1)
        with Settings(bench.spark, {"spark.sql.adaptive.enabled": "false"}):
            writer = rows.write.format("shredded_variant").option("shredding.shape.v", EVENTS.shape())
            writer.option("parquet.block.size", 2 * size // GROUPS).save(str(files))
    groups = sum(pq.read_metadata(file).num_row_groups for file in files.glob("*.parquet"))
    middle = bench.data.rows[EVENTS.name] // 2
    sql = f"SELECT to_json([$]) FROM {{t}} WHERE [id bigint] BETWEEN {middle} AND {middle + 100}"
    result = _share(bench, ONE_OF_50, files, sql, 0.03)
    result.details["row groups"] = groups
    return result


def _footers(bench: Bench) -> Result:
    files = bench.data.path(EVENTS, "ours")
    footers = _chunks(files, "")[1]
    read = _read(bench, "ours", files, "SELECT max([ts bigint]), count([user.id bigint]), count(*) FROM {t}")
    bound = Bound("footers", 1.05, read / footers)
    return Result(FOOTERS, bounds=[bound], details={"read": read, "footers": footers})


def _share(bench: Bench, name: str, files: Path, sql: str, limit: float) -> Result:
    size = bytes_of(files)
    read = _read(bench, "ours", files, sql)
    return Result(name, bounds=[Bound("files", limit, read / size)], details={"read": read, "files": size})


def _read(bench: Bench, layout: str, files: Path, sql: str) -> int:
    view = f"counted_{layout}"
    engines.create_view_in_spark(bench.spark, layout, f"counted://{files}", view)
    layout_sql = Query("", EVENTS, sql, ()).sql_for(layout, view)
    assert layout_sql is not None
    jvm = bench.spark._jvm
    assert jvm is not None
    counter = jvm.shreddedvariant.bench.CountingFileSystem
    counter.take()
    bench.run_of(layout, layout_sql)()
    return int(counter.take())


def _chunks(files: Path, column: str) -> tuple[int, int]:
    """The bytes of the column's chunks, and those of the footers."""
    leaf = footers = 0
    for file in sorted(files.glob("*.parquet")):
        metadata = pq.read_metadata(file)
        footers += metadata.serialized_size
        for i in range(metadata.num_row_groups):
            group = metadata.row_group(i)
            chunks = [group.column(c) for c in range(group.num_columns)]
            leaf += sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema == column)
    return leaf, footers
