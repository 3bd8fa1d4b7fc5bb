"""Merges and compares two shapes, by one walk over both trees.

Law: merging is commutative, associative and idempotent. Each type has a class, and the classes are ordered. At each
path the highest class wins, and the types of that class are joined to the narrowest type that holds all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from shredded_variant.names import Step
from shredded_variant.shapes.text import MAX_PRECISION
from shredded_variant.shapes.tree import ARRAY, OBJECT, VARIANT, Node, children, ddl, ends, paths

# The maximal number of digits of each integer type.
INTEGERS = {"TINYINT": 3, "SMALLINT": 5, "INT": 10, "BIGINT": 19}
DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
# The classes in ascending order, the order in which inference breaks ties between equally frequent types. Exact
# numbers are one class. VARIANT, which means untyped, is the lowest class.
CLASSES = (
    VARIANT, "BOOLEAN", "FLOAT", "DOUBLE", "EXACT", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_NTZ", "BINARY", "STRING",
    "TIMESTAMP_NANOS", "TIMESTAMP_NTZ_NANOS", "UUID", ARRAY, OBJECT,
)  # fmt: skip


def merge(a: Sequence[Node], b: Sequence[Node]) -> tuple[Node, ...]:
    result: list[Node] = []
    ends_a, ends_b = ends(a), ends(b)
    stack: list[tuple[int | None, int | None]] = [(0, 0)]
    while stack:
        i, j = stack.pop()
        if i is None or j is None:
            result += a[i : ends_a[i]] if i is not None else b[j : ends_b[j]] if j is not None else ()
            continue
        rank_a, rank_b = _rank(a[i].type), _rank(b[j].type)
        if rank_a != rank_b:
            stack.append((i, None) if rank_a > rank_b else (None, j))
        elif a[i].is_leaf:
            result.append(a[i]._replace(type=_join(a[i].type, b[j].type)))
        else:
            result.append(a[i])
            stack += reversed(list(_pairs(children(a, ends_a, i), children(b, ends_b, j))))
    return tuple(result)


def _pairs(a: dict[Step, int], b: dict[Step, int]) -> Iterator[tuple[int | None, int | None]]:
    for key in sorted(a.keys() | b.keys(), key=lambda key: key or ""):
        yield a.get(key), b.get(key)


def _rank(type: str) -> int:
    return CLASSES.index("EXACT" if type in INTEGERS or DECIMAL.match(type) else type)


def _join(a: str, b: str) -> str:
    """The narrowest type that holds the values of two types of one class.

    If a decimal has too few digits for both, it keeps those before the decimal point and cuts the scale.
    """
    if a == b:
        return a
    if a in INTEGERS and b in INTEGERS:
        return max(a, b, key=lambda name: INTEGERS[name])
    (digits_a, scale_a), (digits_b, scale_b) = _digits(a), _digits(b)
    digits = max(digits_a, digits_b)
    scale = min(max(scale_a, scale_b), MAX_PRECISION - digits)
    return f"DECIMAL({digits + scale},{scale})"


def _digits(type: str) -> tuple[int, int]:
    """The numbers of digits before and after the decimal point."""
    if type in INTEGERS:
        return INTEGERS[type], 0
    precision, scale = map(int, DECIMAL.fullmatch(type).groups())  # type: ignore[union-attr]
    return precision - scale, scale


Differences = tuple[dict[str, str], dict[str, str], dict[str, tuple[str, str]]]


def differences(a: Sequence[Node], b: Sequence[Node]) -> Differences:
    """The paths that only b has, that only a has, and that differ in type; each with the DDL of the subtree."""
    added: dict[str, str] = {}
    removed: dict[str, str] = {}
    changed: dict[str, tuple[str, str]] = {}
    ends_a, ends_b = ends(a), ends(b)
    names_a, names_b = [path for path, _ in paths(a)], [path for path, _ in paths(b)]
    stack: list[tuple[int | None, int | None]] = [(0, 0)]
    while stack:
        i, j = stack.pop()
        before = None if i is None else a[i : ends_a[i]]
        after = None if j is None else b[j : ends_b[j]]
        if before == after:
            continue
        if before is None or i is None:
            added[names_b[j or 0]] = ddl(after or ())
        elif after is None or j is None:
            removed[names_a[i]] = ddl(before)
        elif a[i].type == b[j].type:
            stack += reversed(list(_pairs(children(a, ends_a, i), children(b, ends_b, j))))
        else:
            changed[names_a[i]] = (ddl(before), ddl(after))
    return added, removed, changed
