"""A file of events for the tests of `layout`, and one entry of a result of `layout`."""

import pyarrow as pa

from parquet_fixtures import MISSING, cell, write_file
from variants import obj, string

USER = cell({"id": cell(pa.int64()), "name": cell(pa.string())})
EVENT = cell({"user": USER, "tags": cell([cell(pa.string())]), "odd": cell()})
ROWS = [
    (None, {"user": (None, {"id": (None, 7), "name": (None, "Ann")}), "tags": (None, [(None, "x"), (None, "y")])}),
    (obj(more=1), {"user": (None, {"id": (string("guest"), None), "name": (None, "Bob")}), "odd": (string("?"), None)}),
    (None, {"user": (None, {"id": (None, -3), "name": MISSING})}),
    None,
]


def write_events(folder):
    return write_file(folder / "events.parquet", EVENT, ROWS, annotated=True)


def entry(layout, path, column="v"):
    return next(e for e in layout.entries if (e.column, e.path) == (column, path))
