"""Writes and reads Delta tables through the data source, and reads the actions in their logs."""

import json
from pathlib import Path

from tables import FORMAT
from variant_bytes import Malformed, decode

Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def save(df, path, *by, mode="append", **options):
    """Writes to a Delta table, which the write creates if needed; `__` in the name of an option means a dot."""
    named = {"table": "delta"} | {k.replace("__", "."): v for k, v in options.items()}
    df.write.format(FORMAT).mode(mode).options(**named).partitionBy(*by).save(str(path))
    return str(path)


def load(spark, path, **options):
    return spark.read.format(FORMAT).options(**options).load(str(path))


def commits(path):
    """The actions of each commit, in order."""
    logs = sorted((Path(path) / "_delta_log").glob("*.json"))
    return [[json.loads(line) for line in log.read_text().splitlines()] for log in logs]


def actions(path, kind, version=-1):
    return [action[kind] for action in commits(path)[version] if kind in action]


def statistics(path, version=-1):
    """The statistics of the files that a commit added."""
    return [json.loads(add["stats"]) for add in actions(path, "add", version)]


def active(path):
    """The paths of the files in the newest version."""
    files = set()
    for commit in commits(path):
        files -= {a["remove"]["path"] for a in commit if "remove" in a}
        files |= {a["add"]["path"] for a in commit if "add" in a}
    return files


def files_on_disk(path):
    root = Path(path)
    return {str(f.relative_to(root)) for f in root.rglob("*.parquet") if "_delta_log" not in f.parts}


def z85(text):
    """Decodes Z85."""
    out = b""
    for i in range(0, len(text), 5):
        number = 0
        for character in text[i : i + 5]:
            number = number * 85 + Z85.index(character)
        out += number.to_bytes(4, "big")
    return out


def bounds(text):
    """The values in a bound of a variant by path, decoded from the variant encoding."""
    raw = z85(text)
    width = (raw[0] >> 6) + 1
    size = int.from_bytes(raw[1 : 1 + width], "little")
    end = int.from_bytes(raw[1 + width * (1 + size) : 1 + width * (2 + size)], "little")
    metadata = raw[: 1 + width * (2 + size) + end]
    for padding in range(4):
        try:
            return decode(metadata, raw[len(metadata) : len(raw) - padding]).value
        except Malformed as error:
            reason = error
    raise reason
