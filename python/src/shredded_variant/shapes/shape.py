"""`Shape`, the typed paths of a variant as an immutable value, and `ShapeDiff`, the differences between two shapes."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from shredded_variant import render
from shredded_variant.errors import check_type
from shredded_variant.names import step
from shredded_variant.shapes import json_text as shape_json
from shredded_variant.shapes import merge as shape_merge
from shredded_variant.shapes import text as shape_text
from shredded_variant.shapes import tree as shape_tree
from shredded_variant.shapes.tree import VARIANT, Node

MAX_WIDTH = 100


@dataclass(frozen=True, repr=False)
class Shape:
    """The paths of a variant that get typed columns, with their types; a result of `Shape.parse` or `infer_shape`."""

    nodes: tuple[Node, ...]

    @staticmethod
    def parse(text: str) -> Shape:
        """Parses DDL in the syntax of `shredding.shape.<column>`, or the JSON of `to_json`."""
        check_type(
            "Shape.parse", text, str, "pass DDL, such as 'a BIGINT, b STRUCT<c STRING>', or the JSON of Shape.to_json()"
        )
        is_json = text.lstrip().startswith("{")
        return Shape(shape_tree.nodes(shape_json.parse(text) if is_json else shape_text.parse(text)))

    def ddl(self) -> str:
        """The value of the option `shredding.shape.<column>`; equal shapes have equal texts."""
        return shape_tree.ddl(self.nodes)

    def paths(self) -> dict[str, str]:
        """The types of all leaves by their paths, such as `$.user.id` and `$.tags[*]`; `VARIANT` means untyped."""
        return {path: node.type for path, node in shape_tree.paths(self.nodes) if node.is_leaf}

    def to_json(self) -> str:
        return shape_json.to_json(self.paths())

    def diff(self, other: Shape) -> ShapeDiff:
        """The changes that turn this shape into the other one."""
        return ShapeDiff(*shape_merge.differences(self.nodes, _shape(other, "diff").nodes))

    def merge(self, other: Shape) -> Shape:
        """The shape that has the paths of both; the order and the grouping of several merges do not matter.

        A path that only one shape types keeps that type. Exact numbers widen to the narrowest type that holds both:
        the wider integer, or a decimal, whose scale is cut beyond 38 digits. Of two other types, the result has the
        one that inference prefers among equally frequent types: OBJECT, ARRAY, UUID, TIMESTAMP_NTZ_NANOS,
        TIMESTAMP_NANOS, STRING, BINARY, TIMESTAMP_NTZ, TIMESTAMP, TIME, DATE, exact numbers, DOUBLE, FLOAT, BOOLEAN.
        Values of the other type are then stored untyped.
        """
        return Shape(shape_merge.merge(self.nodes, _shape(other, "merge").nodes))

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        rows = [[render.cut(cell, MAX_WIDTH) for cell in row] for row in self._rows()]
        return "\n".join([self._title(), "", *render.aligned(rows)])

    def _repr_html_(self) -> str:
        return f"<div>{escape(self._title())}{render.table(('path', 'type'), self._rows())}</div>"

    def _title(self) -> str:
        leaves = [node for node in self.nodes if node.is_leaf]
        untyped = sum(node.type == VARIANT for node in leaves)
        if len(self.nodes) == untyped:
            return "Shape: unshredded"
        typed = render.counted(len(leaves) - untyped, "typed path")
        return f"Shape: {typed}, {untyped:,} untyped" if untyped else f"Shape: {typed}"

    def _rows(self) -> list[tuple[str, str]]:
        branches = render.branches([node.depth for node in self.nodes])
        labels = (_label(node) for node in self.nodes)
        return [(b + label, node.type) for b, label, node in zip(branches, labels, self.nodes, strict=True)]


@dataclass(frozen=True, repr=False)
class ShapeDiff:
    """The paths that were added, removed or changed, with the DDL of their subtrees; false if the shapes are equal."""

    added: dict[str, str]
    removed: dict[str, str]
    changed: dict[str, tuple[str, str]]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        rows = []
        for sign, path, before, after in self._rows():
            ddl = (
                f"{render.cut(before, MAX_WIDTH // 2)} → {render.cut(after, MAX_WIDTH // 2)}"
                if before and after
                else None
            )
            rows.append((sign, render.cut(path, MAX_WIDTH), ddl or render.cut(before or after, MAX_WIDTH)))
        return "\n".join([self._title(), *render.aligned(rows)])

    def _repr_html_(self) -> str:
        table = render.table(("", "path", "before", "after"), self._rows()) if self else ""
        return f"<div>{escape(self._title())}{table}</div>"

    def _title(self) -> str:
        if not self:
            return "Same shape"
        counts = {"added": len(self.added), "removed": len(self.removed), "changed": len(self.changed)}
        return "Shapes differ: " + ", ".join(f"{n:,} {what}" for what, n in counts.items() if n)

    def _rows(self) -> list[tuple[str, str, str, str]]:
        return [
            *(("+", path, "", ddl) for path, ddl in self.added.items()),
            *(("-", path, ddl, "") for path, ddl in self.removed.items()),
            *(("~", path, before, after) for path, (before, after) in self.changed.items()),
        ]


def _label(node: Node) -> str:
    return step(node.key).removeprefix(".") if node.depth else "$"


def _shape(argument: Shape, name: str) -> Shape:
    check_type(f"Shape.{name}", argument, Shape, "pass Shape.parse(…) of its text")
    return argument
