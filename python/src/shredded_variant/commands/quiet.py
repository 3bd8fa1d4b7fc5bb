"""Starts Spark for a command at a terminal, without its warnings there."""

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

# The console is the command's own; whoever wants Spark's UI asks for it in spark-defaults.conf.
SETTINGS = {"spark.ui.showConsoleProgress": "false"}


@contextmanager
def started(name: str) -> Iterator[SparkSession]:
    """The session that the environment says (SPARK_REMOTE, spark-defaults.conf), else one on this machine."""
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
    """Keeps the warnings of Spark's JVM, which inherits stderr, off the terminal; shows them if it does not start."""
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
