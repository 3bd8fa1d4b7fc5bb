"""The spelling of names: in Spark's SQL, and as the steps of a path such as `$.user['last name'][*]`."""

from __future__ import annotations

import re
from collections.abc import Iterable

SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A key of an object, or None for the elements of an array.
Step = str | None
STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[\*\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]", re.DOTALL)


def quoted(name: str) -> str:
    """A name in Spark's SQL."""
    return name if SIMPLE.fullmatch(name) else f"`{name.replace('`', '``')}`"


def step(key: Step) -> str:
    if key is None:
        return "[*]"
    return f".{key}" if SIMPLE.fullmatch(key) else in_brackets(key)


def in_brackets(key: str) -> str:
    """The step to any key of an object or of a map."""
    escaped = key.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"


def path(steps: Iterable[Step]) -> str:
    return "$" + "".join(map(step, steps))


def steps(path: str) -> list[Step] | None:
    """The steps of a path, or None if the text is not a path."""
    if not path.startswith("$"):
        return None
    result: list[Step] = []
    position = 1
    while position < len(path):
        match = STEP.match(path, position)
        if match is None:
            return None
        name = next((g for g in match.groups() if g is not None), None)
        result.append(name if name is None or match.group(1) else re.sub(r"\\(.)", r"\1", name, flags=re.DOTALL))
        position = match.end()
    return result
