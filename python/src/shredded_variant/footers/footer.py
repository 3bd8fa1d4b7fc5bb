"""Reads a Parquet footer: the schema with its annotations, and the counts and bounds of each column chunk.

It decodes Thrift's compact protocol itself, because pyarrow joins names by dots and shows no annotations of groups.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

MAGIC, ENCRYPTED = b"PAR1", b"PARE"
# The maximal depth of Thrift structs and lists.
MAX_DEPTH = 200
# The maximal depth of a schema. A shape has at most 500 levels, and an array takes three levels of a schema.
MAX_SCHEMA_DEPTH = 2000
# The maximal bytes of a varint, for 64 bits.
MAX_VARINT = 10
REQUIRED, OPTIONAL, REPEATED = 0, 1, 2

# Field ids of the union LogicalType.
STRING, MAP, LIST, ENUM, DECIMAL, DATE, TIME, TIMESTAMP = 1, 2, 3, 4, 5, 6, 7, 8
INTEGER, UNKNOWN, JSON, BSON, UUID, FLOAT16, VARIANT = 10, 11, 12, 13, 14, 15, 16
# The required fields of its members: scale and precision, UTC and unit, width and sign.
DETAILS: dict[int, dict[int, type]] = {
    DECIMAL: {1: int, 2: int},
    TIME: {1: bool, 2: dict},
    TIMESTAMP: {1: bool, 2: dict},
    INTEGER: {1: int, 2: bool},
}


class Damaged(Exception):
    """The bytes are not a footer; the message is the reason."""


@dataclass
class Node:
    """One element of the schema; a group if `physical` is None."""

    name: str
    repetition: int
    physical: int | None
    converted: int | None
    scale: int
    precision: int
    logical: tuple[int, dict[int, Any]] | None
    depth: int
    children: list[Node] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)

    @cached_property
    def _by_name(self) -> dict[str, Node]:
        return {child.name: child for child in reversed(self.children)}

    def child(self, name: str) -> Node | None:
        return self._by_name.get(name)

    def is_annotated(self, logical: int, converted: int | None = None) -> bool:
        if self.logical is not None:
            return self.logical[0] == logical
        return converted is not None and self.converted == converted

    @property
    def is_list(self) -> bool:
        return self.physical is None and self.is_annotated(LIST, 3)

    @property
    def is_map(self) -> bool:
        return self.physical is None and (self.is_annotated(MAP, 1) or self.is_annotated(MAP, 2))


@dataclass
class Chunk:
    """One leaf in one row group; statistics that the writer left out are None."""

    values: int
    size: int
    nulls: int | None
    low: bytes | None
    high: bytes | None


@dataclass
class Footer:
    rows: int
    row_groups: int
    root: Node
    metadata: dict[str, str]


def parse(data: bytes) -> Footer:
    """The footer in these bytes of Thrift."""
    try:
        top = _Compact(data).struct()
        root, leaves = _tree(_get(top, 2, list))
        groups = _get(top, 4, list)
        for group in groups:
            columns = _get(group, 1, list)
            if len(columns) != len(leaves):
                raise Damaged(f"columns in a row group and in its schema differ: {len(columns)} and {len(leaves)}")
            # The specification: column chunks have the order of the leaves in the schema.
            for leaf, column in zip(leaves, columns, strict=True):
                leaf.chunks.append(_chunk(_get(column, 3, dict)))
        metadata = {_text(_get(kv, 1, bytes)): _text(_get(kv, 2, bytes, b"")) for kv in _get(top, 5, list, [])}
        return Footer(_count(top, 3), len(groups), root, metadata)
    except (AttributeError, IndexError, KeyError, TypeError, struct.error) as e:
        raise Damaged("its footer is not what Parquet writes there") from e


def _get(fields: dict[int, Any], id: int, type: type, *default: Any) -> Any:
    """The field with this id, checked to have this type."""
    result = fields.get(id, *default) if default else fields[id]
    if not isinstance(result, type) and (not default or result is not default[0]):
        raise TypeError
    return result


def _count(fields: dict[int, Any], id: int) -> int:
    result: int = _get(fields, id, int)
    if result < 0:
        raise TypeError
    return result


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _tree(elements: list[dict[int, Any]]) -> tuple[Node, list[Node]]:
    """The root of the schema, whose elements are stored depth first, and its leaves in their order."""
    root = _node(elements[0], 0)
    leaves = []
    # The groups that enclose the next element, each with the number of its children that are still to come.
    open_groups = [(root, _child_count(elements[0]))]
    for i, e in enumerate(elements[1:], 1):
        while open_groups and open_groups[-1][1] <= 0:
            open_groups.pop()
        if not open_groups:
            raise Damaged(f"its schema has {len(elements) - i} elements too many")
        if len(open_groups) > MAX_SCHEMA_DEPTH:
            raise Damaged(f"its schema is nested deeper than {MAX_SCHEMA_DEPTH} levels")
        group, remaining = open_groups[-1]
        open_groups[-1] = group, remaining - 1
        node = _node(e, len(open_groups))
        group.children.append(node)
        if node.physical is None:
            open_groups.append((node, _child_count(e)))
        else:
            leaves.append(node)
    if any(remaining > 0 for _, remaining in open_groups):
        raise IndexError
    return root, leaves


def _child_count(e: dict[int, Any]) -> int:
    result: int = 0 if _get(e, 1, int, None) is not None else _get(e, 5, int, 0)
    return result


def _node(e: dict[int, Any], depth: int) -> Node:
    physical = _get(e, 1, int, None)
    if not 0 <= (physical or 0) < 8:
        raise TypeError
    return Node(
        _text(_get(e, 4, bytes)) if depth else "",
        _get(e, 3, int, REQUIRED),
        physical,
        _get(e, 6, int, None),
        _get(e, 7, int, 0),
        _get(e, 8, int, 0),
        _logical(_get(e, 10, dict, None)),
        depth,
    )


def _logical(union: dict[int, Any] | None) -> tuple[int, dict[int, Any]] | None:
    if not union:
        return None
    kind, details = next(iter(union.items()))
    for id, type in DETAILS.get(kind, {}).items():
        _get(details, id, type)
    return kind, details


def _chunk(meta: dict[int, Any]) -> Chunk:
    stats = _get(meta, 12, dict, {})
    # The deprecated fields `min` and `max` are not read: their order is that of signed bytes, wrong for most types.
    low, high, nulls = _get(stats, 6, bytes, None), _get(stats, 5, bytes, None), _get(stats, 3, int, None)
    return Chunk(_count(meta, 5), _count(meta, 7), None if nulls is None or nulls < 0 else nulls, low, high)


class _Compact:
    """Decodes Thrift's compact protocol: a struct becomes {field id: value}."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def take(self, size: int) -> bytes:
        if size < 0 or self.at + size > len(self.data):
            raise IndexError
        self.at += size
        return self.data[self.at - size : self.at]

    def varint(self) -> int:
        result = 0
        for i in range(MAX_VARINT):
            b = self.byte()
            result |= (b & 0x7F) << 7 * i
            if b < 0x80:
                return result & 0xFFFF_FFFF_FFFF_FFFF
        raise IndexError

    def size(self) -> int:
        """The number of bytes, values or pairs that follow. Each takes at least one byte."""
        size = self.varint()
        if size > len(self.data) - self.at:
            raise IndexError
        return size

    def zigzag(self) -> int:
        n = self.varint()
        return (n >> 1) ^ -(n & 1)

    def struct(self, depth: int = 0) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        last = 0
        while head := self.byte():
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            kind = head & 15
            fields[last] = kind == 1 if kind in (1, 2) else self.value(kind, depth + 1)
        return fields

    def value(self, kind: int, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise IndexError
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            return self.take(self.size())
        if kind == 12:
            return self.struct(depth)
        if kind in (9, 10):
            head = self.byte()
            size = head >> 4 if head >> 4 < 15 else self.size()
            return [self.value(head & 15, depth + 1) for _ in range(size)]
        if kind in (1, 2, 3):
            return self.byte()
        if kind == 7:
            return struct.unpack("<d", self.take(8))[0]
        if kind == 11:
            size = self.size()
            kinds = self.byte() if size else 0
            return [(self.value(kinds >> 4, depth + 1), self.value(kinds & 15, depth + 1)) for _ in range(size)]
        raise IndexError
