"""Starts Spark for a command, without Spark's warnings on the terminal."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shredded_variant.errors import SparkMissing
from shredded_variant.jobs.session import attach

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The command draws its own progress bar.
SETTINGS = {"spark.ui.showConsoleProgress": "false"}


@contextmanager
def started(name: str) -> Iterator[SparkSession]:
    """The session that SPARK_REMOTE or spark-defaults.conf configures, else a local one; stopped at the end."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise SparkMissing(
            f"`{name}` needs Spark, and pyspark is not installed: pip install 'pyspark>=4.3,<4.4'."
        ) from None
    builder: Any = SparkSession.builder.appName(f"shredded-variant {name}")
    for key, setting in SETTINGS.items():
        builder = builder.config(key, setting)
    with tempfile.TemporaryDirectory() as folder:
        with stderr_into(Path(folder) / "spark.log"):
            spark = attach(builder).getOrCreate()
        try:
            yield spark
        finally:
            spark.stop()


@contextmanager
def stderr_into(log: Path) -> Iterator[None]:
    """Writes stderr, which Spark's JVM inherits, to a file; prints that file if the body fails."""
    terminal = os.dup(2)
    with log.open("wb") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    except Exception:
        os.write(terminal, log.read_bytes())
        raise
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)
