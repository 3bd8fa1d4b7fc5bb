"""`layout`: reads the types, counts, bytes and bounds of all columns and variant paths of files from their footers."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator

from shredded_variant import names
from shredded_variant.footers import draft, leaf, schema
from shredded_variant.footers.files import File, read_files
from shredded_variant.footers.footer import Footer, Node
from shredded_variant.footers.layout import Entry, FileShape, Layout
from shredded_variant.footers.leaf import Key


def layout(path: str | os.PathLike[str]) -> Layout:
    """Reads the footers of the Parquet file at this path or URI, or of all Parquet files below it."""
    files = read_files(path)
    merged: dict[tuple[str, str], _Merged] = {}
    for file in files:
        _merge_file(merged, file.footer)
    return Layout(
        os.fspath(path),
        len(files),
        sum(f.footer.row_groups for f in files),
        sum(f.footer.rows for f in files),
        sum(f.size for f in files),
        _partitions(files),
        _shapes(files),
        tuple(m.entry(*where) for where, m in _in_tree_order(merged)),
    )


def _partitions(files: Iterable[File]) -> tuple[str, ...]:
    steps = (step for f in files for step in f.name.split("/")[:-1] if "=" in step)
    return tuple(dict.fromkeys(step.split("=")[0] for step in steps))


def _shapes(files: Iterable[File]) -> tuple[FileShape, ...]:
    count: Counter[tuple[str, str]] = Counter()
    rows: Counter[tuple[str, str]] = Counter()
    for file in files:
        variants = [c for c in schema.columns(file.footer) if c.is_variant]
        shapes = json.dumps({c.name: schema.shape(c.node) for c in variants}, ensure_ascii=False)
        kinds = {draft.kind(c.node) for c in variants} - {"unshredded"}
        key = " + ".join(sorted(kinds)) or "unshredded", shapes
        count[key] += 1
        rows[key] += file.footer.rows
    return tuple(FileShape(kind, n, rows[kind, text], json.loads(text)) for (kind, text), n in count.most_common())


class _Merged:
    """The sums of one path over the files so far; a count is None as soon as one file lacks it."""

    def __init__(self, label: str, depth: int, parent: str | None) -> None:
        self.label = label
        self.depth = depth
        self.parent = parent
        self.types: dict[str, None] = {}
        self.files = 0
        self.rows: int | None = 0
        self.typed: int | None = 0
        self.residual: int | None = 0
        self.present: int | None = 0
        self.bytes = 0
        self.bounds: tuple[Key, Key] | None = None
        self.has_bounds = True

    def add(self, type: str, rows: int | None, typed: int | None, residual: int | None, present: int | None) -> None:
        self.types[type] = None
        self.files += 1
        self.rows = _plus(self.rows, rows)
        self.typed = _plus(self.typed, typed)
        self.residual = _plus(self.residual, residual)
        self.present = _plus(self.present, present)

    def bound(self, node: Node) -> None:
        """Widens the bounds by those of a leaf. A chunk with values and no comparable bounds ends them for the path."""
        for chunk in node.chunks:
            if chunk.nulls == chunk.values:
                continue
            low, high = leaf.key(node, chunk.low), leaf.key(node, chunk.high)
            if low is None or high is None or (self.bounds and type(self.bounds[0]) is not type(low)):
                self.has_bounds = False
            else:
                old = self.bounds or (low, high)
                self.bounds = (min(old[0], low), max(old[1], high))

    def entry(self, column: str, path: str) -> Entry:
        known = [t for t in self.types if t != "VARIANT"]
        low, high = (
            (leaf.value(known[0], b) for b in self.bounds)
            if self.bounds and self.has_bounds and len(known) == 1
            else (None, None)
        )
        return Entry(
            column, path, self.label, self.depth, " | ".join(known or self.types), self.files, self.rows,
            self.typed, self.residual, self.present, self.bytes, low, high,
        )  # fmt: skip


def _merge_file(merged: dict[tuple[str, str], _Merged], footer: Footer) -> None:
    for column in schema.columns(footer):
        if column.is_variant:
            _merge_variant(merged, column, footer)
        else:
            _merge_plain(merged, column, footer)


def _merge_plain(merged: dict[tuple[str, str], _Merged], column: schema.Column, footer: Footer) -> None:
    # A hot key comes below its map; the entry of the map is for its other keys.
    path = "" if column.key is None else names.in_brackets(column.key)
    label, depth, parent = (path, 1, "") if path else (column.name, 0, None)
    m = merged.setdefault((column.name, path), _Merged(label, depth, parent))
    node = column.node
    m.bytes += sum(c.size for each in schema.leaves(node) for c in each.chunks)
    scalar = node.physical is not None and not column.repeated
    present = _non_null(node) if scalar else None
    m.add(schema.type_of(node), None if column.repeated else footer.rows, present, 0, present)
    if node.physical is not None:
        _bound(m, schema.type_of(node), node)


def _merge_variant(merged: dict[tuple[str, str], _Merged], column: schema.Column, footer: Footer) -> None:
    parents: list[str] = []
    for cell in schema.cells(column):
        parents[cell.depth :] = [cell.path]
        parent = parents[cell.depth - 1] if cell.depth else None
        m = merged.setdefault((column.name, cell.path), _Merged(cell.label or column.name, cell.depth, parent))
        residual = _non_null(cell.value)
        typed = 0 if not cell.typed else _non_null(cell.scalar) if cell.is_scalar else None
        present = _plus(typed, residual)
        own = [n for n in (cell.value, cell.scalar) if n is not None]
        if cell.depth == 0:
            # Metadata is present exactly where the variant is, so its count includes objects and arrays.
            metadata = column.node.child("metadata")
            if metadata is not None:
                present = _non_null(metadata)
                own.append(metadata)
            elif any(_non_null(node) == footer.rows for node in schema.leaves(column.node)):
                present = footer.rows
            if typed is None and residual == 0:
                typed = present
        m.bytes += sum(c.size for n in own for c in n.chunks)
        m.add(cell.type, None if cell.repeated else footer.rows, typed, residual, present)
        if cell.is_scalar and cell.scalar is not None:
            _bound(m, cell.type, cell.scalar)


def _bound(m: _Merged, type: str, node: Node) -> None:
    # Bounds of different types are not comparable.
    if all(t in (type, "VARIANT") for t in m.types):
        m.bound(node)


def _non_null(node: Node | None) -> int | None:
    """The number of values of this leaf that are not null, or None if a chunk has no null count."""
    if node is None:
        return 0
    total = 0
    for chunk in node.chunks:
        if chunk.nulls is None and (node.repetition or node.depth > 1):
            return None
        total += chunk.values - (chunk.nulls or 0)
    return total


def _in_tree_order(merged: dict[tuple[str, str], _Merged]) -> Iterator[tuple[tuple[str, str], _Merged]]:
    """Columns in the order of their first file, and each path after its parent, in whichever file the path first is."""
    below: dict[tuple[str, str | None], list[tuple[tuple[str, str], _Merged]]] = {}
    for (column, path), m in merged.items():
        below.setdefault((column, m.parent), []).append(((column, path), m))
    stack = [item for (_, parent), items in reversed(below.items()) if parent is None for item in reversed(items)]
    while stack:
        item = stack.pop()
        yield item
        stack += reversed(below.get(item[0], ()))


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b
