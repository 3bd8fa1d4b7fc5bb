"""What the scans of a query read and skipped, from the metrics of the data source; for classic sessions only."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, cast

from shredded_variant.render import counted, size

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_UNITS = {"files": "file", "rowGroups": "row group", "pages": "page"}


def scan_metrics(frame: DataFrame) -> Counter[str]:
    """The sums over all scans of each metric by its name. The query must have run through this DataFrame object."""
    totals: Counter[str] = Counter()
    for scan in _scans(cast("Any", frame)._jdf.queryExecution().executedPlan()):
        metrics = scan.metrics()
        names = metrics.keysIterator()
        while names.hasNext():
            name = names.next()
            totals[name] += metrics.apply(name).value()
    return totals


def read_and_skipped(frame: DataFrame) -> str:
    """The metrics in one line. The query must have run through this DataFrame object."""
    totals = scan_metrics(frame)
    return "read " + _part(totals, "Read") + "; skipped " + _part(totals, "Skipped")


def _part(totals: Counter[str], what: str) -> str:
    counts = [counted(n, label) for unit, label in _UNITS.items() if (n := totals[unit + what])]
    if bytes := totals[f"bytes{what}"]:
        counts.append(size(bytes))
    return ", ".join(counts) or "nothing"


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
