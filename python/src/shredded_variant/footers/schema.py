"""Finds variants and hot keys in a file's schema, and says what these and the plain columns are called and hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shredded_variant import names
from shredded_variant.footers import draft, hot_keys, leaf
from shredded_variant.footers.footer import REPEATED, VARIANT, Footer, Node
from shredded_variant.names import quoted


@dataclass
class Cell:
    """One group of stored and typed values of a shredded variant, at one path; below an array it holds elements.

    `typed` is `typed_value`, or those of object, array and typed_value that a group of the draft layout has.
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
        """Whether nothing but a scalar is typed here."""
        return len(self.typed) == 1 and self.scalar is not None

    @property
    def type(self) -> str:
        """`OBJECT`, `ARRAY`, a scalar type, or `VARIANT` where nothing is typed."""
        return " | ".join(map(_kind, self.typed)) or "VARIANT"


@dataclass
class Column:
    """A variant, wherever it stands, or a column that holds none; with a `key`, that hot key of the map `name`."""

    name: str
    node: Node
    is_variant: bool
    repeated: bool
    key: str | None = None


def columns(footer: Footer) -> Iterator[Column]:
    """The variants and, beside them, the columns without any and the hot keys of maps, in the order of the file."""
    try:
        spark = json.loads(footer.metadata.get("org.apache.spark.sql.parquet.row.metadata", "null"))
    except (ValueError, RecursionError):
        spark = None
    hot = hot_keys.of(footer.root.children, (), footer.metadata)
    for node in footer.root.children:
        if node.name in hot:
            yield _hot_key(node, *hot[node.name], "")
        else:
            yield from _columns(node, quoted(node.name), _field(spark, node.name), False, footer)


def _columns(node: Node, name: str, spark: Any, repeated: bool, footer: Footer) -> Iterator[Column]:
    repeated = repeated or node.repetition == REPEATED
    parts = _parts(node, spark)
    hot = {} if repeated or node.is_list or node.is_map else hot_keys.of(node.children, node.path, footer.metadata)
    if _is_variant(node, spark):
        yield Column(name, node, True, repeated)
    elif not any(_is_divided(child, part, footer) for child, part, _ in parts) and not hot:
        yield Column(name, node, False, repeated)
    else:
        inside = repeated or node.is_list or node.is_map
        for child, part, label in parts:
            if child.name in hot:
                yield _hot_key(child, *hot[child.name], f"{name}.")
            else:
                yield from _columns(child, f"{name}.{label}", part, inside, footer)


def _hot_key(node: Node, map: str, key: str, prefix: str) -> Column:
    return Column(prefix + quoted(map), node, False, node.repetition == REPEATED, key)


def _is_divided(node: Node, spark: Any, footer: Footer) -> bool:
    """Whether there are variants or hot keys in it."""
    if _is_variant(node, spark) or hot_keys.of(node.children, node.path, footer.metadata):
        return True
    return any(_is_divided(c, s, footer) for c, s, _ in _parts(node, spark))


def _is_variant(node: Node, spark: Any) -> bool:
    """By the annotation, or, without one, by Spark's schema or the fields of the draft layout, which no struct has."""
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
    """What a struct, list or map consists of: node, Spark's type of it, and its name in a dotted path."""
    inner = node.children[0] if len(node.children) == 1 else None
    if node.is_list and inner is not None and inner.repetition == REPEATED:
        element = inner.children[0] if len(inner.children) == 1 else inner
        return [(element, _get(spark, "elementType"), "element")]
    if node.is_map and inner is not None and len(inner.children) == 2:
        key, value = inner.children
        return [(key, _get(spark, "keyType"), "key"), (value, _get(spark, "valueType"), "value")]
    return [(c, _field(spark, c.name), quoted(c.name)) for c in node.children]


def _get(spark: Any, name: str) -> Any:
    return spark.get(name) if isinstance(spark, dict) else None


def _field(spark: Any, name: str) -> Any:
    fields = _get(spark, "fields")
    known = fields if isinstance(fields, list) else []
    return next((_get(f, "type") for f in known if _get(f, "name") == name), None)


def cells(column: Column) -> Iterator[Cell]:
    """All groups of values of this variant, each before those below it."""
    return _cells(column.node, "$", "", 0, column.repeated)


def _cells(node: Node, path: str, label: str, depth: int, repeated: bool) -> Iterator[Cell]:
    is_draft = draft.is_draft(node)
    value = node.child("untyped_value" if is_draft else "value")
    cell = Cell(path, label, depth, value, _typed(node), repeated)
    yield cell
    for part in cell.typed:
        if _kind(part) == "ARRAY":
            for element, _, _ in _parts(part, None):
                yield from _cells(element, f"{path}[*]", "[*]", depth + 1, True)
            continue
        for child in part.children:
            step = names.step(child.name)
            yield from _cells(child, path + step, step.removeprefix("."), depth + 1, repeated)


def _typed(node: Node) -> list[Node]:
    names = draft.NAMES[1:] if draft.is_draft(node) else ("typed_value",)
    return [child for child in node.children if child.name in names]


def _kind(typed: Node) -> str:
    if typed.physical is not None:
        return leaf.ddl(typed)
    return "ARRAY" if typed.is_list else "OBJECT"


def shape(node: Node) -> str:
    """The shape of a variant group in the words of `shredding.shape`, which has one type for each path."""
    typed = next(iter(_typed(node)), None)
    if typed is None:
        return "VARIANT"
    if typed.physical is not None:
        return leaf.ddl(typed)
    if typed.is_list:
        return f"ARRAY<{', '.join(shape(element) for element, _, _ in _parts(typed, None))}>"
    return f"STRUCT<{', '.join(f'{quoted(c.name)} {shape(c)}' for c in typed.children)}>"


def type_of(node: Node) -> str:
    """The type of a column without variants, in the words of Spark's DDL."""
    if node.is_annotated(VARIANT):
        return "VARIANT"
    if node.physical is not None:
        name = leaf.ddl(node)
        return f"ARRAY<{name}>" if node.repetition == REPEATED else name
    parts = [(label, type_of(child)) for child, _, label in _parts(node, None)]
    if node.is_list:
        return f"ARRAY<{', '.join(t for _, t in parts)}>"
    if node.is_map:
        return f"MAP<{', '.join(t for _, t in parts)}>"
    return f"STRUCT<{', '.join(f'{label}: {t}' for label, t in parts)}>"


def leaves(node: Node) -> Iterator[Node]:
    if node.physical is not None:
        yield node
    for child in node.children:
        yield from leaves(child)
