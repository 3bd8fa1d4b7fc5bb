"""Tables whose columns keep their first shape: rows, pins and the schemas of their files."""

import json
from pathlib import Path

import pyarrow.parquet as pq

from parquet_cells import data_files
from tables import write

ROWS = 2000


def documents(spark, *fields, rows=ROWS, start=0):
    """Rows with these fields in each document, whose types differ from field to field."""
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
    """The shapes that stand with the table, by column; None without any."""
    file = Path(table) / "_shredding" / "shapes.json"
    return {c: p["shape"] for c, p in json.loads(file.read_text())["columns"].items()} if file.exists() else None


def schemas(table, since=()):
    """The Parquet schemas of the files that are not in `since`, as texts."""
    new = set(data_files(table)) - set(since)
    return {str(pq.ParquetFile(f).schema).split("\n", 1)[1] for f in new}


def append(df, table, **options):
    """Appends and gives the schema of what was written."""
    before = data_files(table)
    write(df, table, mode="append", **options)
    (schema,) = schemas(table, before)
    return schema
