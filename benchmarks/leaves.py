"""A table as a list of leaves, and the SQL that generates each of its layouts from row numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Leaf:
    """One path, its type, and the SQL that generates its value."""

    path: str
    type: str
    sql: str
    # The SQL of the value in the document, if it differs from that of the column.
    document: str | None = None
    # The path at which documents have this scalar if they have no object there; flat and struct have a column for it.
    instead_of: str | None = None


Tree = dict[str, "Leaf | Tree"]


@dataclass(frozen=True)
class Table:
    """Leaves and the SQL of `helpers`, which leaves use; `present` has the conditions under which objects exist."""

    name: str
    leaves: tuple[Leaf, ...]
    files: int
    helpers: Mapping[str, str] = field(default_factory=dict)
    present: Mapping[str, str] = field(default_factory=dict)
    # The columns by which rows are ordered. Without them, rows have the order of their numbers.
    clustered_by: tuple[str, ...] = ()

    def flat(self, rows: int) -> str:
        columns = ", ".join(quoted(column(leaf.path)) for leaf in self.leaves)
        return f"SELECT row, {columns} FROM ({self._columns(rows)})"

    def struct(self, rows: int) -> str:
        sql = self._object(_tree(self.leaves), "", lambda leaf: quoted(column(leaf.path)))
        return f"SELECT row, {sql} AS s FROM ({self._columns(rows)})"

    def variant(self, rows: int) -> str:
        """The variants, parsed from JSON text, which omits null fields."""
        inside = tuple(leaf for leaf in self.leaves if leaf.instead_of is None)
        sql = self._object(_tree(inside), "", lambda leaf: leaf.document or quoted(column(leaf.path)), self._or_scalar)
        return f"SELECT row, parse_json(to_json({sql})) AS v FROM ({self._columns(rows)})"

    def shape(self) -> str:
        """The DDL of the shape that gives every leaf the type of its column."""
        return _ddl(_tree(tuple(leaf for leaf in self.leaves if leaf.instead_of is None)))

    def _columns(self, rows: int) -> str:
        helpers = "".join(f", {sql} AS {name}" for name, sql in self.helpers.items())
        leaves = ", ".join(f"{self._guarded(leaf)} AS {quoted(column(leaf.path))}" for leaf in self.leaves)
        numbers = f"SELECT id AS row FROM range(0, {rows}, 1, {self.files})"
        order = f" ORDER BY {', '.join(self.clustered_by)}" if self.clustered_by else ""
        return f"SELECT *, {leaves} FROM (SELECT *{helpers} FROM ({numbers})){order}"

    def _guarded(self, leaf: Leaf) -> str:
        steps = leaf.path.split(".")
        parents = [".".join(steps[:i]) for i in range(1, len(steps))]
        conditions = [self.present[p] for p in parents if p in self.present]
        return f"CASE WHEN {' AND '.join(conditions)} THEN {leaf.sql} END" if conditions else leaf.sql

    def _object(
        self,
        tree: Tree,
        path: str,
        value: Callable[[Leaf], str],
        wrap: Callable[[str, str], str] = lambda path, sql: sql,
    ) -> str:
        fields = []
        for name, child in tree.items():
            child_path = f"{path}.{name}" if path else name
            field = value(child) if isinstance(child, Leaf) else self._object(child, child_path, value, wrap)
            fields.append(f"'{name}', {field}")
        sql = f"named_struct({', '.join(fields)})"
        if path in self.present:
            sql = f"CASE WHEN {self.present[path]} THEN {sql} END"
        return wrap(path, sql)

    def _or_scalar(self, path: str, sql: str) -> str:
        for leaf in self.leaves:
            if leaf.instead_of == path:
                return f"coalesce(to_variant_object({sql}), CAST({quoted(column(leaf.path))} AS VARIANT))"
        return sql


def column(path: str) -> str:
    """The name of the column of a path in the layout `flat`."""
    return path.replace(".", "_")


def quoted(name: str) -> str:
    return f"`{name}`"


def random(salt: object, bound: int) -> str:
    """SQL of a number from 0 to bound - 1 that depends only on the row and the salt."""
    return f"pmod(xxhash64(row, '{salt}'), {bound}L)"


def pick(values: list[str], index: str) -> str:
    """SQL of one of the values, by an index from 0."""
    return f"array({', '.join(repr(v) for v in values)})[CAST({index} AS INT)]"


def _tree(leaves: tuple[Leaf, ...]) -> Tree:
    root: Tree = {}
    for leaf in leaves:
        *parents, last = leaf.path.split(".")
        node = root
        for step in parents:
            inner = node.setdefault(step, {})
            assert isinstance(inner, dict), f"{leaf.path} is below a leaf"
            node = inner
        node[last] = leaf
    return root


def _ddl(tree: Tree, between: str = " ") -> str:
    def type_of(child: Leaf | Tree) -> str:
        return child.type if isinstance(child, Leaf) else f"STRUCT<{_ddl(child, ': ')}>"

    return ", ".join(f"{quoted(name)}{between}{type_of(child)}" for name, child in tree.items())
