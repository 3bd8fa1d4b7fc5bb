"""One leaf among 1,000 against one among 10, with the parsing of footers told apart."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.engines import CORES
from benchmarks.leaves import Table
from benchmarks.measure import Run, canonical, interleaved
from benchmarks.queries import Query
from benchmarks.result import Bound, Result
from benchmarks.tables import NARROW, WIDE

NAME = "one leaf of 1,000 / of 10"
SUM = "SELECT sum([f0 bigint]) FROM {t}"
LIMIT = 1.1
LAYOUTS = ("struct", "ours", "spark")


def measure(bench: Bench) -> Result:
    """Footers are read as every reader of Parquet must: file by file, here by parquet-java on one core.

    A query reads them on all cores; what it takes beyond that is the leaf.
    """
    result = Result(NAME)
    result.copies = bench.copies_for(lambda copies: _sum(bench, NARROW, "struct", copies))
    layouts = [layout for layout in LAYOUTS if layout in bench.plan.layouts]
    runs: dict[str, Run] = {}
    for layout in layouts:
        for table in (WIDE, NARROW):
            runs[f"{layout} {table.name}"] = _sum(bench, table, layout, result.copies)
            runs[f"{layout} {table.name} footers"] = _footers(bench, table, layout, result.copies)
    rows = {name: canonical(run()) for name, run in runs.items() if not name.endswith("footers")}
    result.differs = sorted(name for name in rows if rows[name] != rows["struct narrow"])
    for name in runs:
        if name.endswith("footers"):
            runs[name]()
    full, few = bench.plan.runs, min(bench.plan.runs, bench.plan.peer_runs)
    rounds = {name: few if name.startswith("spark") else full for name in runs}
    result.seconds = interleaved(runs, rounds, bench.quiet)
    _judge(bench, layouts, result)
    return result


def _judge(bench: Bench, layouts: list[str], result: Result) -> None:
    taken = {name: bench.summary(seconds) for name, seconds in result.seconds.items()}
    result.struct = taken["struct narrow"]
    for layout in layouts:
        wide, narrow = taken[f"{layout} wide"], taken[f"{layout} narrow"]
        wide_footers, narrow_footers = (taken[f"{layout} {name} footers"] / CORES for name in ("wide", "narrow"))
        # Footers that take longer alone than within the query tell nothing of the leaf: no number, and no pass.
        leaves = wide - wide_footers, narrow - narrow_footers
        leaf = leaves[0] / leaves[1] if min(leaves) > 0 else None
        if layout == "ours":
            result.bounds.append(Bound("narrow", LIMIT, leaf))
        result.details |= {f"{layout} with footers": wide / narrow, f"{layout} footers s": wide_footers}
        if leaf is not None:
            result.details[f"{layout} without"] = leaf


def _sum(bench: Bench, table: Table, layout: str, copies: int) -> Run:
    sql = Query(NAME, table, SUM, ()).spelled(layout, bench.view(table, layout, copies))
    assert sql is not None
    return bench.run_of(layout, sql)


def _footers(bench: Bench, table: Table, layout: str, copies: int) -> Run:
    files = sorted(bench.data.path(table, layout, copies).glob("*.parquet"))
    jvm = bench.spark._jvm
    assert jvm is not None
    parquet, path = jvm.org.apache.parquet.hadoop, jvm.org.apache.hadoop.fs.Path
    conf = bench.spark.sparkContext._jsc.hadoopConfiguration()

    def run() -> list[tuple[int]]:
        for file in files:
            parquet.ParquetFileReader.open(parquet.util.HadoopInputFile.fromPath(path(str(file)), conf)).close()
        return []

    return run
