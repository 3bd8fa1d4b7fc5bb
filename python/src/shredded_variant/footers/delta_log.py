"""The files of a Delta table as its log names them: those of the last checkpoint, and of the commits after it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from pyarrow import ArrowException, fs
from pyarrow import parquet as pq

from shredded_variant.errors import UnreadableFile

LOG = "_delta_log"
COMMIT = re.compile(r"(\d{20})\.json")
# 7.checkpoint.parquet, 7.checkpoint.<part>.<parts>.parquet, 7.checkpoint.<uuid>.parquet or .json
CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10})|\.[0-9a-f-]{36})?\.(parquet|json)")
WANTED = ("add.path", "add.deletionVector", "remove.path", "remove.deletionVector", "sidecar.path")
# A checkpoint that has none of these columns names no file.
NEEDED = {"add.path", "sidecar.path"}

Action = dict[str, Any]


def is_table(system: Any, root: str) -> bool:
    found: bool = system.get_file_info(f"{root}/{LOG}").type == fs.FileType.Directory
    return found


def live_files(system: Any, root: str, given: str) -> list[tuple[Any, str]]:
    """Where each file is, and its path as the log has it."""
    paths = sorted({path for path, _ in _live(system, f"{root}/{LOG}", given)})
    infos = system.get_file_info([_place(root, path, given) for path in paths])
    for info, path in zip(infos, paths, strict=True):
        if info.type != fs.FileType.File:
            raise UnreadableFile(
                f"{given} lacks the file {path}, which its log names: restore it, or the table with Delta's own tools."
            )
    return list(zip(infos, paths, strict=True))


def _place(root: str, path: str, given: str) -> str:
    """Paths are relative but for those of clones, whose files stay where they were."""
    if path.startswith("file:"):
        return str(fs.FileSystem.from_uri(path)[1])
    if "://" in path:
        raise UnreadableFile(f"{given} names the file {path} of another table: ask for that table.")
    return path if path.startswith("/") else f"{root}/{path}"


def _live(system: Any, log: str, given: str) -> set[tuple[str, str]]:
    names = {info.base_name for info in system.get_file_info(fs.FileSelector(log))}
    commits = {int(m[1]) for m in map(COMMIT.fullmatch, names) if m}
    start, checkpoint = _newest_checkpoint(names)
    after = sorted(v for v in commits if v > start)
    if after != list(range(start + 1, start + 1 + len(after))) or not (after or checkpoint):
        raise UnreadableFile(f"{given} has a {LOG} with a gap: restore the commits that are missing, or the table.")
    files: set[tuple[str, str]] = set()
    for name in checkpoint:
        for action in _checkpoint(system, log, name, given):
            if action.get("add") is not None:
                files.add(_file(action["add"]))
    for version in after:
        actions = _actions(system, f"{log}/{version:020}.json", given)
        # A commit may say in any order what it removes and adds, but never both of one file.
        files -= {_file(a["remove"]) for a in actions if a.get("remove") is not None}
        files |= {_file(a["add"]) for a in actions if a.get("add") is not None}
    return files


def _file(action: Action) -> tuple[str, str]:
    """A file and the rows of it that were deleted: with others deleted it is another one to the log."""
    deleted = action.get("deletionVector") or {}
    return unquote(action["path"]), "".join(str(deleted.get(k)) for k in ("storageType", "pathOrInlineDv", "offset"))


def _newest_checkpoint(names: Iterable[str]) -> tuple[int, list[str]]:
    """Its version and its files; a checkpoint of several parts counts if all are there. -1 without any."""
    found: dict[tuple[int, int], list[str]] = {}
    for name in sorted(names):
        if m := CHECKPOINT.fullmatch(name):
            parts = int(m[3]) if m[3] else 0
            found.setdefault((int(m[1]), parts), []).append(name)
    whole = [(v, files[:1] if not parts else files) for (v, parts), files in found.items() if len(files) >= parts]
    return max(whole, default=(-1, []))


def _checkpoint(system: Any, log: str, name: str, given: str) -> Iterator[Action]:
    actions = _actions(system, f"{log}/{name}", given)
    yield from actions
    for action in actions:
        if action.get("sidecar") is not None:
            yield from _actions(system, f"{log}/_sidecars/{unquote(action['sidecar']['path'])}", given)


def _actions(system: Any, path: str, given: str) -> list[Action]:
    try:
        if path.endswith(".json"):
            with system.open_input_stream(path) as source:
                actions = [json.loads(line) for line in source.read().decode().split("\n") if line.strip()]
        else:
            with system.open_input_file(path) as source:
                parquet = pq.ParquetFile(source)
                if NEEDED.isdisjoint(column.path for column in parquet.schema):
                    raise KeyError(*NEEDED)
                actions = parquet.read(columns=list(WANTED)).to_pylist()
        # Whatever stands there instead of a path shows here, a text that UTF-8 cannot hold too.
        for action in actions:
            for kind in ("add", "remove", "sidecar"):
                if action.get(kind) is not None:
                    _file(action[kind])[0].encode()
    except (OSError, ArrowException, ValueError, TypeError, KeyError, AttributeError, RecursionError) as e:
        raise _damaged(given, path) from e
    return actions


def _damaged(given: str, path: str) -> UnreadableFile:
    return UnreadableFile(f"{given} has a damaged log ({path.rsplit('/', 1)[-1]}): mend it with Delta's own tools.")
