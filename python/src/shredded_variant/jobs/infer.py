"""`infer_shape`: infers the shape of a variant column, or the hot keys of a map, in one distributed pass."""

from __future__ import annotations

import difflib
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypedDict

from shredded_variant.errors import NotAttached, PathsLeftOut, UnknownColumn, WrongArgument
from shredded_variant.footers.hot_keys import HotKeys
from shredded_variant.jobs.progress import is_connect, progress
from shredded_variant.names import quoted
from shredded_variant.shapes.shape import Shape

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from typing_extensions import Unpack

FUNCTION = "shredding_shape"
# With this option the function returns JSON, which also says whether paths or keys were left out.
REPORT = "report"
# The upper bounds of the limits, which are those of the write options.
MAXIMUMS = {"max_fields": 100_000, "max_depth": 100, "max_intermediate_fields": 100_000, "max_keys": 10_000}
MAP_LIMITS = ("keys", "max_keys", "min_frequency")
# Spark's error conditions for a column that does not exist, and for a text that is not a name.
NO_COLUMN = ("UNRESOLVED_COLUMN", "FIELD_NOT_FOUND", "INVALID_ATTRIBUTE_NAME_SYNTAX", "INVALID_EXTRACT")
POLICIES = ("equivalence", "majority")


class Limits(TypedDict, total=False):
    """The options `shredding.policy`, `shredding.minFieldFrequency` and so on, in Python's spelling.

    For maps, the options `parquet.map.shredding.<column>.…`: `keys` (always hot), `max_keys`, `min_frequency`.
    """

    policy: str
    min_field_frequency: float
    max_fields: int
    max_depth: int
    max_intermediate_fields: int
    include: Sequence[str]
    exclude: Sequence[str]
    keys: Sequence[str]
    max_keys: int
    min_frequency: float


def infer_shape(df: DataFrame, column: str | Column, **limits: Unpack[Limits]) -> Shape | HotKeys:
    """Infers the shape of a variant column, by the rules of a write with `shredding=infer`, but from all rows.

    The same rows give the same shape in any order and partitioning. `column` is a Column, or a name as in SQL:
    dotted when nested in a struct, with backticks where a name holds dots. The limits mean what the options of the
    same names mean; `include` and `exclude` are lists of paths, such as `$.user.id`. For a map with string keys,
    the result is its hot keys, by the rules of a write with `….infer`. If a column has more paths or keys than
    inference counts, `infer_shape` warns (`PathsLeftOut`).
    """
    options = _options(dict(limits)) | {REPORT: "true"}
    _require_data(df)
    values, is_map = _values(df, column)
    _require_limits_of(is_map, column, list(limits))
    shapes = _aggregate(df, values, options)
    with progress(df.sparkSession, "infer_shape"):
        (row,) = shapes.collect()
    report = json.loads(row[0])
    if report["isCut"]:
        what, where = ("keys", "in `keys`") if is_map else ("paths, or longer names,", "in the shape of the write")
        warnings.warn(
            f"'{column!s:.80}' has more {what} than inference counts, and the result is based on a part of them, "
            f"those with few digits and short names: add what it lacks {where}.",
            PathsLeftOut,
            stacklevel=2,
        )
    return HotKeys.parse(report["shape"]) if is_map else Shape.parse(report["shape"])


def _require_data(df: Any) -> None:
    """Recognises Spark's DataFrames by the names of their classes, because pyspark or grpc may be missing."""
    names = {f"{c.__module__}.{c.__qualname__}" for c in type(df).__mro__}
    if not any(re.fullmatch(r"pyspark\.sql\..*DataFrame", name) for name in names):
        what = f"{type(df).__module__}.{type(df).__qualname__}".removeprefix("builtins.")
        raise WrongArgument(
            f"infer_shape takes a DataFrame of Spark and was given a {what}: "
            "pass one, such as spark.read.format('shredded_variant').load(path)."
        )
    if df.isStreaming:
        raise WrongArgument("infer_shape needs all rows, and this DataFrame is a stream: pass what spark.read gives.")


def _values(df: DataFrame, column: str | Column) -> tuple[Column, bool]:
    """The column, and whether it is a map."""
    from pyspark.errors import AnalysisException

    if not isinstance(column, str) and "Column" not in {c.__name__ for c in type(column).__mro__}:
        raise WrongArgument(
            f"infer_shape takes the column as a name or a Column and was given {column!r:.80}: {_candidates(df)}."
        )
    try:
        values: Column = _functions(df).col(column) if isinstance(column, str) else column
        fields = df.select(values).schema.fields
    except AnalysisException as e:
        if not isinstance(column, str) or not (e.getCondition() or "").startswith(NO_COLUMN):
            raise
        nearest = difflib.get_close_matches(column, [name for name, _ in _shaped(df.schema)], 1)
        raise UnknownColumn(
            f"The column '{column}' does not exist: "
            + (f"did you mean '{nearest[0]}'?" if nearest else f"{_candidates(df)}.")
        ) from None
    kind = _kind(fields[0].dataType) if len(fields) == 1 else None
    if kind is None:
        name = column if isinstance(column, str) else fields[0].name
        what = fields[0].dataType.simpleString().upper() if len(fields) == 1 else f"{len(fields)} columns"
        raise UnknownColumn(
            f"The column '{name}' is {what if len(what) <= 80 else what[:77] + '…'} and neither a variant nor a map "
            f"whose keys are strings: {_candidates(df)}."
        )
    return values, kind == "map"


def _require_limits_of(is_map: bool, column: str | Column, limits: Sequence[str]) -> None:
    for name in limits:
        if (name in MAP_LIMITS) != is_map:
            allowed = MAP_LIMITS if is_map else [limit for limit in Limits.__annotations__ if limit not in MAP_LIMITS]
            what, of = ("a map", "variants") if is_map else ("a variant", "maps")
            raise WrongArgument(
                f"infer_shape was given {name}, which is for {of}, and '{column!s:.80}' is {what}: "
                f"there are {', '.join(allowed)}."
            )


def _functions(df: DataFrame) -> Any:
    """The functions for the kind of session that made the DataFrame; a process may have both kinds."""
    return import_module("pyspark.sql.connect.functions" if is_connect(df.sparkSession) else "pyspark.sql.functions")


def _kind(data_type: Any) -> str | None:
    """`variant` or `map` if columns of this type can be shredded, else None."""
    if data_type.typeName() == "variant":
        return "variant"
    return "map" if data_type.typeName() == "map" and data_type.keyType.typeName() == "string" else None


def _shaped(struct: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """The names, as in SQL, and kinds of the variants and maps of a schema that are not inside arrays or maps."""
    for field in struct.fields:
        name, kind = prefix + quoted(field.name), _kind(field.dataType)
        if kind is not None:
            yield name, kind
        elif field.dataType.typeName() == "struct":
            yield from _shaped(field.dataType, f"{name}.")


def _candidates(df: DataFrame) -> str:
    shaped = list(_shaped(df.schema))
    variants, maps = ([name for name, k in shaped if k == kind] for kind in ("variant", "map"))
    return f"the variant columns are {_list(variants)}" + (f" and the maps {_list(maps)}" if maps else "")


def _list(names: Any) -> str:
    shown = [f"'{name}'" for name in names]
    return ", ".join(shown[:8]) + (", …" if len(shown) > 8 else "") if shown else "none"


def _aggregate(df: DataFrame, values: Column, options: dict[str, str]) -> DataFrame:
    from pyspark.errors import AnalysisException

    F = _functions(df)
    limits = [F.create_map(*(F.lit(text) for pair in options.items() for text in pair))] if options else []
    try:
        shapes = df.select(F.call_function(FUNCTION, values, *limits))
        # Connect analyses a DataFrame only when its schema is read.
        shapes.schema  # noqa: B018
    except AnalysisException as e:
        if e.getCondition() != "UNRESOLVED_ROUTINE":
            raise
        raise NotAttached(
            f"This session does not know {FUNCTION}: call shredded_variant.attach(spark) before infer_shape."
        ) from None
    return shapes


def _options(limits: dict[str, Any]) -> dict[str, str]:
    """The limits by the names of their options; a wrong limit is an error before any job runs."""
    return {_camel(name): _text(name, value) for name, value in limits.items()}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _text(name: str, value: Any) -> str:
    if name not in Limits.__annotations__:
        near = difflib.get_close_matches(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(), Limits.__annotations__, 1)
        raise WrongArgument(
            f"infer_shape has no argument '{name}': "
            + (f"did you mean '{near[0]}'?" if near else f"there are {', '.join(Limits.__annotations__)}.")
        )
    if name == "policy":
        allowed, ok = " or ".join(f"'{p}'" for p in POLICIES), value in POLICIES
    elif name in ("min_field_frequency", "min_frequency"):
        allowed = "a number from 0 to 1"
        ok = isinstance(value, Real) and not isinstance(value, bool) and 0 <= float(value) <= 1
    elif name in MAXIMUMS:
        allowed = f"a whole number from 1 to {MAXIMUMS[name]}"
        ok = isinstance(value, Integral) and not isinstance(value, bool) and 1 <= int(value) <= MAXIMUMS[name]
    elif name == "keys":
        allowed = "a list of keys, each once, such as ['content-type', 'locale']"
        ok = isinstance(value, (list, tuple)) and all(isinstance(key, str) for key in value)
        if ok and value and len(set(value)) == len(value):
            return json.dumps(list(value))
        ok = False
    else:
        allowed = "a list of paths, such as ['$.user.id', '$.tags']"
        ok = isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(path, str) for path in value)
        if ok:
            return ", ".join(sorted(value))
    if not ok:
        raise WrongArgument(f"infer_shape was given {name}={value!r:.80}: use {allowed}.")
    return str(value)
