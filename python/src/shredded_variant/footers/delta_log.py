"""The files of a Delta table, from the last checkpoint of its log and the commits after it."""

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
# A checkpoint must have one of these columns, because it names files only in them.
NEEDED = {"add.path", "sidecar.path"}

Action = dict[str, Any]


def is_table(system: Any, root: str) -> bool:
    result: bool = system.get_file_info(f"{root}/{LOG}").type == fs.FileType.Directory
    return result


def live_files(system: Any, root: str, location: str) -> list[tuple[Any, str]]:
    """Each file of the newest version: its file info, and its path in the log."""
    paths = sorted({path for path, _ in _live(system, f"{root}/{LOG}", location)})
    infos = system.get_file_info([_absolute(root, path, location) for path in paths])
    for info, path in zip(infos, paths, strict=True):
        if info.type != fs.FileType.File:
            raise UnreadableFile(
                f"{location} lacks the file {path}, which its log names: "
                "restore it, or the table with Delta's own tools."
            )
    return list(zip(infos, paths, strict=True))


def _absolute(root: str, path: str, location: str) -> str:
    """A path in a log is relative to the table, except in a clone, which names files of another table."""
    if path.startswith("file:"):
        return str(fs.FileSystem.from_uri(path)[1])
    if "://" in path:
        raise UnreadableFile(f"{location} names the file {path} of another table: use the path of that table.")
    return path if path.startswith("/") else f"{root}/{path}"


def _live(system: Any, log: str, location: str) -> set[tuple[str, str]]:
    names = {info.base_name for info in system.get_file_info(fs.FileSelector(log))}
    commits = {int(m[1]) for m in map(COMMIT.fullmatch, names) if m}
    start, checkpoint = _newest_checkpoint(names)
    after = sorted(v for v in commits if v > start)
    if after != list(range(start + 1, start + 1 + len(after))) or not (after or checkpoint):
        raise UnreadableFile(f"{location} has a {LOG} with a gap: restore the commits that are missing, or the table.")
    files: set[tuple[str, str]] = set()
    for name in checkpoint:
        for action in _checkpoint(system, log, name, location):
            if action.get("add") is not None:
                files.add(_file(action["add"]))
    for version in after:
        actions = _actions(system, f"{log}/{version:020}.json", location)
        # The order of actions in a commit has no meaning, because no commit both removes and adds the same file.
        files -= {_file(a["remove"]) for a in actions if a.get("remove") is not None}
        files |= {_file(a["add"]) for a in actions if a.get("add") is not None}
    return files


def _file(action: Action) -> tuple[str, str]:
    """The identity of a file in a log: its path and its deletion vector."""
    deleted = action.get("deletionVector") or {}
    return unquote(action["path"]), "".join(str(deleted.get(k)) for k in ("storageType", "pathOrInlineDv", "offset"))


def _newest_checkpoint(names: Iterable[str]) -> tuple[int, list[str]]:
    """The version and files of the newest checkpoint that has all its parts; -1 and no file if there is none."""
    checkpoints: dict[tuple[int, int], list[str]] = {}
    for name in sorted(names):
        if m := CHECKPOINT.fullmatch(name):
            parts = int(m[3]) if m[3] else 0
            checkpoints.setdefault((int(m[1]), parts), []).append(name)
    complete = [(v, files if parts else files[:1]) for (v, parts), files in checkpoints.items() if len(files) >= parts]
    return max(complete, default=(-1, []))


def _checkpoint(system: Any, log: str, name: str, location: str) -> Iterator[Action]:
    actions = _actions(system, f"{log}/{name}", location)
    yield from actions
    for action in actions:
        if action.get("sidecar") is not None:
            yield from _actions(system, f"{log}/_sidecars/{unquote(action['sidecar']['path'])}", location)


def _actions(system: Any, path: str, location: str) -> list[Action]:
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
        # Raises an error if an action has no path, or one that UTF-8 cannot encode.
        for action in actions:
            for kind in ("add", "remove", "sidecar"):
                if action.get(kind) is not None:
                    _file(action[kind])[0].encode()
    except (OSError, ArrowException, ValueError, TypeError, KeyError, AttributeError, RecursionError) as e:
        raise _damaged(location, path) from e
    return actions


def _damaged(location: str, path: str) -> UnreadableFile:
    return UnreadableFile(f"{location} has a damaged log ({path.rsplit('/', 1)[-1]}): mend it with Delta's own tools.")
