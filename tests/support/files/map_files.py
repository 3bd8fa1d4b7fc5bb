"""Files of maps with hot keys: their footers and leaf sizes, and files like those of another writer."""

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = [(0, {"a": "1", "x": "2"}), (1, {"a": None, "b": "3"}), (2, {}), (3, None), (4, {"x": None})]
SCHEMA = "id INT, m MAP<STRING, STRING>"
TEXT = pa.string()


def footer(file):
    return {k.decode(): v.decode() for k, v in (pq.read_metadata(file).metadata or {}).items()}


def named_keys(file, column="m"):
    """The hot keys in the footer of a file, where it lists them with commas."""
    text = footer(file).get(f"paimon.map.shredding.{column}.keys")
    return text.split(",") if text else []


def entries(m):
    return None if m is None else dict(m)


def sizes(file):
    """The bytes of each leaf."""
    metadata = pq.read_metadata(file)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    chunks = [group.column(i) for group in groups for i in range(group.num_columns)]
    result = dict.fromkeys((c.path_in_schema for c in chunks), 0)
    for chunk in chunks:
        result[chunk.path_in_schema] += chunk.total_compressed_size
    return result


def foreign(path, sidecars, keys, rows=ROWS, column="m", kind=TEXT):
    """Writes a residual map, a column for each hot key, and a footer that names the keys."""
    data = {"id": pa.array([r[0] for r in rows], pa.int32())}
    maps = [None if m is None else [(k, v) for k, v in m.items()] for _, m in rows]
    data[column] = pa.array(maps, pa.map_(pa.string(), pa.string()))
    for i, values in sidecars.items():
        data[f"__paimon_map_shred_{column}_{i}"] = pa.array(values, kind)
    table = pa.table(data)
    if keys is not None:
        table = table.replace_schema_metadata({f"paimon.map.shredding.{column}.keys": keys})
    pq.write_table(table, path)
    return path
