"""Runs a query and reads from the metrics of its scans what they read and skipped."""

from typing import NamedTuple

from shredded_variant.jobs.metrics import scan_metrics


class Counts(NamedTuple):
    """The sums of the metrics of all scans in one query."""

    files: tuple
    groups: tuple
    pages: tuple
    rows_skipped: int
    bytes: tuple
    answered: int


def run(df):
    """(rows, counts) of a query. A pair is (read, skipped); `answered` counts the row groups that footers answer."""
    rows = df.collect()
    totals = scan_metrics(df)

    def pair(what):
        return totals[f"{what}Read"], totals[f"{what}Skipped"]

    return rows, Counts(
        pair("files"),
        pair("rowGroups"),
        pair("pages"),
        totals["rowsSkipped"],
        pair("bytes"),
        totals["rowGroupsAnswered"],
    )


def compared(spark, query, ours, plain):
    """(rows, counts) of a query over the view `ours`, whose rows are those over the view `plain`; {t} is the view."""
    rows, counts = run(spark.sql(query.replace("{t}", ours)))
    expected = spark.sql(query.replace("{t}", plain)).collect()
    assert sorted(map(str, rows)) == sorted(map(str, expected)), query
    return rows, counts


def read_nothing(query, spark, condition):
    """Asserts that a filter matches no row and reads no row group and no byte, and returns the counts."""
    number, counts = query(spark, condition)
    assert (number, counts.groups[0], counts.bytes[0]) == (0, 0, 0)
    return counts


def filtering(ours, plain):
    """A function that gives (number of rows, counts) of a filter over the view `ours`, compared with `plain`."""

    def query(spark, condition, columns="id"):
        rows, counts = compared(spark, f"SELECT {columns} FROM {{t}} WHERE {condition}", ours, plain)
        return len(rows), counts

    return query
