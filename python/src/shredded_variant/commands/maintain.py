"""The commands that change or verify tables: compact, reshred, unshred and verify."""

from __future__ import annotations

import argparse
import re
from typing import Any

from shredded_variant.errors import Refused

COMMANDS = ("compact", "reshred", "unshred", "verify")
SIZE = re.compile(r"(\d+)\s*([kmgt]?)i?b?", re.IGNORECASE)


def add(commands: Any) -> None:
    compact = _table(commands, "compact", "small files into large ones, clustered if you like")
    compact.add_argument("--target-bytes", type=_size, metavar="SIZE", help="of a file's input (default: 128m)")
    compact.add_argument(
        "--cluster-by",
        action="append",
        default=[],
        metavar="KEY",
        help="a column, or a path as '$.user.id'; may repeat",
    )
    reshred = _table(commands, "reshred", "the same files with other shapes")
    reshred.add_argument(
        "--shape", type=_pair, action="append", required=True, metavar="COLUMN=DDL", help="or COLUMN=infer; may repeat"
    )
    unshred = _table(commands, "unshred", "the same files with variants unshredded")
    for parser in (compact, reshred, unshred):
        parser.add_argument(
            "--to", metavar="PATH", help="the new path for the result, of a table that is no Delta table"
        )
        parser.add_argument(
            "--option", type=_pair, action="append", default=[], metavar="KEY=VALUE", help="of the write; may repeat"
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    verify = _table(commands, "verify", "whether footers, page indexes, layouts and logs say what is true")
    verify.add_argument(
        "--trust", action="store_true", help="let the bounds of sound files of other writers skip files"
    )


def _table(commands: Any, name: str, help: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=help)
    parser.add_argument("path", metavar="PATH", help="a Delta table, or a directory of Parquet files")
    parser.add_argument("--json", action="store_true", help="for machines")
    return parser


def _size(text: str) -> int:
    found = SIZE.fullmatch(text.strip())
    if found is None or int(found.group(1)) == 0:
        raise argparse.ArgumentTypeError(f"`{text}` is not a size such as 128m")
    power = "kmgt".index(found.group(2).lower()) + 1 if found.group(2) else 0
    return int(found.group(1)) << (10 * power)


def _pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not key or not sign:
        raise argparse.ArgumentTypeError(f"`{text}` is not a name and a value with `=` between them")
    return key, value


def run(given: argparse.Namespace) -> int:
    """The exit status: 1 where `verify` has findings."""
    from shredded_variant.commands.quiet import started

    with started(given.command) as spark:
        found = _call(spark, given)
    print(found.to_json() if given.json else found)
    return 0 if given.command != "verify" or found.ok else 1


def _call(spark: Any, given: argparse.Namespace) -> Any:
    from pyspark.errors import PySparkException

    from shredded_variant.jobs.maintain import TARGET_BYTES, compact, reshred, unshred
    from shredded_variant.jobs.verify import verify

    _silence(spark)
    try:
        if given.command == "verify":
            return verify(spark, given.path, trust=given.trust)
        more: dict[str, Any] = {"options": dict(given.option), "dry_run": given.dry_run}
        if given.command == "compact":
            target = given.target_bytes or TARGET_BYTES
            return compact(spark, given.path, given.to, target, given.cluster_by, **more)
        if given.command == "reshred":
            return reshred(spark, given.path, dict(given.shape), given.to, **more)
        return unshred(spark, given.path, given.to, **more)
    except PySparkException as e:
        raise Refused(sentence(e)) from e


def _silence(spark: Any) -> None:
    """What goes wrong is told once, in the end."""
    if not type(spark).__module__.startswith("pyspark.sql.connect."):
        spark.sparkContext.setLogLevel("OFF")


def sentence(error: BaseException) -> str:
    """The format's own sentence where it is among the causes, else the first line of what Spark says."""
    text = str(error).split("JVM stacktrace")[0]
    ours = re.search(r"\[SHREDDED_VARIANT_[A-Z0-9_]+\] ([^\n]*)", text)
    if ours:
        return ours.group(1)
    return next((line for line in text.splitlines() if line.strip()), type(error).__name__)
