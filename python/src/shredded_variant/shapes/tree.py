"""The tree of a shape: a flat list of nodes, each before those below it, so that no depth needs a deep stack.

    $            OBJECT      Node(0, None, "OBJECT")
    ├─ id        BIGINT      Node(1, "id", "BIGINT")
    └─ tags      ARRAY       Node(1, "tags", "ARRAY")
       └─ [*]    STRING      Node(2, None, "STRING")

Laws: an object has at least one field, an array exactly one node below it, and fields are in the order of their
keys' UTF-8 bytes. Code points have the same order as these bytes, and Python's strings compare by code points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from shredded_variant.names import Step, path, quoted

OBJECT, ARRAY, VARIANT = "OBJECT", "ARRAY", "VARIANT"

# A shape while it is built: a type, the fields of an object, or the element of an array.
Tree: TypeAlias = "str | dict[str, Tree] | list[Tree]"


class Node(NamedTuple):
    depth: int
    key: Step
    type: str

    @property
    def is_leaf(self) -> bool:
        return self.type not in (OBJECT, ARRAY)


def nodes(tree: Tree) -> tuple[Node, ...]:
    found: list[Node] = []
    stack: list[tuple[int, Step, Tree]] = [(0, None, tree)]
    while stack:
        depth, key, below = stack.pop()
        if isinstance(below, str):
            found.append(Node(depth, key, below))
        elif isinstance(below, list):
            found.append(Node(depth, key, ARRAY))
            stack.append((depth + 1, None, below[0]))
        else:
            found.append(Node(depth, key, OBJECT))
            stack += [(depth + 1, name, below[name]) for name in sorted(below, reverse=True)]
    return tuple(found)


def ddl(nodes: Sequence[Node]) -> str:
    """The tree as the data source's `Shape.ddl` writes it, to the byte."""
    parts: list[str] = []
    top = nodes[0].depth
    opened: list[str] = []
    for i, node in enumerate(nodes):
        level = node.depth - top
        closed = len(opened) - level
        parts += [">"] * closed
        del opened[level:]
        if i > 0 and nodes[i - 1].depth >= node.depth:
            parts.append(", ")
        if opened and opened[-1] == OBJECT:
            parts.append(f"{quoted(node.key or '')} ")
        parts.append({OBJECT: "STRUCT<", ARRAY: "ARRAY<"}.get(node.type, node.type))
        if not node.is_leaf:
            opened.append(node.type)
    return "".join(parts) + ">" * len(opened)


def ends(nodes: Sequence[Node]) -> list[int]:
    """For each node, where what lies below it ends."""
    found = [len(nodes)] * len(nodes)
    opened: list[int] = []
    for i, node in enumerate(nodes):
        while opened and nodes[opened[-1]].depth >= node.depth:
            found[opened.pop()] = i
        opened.append(i)
    return found


def children(nodes: Sequence[Node], ends: Sequence[int], i: int) -> dict[Step, int]:
    """The nodes directly below this one, by their keys."""
    found: dict[Step, int] = {}
    at = i + 1
    while at < ends[i]:
        found[nodes[at].key] = at
        at = ends[at]
    return found


def paths(nodes: Sequence[Node]) -> Iterator[tuple[str, Node]]:
    steps: list[Step] = []
    for node in nodes:
        if node.depth:
            steps[node.depth - 1 :] = [node.key]
        yield path(steps), node
