"""What a table is clustered by: columns, and paths of variants as values that have an order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shredded_variant import names
from shredded_variant.errors import WrongArgument
from shredded_variant.jobs.infer import infer_shape
from shredded_variant.jobs.progress import is_connect
from shredded_variant.shapes.shape import Shape

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Rows that tell the type of a path.
SAMPLE = 10_000
# What Spark orders; a path of another type, or of none, is ordered as text.
ORDERED = re.compile(r"BOOLEAN|BIGINT|DOUBLE|FLOAT|INT|SMALLINT|TINYINT|DATE|TIMESTAMP|TIMESTAMP_NTZ|DECIMAL\(.*\)")


def keys(df: DataFrame, cluster_by: Sequence[str]) -> list[Column]:
    """`city` is a column; `$.user.id` a path of the only variant, `v:user.id` one of the variant `v`.

    By name alone: they hold for any read of the table.
    """
    return [_path(df, key) if _is_path(key) else _column(df, key) for key in map(_text, cluster_by)]


def _text(key: Any) -> str:
    if not isinstance(key, str):
        raise WrongArgument(
            f"compact was given {key!r:.80} in cluster_by: use a column or a path, such as '$.user.id'."
        )
    return key


def _is_path(key: str) -> bool:
    return key.startswith("$") or ":" in re.sub("`[^`]*`", "", key)


def _column(df: DataFrame, key: str) -> Column:
    from pyspark.errors import AnalysisException

    try:
        (field,) = df.select(df[key]).schema.fields
    except AnalysisException:
        raise WrongArgument(
            f"compact cannot cluster by '{key}', which the table does not have: the columns are {_list(df.columns)}."
        ) from None
    kind = field.dataType.typeName()
    if kind in ("variant", "map"):
        raise WrongArgument(
            f"compact cannot cluster by '{key}', which is {kind.upper()} and has no order: name a path, as '$.user.id'."
        )
    values: Column = _functions(df).col(key)
    return values


def _path(df: DataFrame, key: str) -> Column:
    column, rest = ("", key) if key.startswith("$") else _divided(key)
    if not column:
        variants = [f.name for f in df.schema.fields if f.dataType.typeName() == "variant"]
        if len(variants) != 1:
            raise WrongArgument(
                f"compact cannot tell whose path '{key}' is, the variants are {_list(variants)}: write 'v:user.id'."
            )
        column = names.quoted(variants[0])
    steps = names.steps(rest if rest.startswith("$") else f"$.{rest}")
    if not steps or None in steps:
        raise WrongArgument(
            f"compact cannot cluster by '{key}', which is no path to one value: write '$.user.id' or \"$['a.b']\"."
        )
    path = names.path(steps)
    held = df.select(column).schema[0].dataType
    if held.typeName() != "variant":
        raise WrongArgument(f"compact cannot cluster by '{key}': {column} is a {held.simpleString()} and no variant.")
    shape = infer_shape(df.limit(SAMPLE), column, include=[path])
    found = shape.paths().get(path, "STRING") if isinstance(shape, Shape) else "STRING"
    kind = found if ORDERED.fullmatch(found) else "STRING"
    functions = _functions(df)
    values: Column = functions.try_variant_get(functions.col(column), path, kind)
    return values


def _divided(key: str) -> tuple[str, str]:
    """At the first colon that is in no backticks."""
    quoted = re.match("((?:`[^`]*`|[^`:])*):(.*)", key, re.DOTALL)
    return (quoted.group(1), quoted.group(2)) if quoted else (key, "")


def _functions(df: DataFrame) -> Any:
    from importlib import import_module

    return import_module("pyspark.sql.connect.functions" if is_connect(df.sparkSession) else "pyspark.sql.functions")


def _list(columns: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in columns[:8]) + (", …" if len(columns) > 8 else "") if columns else "none"
