"""The result of one measurement, and the report of all results as text and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

WIDTH = 100
PEERS = ("spark", "unshredded", "duckdb")
_LINE = "{name:<30}{struct:>7}  {first:<18}{second:<18}{spark:>6}{unshredded:>6}{duckdb:>7} {verdict:>5}"
_SHORT = {"unshredded": "unshr", "spark bytes": "bytes"}


@dataclass(frozen=True)
class Bound:
    """The ratio of our number to another one, and its maximum. The ratio is None if one of the numbers is missing."""

    against: str
    limit: float
    ratio: float | None

    @property
    def holds(self) -> bool:
        return self.ratio is not None and self.ratio <= self.limit


@dataclass
class Result:
    name: str
    bounds: list[Bound] = field(default_factory=list)
    # The seconds of the query of the plain struct, and the times of all layouts as multiples of them.
    struct: float | None = None
    ratios: dict[str, float] = field(default_factory=dict)
    copies: int = 1
    seconds: dict[str, list[float]] = field(default_factory=dict)
    sql: dict[str, str] = field(default_factory=dict)
    # The layouts whose rows differ from those of the struct, and those whose query failed, with the reason.
    differs: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    details: dict[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        if self.is_wrong:
            return "WRONG"
        return "PASS" if all(bound.holds for bound in self.bounds) else "MISS"

    @property
    def is_wrong(self) -> bool:
        return bool(self.differs) or "ours" in self.failed or "struct" in self.failed


def table(results: Sequence[Result]) -> str:
    """The report as text."""
    header = _LINE.format(
        name="query",
        struct="struct",
        first="ours ÷ … ≤ bound",
        second="",
        spark="spark",
        unshredded="unshr",
        duckdb="duckdb",
        verdict="",
    )
    return "\n".join([header, "-" * WIDTH, *(line(result) for result in results), "", *_remarks(results)])


def line(result: Result) -> str:
    bounds = [_bound(bound) for bound in result.bounds] + ["", ""]
    peers = {peer: _ratio(result.ratios.get(peer)) for peer in PEERS}
    struct = f"{result.struct:.2f}" if result.struct is not None else ""
    return _LINE.format(
        name=result.name, struct=struct, first=bounds[0], second=bounds[1], verdict=result.verdict, **peers
    ).rstrip()


def document(results: Sequence[Result], setting: Mapping[str, Any]) -> dict[str, Any]:
    """The report as JSON."""
    return {
        **setting,
        "results": [
            asdict(result)
            | {"verdict": result.verdict}
            | {"bounds": [asdict(bound) | {"holds": bound.holds} for bound in result.bounds]}
            for result in results
        ],
    }


def _bound(bound: Bound) -> str:
    ratio = "n/a" if bound.ratio is None else f"{bound.ratio:.2f}"
    return f"{ratio} ≤{bound.limit:.2f} {_SHORT.get(bound.against, bound.against)}"


def _ratio(value: float | None) -> str:
    if value is None:
        return "n/a"
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _remarks(results: Sequence[Result]) -> list[str]:
    lines = [
        "struct: the seconds of the plain struct's query. spark, unshr, duckdb: multiples of them, for information",
        "(Spark's shredded variant, an unshredded variant, DuckDB over our files). For writes: multiples of Spark's",
        "unshredded write; the second bound of a write is a ratio to the bytes of Spark's shredded files.",
    ]
    for result in results:
        if result.details:
            numbers = ", ".join(f"{name} {_number(value)}" for name, value in result.details.items())
            lines += textwrap.wrap(f"{result.name}: {numbers}", WIDTH, subsequent_indent="  ")
        lines += [f"{result.name}: the rows of {layout} differ from those of struct" for layout in result.differs]
        lines += [f"{result.name}: {layout} failed: {why}" for layout, why in result.failed.items()]
    return lines
