"""Runs a query over the same rows twice, shredded by us and unshredded by Spark, and finds the leaves that it reads."""

import contextlib
import io
import re
import struct
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from functools import reduce
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql.types import Geography, Geometry, VariantVal

from tables import FORMAT, causes, condition
from variant_bytes import decode

# The expected answer: Spark's own reader over unshredded files, interpreted, which is faster for small tables.
ORACLE = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.variant.pushVariantIntoScan": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
# Settings under which Spark may answer differently where a query can fail.
SPARK_MAY = [{"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}]
SPARK_MAY += [{**SPARK_MAY[0], "spark.sql.variant.pushVariantIntoScan": "true"}]
# A session that attached after its start has no rule of ours that runs before Spark builds scans.
LATE = {"spark.sql.optimizer.excludedRules": "shreddedvariant.rules.PathPushdown"}
# Runs a test in a session that attached before its start and in one that attached later, as its settings `late`.
EARLY_OR_LATE = pytest.mark.parametrize("late", [{}, LATE], ids=["", "attached late"])
# Settings that change neither what is skipped, nor where a limit stops, nor what footers answer.
OTHER_SESSIONS = {
    "without ANSI": {"spark.sql.ansi.enabled": "false"},
    "attached late": LATE,
    "row by row": {"spark.sql.parquet.enableVectorizedReader": "false"},
    "off heap": {"spark.sql.columnVector.offheap.enabled": "true"},
}
UNSHREDDED = {"spark.sql.variant.writeShredding.enabled": "false", "spark.sql.variant.inferShreddingSchema": "false"}


@contextlib.contextmanager
def settings(session, conf):
    """Sets settings of a session, and restores them at the end."""
    before = {key: session.conf.get(key, None) for key in conf}
    try:
        for key, value in conf.items():
            session.conf.set(key, value)
        yield session
    finally:
        for key, value in before.items():
            session.conf.unset(key) if value is None else session.conf.set(key, value)


@dataclass
class Rows:
    """Rows of a query. Equal if names, types and rows are equal, and their order if the query has ORDER BY id."""

    schema: str
    rows: list
    ordered: bool = False

    def __eq__(self, other):
        if not isinstance(other, Rows) or self.schema != other.schema:
            return False
        return self.rows == other.rows if self.ordered else Counter(self.rows) == Counter(other.rows)

    def unlike(self, other):
        """The rows that `other` lacks, as text for a message."""
        only = self.rows
        if isinstance(other, Rows) and not self.ordered:
            only = list((Counter(self.rows) - Counter(other.rows)).elements())
        shown = "\n    ".join(map(repr, only[:8]))
        return f"{self.schema}\n  {len(self.rows)} rows, {len(only)} of them shown or alike:\n    {shown}"


@dataclass
class Failure:
    """The error of a query. Equal if the condition is equal."""

    condition: str
    text: str = field(compare=False)

    def unlike(self, _):
        return f"{self.condition}: {self.text}"


def outcome(session, query):
    """The rows or the error of a query, which is SQL or a function from a session to a DataFrame."""
    try:
        df = query(session) if callable(query) else session.sql(query)
        ordered = not callable(query) and re.search(r"ORDER BY [^()]*\bid\b[^()]*$", query) is not None
        return Rows(df.schema.simpleString(), [frozen(r) for r in df.collect()], ordered)
    except Exception as error:
        chain = [*causes(error), ("", str(getattr(error, "java_exception", "")))]
        return Failure(condition(error), " | ".join(f"{c}: {t.strip()[:300]}" for c, t in chain)[:1500])


def frozen(x: Any) -> Any:
    """A collected value in a hashable form, which differs wherever a user sees a difference."""
    if isinstance(x, VariantVal):
        return "variant", decode(x.metadata, x.value, None).key()
    if isinstance(x, float):
        return "nan" if x != x else struct.pack("<d", x).hex() if x == 0 else x
    if isinstance(x, bool | Decimal):
        return type(x).__name__, str(x)
    if isinstance(x, Geometry | Geography):
        return type(x).__name__, bytes(x.getBytes()), x.getSrid()
    if isinstance(x, dict):
        return "map", frozenset((frozen(k), frozen(v)) for k, v in x.items())
    if isinstance(x, bytearray):
        return bytes(x)
    return tuple(map(frozen, x)) if isinstance(x, list | tuple) else x


class Pair:
    """Tables of the same names in two sessions: shredded files in `ours`, Spark's unshredded files in `spark`."""

    def __init__(self, session, folder):
        self.folder = folder
        # How many queries gave rows, equal on both sides.
        self.answered = 0
        self.ours = session
        self.spark = session.newSession()
        for key, value in ORACLE.items():
            self.spark.conf.set(key, value)

    def add(self, name, files, by=()):
        """`files`: for each file of the table its frame and the options that we write it with; `by`: partitions."""
        frames = [df.coalesce(1) for df, _ in files]
        ours, spark = (str(self.folder / f"{name}.{source}") for source in (FORMAT, "parquet"))
        for df, (_, options) in zip(frames, files, strict=True):
            df.write.format(FORMAT).mode("append").partitionBy(*by).options(**options).save(ours)
        with settings(self.ours, UNSHREDDED):
            reduce(DataFrame.union, frames).write.partitionBy(*by).parquet(spark)
        for session, source, path in ((self.ours, FORMAT, ours), (self.spark, "parquet", spark)):
            session.read.format(source).schema(frames[0].schema).load(path).createOrReplaceTempView(name)

    def drop(self, *names):
        for session in (self.ours, self.spark):
            for name in names:
                session.catalog.dropTempView(name)

    def difference(self, query, meaning=None, ours=None, must_answer=False):
        """None, or both answers as text. `meaning` are settings of both sides, `ours` of our side only.

        With `must_answer` a query that fails on both sides counts as different, because it compares nothing.

        If a strict cast fails on a row that another filter removes, Spark raises or not depending on
        `pushVariantIntoScan`. So if one side fails, our side may have any answer that Spark gives under SPARK_MAY.
        """
        meaning = meaning or {}
        with settings(self.ours, {**meaning, **(ours or {})}):
            actual = outcome(self.ours, query)
        with settings(self.spark, meaning):
            expected = outcome(self.spark, query)
            if actual == expected and not (must_answer and isinstance(actual, Failure)):
                self.answered += isinstance(actual, Rows)
                return None
            if not must_answer and (isinstance(actual, Failure) or isinstance(expected, Failure)):
                for conf in SPARK_MAY:
                    with settings(self.spark, conf):
                        if actual == outcome(self.spark, query):
                            return None
        text = "a function" if callable(query) else query
        conf = {**meaning, **(ours or {})}
        return f"{text}\n  with {conf}\nours: {actual.unlike(expected)}\nSpark: {expected.unlike(actual)}"

    def column_differences(self, expressions, *, source="t", key="id", **how):
        """{expression: difference}: projects all in one query and, if that differs or fails, one by one."""
        named = ", ".join(f"{e} AS e{i}" for i, e in enumerate(expressions))
        together = self.difference(f"SELECT {key}, {named} FROM {source}", must_answer=True, **how)
        if together is None:
            return {}
        alone = {e: self.difference(f"SELECT {key}, {e} AS e FROM {source}", **how) for e in expressions}
        result = {e: d for e, d in alone.items() if d}
        failing = self.difference(f"SELECT {key}, {named} FROM {source}", **how)
        return result or ({named: failing} if failing else {})


def explained(df):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        df.explain("formatted")
    return text.getvalue()


def skipping_shown(df):
    """The predicates in EXPLAIN: those that skip, and those that are not used with the reason."""
    lines = explained(df).splitlines()
    result = dict(line.split(": ", 1) for line in lines if line.startswith(("Skips by: ", "Not used: ")))
    # Spark does not show what is empty.
    return result.get("Skips by", "[]"), result.get("Not used", "[]")


def scans(df):
    """The leaves of each scan, from `Leaves: [v.a, v.b.c]` in EXPLAIN, without the subqueries of dynamic pruning."""
    plan, *subqueries = re.split(r"^Subquery:", explained(df), flags=re.MULTILINE)
    parts = [plan, *(s for s in subqueries if "dynamicpruning" not in s.split("\n")[0])]
    lists = re.findall(r"^Leaves: \[(.*)\]$", "\n".join(parts), re.MULTILINE)
    # A comma inside backticks belongs to a name.
    return [{p.strip() for p in re.findall(r"(?:`(?:[^`]|``)*`|[^,`])+", entries)} for entries in lists]


def leaves(df):
    """The leaves of all scans."""
    return set().union(*scans(df))


def reads_only(df, *expected):
    """Asserts that the scans of a plan, in any order, read just these leaves."""
    actual = sorted(map(sorted, scans(df)))
    assert actual == sorted(map(sorted, expected)), f"reads {actual}, not {expected}:\n{explained(df)}"
