"""`Layout`, the result of `layout`: the content of files by columns and paths, as text, HTML, JSON and a DataFrame."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from shredded_variant.errors import PandasMissing
from shredded_variant.footers.leaf import Value
from shredded_variant.render import aligned, branches, counted, cut, size, table

if TYPE_CHECKING:
    import pandas

HEADER = ("column", "type", "present", "typed", "residual", "bytes", "min … max")
MAX_WIDTHS = (30, 18, 8, 8, 8, 10, 32)
RIGHT_ALIGNED = {2, 3, 4, 5}


@dataclass(frozen=True)
class Entry:
    """A column without variants (path ""), a path of a variant column, or a hot key of a map, over all its files.

    Counts are numbers of rows, or of elements below an array. A count is None if footers do not have it.
    """

    column: str
    path: str
    label: str
    depth: int
    type: str
    files: int
    rows: int | None
    typed: int | None
    residual: int | None
    present: int | None
    bytes: int
    min: Value | None
    max: Value | None

    @property
    def nulls(self) -> int | None:
        """The number of rows without a value at this path; a variant null is a value."""
        return None if self.rows is None or self.present is None else self.rows - self.present

    @property
    def presence(self) -> float | None:
        return _share(self.present, self.rows)

    @property
    def share_typed(self) -> float | None:
        return _share(self.typed, self.present)

    @property
    def share_residual(self) -> float | None:
        return _share(self.residual, self.present)

    def to_dict(self) -> dict[str, Any]:
        names = ("column", "path", "type", "files", "rows", "present", "nulls", "typed", "residual",
                 "presence", "share_typed", "share_residual", "bytes", "min", "max")  # fmt: skip
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class FileShape:
    """The files that have the same shapes: the shape of each variant column, in the syntax of `shredding.shape`.

    `kind` is `parquet` for the current layout, `draft` for the draft layout, or `unshredded`.
    """

    kind: str
    files: int
    rows: int
    columns: dict[str, str]


@dataclass(frozen=True)
class Layout:
    """The result of `layout`, as a tree in text and notebooks, as a pandas DataFrame, or as JSON."""

    path: str
    files: int
    row_groups: int
    rows: int
    bytes: int
    partitions: tuple[str, ...]
    shapes: tuple[FileShape, ...]
    entries: tuple[Entry, ...]

    def __repr__(self) -> str:
        return _text(self)

    def _repr_html_(self) -> str:
        return _html(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "version": 1,
            "path": self.path,
            "files": self.files,
            "row_groups": self.row_groups,
            "rows": self.rows,
            "bytes": self.bytes,
            "partitions": list(self.partitions),
            "shapes": [vars(shape) for shape in self.shapes],
            "entries": [entry.to_dict() for entry in self.entries],
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def to_pandas(self) -> pandas.DataFrame:
        try:
            import pandas
        except ImportError:
            raise PandasMissing("to_pandas needs pandas, which is not installed: pip install pandas.") from None
        entries: pandas.DataFrame = pandas.DataFrame([entry.to_dict() for entry in self.entries])
        return entries


def _text(layout: Layout) -> str:
    rows = [HEADER, *_rows(layout.entries)]
    rows = [tuple(cut(cell, limit) for cell, limit in zip(row, MAX_WIDTHS, strict=True)) for row in rows]
    return "\n".join([_title(layout), *_shapes(layout), "", *aligned(rows, RIGHT_ALIGNED)])


def _html(layout: Layout) -> str:
    notes = "".join(f"<br>{escape(line)}" for line in _shapes(layout))
    return f"<div>{escape(_title(layout))}{notes}{table(HEADER, _rows(layout.entries), RIGHT_ALIGNED)}</div>"


def _title(layout: Layout) -> str:
    partitions = f", partitioned by {', '.join(layout.partitions)}" if layout.partitions else ""
    files, groups = counted(layout.files, "file"), counted(layout.row_groups, "row group")
    return f"{layout.path}: {counted(layout.rows, 'row')}, {files}, {groups}, {size(layout.bytes)}{partitions}"


def _shapes(layout: Layout) -> list[str]:
    """The shapes of the files if they differ, and their layout if it is not the current one."""
    kinds = {shape.kind for shape in layout.shapes} - {"unshredded"}
    if len(layout.shapes) < 2:
        return ["in the draft layout"] if "draft" in "".join(kinds) else []
    lines = [f"{len(layout.shapes)} shapes:"]
    for shape in layout.shapes:
        columns = "; ".join(f"{name} {cut(ddl, 60)}" for name, ddl in shape.columns.items())
        kind = f", {shape.kind}" if kinds - {"parquet"} else ""
        lines.append(f"  {counted(shape.files, 'file')}, {counted(shape.rows, 'row')}{kind}: {columns or 'no variant'}")
    return lines


def _rows(entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    return [
        (
            branch + entry.label,
            _type(entry),
            _percent(entry.presence),
            _percent(entry.share_typed) if entry.path else "",
            _percent(entry.share_residual) if entry.path else "",
            size(entry.bytes),
            "" if entry.min is None else f"{entry.min} … {entry.max}",
        )
        for branch, entry in zip(branches([e.depth for e in entries]), entries, strict=True)
    ]


def _type(entry: Entry) -> str:
    if entry.path != "$" or entry.type == "VARIANT":
        return entry.type
    return "VARIANT" if entry.type == "OBJECT" else f"VARIANT ({entry.type})"


def _percent(share: float | None) -> str:
    if share is None:
        return ""
    percent = 100 * share
    # Only exact shares are shown as 0% or 100%.
    if 0 < percent < 0.1:
        return "<0.1%"
    if 99.9 < percent < 100:
        return ">99.9%"
    return f"{percent:.1f}%".replace(".0%", "%")


def _share(part: int | None, whole: int | None) -> float | None:
    return None if part is None or not whole else round(part / whole, 6)
