"""Runs a query and says what its scans read and skipped, from their metrics."""

from typing import NamedTuple


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
    totals = {}
    for scan in _scans(df._jdf.queryExecution().executedPlan()):
        metrics = scan.metrics()
        names = metrics.keysIterator()
        while names.hasNext():
            name = names.next()
            totals[name] = totals.get(name, 0) + metrics.apply(name).value()

    def pair(what):
        return totals.get(f"{what}Read", 0), totals.get(f"{what}Skipped", 0)

    return rows, Counts(
        pair("files"),
        pair("rowGroups"),
        pair("pages"),
        totals.get("rowsSkipped", 0),
        pair("bytes"),
        totals.get("rowGroupsAnswered", 0),
    )


def _scans(plan):
    """The scans of an executed plan, through adaptive plans, query stages and exchanges."""
    name = plan.getClass().getSimpleName()
    if name == "AdaptiveSparkPlanExec":
        return _scans(plan.executedPlan())
    if name.endswith("QueryStageExec"):
        return _scans(plan.plan())
    if name == "BatchScanExec":
        return [plan]
    children = plan.children()
    return [scan for i in range(children.size()) for scan in _scans(children.apply(i))]
