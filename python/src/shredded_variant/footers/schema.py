"""Finds the columns in a file's schema: variants, hot keys of maps and columns without them, with names and types."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from shredded_variant import names
from shredded_variant.footers import draft, hot_keys, leaf
from shredded_variant.footers.footer import REPEATED, VARIANT, Footer, Node
from shredded_variant.names import quoted


@dataclass
class Cell:
    """The group of one path of a shredded variant, with its `value` and typed fields.

    `typed` has `typed_value`, or in the draft layout the fields `object`, `array` and `typed_value` that the group has.
    `repeated` means that the path is below an array.
    """

    path: str
    label: str
    depth: int
    value: Node | None
    typed: list[Node]
    repeated: bool

    @property
    def scalar(self) -> Node | None:
        return next((node for node in self.typed if node.physical is not None), None)

    @property
    def is_scalar(self) -> bool:
        """Whether a scalar is the only typed field."""
        return len(self.typed) == 1 and self.scalar is not None

    @property
    def type(self) -> str:
        """`OBJECT`, `ARRAY`, a scalar type, or `VARIANT` if there is no typed field."""
        return " | ".join(map(_kind, self.typed)) or "VARIANT"


@dataclass
class Column:
    """A variant at any depth, a column without variants, or, with a `key`, a hot key of the map `name`."""

    name: str
    node: Node
    is_variant: bool
    repeated: bool
    key: str | None = None


@dataclass
class _Part:
    """A node that is a column or contains columns: its type in Spark's schema, and the part that contains it."""

    node: Node
    spark: Any
    label: str
    whole: _Part | None
    # The names of the structs that contain it, or None inside an array or a map.
    path: tuple[str, ...] | None
    hot: tuple[str, str] | None
    is_variant: bool
    is_divided: bool = False
    name: str = ""


def columns(footer: Footer) -> Iterator[Column]:
    """The variants, the hot keys of maps, and the columns without both, in the order of the file."""
    try:
        spark = json.loads(footer.metadata.get("org.apache.spark.sql.parquet.row.metadata", "null"))
    except (ValueError, RecursionError):
        spark = None
    parts = list(_all_parts(footer, spark))
    for part in reversed(parts):
        # Each part comes after the part that contains it, so in reverse its own `is_divided` is final here.
        if part.whole is not None and (part.is_divided or part.hot or part.is_variant):
            part.whole.is_divided = True
    for part in parts:
        if part.whole is not None and not part.whole.is_divided:
            continue
        prefix = f"{part.whole.name}." if part.whole is not None else ""
        part.name = prefix + (quoted(part.hot[0]) if part.hot else part.label)
        if not part.is_divided:
            repeated = part.path is None or part.node.repetition == REPEATED
            yield Column(part.name, part.node, part.is_variant, repeated, part.hot[1] if part.hot else None)


def _all_parts(footer: Footer, spark: Any) -> Iterator[_Part]:
    """All nodes down to variants and hot keys, each before the nodes that it contains, in the order of the file."""
    keys = hot_keys.named(footer.metadata)

    def within(whole: _Part | None, path: tuple[str, ...] | None, parts: list[tuple[Node, Any, str]]) -> list[_Part]:
        hot = {} if path is None else hot_keys.of((node for node, _, _ in parts), path, keys)
        result = []
        for node, type, label in reversed(parts):
            key = hot.get(node.name)
            result.append(_Part(node, type, label, whole, path, key, key is None and _is_variant(node, type)))
        return result

    stack = within(None, (), _fields(footer.root, spark))
    while stack:
        part = stack.pop()
        yield part
        node = part.node
        if not part.hot and not part.is_variant:
            is_struct = not (node.repetition == REPEATED or node.is_list or node.is_map)
            path = (*part.path, node.name) if is_struct and part.path is not None else None
            stack += within(part, path, _parts(node, part.spark))


def _is_variant(node: Node, spark: Any) -> bool:
    """Whether a group is a variant: by its annotation, by Spark's schema, or by the fields of the draft layout."""
    if node.physical is not None:
        return False
    if draft.is_variant(node):
        return True
    if node.child("metadata") is None and not draft.is_draft(node):
        return False
    names = {c.name for c in node.children}
    known = spark == "variant" and (draft.is_draft(node) or names <= {"metadata", "value", "typed_value"})
    return known or node.is_annotated(VARIANT)


def _parts(node: Node, spark: Any) -> list[tuple[Node, Any, str]]:
    """The parts of a struct, list or map: the node, its type in Spark's schema, and its name in a dotted path."""
    inner = node.children[0] if len(node.children) == 1 else None
    if node.is_list and inner is not None and inner.repetition == REPEATED:
        element = inner.children[0] if len(inner.children) == 1 else inner
        return [(element, _get(spark, "elementType"), "element")]
    if node.is_map and inner is not None and len(inner.children) == 2:
        key, value = inner.children
        return [(key, _get(spark, "keyType"), "key"), (value, _get(spark, "valueType"), "value")]
    return _fields(node, spark)


def _fields(node: Node, spark: Any) -> list[tuple[Node, Any, str]]:
    fields = _get(spark, "fields")
    named = [f for f in fields if isinstance(_get(f, "name"), str)] if isinstance(fields, list) else []
    known = {f["name"]: f.get("type") for f in reversed(named)}
    # Of two fields with the same name the first gets Spark's type, so each part of Spark's schema is visited once.
    return [(c, known.pop(c.name, None), quoted(c.name)) for c in node.children]


def _get(spark: Any, name: str) -> Any:
    return spark.get(name) if isinstance(spark, dict) else None


def cells(column: Column) -> Iterator[Cell]:
    """The cells of all paths of this variant, each before those below it."""
    stack = [(column.node, "$", "", 0, column.repeated)]
    while stack:
        node, path, label, depth, repeated = stack.pop()
        value = node.child("untyped_value" if draft.is_draft(node) else "value")
        cell = Cell(path, label, depth, value, _typed(node), repeated)
        yield cell
        below = []
        for part in cell.typed:
            if _kind(part) == "ARRAY":
                below += [(e, f"{path}[*]", "[*]", depth + 1, True) for e, _, _ in _parts(part, None)]
            else:
                steps = [(child, names.step(child.name)) for child in part.children]
                below += [(c, path + step, step.removeprefix("."), depth + 1, repeated) for c, step in steps]
        stack += reversed(below)


def _typed(node: Node) -> list[Node]:
    names = draft.NAMES[1:] if draft.is_draft(node) else ("typed_value",)
    return [child for child in node.children if child.name in names]


def _kind(typed: Node) -> str:
    if typed.physical is not None:
        return leaf.ddl(typed)
    return "ARRAY" if typed.is_list else "OBJECT"


def shape(node: Node) -> str:
    """The shape of the group of a variant, in the syntax of `shredding.shape`, which has one type for each path."""
    return _text(node, _shape)


def _shape(node: Node) -> list[str | Node]:
    typed = next(iter(_typed(node)), None)
    if typed is None:
        return ["VARIANT"]
    if typed.physical is not None:
        return [leaf.ddl(typed)]
    if typed.is_list:
        return _listed("ARRAY", (("", element) for element, _, _ in _parts(typed, None)))
    return _listed("STRUCT", ((f"{quoted(c.name)} ", c) for c in typed.children))


def type_of(node: Node) -> str:
    """The type of a column without variants, in Spark's DDL."""
    return _text(node, _type)


def _type(node: Node) -> list[str | Node]:
    if node.is_annotated(VARIANT):
        return ["VARIANT"]
    if node.physical is not None:
        name = leaf.ddl(node)
        return [f"ARRAY<{name}>" if node.repetition == REPEATED else name]
    parts = [(label, child) for child, _, label in _parts(node, None)]
    if node.is_list or node.is_map:
        return _listed("ARRAY" if node.is_list else "MAP", (("", child) for _, child in parts))
    return _listed("STRUCT", ((f"{label}: ", child) for label, child in parts))


def _listed(kind: str, parts: Iterable[tuple[str, Node]]) -> list[str | Node]:
    pieces: list[str | Node] = [f"{kind}<"]
    for i, (label, node) in enumerate(parts):
        pieces += [f", {label}" if i else label, node]
    return [*pieces, ">"]


def _text(node: Node, pieces: Callable[[Node], list[str | Node]]) -> str:
    """Joins the pieces of a node; a piece that is a node is replaced by its own pieces."""
    text: list[str] = []
    stack: list[str | Node] = [node]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            text.append(piece)
        else:
            stack += reversed(pieces(piece))
    return "".join(text)


def leaves(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        node = stack.pop()
        if node.physical is not None:
            yield node
        stack += reversed(node.children)
