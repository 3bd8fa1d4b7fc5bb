"""Runs a query and says what its scans read and skipped, from their metrics."""

from typing import NamedTuple

from shredded_variant.jobs.metrics import scan_metrics


class Counts(NamedTuple):
    """The metrics of all scans of one query, added up."""

    files: tuple
    groups: tuple
    pages: tuple
    rows_skipped: int
    bytes: tuple
    answered: int


def run(df):
    """(rows, counts) of a query; each pair of a count is (read, skipped), `answered` are row groups."""
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
