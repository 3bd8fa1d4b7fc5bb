"""Rows of tables that tests maintain or verify, the shapes of their files, and the findings of `verify`."""

from pathlib import Path

import shredded_variant
from delta_tables import load
from shredded_variant import verify

EVENT = (
    """parse_json(concat('{"user": {"id": ', id * 7919 % 1000, '}, "kind": "', if(id % 3 = 0, 'a', 'b'), '"}')) AS v"""
)
# 2,000 rows with values of many types.
MIXED = """SELECT id, string(id % 7) AS s, IF(id % 10 = 0, NULL, parse_json(concat(
  '{"a": ', id, ', "t": "', id % 13, '", "d": ', id / 8, ', "l": [', id % 3, ', "x"], "o": {"p": ',
  IF(id % 5 = 0, '"odd"', string(id)), '}', IF(id % 4 = 0, ', "n": null', ''), '}'))) AS v FROM range(2000)"""


def events(spark, *range_, columns=("id", "id % 3 AS day"), files=1):
    return spark.range(*range_).selectExpr(*columns, EVENT).repartition(files)


def rows(spark, path, *columns):
    result = load(spark, path).selectExpr(*(columns or ("id", "day", "to_json(v)"))).collect()
    return sorted(map(tuple, result), key=str)


def shapes(path, files):
    """The shapes of v in these files."""
    return {s.columns["v"] for f in files for s in shredded_variant.layout(Path(path) / f).shapes}


def findings_of(spark, path):
    """(file, column, path, wrong) of the findings."""
    return [(f.file, f.column, f.path, f.wrong) for f in verify(spark, path).findings]


def mixed_rows(spark):
    return spark.sql(MIXED).coalesce(1)


def remove_checksums(path):
    """Removes the checksum files of Hadoop, so that a test can change the bytes of a table."""
    for checksum in Path(path).rglob(".*.crc"):
        checksum.unlink()
