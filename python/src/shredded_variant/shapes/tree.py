"""The tree of a shape as a flat list of nodes, each before those below it, so that no function needs recursion.

    $            OBJECT      Node(0, None, "OBJECT")
    ├─ id        BIGINT      Node(1, "id", "BIGINT")
    └─ tags      ARRAY       Node(1, "tags", "ARRAY")
       └─ [*]    STRING      Node(2, None, "STRING")

Laws: an object has at least one field. An array has exactly one node directly below it. Fields are in the order of the
UTF-8 bytes of their keys, which is the order of code points, by which Python compares strings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from shredded_variant.names import Step, path, quoted

OBJECT, ARRAY, VARIANT = "OBJECT", "ARRAY", "VARIANT"

# A shape during parsing: a type, the fields of an object, or the element of an array.
Tree: TypeAlias = "str | dict[str, Tree] | list[Tree]"


class Node(NamedTuple):
    depth: int
    key: Step
    type: str

    @property
    def is_leaf(self) -> bool:
        return self.type not in (OBJECT, ARRAY)


def nodes(tree: Tree) -> tuple[Node, ...]:
    result: list[Node] = []
    stack: list[tuple[int, Step, Tree]] = [(0, None, tree)]
    while stack:
        depth, key, below = stack.pop()
        if isinstance(below, str):
            result.append(Node(depth, key, below))
        elif isinstance(below, list):
            result.append(Node(depth, key, ARRAY))
            stack.append((depth + 1, None, below[0]))
        else:
            result.append(Node(depth, key, OBJECT))
            stack += [(depth + 1, name, below[name]) for name in sorted(below, reverse=True)]
    return tuple(result)


def ddl(nodes: Sequence[Node]) -> str:
    """The DDL of the tree, equal to the byte to that of the data source's `Shape.ddl`."""
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
    """For each node, the index after the last node below it."""
    result = [len(nodes)] * len(nodes)
    opened: list[int] = []
    for i, node in enumerate(nodes):
        while opened and nodes[opened[-1]].depth >= node.depth:
            result[opened.pop()] = i
        opened.append(i)
    return result


def children(nodes: Sequence[Node], ends: Sequence[int], i: int) -> dict[Step, int]:
    """The indexes of the nodes directly below this one, by their keys."""
    result: dict[Step, int] = {}
    child = i + 1
    while child < ends[i]:
        result[nodes[child].key] = child
        child = ends[child]
    return result


def paths(nodes: Sequence[Node]) -> Iterator[tuple[str, Node]]:
    steps: list[Step] = []
    for node in nodes:
        if node.depth:
            steps[node.depth - 1 :] = [node.key]
        yield path(steps), node
