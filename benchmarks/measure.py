"""Times in rounds, results in one spelling: what makes numbers of one run comparable."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from statistics import median
from typing import Any

Run = Callable[[], Sequence[Sequence[Any]]]
Rows = list[tuple[str, ...]]


def interleaved(
    subjects: Mapping[str, Run], rounds: Mapping[str, int], quiet: Callable[[], None]
) -> dict[str, list[float]]:
    """Seconds of every run, round-robin: whatever slows the machine for a while slows all subjects."""
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    names = list(subjects)
    for number in range(max(rounds.values(), default=0)):
        # Each round starts with another subject, so that none always runs after the same one.
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            if number < rounds[name]:
                quiet()
                seconds[name].append(timed(subjects[name])[0])
    return seconds


def timed(run: Run) -> tuple[float, Sequence[Sequence[Any]]]:
    start = time.perf_counter()
    rows = run()
    return time.perf_counter() - start, rows


def summary(seconds: Sequence[float], best: bool) -> float:
    return min(seconds) if best else median(seconds)


def canonical(rows: Sequence[Sequence[Any]]) -> Rows:
    """Rows as text and in order of it: 1, 1.0 and '1' are one value, a document is its sorted JSON."""
    return sorted(tuple(_text(value) for value in row) for row in rows)


def _text(value: Any) -> str:
    if isinstance(value, str) and value.startswith("{"):
        return json.dumps(_tidied(json.loads(value, parse_float=str, parse_int=str)), sort_keys=True)
    return str(_scalar(value))


def _tidied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tidied(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_tidied(inner) for inner in value]
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value)
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return str(value)
    # A sum of doubles depends on the order of its parts in the last digits.
    return f"{number:.9e}" if isinstance(value, float) else f"{number.normalize():f}"
