"""Tables of variants through Spark: the format under test, values in and out, and what a refusal must look like."""

import os
import re

import pytest
from pyspark.sql.types import IntegerType, StructField, StructType, VariantType, VariantVal

from parquet_fixtures import write_file
from variant_bytes import decode, encode, utf8

FORMAT = os.environ.get("SHREDDED_VARIANT_TEST_FORMAT", "shredded_variant")
LAYOUTS = ("parquet", "draft")
# A refusal that happens by accident, not by judgement.
ACCIDENT = re.compile(
    "NullPointer|OutOfBounds|ClassCast|NegativeArraySize|Assertion|StackOverflow|OutOfMemory|MatchError"
    "|NoSuchElement|BufferUnderflow|ArithmeticException|INTERNAL_ERROR"
)


def to_spark(v, **how):
    if v is None:
        return None
    metadata, value = v if isinstance(v, tuple) else encode(v, **how)
    return VariantVal(value, metadata)


def frame(spark, *values, **columns):
    """A DataFrame of `id` and the variant column `v`, or the named variant columns, padded with nulls."""
    columns = columns or {"v": values}
    size = max(map(len, columns.values()))
    fields = [StructField("id", IntegerType()), *(StructField(c, VariantType()) for c in columns)]
    padded = [[*map(to_spark, c), *[None] * (size - len(c))] for c in columns.values()]
    return spark.createDataFrame(list(zip(range(size), *padded, strict=True)), StructType(fields)).coalesce(1)


def write(df, path, **options):
    """Writes with options whose names are given as they are, or with `__` for a dot; returns the path."""
    mode = options.pop("mode", "error")
    by = options.pop("by", [])
    named = {k.replace("__", "."): v for k, v in options.items()}
    df.write.format(FORMAT).mode(mode).options(**named).partitionBy(*by).save(str(path))
    return str(path)


def load(spark, path, schema="id INT, v VARIANT", **options):
    """The table as a DataFrame; schema None leaves the schema to the source. `path` may be a list."""
    reader = spark.read.format(FORMAT).options(**options)
    reader = reader.schema(schema) if schema else reader
    return reader.load(path if isinstance(path, list) else str(path))


def values(df, column="v", keys_by=utf8):
    """The variants of a column in the order of `id`, decoded strictly; `keys_by=None` takes keys in any order."""
    rows = df.orderBy("id").select(column).collect()
    return [None if r[0] is None else decode(r[0].metadata, r[0].value, keys_by) for r in rows]


def causes(error):
    """(class, message) of an exception and of every Java exception under it."""
    chain = [(type(error).__name__, str(error).split("\n\nJVM stacktrace")[0])]
    java = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    while java is not None and len(chain) < 12:
        chain.append((java.getClass().getName(), java.getMessage() or ""))
        java = java.getCause()
    return chain


def refusal(action, *mentions, name="SHREDDED_VARIANT_"):
    """Runs what must be refused; returns our message, after looking that it is one clear sentence with `mentions`."""
    with pytest.raises(Exception) as caught:
        action()
    chain = causes(caught.value)
    accidents = [c for c, _ in chain if ACCIDENT.search(c)]
    assert not accidents, f"failed by accident: {chain}"
    ours = [line for _, m in chain for line in m.strip().split("\n") if re.match(rf"\[({name})", line)]
    assert ours, f"no {name} among {[(c, m[:300]) for c, m in chain]}"
    message = ours[0]
    assert any(m.strip() == message for _, m in chain), f"more than one line: {chain}"
    assert len(message) < 1000, f"not one sentence: {message}"
    for m in mentions:
        assert re.search(m, message), f"{m!r} is not in {message!r}"
    return message


class Readings(dict):
    """What each file read as; looking up one that failed raises its own error."""

    def __getitem__(self, name):
        got = super().__getitem__(name)
        if isinstance(got, Exception):
            raise got
        return got


def read_files(spark, folder, files):
    """Writes each File of parquet_fixtures, reads all as one table, or one by one if that fails."""
    folder.mkdir()
    paths = {
        name: write_file(folder / f"{i:04}.parquet", f.shape, f.rows, first_id=i * 1000, **(f.options or {}))
        for i, (name, f) in enumerate(files.items())
    }
    ends = [sum(len(f.rows) for f in list(files.values())[:i]) for i in range(len(files) + 1)]
    try:
        got = values(load(spark, list(paths.values())))
        return Readings({name: got[ends[i] : ends[i + 1]] for i, name in enumerate(files)})
    except Exception:
        return Readings({name: _alone(spark, path) for name, path in paths.items()})


def _alone(spark, path):
    try:
        return values(load(spark, path))
    except Exception as error:
        return error
