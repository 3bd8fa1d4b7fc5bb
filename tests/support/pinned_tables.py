"""Tables whose columns keep their first shape: their rows, pins and Parquet schemas."""

import json
from pathlib import Path

import pyarrow.parquet as pq

from parquet_cells import data_files
from tables import write

ROWS = 2000


def documents(spark, *fields, rows=ROWS, start=0):
    """Rows of documents with these fields, each of another type."""
    texts = {
        "n": "'\"n\":', id",
        "d": "'\"d\":', id / 8",
        "s": "'\"s\":\"x', id, '\"'",
        "o": "'\"o\":{\"p\":', id % 7, '}'",
        "l": "'\"l\":[', id, ']'",
    }
    body = ", ',', ".join(texts[f] for f in fields)
    json_ = f"parse_json(concat('{{', {body}, '}}'))"
    return spark.range(start, start + rows, 1, 1).selectExpr("CAST(id AS INT) AS id", f"{json_} AS v")


def pins(table):
    """The pinned shapes of a table by column; None without a file of them."""
    file = Path(table) / "_shredding" / "shapes.json"
    return {c: p["shape"] for c, p in json.loads(file.read_text())["columns"].items()} if file.exists() else None


def schemas(table, since=()):
    """The Parquet schemas of the files that are not in `since`, as texts."""
    new = set(data_files(table)) - set(since)
    return {str(pq.ParquetFile(f).schema).split("\n", 1)[1] for f in new}


def append(df, table, **options):
    """Appends, and returns the one Parquet schema of the new files."""
    before = data_files(table)
    write(df, table, mode="append", **options)
    (schema,) = schemas(table, before)
    return schema
