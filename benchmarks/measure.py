"""Times runs in turns, and brings rows of different engines to one form, so that both are comparable."""

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
    subjects: Mapping[str, Run], rounds: Mapping[str, int], before_each: Callable[[], None]
) -> dict[str, list[float]]:
    """The seconds of every run. Subjects run in turns, so that a slow phase of the machine affects all of them."""
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    names = list(subjects)
    for number in range(max(rounds.values(), default=0)):
        # Each round starts with another subject, so that no subject always runs after the same one.
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            if number < rounds[name]:
                before_each()
                seconds[name].append(timed(subjects[name])[0])
    return seconds


def timed(run: Run) -> tuple[float, Sequence[Sequence[Any]]]:
    start = time.perf_counter()
    rows = run()
    return time.perf_counter() - start, rows


def summary(seconds: Sequence[float], best: bool) -> float:
    return min(seconds) if best else median(seconds)


def canonical(rows: Sequence[Sequence[Any]]) -> Rows:
    """Rows as sorted text: 1, 1.0 and '1' become one value, and a document becomes JSON with sorted keys."""
    return sorted(tuple(_text(value) for value in row) for row in rows)


def first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]


def _text(value: Any) -> str:
    if isinstance(value, str) and value.startswith("{"):
        return json.dumps(_normalized(json.loads(value, parse_float=str, parse_int=str)), sort_keys=True)
    return str(_scalar(value))


def _normalized(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _normalized(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_normalized(inner) for inner in value]
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value)
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return str(value)
    # The last digits of a sum of doubles depend on the order of its summands.
    return f"{number:.9e}" if isinstance(value, float) else f"{number.normalize():f}"
