"""`compact`, `reshred` and `unshred`: rewrite the rows of a table in files of another size, order or shape."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

from shredded_variant.errors import WrongArgument
from shredded_variant.jobs.clustering import keys
from shredded_variant.jobs.infer import infer_shape
from shredded_variant.jobs.progress import progress
from shredded_variant.names import quoted
from shredded_variant.render import counted, size
from shredded_variant.shapes.shape import Shape

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMAT = "shredded_variant"
TARGET_BYTES = 128 * 1024 * 1024
Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Rewritten:
    """The result of a rewrite or a dry run: `files` and `bytes` are those before it, `…_after` those after it."""

    operation: str
    path: str
    to: str | None
    dry_run: bool
    files: int
    bytes: int
    rewritten_files: int
    rewritten_bytes: int
    written_files: int
    files_after: int | None
    bytes_after: int | None

    def __repr__(self) -> str:
        where = f"{self.operation} {self.path}" + (f" to {self.to}" if self.to else "")
        if not self.rewritten_files:
            return f"{where}: nothing to do, it has {counted(self.files, 'file')} ({size(self.bytes)})"
        what = f"{self.rewritten_files:,} of {counted(self.files, 'file')} ({size(self.rewritten_bytes)})"
        if self.files_after is None or self.bytes_after is None:
            return f"{where}: would rewrite {what} as {counted(self.written_files, 'file')}"
        return f"{where}: rewrote {what}; the result has {counted(self.files_after, 'file')} ({size(self.bytes_after)})"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)


def compact(
    spark: SparkSession,
    path: Path,
    to: Path | None = None,
    target_bytes: int = TARGET_BYTES,
    cluster_by: Sequence[str] = (),
    *,
    options: Mapping[str, str] | None = None,
    dry_run: bool = False,
) -> Rewritten:
    """Rewrites small files as larger ones of up to `target_bytes` of input, partition by partition.

    `cluster_by` names columns, or paths such as `$.user.id`. With it all files are rewritten: rows are divided into
    ranges of these keys and sorted by them. A Delta table gets one commit that changes no data; of a directory, the
    result goes to the new path `to`. `options` are further options of the write.
    """
    if not isinstance(target_bytes, Integral) or isinstance(target_bytes, bool) or target_bytes < 1:
        raise WrongArgument(f"compact was given target_bytes={target_bytes!r:.80}: use a number of bytes from 1 on.")
    if isinstance(cluster_by, str):
        raise WrongArgument(f"compact was given cluster_by={cluster_by!r:.80}: use a list, such as ['$.user.id'].")
    work = _Work(spark, "compact", path, to, options, dry_run)
    if not cluster_by:
        return work.run(target_bytes, only_small=work.is_delta)
    by = keys(work.table(), cluster_by)
    return work.run(None, clustered=(target_bytes, by))


def reshred(
    spark: SparkSession,
    path: Path,
    shapes: Mapping[str, Shape | str],
    to: Path | None = None,
    *,
    options: Mapping[str, str] | None = None,
    dry_run: bool = False,
) -> Rewritten:
    """Rewrites the files with other shapes: `shapes` has a Shape, its DDL or `infer` for each column.

    A column is named as in `shredding.shape.<column>`. `infer` stands for the result of `infer_shape` over all rows.
    A column that is not named gets the shape that the table keeps for it.
    """
    if not isinstance(shapes, Mapping) or not shapes:
        raise WrongArgument(f"reshred was given shapes={shapes!r:.80}: use a dict, such as {{'v': 'a BIGINT'}}.")
    work = _Work(spark, "reshred", path, to, options, dry_run)
    for column, shape in shapes.items():
        if not isinstance(shape, (Shape, str)):
            raise WrongArgument(f"reshred was given {shape!r:.80} for '{column}': use a Shape, its DDL or 'infer'.")
        if isinstance(shape, str) and shape.strip().lower() == "infer":
            shape = "infer" if dry_run else _inferred(work.table(), column)
        work.options[f"shredding.shape.{column}"] = shape if isinstance(shape, str) else shape.ddl()
    return work.run(1)


def _inferred(df: Any, column: str) -> Shape:
    shape = infer_shape(df, column)
    if not isinstance(shape, Shape):
        raise WrongArgument(f"reshred gives variants a shape, and '{column}' is a map: name its hot keys in `options`.")
    return shape


def unshred(
    spark: SparkSession,
    path: Path,
    to: Path | None = None,
    *,
    options: Mapping[str, str] | None = None,
    dry_run: bool = False,
) -> Rewritten:
    """Rewrites the files with unshredded variants, which readers without support for shredding read."""
    work = _Work(spark, "unshred", path, to, options, dry_run)
    work.pins = {}
    work.options["shredding"] = "off"
    return work.run(1)


class _Work:
    """One rewrite of one table, through the reads and writes of the format that have the option `maintenance`."""

    def __init__(
        self, spark: Any, operation: str, path: Path, to: Path | None, options: Mapping[str, str] | None, dry_run: bool
    ) -> None:
        self.spark = spark
        self.operation = operation
        self.path = os.fspath(path)
        self.to = None if to is None else os.fspath(to)
        self.options = dict(options or {})
        self.dry_run = dry_run
        before = plan(spark, self.path)
        self.is_delta: bool = before["delta"]
        self.partition_columns: list[str] = before["partition_columns"]
        self.pins = {f"shredding.shape.{column}": shape for column, shape in before["shapes"].items()}
        self._check_target()

    def _check_target(self) -> None:
        if self.is_delta:
            if self.to is not None:
                raise WrongArgument(
                    f"{self.path} is a Delta table, which {self.operation} changes by a commit: leave `to` out."
                )
        elif self.to is None:
            raise WrongArgument(
                f"{self.path} is a directory of files, which {self.operation} leaves alone: "
                "give the new path for the result as `to`."
            )
        elif f"{self.to.rstrip('/')}/".startswith(f"{self.path.rstrip('/')}/") and self.to.rstrip(
            "/"
        ) != self.path.rstrip("/"):
            raise WrongArgument(
                f"{self.to} lies inside {self.path}, and reads would find each row twice: give another path as `to`."
            )
        elif _exists(self.spark, self.to):
            raise WrongArgument(f"{self.to} exists already: give {self.operation} a new path as `to`.")

    def table(self) -> DataFrame:
        df: DataFrame = self._reader().load(self.path)
        return df

    def run(
        self,
        target_bytes: int | None,
        only_small: bool = False,
        clustered: tuple[int, list[Any]] | None = None,
    ) -> Rewritten:
        """Rewrites files into files of `target_bytes`, or all rows into ranges: `clustered` has their size and keys."""
        options = {"maintenance.onlySmall": str(only_small).lower()}
        if target_bytes is not None:
            options["maintenance.targetBytes"] = str(target_bytes)
        planned = plan(self.spark, self.path, options if target_bytes is not None else {"maintenance.targetBytes": "1"})
        written = planned["written_files"]
        if clustered is not None:
            written = max(1, -(-planned["rewritten_bytes"] // clustered[0]))
        after = None if self.dry_run else planned
        if planned["rewritten_files"] and not self.dry_run:
            with progress(self.spark, self.operation):
                self._write(self._rows(options, clustered[1] if clustered else [], written))
            after = plan(self.spark, self.to or self.path)
        return Rewritten(
            self.operation, self.path, self.to, self.dry_run, planned["files"], planned["bytes"],
            planned["rewritten_files"], planned["rewritten_bytes"], written,
            after["files"] if after else None, after["bytes"] if after else None,
        )  # fmt: skip

    def _reader(self) -> Any:
        # Files of a directory may have different columns, and the result has all of them.
        reader = self.spark.read.format(FORMAT)
        return reader if self.is_delta else reader.option("mergeSchema", "true")

    def _rows(self, options: Mapping[str, str], by: Iterable[Any], files: int) -> DataFrame:
        reader = self._reader().option("maintenance", "rows").options(**options)
        df: DataFrame = reader.load(self.path)
        if not self.is_delta and self.partition_columns:
            # As strings, partition values keep the spelling of the directories: 01 does not become 1.
            from pyspark.sql.types import StringType, StructField, StructType

            texts = set(self.partition_columns)
            fields = [StructField(f.name, StringType()) if f.name in texts else f for f in df.schema.fields]
            df = reader.schema(StructType(fields)).load(self.path)
        order = [*(quoted(name) for name in self.partition_columns), *by]
        return df.repartitionByRange(files, *order).sortWithinPartitions(*order) if by else df

    def _write(self, df: DataFrame) -> None:
        writer = df.write.format(FORMAT).options(**(self.pins | self.options))
        if self.is_delta:
            name = "OPTIMIZE" if self.operation == "compact" else "REORG"
            writer = writer.mode("overwrite").options(**{"maintenance": "replace", "maintenance.operation": name})
            writer.save(self.path)
        else:
            writer.mode("error").partitionBy(*map(quoted, self.partition_columns)).save(self.to)


def plan(spark: Any, path: str, options: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The properties of the table, and what a rewrite with these options would do, as the format computes them."""
    reader = spark.read.format(FORMAT).option("maintenance", "plan").options(**(options or {}))
    (row,) = reader.load(path).collect()
    result: dict[str, Any] = json.loads(row[0])
    return result


def _exists(spark: Any, path: str) -> bool:
    from pyspark.errors import AnalysisException

    try:
        plan(spark, path)
    except AnalysisException as e:
        if e.getCondition() == "PATH_NOT_FOUND":
            return False
        raise
    return True
