"""Ten hot keys of maps with 10 to 10,000 entries, compared with a plain map in Spark, a variant and a struct."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

from pyspark.sql import DataFrame

from benchmarks import engines
from benchmarks.bench import Bench
from benchmarks.data import CODEC, ROOT, Settings, bytes_of
from benchmarks.measure import Run, canonical, interleaved
from benchmarks.result import Bound, Result

# The number of entries of a row, and how many times faster a hot key must be than in a plain map.
SPEEDUPS = {10: 4, 100: 10, 1_000: 30, 10_000: 50}
WHOLE, WRITE, SIZE = 1.2, 1.3, 1.0
# The minimal seconds of the query of the plain map. They are long because each query has a fixed cost, which must be
# small in comparison.
SECONDS = {10: 2, 100: 6, 1_000: 12, 10_000: 24}
# The entries of all rows, for three million events.
ENTRIES = 30_000_000
HOT = [f"hot{i}" for i in range(10)]
FILES = 2
QUERIES = {
    "project": "SELECT count(m['hot3']), max(length(m['hot7'])) FROM {t}",
    "filter": "SELECT count(*) FROM {t} WHERE m['hot3'] = 'v-3-17'",
    "whole": "SELECT m FROM {t}",
    "cold": "SELECT count(m['cold3']) FROM {t}",
}
PATHS = {"struct": "s.{key}", "variant": "v:{key}::string"}
COLUMNS = {"struct": "s", "variant": "v"}


def measurements(bench: Bench) -> list[tuple[str, Callable[[], Result]]]:
    return [
        (_name(entries, what), partial(_result, bench, entries, what))
        for entries in SPEEDUPS
        for what in ("project", "filter", "whole", "write")
    ]


def _name(entries: int, what: str) -> str:
    return f"map of {entries:,}, {what}"


def ours(bench: Bench, entries: int, what: str, copies: int) -> Run:
    return _query(bench, _tables(bench, entries)["ours"], "ours", what, copies)


def write_ours(bench: Bench, entries: int, to: str) -> Run:
    source = bench.spark.read.parquet(str(_tables(bench, entries)["map"]))
    return _write(source, "ours", ROOT / "maps" / "written" / to)


def _result(bench: Bench, entries: int, what: str) -> Result:
    tables = _tables(bench, entries)
    if what == "write":
        return _write_result(bench, entries, tables)
    result = Result(_name(entries, what))
    seconds = bench.plan.seconds * (1 if what == "whole" else SECONDS[entries])
    result.copies = bench.copies_for(lambda copies: _query(bench, tables["map"], "map", what, copies), seconds)
    runs = {name: _query(bench, tables[name], name, what, result.copies) for name in tables}
    if what == "project":
        runs["cold"] = _query(bench, tables["ours"], "ours", "cold", result.copies)
    if what != "whole":
        answers = {name: canonical(run()) for name, run in runs.items() if name != "cold"}
        result.differs = [name for name, rows in answers.items() if rows != answers["map"]]
    else:
        ours, expected = (_sample(bench, tables[name], name) for name in ("ours", "map"))
        result.differs = [] if ours == expected else ["ours"]
    rounds = {name: bench.plan.runs if name in ("map", "ours") else bench.plan.peer_runs for name in runs}
    result.seconds = interleaved(runs, rounds, bench.collect_garbage)
    times = {name: bench.summary(seconds) for name, seconds in result.seconds.items()}
    result.struct = times["map"]
    limit = WHOLE if what == "whole" else 1 / SPEEDUPS[entries]
    result.bounds = [Bound("map", limit, times["ours"] / times["map"])]
    result.details = {"map s": times["map"]} | {
        f"{name} ÷ map": s / times["map"] for name, s in times.items() if name != "map"
    }
    return result


def _write_result(bench: Bench, entries: int, tables: dict[str, Path]) -> Result:
    home = ROOT / "maps" / "written"
    source = bench.spark.read.parquet(str(tables["map"]))
    runs: dict[str, Run] = {}
    for name in ("map", "ours"):
        runs[name] = _write(source, name, home / name)
    for run in runs.values():
        run()
    seconds = interleaved(runs, dict.fromkeys(runs, bench.plan.runs), bench.collect_garbage)
    times = {name: bench.summary(runs_of) for name, runs_of in seconds.items()}
    paths = tables | {name: home / name for name in runs}
    sizes = {name: bytes_of(path) for name, path in paths.items()}
    shutil.rmtree(home)
    result = Result(_name(entries, "write"), seconds=dict(seconds), struct=times["map"])
    result.bounds = [
        Bound("map", WRITE, times["ours"] / times["map"]),
        Bound("map bytes", SIZE, sizes["ours"] / sizes["map"]),
    ]
    result.details = {f"{name} bytes": size for name, size in sizes.items()}
    return result


def _query(bench: Bench, path: Path, layout: str, what: str, copies: int) -> Run:
    view = f"maps_{layout}"
    paths = [str(path)] * copies
    reader = bench.spark.read.format("shredded_variant" if layout in ("ours", "variant") else "parquet")
    reader.load(paths).createOrReplaceTempView(view)
    sql = QUERIES[what].format(t=view)
    if what == "whole":
        sql = sql.replace(" m ", f" {COLUMNS.get(layout, 'm')} ")
    for key in HOT:
        if layout in PATHS:
            sql = sql.replace(f"m['{key}']", PATHS[layout].format(key=key))
    return lambda: engines.run_in_spark(bench.spark, sql, to_sink=what == "whole")


def _sample(bench: Bench, path: Path, layout: str) -> Sequence[tuple[str, ...]]:
    reader = bench.spark.read.format("shredded_variant" if layout == "ours" else "parquet")
    rows = reader.load(str(path)).where("row % 499 = 0").selectExpr("row", "array_sort(map_entries(m)) AS e")
    return sorted((str(r.row), str(r.e)) for r in rows.collect())


@cache
def _tables(bench: Bench, entries: int) -> dict[str, Path]:
    """The same rows as a plain map, as ours, as a struct of all keys, and as a variant with the hot keys shredded."""
    rows = max(FILES, ENTRIES * bench.data.rows["events"] // 3_000_000 // entries)
    home = ROOT / "maps" / f"{entries}-{rows}"
    tables = {name: home / name for name in ("map", "ours", "struct", "variant")}
    if not (home / "done").exists():
        bench.data.say(f"writing maps of {entries:,} entries, {rows:,} rows")
        shutil.rmtree(home, ignore_errors=True)
        keys = HOT + [f"cold{i}" for i in range(entries - len(HOT))]
        names = ", ".join(f"'{key}'" for key in keys)
        values = f"transform(sequence(0, {entries - 1}), i -> concat('v-', i, '-', abs(hash(id, i)) % 100))"
        sql = f"SELECT id AS row, map_from_arrays(array({names}), {values}) AS m FROM range(0, {rows}, 1, {FILES})"
        bench.spark.sql(sql).write.option("compression", CODEC).parquet(str(tables["map"]))
        source = bench.spark.read.parquet(str(tables["map"]))
        with Settings(bench.spark, {"spark.sql.files.maxPartitionBytes": str(1 << 40)}):
            _write(source, "ours", tables["ours"])()
            fields = ", ".join(f"{key} STRING" for key in keys)
            struct = source.selectExpr("row", f"from_json(to_json(m), '{fields}') AS s")
            struct.write.option("compression", CODEC).parquet(str(tables["struct"]))
            variant = source.selectExpr("row", "parse_json(to_json(m)) AS v").write.format("shredded_variant")
            variant = variant.option("shredding.shape.v", ", ".join(f"{key} STRING" for key in HOT))
            variant.option("compression", CODEC).save(str(tables["variant"]))
        (home / "done").touch()
    return tables


def _write(source: DataFrame, name: str, to: Path) -> Run:
    def run() -> list[tuple[int]]:
        writer = source.write.mode("overwrite").option("compression", CODEC)
        if name == "ours":
            writer = writer.format("shredded_variant").option("parquet.map.shredding.columns", "m")
            writer = writer.option("parquet.map.shredding.m.keys", json.dumps(HOT))
        else:
            writer = writer.format("parquet")
        writer.save(str(to))
        return []

    return run
