"""The command `shredded-variant`: the package's functions on a terminal, with `--json` for scripts."""

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
    """Returns the exit status: 0, 1 if `verify` has findings, or 2 after one sentence on stderr about wrong input."""
    try:
        status = _run(_parser().parse_args(arguments))
        sys.stdout.flush()
        return status
    except ShreddedVariantError as e:
        print(f"shredded-variant: {e}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of the pipe closed it. Without this line, the interpreter's last flush reports an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _run(arguments: argparse.Namespace) -> int:
    if arguments.command == "jar":
        print(jar_path())
    elif arguments.command == "layout":
        from shredded_variant.footers.read import layout

        result = layout(arguments.path)
        print(result.to_json() if arguments.json else result)
    elif arguments.command in cli_maintain.COMMANDS:
        return cli_maintain.run(arguments)
    else:
        from shredded_variant.commands.demo import demo

        demo(arguments.path, arguments.rows)
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        wrong = re.match(r"argument COMMAND: invalid choice: '(.*?)'", message)
        sentence = _unknown_command(wrong.group(1)) if wrong else message[0].upper() + message[1:]
        print(f"{self.prog}: {sentence}; see `{self.prog} --help`.", file=sys.stderr)
        raise SystemExit(2)


def _unknown_command(name: str) -> str:
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

    layout = commands.add_parser("layout", help="show what Parquet files hold, from their footers alone")
    layout.add_argument("path", metavar="PATH", help="a file, a directory of files, or a URI of either")
    layout.add_argument("--json", action="store_true", help="print JSON")

    cli_maintain.add(commands)

    demo = commands.add_parser("demo", help="write JSON documents as a shredded table, show its files, query it")
    demo.add_argument("path", metavar="PATH", nargs="?", help="a new directory to keep (default: a temporary one)")
    demo.add_argument("--rows", type=_positive, default=20_000, help="the number of documents (default: 20000)")

    commands.add_parser("jar", help="print the path of the jar, for spark-submit --jars")
    return parser


if __name__ == "__main__":
    sys.exit(main())
