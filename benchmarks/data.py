"""Writes each table in each layout. Files in target/bench are used again if they have the same definition."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from benchmarks.leaves import Table
from benchmarks.tables import BLUESKY, CLUSTERED, EVENTS, NARROW, WIDE

ROOT = Path(__file__).resolve().parent.parent / "target" / "bench"
CODEC = "zstd"
# Tables that Spark shreds along an explicit shape: its inference leaves out fields that few rows of its sample have.
SHAPE_GIVEN = (WIDE, NARROW)
# Settings of a write that make one split of each file, so that the order of rows and the number of files stay.
WHOLE_FILES = {"spark.sql.files.maxPartitionBytes": str(1 << 40), "spark.sql.files.minPartitionNum": "1"}


def rows_of_tables(events: int, jsonbench: int | None = None) -> dict[str, int]:
    """The rows of each table: those of the events, and a third of them, or `jsonbench`, for the others."""
    third = max(events // 3, 1)
    bluesky = jsonbench or third
    return {EVENTS.name: events, WIDE.name: third, NARROW.name: third, BLUESKY.name: bluesky, CLUSTERED.name: bluesky}


class Data:
    """The files of every table and layout for one session."""

    def __init__(self, spark: SparkSession, rows: dict[str, int], say: Callable[[str], None]) -> None:
        self.spark = spark
        self.rows = rows
        self.say = say

    def path(self, table: Table, layout: str, copies: int = 1) -> Path:
        """A directory with hard links to the table's files, `copies` times each."""
        files = self._files(table, layout)
        links = self._home(table, layout) / f"x{copies}"
        shutil.rmtree(links, ignore_errors=True)
        links.mkdir()
        for copy in range(copies):
            for i, file in enumerate(files):
                os.link(file, links / f"part-{copy:03}-{i:03}.parquet")
        return links

    def remove(self, table: Table, layout: str) -> None:
        shutil.rmtree(self._home(table, layout), ignore_errors=True)

    def _home(self, table: Table, layout: str) -> Path:
        return ROOT / f"{table.name}-{self.rows[table.name]}" / layout

    def _files(self, table: Table, layout: str) -> list[Path]:
        home = self._home(table, layout)
        written, recipe = home / "written", home / "recipe"
        definition = hashlib.sha256(repr((table, layout, CODEC)).encode()).hexdigest()
        if not recipe.is_file() or recipe.read_text() != definition:
            self.say(f"writing {table.name}, {self.rows[table.name]:,} rows, as {layout}")
            shutil.rmtree(home, ignore_errors=True)
            self._write(table, layout, str(written))
            recipe.write_text(definition)
        files = sorted(written.glob("*.parquet"))
        if len(files) != table.files:
            raise SystemExit(f"{table.name} as {layout} has {len(files)} files instead of {table.files}.")
        return files

    def _write(self, table: Table, layout: str, to: str) -> None:
        rows = self.rows[table.name]
        if layout in ("flat", "struct", "unshredded"):
            sql = {"flat": table.flat, "struct": table.struct, "unshredded": table.variant}[layout](rows)
            sorting = {"spark.sql.shuffle.partitions": str(table.files), "spark.sql.adaptive.enabled": "false"}
            with Settings(self.spark, {"spark.sql.variant.writeShredding.enabled": "false"} | sorting):
                self.spark.sql(sql).write.option("compression", CODEC).parquet(to)
            return
        with Settings(self.spark, WHOLE_FILES | spark_shredding(table)):
            variants = self._variants(table).write.option("compression", CODEC)
            if layout == "spark":
                variants.parquet(to)
            else:
                kind = "draft" if layout == "draft" else "parquet"
                variants = variants.option("shredding.shape.v", table.shape()).option("layout", kind)
                variants.format("shredded_variant").save(to)

    def _variants(self, table: Table) -> DataFrame:
        """The unshredded table as a union of its files, in their order: the same rows without parsing JSON again."""
        files = [self.spark.read.parquet(str(file)) for file in self._files(table, "unshredded")]
        return reduce(DataFrame.union, files)


def bytes_of(path: Path) -> int:
    """The size of all Parquet files in a directory."""
    return sum(file.stat().st_size for file in path.glob("*.parquet"))


def spark_shredding(table: Table) -> dict[str, str]:
    return {
        "spark.sql.variant.writeShredding.enabled": "true",
        "spark.sql.variant.inferShreddingSchema": str(table not in SHAPE_GIVEN).lower(),
        "spark.sql.variant.forceShreddingSchemaForTest": table.shape() if table in SHAPE_GIVEN else "",
    }


class Settings:
    """Sets settings of the session for the time of a block."""

    def __init__(self, spark: SparkSession, settings: dict[str, str]) -> None:
        self.spark = spark
        self.settings = settings
        self.before: dict[str, str | None] = {}

    def __enter__(self) -> None:
        for key, value in self.settings.items():
            self.before[key] = self.spark.conf.get(key, None)
            self.spark.conf.set(key, value)

    def __exit__(self, *_: object) -> None:
        for key, value in self.before.items():
            if value is None:
                self.spark.conf.unset(key)
            else:
                self.spark.conf.set(key, value)
