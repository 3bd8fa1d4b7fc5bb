"""The hot keys of maps: `HotKeys`, a value for the options of a write, and the columns of a file that hold them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from shredded_variant.errors import WrongArgument, check_type
from shredded_variant.footers.footer import Node
from shredded_variant.names import in_brackets

COLUMNS = "parquet.map.shredding.columns"
# The characters that Java's `trim` removes at both ends of each key in a list with commas.
TRIMMED = "".join(map(chr, range(ord(" ") + 1)))
# The names, in a file, of the footer entry with the keys of a map, and of the column of one key.
NAMED = re.compile(r"paimon\.map\.shredding\.(.*)\.keys", re.DOTALL)
COLUMN = re.compile(r"__paimon_map_shred_(.*)_(0|[1-9][0-9]{0,9})", re.DOTALL)


@dataclass(frozen=True, repr=False)
class HotKeys:
    """The keys of a map that have columns of their own, in order; a result of `infer_shape` or `HotKeys.parse`."""

    keys: tuple[str, ...]

    @staticmethod
    def parse(text: str) -> HotKeys:
        """Parses a list with commas, or a JSON array of strings."""
        check_type("HotKeys.parse", text, str, "pass keys with commas, or a JSON array")
        keys = _parse(text)
        if len(set(keys)) < len(keys) or ("" in keys and _json(text) is None):
            raise WrongArgument(
                f"The keys '{text:.80}' have an empty key or the same key twice: name each key once, and write "
                "keys that are empty, padded or hold commas as a JSON array."
            )
        return HotKeys(tuple(keys))

    def text(self) -> str:
        """The value of the option `parquet.map.shredding.<column>.keys`."""
        plain = ",".join(self.keys)
        is_plain = all(key and key == key.strip() for key in self.keys) and _parse(plain) == list(self.keys)
        return plain if is_plain else self.to_json()

    def to_json(self) -> str:
        return json.dumps(list(self.keys), ensure_ascii=False)

    def options(self, column: str) -> dict[str, str]:
        """The options of a write for this map: `.options(**keys.options("headers"))`. Empty if there are no keys."""
        return {COLUMNS: column, f"parquet.map.shredding.{column}.keys": self.text()} if self.keys else {}

    def __repr__(self) -> str:
        title = f"HotKeys: {len(self.keys)} key{'' if len(self.keys) == 1 else 's'}"
        return "\n".join([title, *(f"  {in_brackets(key)}" for key in self.keys)])


def named(footer: Mapping[str, str]) -> dict[str, list[str]]:
    """{map: its hot keys} from the metadata of a footer. Unpaired surrogates are replaced, because UTF-8 has none."""
    by_map = {m[1]: _parse(text) for name, text in footer.items() if (m := NAMED.fullmatch(name))}
    return {name: [k.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for k in keys]
            for name, keys in by_map.items()}  # fmt: skip


def of(children: Iterable[Node], path: tuple[str, ...], known: Mapping[str, list[str]]) -> dict[str, tuple[str, str]]:
    """{column: (its map, the key)} for the fields of one struct; `known` has the keys that the footer names."""
    fields = list(children)
    columns = [m for node in fields if (m := COLUMN.fullmatch(node.name))]
    maps = {node.name for node in fields if node.is_map} & {m[1] for m in columns}
    keys = {name: _keys(known, (*path, name)) for name in maps}
    return {m[0]: (m[1], keys[m[1]][int(m[2])]) for m in columns if int(m[2]) < len(keys.get(m[1], ()))}


def _keys(known: Mapping[str, list[str]], path: tuple[str, ...]) -> list[str]:
    """The keys of the map at this path. The specification names maps at the top level only, without quotes."""
    quoted = ".".join(f"`{n.replace('`', '``')}`" if "." in n or "`" in n else n for n in path)
    return known.get(quoted) or (known.get(path[0]) if len(path) == 1 else None) or []


def _parse(text: str) -> list[str]:
    """A JSON array of strings, or a list with commas."""
    listed = _json(text)
    return [key.strip(TRIMMED) for key in text.split(",")] if listed is None else listed


def _json(text: str) -> list[str] | None:
    try:
        keys = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return keys if isinstance(keys, list) and all(isinstance(k, str) for k in keys) else None
