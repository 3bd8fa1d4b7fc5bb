"""What the scans of a query read and skipped, from the metrics of the data source. Classic sessions only."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, cast

from shredded_variant.render import size

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_UNITS = {"files": "files", "rowGroups": "row groups", "pages": "pages", "bytes": "bytes"}


def scan_metrics(frame: DataFrame) -> Counter[str]:
    """The metrics of all scans by their names, added up, after the query of this very frame has run."""
    totals: Counter[str] = Counter()
    for scan in _scans(cast("Any", frame)._jdf.queryExecution().executedPlan()):
        metrics = scan.metrics()
        names = metrics.keysIterator()
        while names.hasNext():
            name = names.next()
            totals[name] += metrics.apply(name).value()
    return totals


def read_and_skipped(frame: DataFrame) -> str:
    """One line for people, after the query of this very frame has run."""
    totals = scan_metrics(frame)
    return "read " + _part(totals, "Read") + "; skipped " + _part(totals, "Skipped")


def _part(totals: Counter[str], what: str) -> str:
    counts = [
        f"{size(n) if unit == 'bytes' else n}{'' if unit == 'bytes' else ' ' + _counted(label, n)}"
        for unit, label in _UNITS.items()
        if (n := totals[unit + what])
    ]
    return ", ".join(counts) or "nothing"


def _counted(label: str, n: int) -> str:
    return label.removesuffix("s") if n == 1 else label


def _scans(plan: Any) -> list[Any]:
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
