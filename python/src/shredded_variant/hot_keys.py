"""The hot keys of maps: which columns of a file hold them, by the names that its footer gives."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from shredded_variant.footer import Node


def of(children: Iterable[Node], path: tuple[str, ...], footer: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """{column: (its map, the key)} for the fields of one struct; maps whose keys nobody names have none."""
    fields = list(children)
    names = {node.name for node in fields}
    found = {}
    for node in fields:
        text = footer.get(_footer_key((*path, node.name))) if node.is_map else None
        for i, key in enumerate(_parse(text) if text is not None else []):
            column = f"__paimon_map_shred_{node.name}_{i}"
            if column in names:
                found[column] = (node.name, key)
    return found


def _footer_key(path: tuple[str, ...]) -> str:
    quoted = (f"`{n.replace('`', '``')}`" if "." in n or "`" in n else n for n in path)
    return f"paimon.map.shredding.{'.'.join(quoted)}.keys"


def _parse(text: str) -> list[str]:
    """A JSON array of strings, or a list with commas."""
    if text.strip().startswith("["):
        try:
            keys = json.loads(text)
        except ValueError:
            keys = None
        if isinstance(keys, list) and all(isinstance(k, str) for k in keys):
            return keys
    return [key.strip() for key in text.split(",")]
