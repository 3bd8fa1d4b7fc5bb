"""Results as text with aligned columns for terminals, and as HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """One line for each row; each column is as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )
    return [line.rstrip() for line in lines]


def table(header: Iterable[str], rows: Iterable[Iterable[str]], right: Collection[int] = ()) -> str:
    """The rows as an HTML table."""

    def cell(i: int, text: str) -> str:
        style = "right" if i in right else "left; white-space: pre"
        return f'<td style="text-align: {style}">{escape(text)}</td>'

    names = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(cell(i, c) for i, c in enumerate(row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def branches(depths: Sequence[int]) -> list[str]:
    """The lines of a tree before each of its nodes, which are in depth-first order."""
    result = []
    # For each level, whether the node, or its ancestor of that level, has a later sibling.
    has_later: list[bool] = []
    for depth in reversed(depths):
        del has_later[depth:]
        has_later += [False] * (depth - len(has_later))
        bars = "".join("│  " if later else "   " for later in has_later[: depth - 1])
        result.append(bars + ("├─ " if has_later[depth - 1] else "└─ ") if depth else "")
        has_later[depth - 1 :] = [True]
    return result[::-1]


def size(count: int) -> str:
    """A number of bytes with its unit."""
    if count < 1024:
        return f"{count} B"
    scaled = count / 1024
    for unit in ("KiB", "MiB"):
        if scaled < 1000:
            return f"{scaled:,.1f} {unit}"
        scaled /= 1024
    return f"{scaled:,.1f} GiB"


def cut(cell: str, limit: int) -> str:
    cell = "".join(c if c.isprintable() else "·" for c in cell)
    return cell if len(cell) <= limit else cell[: limit - 1] + "…"


def counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
