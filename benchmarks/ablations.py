"""What our own page code gains over parquet-java's and Spark's (`make ablations`).

Each patch of benchmarks/ablations/ puts the library's code in the place of one piece of ours. The rows that the
piece is for are compared: a ratio of 0.8 says that the row takes 0.8 times as long with the piece.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.data import ROOT

HOME = Path(__file__).resolve().parent.parent
SCATTERED = "^(to_json|wide strings).* scattered"
LATE = rf"{SCATTERED}|^to_json\(v\) of 0.03 % clustered$|^sum, 1 %"
WRITES = "^write .*explicit|^map of 100, write"
WHOLE = r"^sum, v:user|^to_json\(v\), all|^JSONBench 1"
# Patch -> the rows that the piece is for.
PIECES = {
    "page-writers": WRITES,
    "rle-encoder": WRITES,
    "zstd-write": WRITES,
    "zstd-read": f"{WHOLE}|{SCATTERED}",
    "page-arrays": f"{WHOLE}|{SCATTERED}",
    "page-frames": SCATTERED,
    "row-pages": LATE,
    "rle-decoder": LATE,
    "delta-decoder": LATE,
    "dictionary-lookup": LATE,
    "dictionary-texts": r"^to_json\(v\), all|^whole v|^JSONBench 2",
    "plain-pages": "^sum|^sort by|^map of 100, whole",
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablations", description=__doc__)
    parser.add_argument("--jar", required=True, help="the jar with all pieces")
    parser.add_argument("--piece", choices=PIECES, action="append", help="compare this piece; all pieces if not given")
    args, passed = parser.parse_known_args(arguments)
    print("| piece | row | time | CPU |\n|---|---|---|---|")
    status = 0
    for piece in args.piece or PIECES:
        jar = _output("project/jar-of", "HEAD", piece).splitlines()[-1]
        command = [
            sys.executable,
            "-m",
            "benchmarks.compare",
            "--base",
            jar,
            "--jar",
            args.jar,
            "--only",
            PIECES[piece],
        ]
        status |= subprocess.run([*command, *passed], cwd=HOME, stdout=sys.stderr, check=False).returncode
        for row, result in json.loads((ROOT / "compare.json").read_text()).items():
            times = f"{result['ratio']:.2f} | {result['cpu ratio']:.2f}" if "ratio" in result else "failed |"
            print(f"| {piece} | {row} | {times} |", flush=True)
    return status


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=HOME, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
