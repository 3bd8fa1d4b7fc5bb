"""Reads the Parquet columns of a variant, cell by cell, and rebuilds values as the specification says."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as pt

from variant_bytes import decode, decode_metadata
from variants import NULL, V

SCALARS = {
    pa.bool_(): "boolean", pa.int8(): "int8", pa.int16(): "int16", pa.int32(): "int32", pa.int64(): "int64",
    pa.float32(): "float", pa.float64(): "double", pa.date32(): "date", pa.string(): "string",
    pa.binary(): "binary", pa.time64("us"): "time", pa.uuid(): "uuid",
    pa.timestamp("us", "UTC"): "timestamp", pa.timestamp("ns", "UTC"): "timestamp_nanos",
    pa.timestamp("us"): "timestamp_ntz", pa.timestamp("ns"): "timestamp_ntz_nanos",
}  # fmt: skip


def data_files(path):
    """The data files of a table, in the order of their names."""
    return sorted(str(p) for p in Path(path).rglob("*.parquet") if not p.name.startswith(("_", ".")))


def only_file(path):
    (file,) = data_files(path)
    return file


def cells(file, column="v", order="id"):
    """Per row (value, typed) as in parquet_fixtures, scalars as variants; None for a null row. Dots enter structs."""
    table = pq.ParquetFile(file).read()
    table = table.sort_by(order) if order else table
    first, *inner = column.split(".")
    data = table[first].combine_chunks()
    for name in inner:
        data = data.field(name)
    metadata = data.field("metadata").to_pylist()
    group = _group(data, metadata)
    return [group[i] if ok else None for i, ok in enumerate(data.is_valid().to_pylist())]


def dictionaries(file, column="v"):
    data = pq.ParquetFile(file).read()[column].combine_chunks()
    return [decode_metadata(m) if m else None for m in data.field("metadata").to_pylist()]


def rebuilt(cell):
    """One value by `construct_variant` of the specification, strictly."""
    if cell is None:
        return None
    v = _construct(cell)
    return NULL if v is None else v


def _construct(cell):
    value, typed = cell
    if isinstance(typed, dict):
        shredded = {k: x for k, x in ((k, _construct(c)) for k, c in typed.items()) if x is not None}
        rest = {} if value is None else value.value
        assert value is None or value.type == "object", f"{value} beside a shredded object"
        assert rest.keys().isdisjoint(typed), f"value repeats {rest.keys() & typed.keys()}"
        return V("object", {**shredded, **rest})
    assert typed is None or value is None, f"{value} beside {typed}"
    if isinstance(typed, list):
        assert (None, None) not in typed, "an element is missing"
        return V("array", [_construct(c) for c in typed])
    return value if typed is None else typed


def _group(data, metadata):
    kinds = {data.type.field(i).name: i for i in range(data.type.num_fields)}
    none = [None] * len(data)
    value = data.field(kinds["value"]).to_pylist() if "value" in kinds else none
    value = [None if v is None or not m else decode(m, v) for m, v in zip(metadata, value, strict=True)]
    typed = _typed(data.field(kinds["typed_value"]), metadata) if "typed_value" in kinds else none
    return list(zip(value, typed, strict=True))


def _typed(data, metadata):
    kind, valid = data.type, data.is_valid().to_pylist()
    if pt.is_struct(kind):
        fields = {kind.field(i).name: _group(data.field(i), metadata) for i in range(kind.num_fields)}
        return [{k: f[i] for k, f in fields.items()} if ok else None for i, ok in enumerate(valid)]
    if pt.is_list(kind):
        ends = data.offsets.to_pylist()
        spread = [m for m, a, b in zip(metadata, ends, ends[1:], strict=False) for _ in range(b - a)]
        flat = _group(data.values.slice(ends[0], ends[-1] - ends[0]), spread)
        return [
            flat[a - ends[0] : b - ends[0]] if ok else None for a, b, ok in zip(ends, ends[1:], valid, strict=False)
        ]
    if pt.is_decimal(kind):
        width = "decimal4" if kind.precision <= 9 else "decimal8" if kind.precision <= 18 else "decimal16"
        return [x if x is None else V(width, (_unscaled(x), kind.scale)) for x in data.to_pylist()]
    name = SCALARS[kind]
    if isinstance(kind, pa.BaseExtensionType):
        data = data.storage
    elif name.startswith("time"):
        data = data.view(pa.int64())
    elif name == "date":
        data = data.view(pa.int32())
    return [x if x is None else V(name, x) for x in data.to_pylist()]


def _unscaled(x):
    return int("".join(map(str, x.as_tuple().digits))) * (-1 if x.is_signed() else 1)


def group_bytes(file):
    """For each row group the size of each column chunk in bytes, by the dotted path of its leaf."""
    metadata = pq.read_metadata(file)
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return [{c.path_in_schema: c.total_compressed_size for c in map(g.column, range(g.num_columns))} for g in groups]


def chunk_bytes(file):
    """The size of each leaf of a file in bytes, by its dotted path."""
    groups = group_bytes(file)
    return {leaf: sum(g[leaf] for g in groups) for leaf in groups[0]}
