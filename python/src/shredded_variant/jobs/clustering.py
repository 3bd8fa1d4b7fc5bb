"""The keys by which `compact` clusters a table: columns, and paths of variants cast to types that have an order."""

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

# The type of a path is inferred from so many rows.
SAMPLE = 10_000
# The types that Spark can order. A path of another type, or without a type, is ordered as a string.
ORDERED = re.compile(r"BOOLEAN|BIGINT|DOUBLE|FLOAT|INT|SMALLINT|TINYINT|DATE|TIMESTAMP|TIMESTAMP_NTZ|DECIMAL\(.*\)")


def keys(df: DataFrame, cluster_by: Sequence[str]) -> list[Column]:
    """The columns to order by: `city` is a column, `$.user.id` a path of the only variant, `v:user.id` one of `v`.

    They refer to columns by name, so they apply to every DataFrame that reads the table.
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
            f"compact cannot cluster by '{key}', which is {kind.upper()} and has no order: "
            "use a path, such as '$.user.id'."
        )
    values: Column = _functions(df).col(key)
    return values


def _path(df: DataFrame, key: str) -> Column:
    column, rest = ("", key) if key.startswith("$") else _split_at_colon(key)
    if not column:
        variants = [f.name for f in df.schema.fields if f.dataType.typeName() == "variant"]
        if len(variants) != 1:
            raise WrongArgument(
                f"compact needs the variant of the path '{key}', and the variants are {_list(variants)}: "
                "name it, such as 'v:user.id'."
            )
        column = names.quoted(variants[0])
    steps = names.steps(rest if rest.startswith("$") else f"$.{rest}")
    if not steps or None in steps:
        raise WrongArgument(
            f"compact cannot cluster by '{key}', which is no path to one value: "
            "use a path such as '$.user.id' or \"$['a.b']\"."
        )
    path = names.path(steps)
    column_type = df.select(column).schema[0].dataType
    if column_type.typeName() != "variant":
        raise WrongArgument(
            f"compact cannot cluster by '{key}', because {column} is a {column_type.simpleString()} and no variant: "
            "use a path of a variant."
        )
    shape = infer_shape(df.limit(SAMPLE), column, include=[path])
    inferred = shape.paths().get(path, "STRING") if isinstance(shape, Shape) else "STRING"
    path_type = inferred if ORDERED.fullmatch(inferred) else "STRING"
    functions = _functions(df)
    values: Column = functions.try_variant_get(functions.col(column), path, path_type)
    return values


def _split_at_colon(key: str) -> tuple[str, str]:
    """The parts before and after the first colon outside of backticks."""
    quoted = re.match("((?:`[^`]*`|[^`:])*):(.*)", key, re.DOTALL)
    return (quoted.group(1), quoted.group(2)) if quoted else (key, "")


def _functions(df: DataFrame) -> Any:
    from importlib import import_module

    return import_module("pyspark.sql.connect.functions" if is_connect(df.sparkSession) else "pyspark.sql.functions")


def _list(columns: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in columns[:8]) + (", …" if len(columns) > 8 else "") if columns else "none"
