"""The commands that change or verify tables: compact, reshred, unshred and verify."""

from __future__ import annotations

import argparse
import re
from typing import Any

from shredded_variant.errors import Refused

COMMANDS = ("compact", "reshred", "unshred", "verify")
SIZE = re.compile(r"(\d+)\s*([kmgt]?)i?b?", re.IGNORECASE)


def add(commands: Any) -> None:
    compact = _table(commands, "compact", "rewrite small files as larger ones, clustered by keys if there are any")
    compact.add_argument("--target-bytes", type=_size, metavar="SIZE", help="the input size of a file (default: 128m)")
    compact.add_argument(
        "--cluster-by",
        action="append",
        default=[],
        metavar="KEY",
        help="a column, or a path such as '$.user.id'; repeatable",
    )
    reshred = _table(commands, "reshred", "rewrite the files with other shapes")
    reshred.add_argument(
        "--shape",
        type=_pair,
        action="append",
        required=True,
        metavar="COLUMN=DDL",
        help="the shape of a column, or COLUMN=infer; repeatable",
    )
    unshred = _table(commands, "unshred", "rewrite the files with unshredded variants")
    for parser in (compact, reshred, unshred):
        parser.add_argument(
            "--to", metavar="PATH", help="a new path for the result; required unless PATH is a Delta table"
        )
        parser.add_argument(
            "--option",
            type=_pair,
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="an option of the write; repeatable",
        )
        parser.add_argument("--dry-run", action="store_true", help="print what would be done, and change nothing")
    verify = _table(commands, "verify", "compare footers, page indexes, layouts and logs with the values")
    verify.add_argument(
        "--trust", action="store_true", help="let bounds skip files of other writers that have no findings"
    )


def _table(commands: Any, name: str, help: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=help)
    parser.add_argument("path", metavar="PATH", help="a Delta table, or a directory of Parquet files")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _size(text: str) -> int:
    match = SIZE.fullmatch(text.strip())
    if match is None or int(match.group(1)) == 0:
        raise argparse.ArgumentTypeError(f"`{text}` is not a size such as 128m")
    power = "kmgt".index(match.group(2).lower()) + 1 if match.group(2) else 0
    return int(match.group(1)) << (10 * power)


def _pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not key or not sign:
        raise argparse.ArgumentTypeError(f"`{text}` is not a name and a value with `=` between them")
    return key, value


def run(arguments: argparse.Namespace) -> int:
    """Returns the exit status, which is 1 if `verify` has findings."""
    from shredded_variant.commands.quiet import started

    with started(arguments.command) as spark:
        result = _call(spark, arguments)
    print(result.to_json() if arguments.json else result)
    return 0 if arguments.command != "verify" or result.ok else 1


def _call(spark: Any, arguments: argparse.Namespace) -> Any:
    from pyspark.errors import PySparkException

    from shredded_variant.jobs.maintain import TARGET_BYTES, compact, reshred, unshred
    from shredded_variant.jobs.verify import verify

    _silence(spark)
    try:
        path = arguments.path
        if arguments.command == "verify":
            return verify(spark, path, trust=arguments.trust)
        more: dict[str, Any] = {"options": dict(arguments.option), "dry_run": arguments.dry_run}
        if arguments.command == "compact":
            target = arguments.target_bytes or TARGET_BYTES
            return compact(spark, path, arguments.to, target, arguments.cluster_by, **more)
        if arguments.command == "reshred":
            return reshred(spark, path, dict(arguments.shape), arguments.to, **more)
        return unshred(spark, path, arguments.to, **more)
    except PySparkException as e:
        raise Refused(sentence(e)) from e


def _silence(spark: Any) -> None:
    """Turns Spark's log off, because the command reports the error itself."""
    if not type(spark).__module__.startswith("pyspark.sql.connect."):
        spark.sparkContext.setLogLevel("OFF")


def sentence(error: BaseException) -> str:
    """The data source's sentence if the error contains one, else the first line of Spark's message."""
    text = str(error).split("JVM stacktrace")[0]
    ours = re.search(r"\[SHREDDED_VARIANT_[A-Z0-9_]+\] ([^\n]*)", text)
    if ours:
        return ours.group(1)
    return next((line for line in text.splitlines() if line.strip()), type(error).__name__)
