"""Shows things to people: a tree of aligned columns for terminals, the same as a table for notebooks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shredded_variant.footers.layout import Entry, Layout

HEAD = ("column", "type", "present", "typed", "residual", "bytes", "min … max")
WIDEST = (30, 18, 8, 8, 8, 10, 32)
RIGHT = {2, 3, 4, 5}


def text(layout: Layout) -> str:
    rows = [HEAD, *_rows(layout.entries)]
    rows = [tuple(cut(cell, limit) for cell, limit in zip(row, WIDEST, strict=True)) for row in rows]
    return "\n".join([_title(layout), *_shapes(layout), "", *aligned(rows, RIGHT)])


def html(layout: Layout) -> str:
    notes = "".join(f"<br>{escape(line)}" for line in _shapes(layout))
    return f"<div>{escape(_title(layout))}{notes}{table(HEAD, _rows(layout.entries), RIGHT)}</div>"


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Lines of columns as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )
    return [line.rstrip() for line in lines]


def table(head: Iterable[str], rows: Iterable[Iterable[str]], right: Collection[int] = ()) -> str:
    """The same for notebooks."""

    def cell(i: int, text: str) -> str:
        style = "right" if i in right else "left; white-space: pre"
        return f'<td style="text-align: {style}">{escape(text)}</td>'

    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(cell(i, c) for i, c in enumerate(row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def branches(depths: Sequence[int]) -> list[str]:
    """The lines of a tree before each node: whether it, and each node above it, has a sibling below."""
    found = []
    goes_on: list[bool] = []
    for depth in reversed(depths):
        # Whether a node of this level follows before one above it does.
        del goes_on[depth:]
        goes_on += [False] * (depth - len(goes_on))
        bars = "".join("│  " if more else "   " for more in goes_on[: depth - 1])
        found.append(bars + ("├─ " if goes_on[depth - 1] else "└─ ") if depth else "")
        goes_on[depth - 1 :] = [True]
    return found[::-1]


def size(count: int) -> str:
    """Bytes for people."""
    if count < 1024:
        return f"{count} B"
    for unit in ("KiB", "MiB", "GiB"):
        count_in = count / 1024 ** (("KiB", "MiB", "GiB").index(unit) + 1)
        if count_in < 1000 or unit == "GiB":
            return f"{count_in:,.1f} {unit}"
    raise AssertionError


def _title(layout: Layout) -> str:
    partitions = f", partitioned by {', '.join(layout.partitions)}" if layout.partitions else ""
    files, groups = counted(layout.files, "file"), counted(layout.row_groups, "row group")
    return f"{layout.path}: {counted(layout.rows, 'row')}, {files}, {groups}, {size(layout.bytes)}{partitions}"


def _shapes(layout: Layout) -> list[str]:
    """Which shapes the files have, where they differ; and how they are laid out, where that is not today's way."""
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


def cut(cell: str, limit: int) -> str:
    cell = "".join(c if c.isprintable() else "·" for c in cell)
    return cell if len(cell) <= limit else cell[: limit - 1] + "…"


def _percent(share: float | None) -> str:
    if share is None:
        return ""
    percent = 100 * share
    # Neither 0% nor 100% unless it is.
    if 0 < percent < 0.1:
        return "<0.1%"
    if 99.9 < percent < 100:
        return ">99.9%"
    return f"{percent:.1f}%".replace(".0%", "%")


def counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
