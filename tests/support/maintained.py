"""Rows for tables that tests maintain, the shapes of their files, and the findings of `verify`."""

from pathlib import Path

import shredded_variant
from delta_tables import load
from shredded_variant import verify

EVENT = (
    """parse_json(concat('{"user": {"id": ', id * 7919 % 1000, '}, "kind": "', if(id % 3 = 0, 'a', 'b'), '"}')) AS v"""
)


def events(spark, *range_, columns=("id", "id % 3 AS day"), files=1):
    return spark.range(*range_).selectExpr(*columns, EVENT).repartition(files)


def rows(spark, path, *columns):
    found = load(spark, path).selectExpr(*(columns or ("id", "day", "to_json(v)"))).collect()
    return sorted(map(tuple, found), key=str)


def shapes(path, files):
    """The shapes of v in these files."""
    return {s.columns["v"] for f in files for s in shredded_variant.layout(Path(path) / f).shapes}


def found(spark, path):
    """(file, column, path, wrong) of the findings."""
    return [(f.file, f.column, f.path, f.wrong) for f in verify(spark, path).findings]
