"""Shapes as JSON: the types of leaves by their paths, `{"version": 1, "paths": {"$.id": "BIGINT"}}`."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from shredded_variant.errors import InvalidShape
from shredded_variant.names import Step, steps
from shredded_variant.shapes.text import MAX_DEPTH, clip, is_unicode
from shredded_variant.shapes.text import parse as parse_ddl
from shredded_variant.shapes.tree import Tree


def to_json(paths: dict[str, str]) -> str:
    return json.dumps({"version": 1, "paths": paths}, indent=2, ensure_ascii=False)


def parse(text: str) -> Tree:
    """The tree that has these leaves. The paths imply its objects and arrays."""
    try:
        parsed = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as e:
        _refuse(text, f"is no JSON at character {e.pos + 1} ({e.msg})")
    except ValueError as e:
        _refuse(text, f"is no JSON ({e})")
    except RecursionError:
        _refuse(text, "is nested too deeply")
    paths = parsed.get("paths")
    if parsed.get("version", 1) != 1:
        _refuse(text, "is of another version than 1")
    if not isinstance(paths, dict) or not paths:
        _refuse(text, "has no `paths`")
    root: list[Any] = []
    for path, type in paths.items():
        path_steps = steps(path)
        if path_steps is None or not is_unicode(path):
            _refuse(text, f"has the path '{clip(path)}', which is none")
        if len(path_steps) > MAX_DEPTH:
            _refuse(text, f"is nested deeper than {MAX_DEPTH} levels")
        leaf = parse_ddl(type) if isinstance(type, str) else {}
        if not isinstance(leaf, str):
            _refuse(text, f"has no type of a leaf at '{clip(path)}'")
        if not _insert(root, path_steps, leaf):
            _refuse(text, f"has at '{clip(path)}' what another of its paths contradicts")
    tree: Tree = root[0]
    return tree


def _insert(root: list[Any], path: list[Step], leaf: str) -> bool:
    """Adds the leaf; False if it contradicts an earlier one. An array is a list of at most one element, its type."""
    at: Any = root
    key: Step = None
    for following in path:
        kind: Any = [] if following is None else {}
        if isinstance(at, list):
            if not at:
                at.append(kind)
            below = at[0]
        else:
            below = at.setdefault(key, kind)
        if type(below) is not type(kind):
            return False
        at, key = below, following
    if bool(at) if isinstance(at, list) else key in at:
        return False
    if isinstance(at, list):
        at.append(leaf)
    else:
        at[key] = leaf
    return True


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key stands there twice")
    return result


def _refuse(text: str, what: str) -> NoReturn:
    raise InvalidShape(
        f"The shape '{clip(text)}' {what}: "
        'write it as Shape.to_json() does, such as {"version": 1, "paths": {"$.id": "BIGINT", "$.tags[*]": "STRING"}}.'
    )
