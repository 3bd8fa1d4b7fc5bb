"""The two engines of the queries: a Spark session with the data source, and DuckDB over the same files."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyspark
from pyspark.sql import SparkSession

from benchmarks.data import ROOT

SOURCES = [Path(__file__).resolve().parent / "jvm" / f"{name}.java" for name in ("CountingFileSystem", "CpuTime")]
CLASSES = ROOT / "classes"
CORES = 2
PEOPLE = 40_000


def start_spark(memory: str, jar: str | None) -> SparkSession:
    """A session with the jar of the installed package, or with another jar."""
    settings = {
        "spark.driver.memory": memory,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraClassPath": str(CLASSES),
        "spark.hadoop.fs.counted.impl": "shreddedvariant.bench.CountingFileSystem",
        "spark.log.level": "OFF",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(CORES),
        # Enough splits to divide the work between both cores, for files of every size.
        "spark.sql.files.minPartitionNum": "8",
        "spark.sql.warehouse.dir": str(ROOT / "warehouse"),
    }
    builder = SparkSession.Builder().master(f"local[{CORES}]").appName("bench")
    for key, value in settings.items():
        builder = builder.config(key, value)
    if jar:
        spark = builder.config("spark.jars", jar).getOrCreate()
    else:
        import shredded_variant

        spark = shredded_variant.attach(builder).getOrCreate()
    spark.sql(f"SELECT id, id % 7 AS team FROM range({PEOPLE})").createOrReplaceTempView("people")
    return spark


def compile_helpers() -> bool:
    """Compiles the benchmarks' Java classes against Spark's jars; False where there is no Java compiler."""
    javac = shutil.which("javac")
    jars = Path(pyspark.__file__).parent / "jars" / "*"
    if javac is None:
        return False
    CLASSES.mkdir(parents=True, exist_ok=True)
    subprocess.run([javac, "-nowarn", "-cp", str(jars), "-d", str(CLASSES), *map(str, SOURCES)], check=True)
    return True


def create_view_in_spark(spark: SparkSession, layout: str, path: str, view: str) -> None:
    format_ = "shredded_variant" if layout in ("ours", "eager", "draft") else "parquet"
    options = {"lateMaterialization": "false"} if layout == "eager" else {}
    spark.read.format(format_).options(**options).load(path).createOrReplaceTempView(view)


def run_in_spark(spark: SparkSession, sql: str, to_sink: bool) -> Sequence[Sequence[Any]]:
    frame = spark.sql(sql)
    if to_sink:
        frame.write.format("noop").mode("overwrite").save()
        return []
    return frame.collect()


def start_duckdb() -> duckdb.DuckDBPyConnection:
    """DuckDB, with macros for the functions of Spark that it lacks."""
    connection = duckdb.connect()
    connection.execute(f"SET threads = {CORES}")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("CREATE MACRO timestamp_micros(x) AS make_timestamp(x)")
    connection.execute("CREATE MACRO unix_millis(x) AS epoch_us(x) // 1000")
    connection.execute(f"CREATE VIEW people AS SELECT range AS id, range % 7 AS team FROM range({PEOPLE})")
    return connection


def create_view_in_duckdb(connection: duckdb.DuckDBPyConnection, path: str, view: str) -> None:
    connection.execute(f"CREATE OR REPLACE VIEW {view} AS SELECT * FROM read_parquet('{path}/*.parquet')")
