"""Finds the Parquet files below a local path or a URI, by Spark's rules, and reads their footers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from pyarrow import ArrowException, fs

from shredded_variant.errors import UnreadableFile
from shredded_variant.footers import delta_log
from shredded_variant.footers.footer import ENCRYPTED, MAGIC, Damaged, Footer, parse

TAIL = 64 * 1024


@dataclass
class File:
    """One Parquet file: its path relative to the table, its size and its footer."""

    name: str
    size: int
    footer: Footer


def read_files(path: str | os.PathLike[str]) -> list[File]:
    """The file at this path, or all files below it, in the order of their names."""
    location = os.fspath(path)
    try:
        system, root = _resolve(location)
        info = system.get_file_info(root)
        if info.type == fs.FileType.NotFound:
            raise UnreadableFile(f"{location} does not exist: check the path.")
        if info.type == fs.FileType.File:
            files = [(info, os.path.basename(location))]
        else:
            files = sorted(_of_table(system, root, location), key=lambda pair: pair[1])
            if not files:
                raise UnreadableFile(f"{location} holds no Parquet file: check the path, or write a table there.")
    except (OSError, ArrowException) as e:
        raise UnreadableFile(f"{location} cannot be read ({_reason(e)}): check the path and its permissions.") from e
    except UnicodeError as e:
        printable = location.encode("utf-8", "backslashreplace").decode()
        raise UnreadableFile(
            f"{printable} has a name that is not UTF-8, or holds one: rename that file or folder."
        ) from e
    paths = [f"{location.rstrip('/')}/{name}" for _, name in files] if info.type != fs.FileType.File else [location]
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda file, path: _read(system, file[0], file[1], path), files, paths))


def _of_table(system: Any, root: str, location: str) -> Iterable[tuple[Any, str]]:
    """The files that the log of a Delta table names, or all data files of a directory."""
    if delta_log.is_table(system, root):
        return delta_log.live_files(system, root, location)
    return _data_files(system.get_file_info(fs.FileSelector(root, recursive=True)), root)


def _resolve(path: str) -> tuple[Any, str]:
    if "://" in path or path.startswith("file:"):
        system, root = fs.FileSystem.from_uri(path)
        return system, root
    return fs.LocalFileSystem(), os.path.abspath(path)


def _data_files(below: list[Any], root: str) -> Iterator[tuple[Any, str]]:
    for info in below:
        name = info.path[len(root.rstrip("/")) + 1 :]
        if info.type == fs.FileType.File and info.size and not any(map(_is_hidden, name.split("/"))):
            yield info, name


def _is_hidden(name: str) -> bool:
    """Spark's rule: `_x=1` is a partition; `_SUCCESS` and `.part.crc` hold no data."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")


def _read(system: Any, info: Any, name: str, path: str) -> File:
    try:
        with system.open_input_file(info.path) as file:
            return File(name, info.size, parse(_footer_bytes(file, info.size, path)))
    except Damaged as e:
        raise UnreadableFile(f"{path} is damaged ({e}): write it again or remove it.") from e
    except (OSError, ArrowException) as e:
        raise UnreadableFile(f"{path} cannot be read ({_reason(e)}): check its permissions.") from e


def _footer_bytes(file: Any, size: int, path: str) -> bytes:
    file.seek(max(0, size - TAIL))
    tail: bytes = file.read(TAIL)
    if size < 12 or tail[-4:] != MAGIC:
        if tail[-4:] == ENCRYPTED:
            raise UnreadableFile(f"{path} has an encrypted footer: decrypt it before asking for its layout.")
        file.seek(0)
        if file.read(4) == MAGIC:
            raise UnreadableFile(
                f"{path} is cut off: it starts as a Parquet file and has no footer; write it again or remove it."
            )
        raise UnreadableFile(f"{path} is not a Parquet file: it does not end in PAR1; remove it or correct the path.")
    length = int.from_bytes(tail[-8:-4], "little")
    if length + 12 > size:
        raise UnreadableFile(
            f"{path} is cut off: its footer of {length:,} bytes does not fit into its {size:,} bytes; "
            "write it again or remove it."
        )
    if length + 8 > len(tail):
        file.seek(size - 8 - length)
        tail = file.read(length + 8)
    return tail[-8 - length : -8]


def _reason(e: BaseException) -> str:
    return os.strerror(e.errno) if isinstance(e, OSError) and e.errno else str(e).split("\n")[0].rstrip(".")
