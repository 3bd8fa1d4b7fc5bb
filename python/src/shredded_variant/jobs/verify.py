"""`verify`: reads all of a table's files and holds to their values what footers, page indexes and logs say of them."""

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

HEAD = ("file", "column", "path", "what is wrong")
WIDEST = (40, 30, 30, 200)


@dataclass(frozen=True)
class Finding:
    """Something that is not as it is told: `file` is the path within the table, `path` one of the variant `column`."""

    file: str
    column: str
    path: str
    wrong: str


@dataclass(frozen=True)
class Report:
    """What `verify` found: a table as text and in notebooks, JSON for machines. `trusted` are files that it tagged."""

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
        return "\n".join([self._title(), "", *aligned([HEAD, *self._rows()])])

    def _repr_html_(self) -> str:
        return f"<div>{escape(self._title())}{'' if self.ok else table(HEAD, self._rows())}</div>"

    def _title(self) -> str:
        found = "all is as it is told" if self.ok else counted(len(self.findings), "finding")
        trusted = "" if self.trusted is None else f"; {counted(self.trusted, 'file')} trusted from now on"
        return f"{self.path}: {counted(self.files, 'file')}, {counted(self.rows, 'row')}, {found}{trusted}"

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            tuple(cut(cell, limit) for cell, limit in zip((f.file, f.column, f.path, f.wrong), WIDEST, strict=True))
            for f in self.findings
        ]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"ok": self.ok, "findings": [asdict(f) for f in self.findings]}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)


def verify(spark: SparkSession, path: str | os.PathLike[str], *, trust: bool = False) -> Report:
    """Whether what files, their footers and page indexes, and the log of a Delta table say is true.

    With `trust`, one commit to a Delta table tags those files of other writers of which all was found to be true: from
    then on their bounds of paths skip files, as those of ours do.
    """
    given = os.fspath(path)
    if trust and not plan(spark, given)["delta"]:
        raise WrongArgument(f"{given} is no Delta table, and its files need no trust: leave `trust` out.")
    seen = spark.read.format(FORMAT).option("maintenance", "verify").load(given)
    with progress(spark, "verify"):
        if trust:
            seen = seen.persist()
        try:
            rows = seen.collect()
            trusted = _trust(spark, seen, given) if trust else None
        finally:
            if trust:
                seen.unpersist()
    files = {row.path: row.rows for row in rows}
    findings = sorted(
        (Finding(r.file, r.column, r.at, r.wrong) for r in rows if r.wrong is not None),
        key=lambda f: (f.file, f.column, f.path),
    )
    return Report(given, len(files), sum(files.values()), tuple(findings), trusted)


def _trust(spark: Any, seen: Any, path: str) -> int:
    """How many files were tagged."""
    before = plan(spark, path)["trusted_files"]
    seen.write.format(FORMAT).mode("append").option("maintenance", "trust").save(path)
    after: int = plan(spark, path)["trusted_files"] - before
    return after
