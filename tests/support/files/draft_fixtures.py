"""Writes Parquet files in the draft layout from a schema and cells, and reads the cells, without any variant engine.

    draft(pa.int64())                        group { optional binary untyped_value; optional int64 typed_value }
    draft(object={"a": draft(pa.string())})  a shredded object with the field a
    draft(array=draft(pa.string()))          a shredded array

A stored cell is a dict of what is not null: {"untyped_value": a variant or bytes, "typed_value": a scalar,
"object": {key: cell}, "array": [cell, ...]}. None is a null group, {} one in which all is null.
"""

from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from parquet_fixtures import scalar_column
from parquet_footer import edit_schema, variant
from variant_bytes import decode, encode
from variants import V, of


class Draft(NamedTuple):
    """The columns of one group; `untyped` is the type of untyped_value or None, `beside` are other columns by name."""

    typed: pa.DataType | None
    object: dict | None
    array: "Draft | None"
    untyped: Any
    beside: dict


def draft(typed=None, object=None, array=None, untyped=True, beside=None):
    return Draft(typed, object, array, pa.binary() if untyped is True else untyped or None, beside or {})


def untyped(v, **rest):
    """A cell with an untyped_value, and maybe typed parts."""
    return {"untyped_value": v if isinstance(v, V) else of(v), **rest}


def typed(scalar):
    return {"typed_value": scalar}


def as_draft(shape):
    """The groups of the draft layout for those of the current layout (`cell` of parquet_fixtures)."""
    if isinstance(shape.typed, dict):
        return draft(object={k: as_draft(s) for k, s in shape.typed.items()})
    return draft(array=as_draft(shape.typed[0])) if isinstance(shape.typed, list) else draft(shape.typed)


def as_draft_cell(cell):
    """The draft's cell for a pair of value and typed_value."""
    if cell is None:
        return None
    stored, shredded = cell
    if isinstance(shredded, dict):
        part = {"object": {k: as_draft_cell(c) for k, c in shredded.items()}}
    elif isinstance(shredded, list):
        part = {"array": [as_draft_cell(c) for c in shredded]}
    else:
        part = {} if shredded is None else typed(shredded)
    return part | ({} if stored is None else {"untyped_value": stored})


def whole(v):
    """Metadata and value in one binary."""
    return b"".join(encode(v))


def write_draft(path, shape, rows, *, annotated=False, first_id=0, **options):
    """A file with the columns `id`, counting from `first_id`, and `v`; other options go to pyarrow."""
    ids = pa.array(range(first_id, first_id + len(rows)), pa.int32())
    pq.write_table(
        pa.table({"id": ids, "v": _group(shape, rows)}), path, store_schema=False, **{"compression": "none", **options}
    )
    if annotated:
        edit_schema(path, {"v": variant})
    return str(path)


def _group(shape, cells):
    cell = [c or {} for c in cells]
    columns = {}
    if shape.untyped is not None:
        columns["untyped_value"] = pa.array([_binary(c.get("untyped_value")) for c in cell], shape.untyped)
    if shape.object is not None:
        objects = [c.get("object") for c in cell]
        fields = {k: _group(s, [(o or {}).get(k) for o in objects]) for k, s in shape.object.items()}
        columns["object"] = _struct(fields, objects)
    if shape.array is not None:
        columns["array"] = _list(shape.array, [c.get("array") for c in cell])
    if shape.typed is not None:
        columns["typed_value"] = scalar_column(shape.typed, [c.get("typed_value") for c in cell])
    for name, kind in shape.beside.items():
        columns[name] = pa.array([None] * len(cell), kind)
    return _struct(columns, cells)


def _binary(stored):
    return whole(stored) if isinstance(stored, V) else stored


def _struct(columns, owners):
    nulls = pa.array([o is None for o in owners], pa.bool_())
    return pa.StructArray.from_arrays(
        list(columns.values()), fields=[pa.field(k, c.type) for k, c in columns.items()], mask=nulls
    )


def _list(shape, lists):
    values = _group(shape, [c for x in lists for c in x or ()])
    ends = [sum(len(x or ()) for x in lists[:i]) for i in range(len(lists) + 1)]
    kind = pa.list_(pa.field("element", values.type))
    nulls = pa.array([x is None for x in lists], pa.bool_())
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), values, type=kind, mask=nulls)


def read_draft(file):
    """The cells of `v` in the order of `id`; each untyped_value is decoded."""
    table = pq.ParquetFile(file).read().sort_by("id")
    return [_read(x) for x in table["v"].to_pylist()]


def _read(cell):
    if cell is None:
        return None
    read = {}
    for name, x in cell.items():
        if x is None:
            continue
        if name == "untyped_value":
            read[name] = split(x)
        elif name == "object":
            fields = {k: _read(c) for k, c in x.items()}
            read[name] = {k: c for k, c in fields.items() if c is not None}
        elif name == "array":
            read[name] = [_read(c) for c in x]
        else:
            read[name] = x
    return read


def split(stored):
    """Decodes metadata and value in one binary; the last offset of the metadata gives its end."""
    size = (stored[0] >> 6) + 1
    keys = int.from_bytes(stored[1 : 1 + size], "little")
    last = 1 + size * (keys + 1)
    end = last + size + int.from_bytes(stored[last : last + size], "little")
    return decode(stored[:end], stored[end:])
