"""Writes and reads tables of variants through Spark, and checks refusals."""

import contextlib
import os
import re

import pytest
from pyspark.sql.types import IntegerType, StructField, StructType, VariantType, VariantVal

from parquet_fixtures import write_file
from variant_bytes import decode, encode, utf8

FORMAT = os.environ.get("SHREDDED_VARIANT_TEST_FORMAT", "shredded_variant")
LAYOUTS = ("parquet", "draft")
# Errors that no check of ours has raised on purpose.
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
    """A DataFrame of `id` and the variant column `v`, or of `id` and the named variant columns, padded with NULL."""
    columns = columns or {"v": values}
    size = max(map(len, columns.values()))
    fields = [StructField("id", IntegerType()), *(StructField(c, VariantType()) for c in columns)]
    padded = [[*map(to_spark, c), *[None] * (size - len(c))] for c in columns.values()]
    return spark.createDataFrame(list(zip(range(size), *padded, strict=True)), StructType(fields)).coalesce(1)


def write(df, path, **options):
    """Writes a table and returns its path; `__` in the name of an option means a dot."""
    mode = options.pop("mode", "error")
    by = options.pop("by", [])
    named = {k.replace("__", "."): v for k, v in options.items()}
    df.write.format(FORMAT).mode(mode).options(**named).partitionBy(*by).save(str(path))
    return str(path)


def load(spark, path, schema="id INT, v VARIANT", **options):
    """The table as a DataFrame; with schema None the source infers it. `path` may be a list."""
    reader = spark.read.format(FORMAT).options(**options)
    reader = reader.schema(schema) if schema else reader
    return reader.load(path if isinstance(path, list) else str(path))


def ours_and_plain(df, folder, **options):
    """Writes rows below a folder twice, as by `write` and as Spark's own files, and returns both as DataFrames."""
    df.write.parquet(str(folder / "plain"))
    ours = load(df.sparkSession, write(df, folder / "t", **options), schema=None)
    return ours, df.sparkSession.read.parquet(str(folder / "plain"))


def values(df, column="v", keys_by=utf8):
    """The variants of a column in the order of `id`, decoded strictly; `keys_by=None` takes keys in any order."""
    rows = df.orderBy("id").select(column).collect()
    return [None if r[0] is None else decode(r[0].metadata, r[0].value, keys_by) for r in rows]


@contextlib.contextmanager
def views(spark, **frames):
    """Temporary views of DataFrames by name, dropped at the end."""
    for name, df in frames.items():
        df.createOrReplaceTempView(name)
    try:
        yield spark
    finally:
        for name in frames:
            spark.catalog.dropTempView(name)


def causes(error):
    """(class, message) of an exception and of every Java exception under it."""
    chain = [(type(error).__name__, str(error).split("\n\nJVM stacktrace")[0])]
    java = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    while java is not None and len(chain) < 12:
        chain.append((java.getClass().getName(), java.getMessage() or ""))
        java = java.getCause()
    return chain


def condition(error):
    """The error condition of Spark or of ours: of the exception, or the last that a message in its chain names."""
    own = getattr(error, "getCondition", lambda: None)()
    texts = [text for _, text in causes(error)] + [str(getattr(error, "java_exception", ""))]
    named = [m[1] for m in (re.search(r"\[([A-Z][A-Z0-9_.]+)\]", text) for text in texts) if m]
    return own or (named[-1] if named else type(error).__name__)


def refusal(action, *mentions, name="SHREDDED_VARIANT_"):
    """Runs an action that must be refused, and returns the message: one sentence that matches all `mentions`."""
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
    """The values of each file by its name; a lookup of a file that could not be read raises its error."""

    def __getitem__(self, name):
        actual = super().__getitem__(name)
        if isinstance(actual, Exception):
            raise actual
        return actual


def read_files(spark, folder, files):
    """Writes Files of parquet_fixtures, and reads all as one table, or one by one if that fails."""
    folder.mkdir()
    paths = {
        name: write_file(folder / f"{i:04}.parquet", f.shape, f.rows, first_id=i * 1000, **(f.options or {}))
        for i, (name, f) in enumerate(files.items())
    }
    ends = [sum(len(f.rows) for f in list(files.values())[:i]) for i in range(len(files) + 1)]
    try:
        actual = values(load(spark, list(paths.values())))
        return Readings({name: actual[ends[i] : ends[i + 1]] for i, name in enumerate(files)})
    except Exception:
        return Readings({name: _alone(spark, path) for name, path in paths.items()})


def _alone(spark, path):
    try:
        return values(load(spark, path))
    except Exception as error:
        return error
