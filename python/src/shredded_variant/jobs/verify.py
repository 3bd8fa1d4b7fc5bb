"""`verify`: reads all files of a table, and compares their footers, page indexes and logs with the values."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from shredded_variant.errors import WrongArgument
from shredded_variant.jobs.maintain import FORMAT, plan
from shredded_variant.jobs.progress import progress
from shredded_variant.render import aligned, counted, cut, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HEADER = ("file", "column", "path", "what is wrong")
MAX_WIDTHS = (40, 30, 30, 200)


@dataclass(frozen=True)
class Finding:
    """A wrong statement about values: `file` is the path within the table, `path` a path of the variant `column`."""

    file: str
    column: str
    path: str
    wrong: str


@dataclass(frozen=True)
class Report:
    """The result of `verify`, as text, as a table in notebooks or as JSON. `trusted` is the number of tagged files."""

    path: str
    files: int
    rows: int
    findings: tuple[Finding, ...]
    trusted: int | None = None

    @property
    def ok(self) -> bool:
        return not self.findings

    def __repr__(self) -> str:
        if self.ok:
            return self._title()
        return "\n".join([self._title(), "", *aligned([HEADER, *self._rows()])])

    def _repr_html_(self) -> str:
        return f"<div>{escape(self._title())}{'' if self.ok else table(HEADER, self._rows())}</div>"

    def _title(self) -> str:
        result = "all is as it is told" if self.ok else counted(len(self.findings), "finding")
        trusted = "" if self.trusted is None else f"; {counted(self.trusted, 'file')} trusted from now on"
        return f"{self.path}: {counted(self.files, 'file')}, {counted(self.rows, 'row')}, {result}{trusted}"

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            tuple(cut(cell, limit) for cell, limit in zip((f.file, f.column, f.path, f.wrong), MAX_WIDTHS, strict=True))
            for f in self.findings
        ]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"ok": self.ok, "findings": [asdict(f) for f in self.findings]}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)


def verify(spark: SparkSession, path: str | os.PathLike[str], *, trust: bool = False) -> Report:
    """Compares footers, page indexes and the log of a Delta table with the values of all files.

    With `trust`, one commit to a Delta table tags the files of other writers that have no findings. The path bounds of
    tagged files skip files, as those of our files do.
    """
    table_path = os.fspath(path)
    if trust and not plan(spark, table_path)["delta"]:
        raise WrongArgument(f"{table_path} is no Delta table, and its files need no trust: leave `trust` out.")
    checks = spark.read.format(FORMAT).option("maintenance", "verify").load(table_path)
    with progress(spark, "verify"):
        if trust:
            checks = checks.persist()
        try:
            rows = checks.collect()
            trusted = _trust(spark, checks, table_path) if trust else None
        finally:
            if trust:
                checks.unpersist()
    files = {row.path: row.rows for row in rows}
    findings = sorted(
        (Finding(r.file, r.column, r.at, r.wrong) for r in rows if r.wrong is not None),
        key=lambda f: (f.file, f.column, f.path),
    )
    return Report(table_path, len(files), sum(files.values()), tuple(findings), trusted)


def _trust(spark: Any, checks: Any, path: str) -> int:
    """Commits the tags, and returns the number of files that got one."""
    before = plan(spark, path)["trusted_files"]
    checks.write.format(FORMAT).mode("append").option("maintenance", "trust").save(path)
    after: int = plan(spark, path)["trusted_files"] - before
    return after
