"""Writes Parquet files with shredded variants from a schema and cells, valid or not, without any variant engine.

    cell(pa.int64())                                   group { optional binary value; optional int64 typed_value }
    cell({"a": cell(pa.string()), "b": cell()})        a shredded object with the fields a and b
    cell([cell(pa.string())])                          a shredded array

A stored cell is a pair (value, typed): `value` a variant of variants.py, raw bytes or None; `typed` None, or a scalar
(plain or a variant), or {field: cell} for an object, or [cell, ...] for an array. None for the pair is a null group.
"""

from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from parquet_footer import edit_schema, variant
from variant_bytes import encode_metadata, encode_value
from variants import DECIMAL_DIGITS, V, as_decimal, names

ORDER = ("metadata", "value", "typed_value")
MISSING = (None, None)
UTC = "UTC"


class Cell(NamedTuple):
    """The schema of one group of `value` and `typed_value`."""

    typed: Any
    value: pa.DataType | None
    is_optional: bool
    order: tuple


def cell(typed=None, value=True, optional=False, order=ORDER):
    """`value=False` leaves the column out, a type replaces binary; `optional` makes the group of a field optional."""
    return Cell(typed, pa.binary() if value is True else value or None, optional, order)


class File(NamedTuple):
    """One file to write: its shape, its rows, and options of `write_file`."""

    shape: Cell
    rows: list
    options: dict | None = None


def write_file(path, shape, rows, *, keys=None, metadata=True, annotated=False, edits=None, extra=None, **options):
    """Rows are cells, or None for a null variant; with `metadata=False` they lack that column.

    The columns are `id`, counting up from `first_id`, and `v`. The dictionary of a row is `keys`, or all names in it
    and in the shape; `metadata` may also be the bytes for all rows. `edits` change the schema in the footer, see
    parquet_footer. The other options go to pyarrow.
    """
    first_id = options.pop("first_id", 0)
    required = options.pop("required", False)
    dictionaries = [list(keys) if keys is not None else _names_of(row, shape) for row in rows]
    fields, arrays = _children(shape, rows, dictionaries)
    if metadata is not False:
        fixed = isinstance(metadata, bytes)
        column = [metadata if fixed else encode_metadata(d) for d in dictionaries]
        fields.append(pa.field("metadata", pa.binary(), nullable=False))
        arrays.append(pa.array(column, pa.binary()))
    fields, arrays = _in_order(shape.order, fields, arrays)
    v = _struct(arrays, fields, rows)
    ids = pa.array(range(first_id, first_id + len(rows)), pa.int32())
    columns = {"id": (ids, True), "v": (v, not required), **{k: (a, True) for k, a in (extra or {}).items()}}
    key_value = options.pop("key_value", None)
    schema = pa.schema([pa.field(k, a.type, nullable) for k, (a, nullable) in columns.items()], key_value)
    table = pa.table([a for a, _ in columns.values()], schema=schema)
    # pyarrow leaves out all metadata of the schema unless it may store its own as well.
    pq.write_table(table, path, store_schema=key_value is not None, **{"compression": "none", **options})
    if edits or annotated:
        edit_schema(path, {**({"v": variant} if annotated else {}), **(edits or {})})
    return str(path)


def _names_of(row, shape):
    def of_shape(s):
        if isinstance(s.typed, dict):
            return [n for k, f in s.typed.items() for n in (k, *of_shape(f))]
        return of_shape(s.typed[0]) if isinstance(s.typed, list) else []

    def of_cell(c):
        value, typed = c or MISSING
        inner = typed.values() if isinstance(typed, dict) else typed if isinstance(typed, list) else []
        return (names(value) if isinstance(value, V) else []) + [n for x in inner for n in of_cell(x)]

    return list(dict.fromkeys(of_shape(shape) + of_cell(row)))


def _in_order(order, fields, arrays):
    rank = {name: i for i, name in enumerate(order)}
    places = sorted(range(len(fields)), key=lambda i: rank.get(fields[i].name, len(rank)))
    return [fields[i] for i in places], [arrays[i] for i in places]


def _struct(arrays, fields, owners):
    nulls = pa.array([o is None for o in owners], pa.bool_())
    return pa.StructArray.from_arrays(arrays, fields=fields, mask=nulls)


def _group(shape, cells, dictionaries):
    fields, arrays = _in_order(shape.order, *_children(shape, cells, dictionaries))
    return _struct(arrays, fields, cells)


def _children(shape, cells, dictionaries):
    """The columns `value` and `typed_value` of one group, if the shape has them."""
    pairs = [MISSING if c is None else c for c in cells]
    fields, arrays = [], []
    if shape.value is not None:
        raw = [encode_value(v, d) if isinstance(v, V) else v for (v, _), d in zip(pairs, dictionaries, strict=True)]
        fields.append(pa.field("value", shape.value))
        arrays.append(pa.array(raw, shape.value))
    if shape.typed is not None:
        typed = _typed(shape.typed, [t for _, t in pairs], dictionaries)
        fields.append(pa.field("typed_value", typed.type))
        arrays.append(typed)
    return fields, arrays


def _typed(shape, typed, dictionaries):
    if isinstance(shape, dict):
        columns = {
            name: _group(field, [MISSING if t is None else t.get(name, MISSING) for t in typed], dictionaries)
            for name, field in shape.items()
        }
        fields = [pa.field(name, columns[name].type, nullable=shape[name].is_optional) for name in shape]
        return _struct(list(columns.values()), fields, typed)
    if isinstance(shape, list):
        element = shape[0]
        flat = [(c, d) for t, d in zip(typed, dictionaries, strict=True) for c in t or ()]
        values = _group(element, [c for c, _ in flat], [d for _, d in flat])
        ends = [sum(len(t or ()) for t in typed[:i]) for i in range(len(typed) + 1)]
        nulls = pa.array([t is None for t in typed], pa.bool_())
        kind = pa.list_(pa.field("element", values.type, nullable=element.is_optional))
        return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), values, type=kind, mask=nulls)
    return scalar_column(shape, typed)


def scalar_column(kind, typed):
    """A typed column of scalars, plain ones or variants."""
    raw = [_raw(t) for t in typed]
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, pa.array(raw, kind.storage_type))
    return pa.array(raw, kind)


def _raw(scalar):
    if not isinstance(scalar, V):
        return scalar
    return as_decimal(scalar) if scalar.type in DECIMAL_DIGITS else scalar.value
