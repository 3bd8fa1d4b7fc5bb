"""The command `shredded-variant`: the package's functions for people at a terminal, and for scripts with --json."""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from shredded_variant.commands import maintain as cli_maintain
from shredded_variant.errors import ShreddedVariantError
from shredded_variant.package import __version__, jar_path

COMMANDS = ("layout", *cli_maintain.COMMANDS, "demo", "jar")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0, 1 for a finding, or 2 with one sentence on stderr: wrong usage, or input that cannot be read."""
    try:
        status = _run(_parser().parse_args(arguments))
        sys.stdout.flush()
        return status
    except ShreddedVariantError as e:
        print(f"shredded-variant: {e}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever reads has enough: no complaint, not even from the interpreter's last flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _run(given: argparse.Namespace) -> int:
    if given.command == "jar":
        print(jar_path())
    elif given.command == "layout":
        from shredded_variant.footers.layout import layout

        found = layout(given.path)
        print(found.to_json() if given.json else found)
    elif given.command in cli_maintain.COMMANDS:
        return cli_maintain.run(given)
    else:
        from shredded_variant.commands.demo import demo

        demo(given.path, given.rows)
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        wrong = re.match(r"argument COMMAND: invalid choice: '(.*?)'", message)
        sentence = _no_command(wrong.group(1)) if wrong else message[0].upper() + message[1:]
        print(f"{self.prog}: {sentence}; see `{self.prog} --help`.", file=sys.stderr)
        raise SystemExit(2)


def _no_command(name: str) -> str:
    nearest = difflib.get_close_matches(name, COMMANDS, 1)
    hint = f"did you mean `{nearest[0]}`" if nearest else f"there are {', '.join(f'`{c}`' for c in COMMANDS)}"
    return f"No command `{name}`, {hint}"


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of rows")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="shredded-variant", description="VARIANT columns that are fast on Parquet.")
    parser.add_argument("--version", action="version", version=f"shredded-variant {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    layout = commands.add_parser("layout", help="what Parquet files hold, from their footers alone")
    layout.add_argument("path", metavar="PATH", help="a file, a directory of files, or a URI of either")
    layout.add_argument("--json", action="store_true", help="for machines")

    cli_maintain.add(commands)

    demo = commands.add_parser("demo", help="write JSON as a shredded table, query it, show its files")
    demo.add_argument("path", metavar="PATH", nargs="?", help="a new directory that stays (default: one that does not)")
    demo.add_argument("--rows", type=_positive, default=20_000, help="how many documents (default: 20000)")

    commands.add_parser("jar", help="the path of the jar, for spark-submit --jars")
    return parser


if __name__ == "__main__":
    sys.exit(main())
