"""`attach`: adds the jar to a running Spark session, classic or Connect, or to each session that a builder creates."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from shredded_variant.errors import NotASession, SparkMissing, UnsupportedSpark
from shredded_variant.jobs import jvm
from shredded_variant.package import jar_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")
SPARK = "4.3"


def attach(builder_or_session: T) -> T:
    """Makes the format `shredded_variant` available in this session, or in the sessions that this builder creates.

    Takes a `SparkSession`, classic or Connect, or a `SparkSession.builder`, and returns it. The session keeps its
    other jars and settings, and a second call changes nothing. If the session has the format already
    (`spark-submit --jars` or `--packages`), it keeps that jar.
    """
    kind = _kind(builder_or_session)
    if kind == "builder":
        _attach_builder(builder_or_session)
    elif kind == "connect":
        _attach_connect(builder_or_session)
    else:
        _attach_classic(builder_or_session)
    return builder_or_session


def _kind(argument: object) -> str:
    try:
        from pyspark.sql import SparkSession
    except ImportError as e:
        raise SparkMissing(
            f"attach needs Spark, and pyspark cannot be imported ({e}): pip install 'pyspark>={SPARK},<4.4'."
        ) from None

    if isinstance(argument, SparkSession):
        return "classic"
    # Classes of Spark Connect are compared by name, because their import needs grpc, which may be missing.
    names = {f"{c.__module__}.{c.__qualname__}" for c in type(argument).__mro__}
    if "pyspark.sql.connect.session.SparkSession" in names:
        return "connect"
    if isinstance(argument, SparkSession.Builder) or "pyspark.sql.connect.session.SparkSession.Builder" in names:
        return "builder"

    name = argument.__name__ if isinstance(argument, type) else type(argument).__name__
    nearest = {
        "SparkSession": "SparkSession.builder",
        "Builder": "SparkSession.builder",
        "SparkContext": "SparkSession(sc)",
        "DataFrame": "df.sparkSession",
        "SparkConf": "SparkSession.builder.config(conf=conf)",
    }.get(name, "SparkSession.builder, or the session that it made")
    what = f"the class {name}" if isinstance(argument, type) else f"a {name}"
    raise NotASession(f"attach takes a Spark session or its builder and was given {what}: pass {nearest}.")


def _attach_builder(builder: Any) -> None:
    import pyspark

    _require_version(pyspark.__version__, "the installed pyspark")
    jar_path()
    for name in ("getOrCreate", "create"):
        if not isinstance(vars(builder).get(name), _Attached):
            setattr(builder, name, _Attached(builder, getattr(builder, name)))


class _Attached:
    """`getOrCreate` or `create` of a builder: adds the jar to the JVM before the call and to the session after it."""

    def __init__(self, builder: Any, make: Callable[[], SparkSession]) -> None:
        self.builder = builder
        self.make = make

    def __call__(self) -> SparkSession:
        options: dict[str, Any] = getattr(self.builder, "_options", {})
        if self._runs_in_this_process(options):
            jvm.start(options)
        return attach(self.make())

    def _runs_in_this_process(self, options: dict[str, Any]) -> bool:
        """Whether the driver is the JVM of this process, which then gets the jar before the session starts."""
        if type(self.builder).__module__.startswith("pyspark.sql.connect"):
            return False
        from pyspark.util import is_remote_only

        remote = str(options.get("spark.remote", os.environ.get("SPARK_REMOTE", "local")))
        # Whether a local Connect server outlives this process, so that later processes connect to it.
        reuse = str(options.get("spark.local.connect.reuse", os.environ.get("SPARK_LOCAL_CONNECT_REUSE", "")))
        return not is_remote_only() and remote.startswith("local") and reuse.lower() not in ("1", "true")


def _attach_classic(session: Any) -> None:
    context = session.sparkContext
    if context._jsc is None:
        raise NotASession("This Spark session has been stopped: make a new one and attach to that.")
    _require_version(session.version, "this session")
    jvm.add(session)
    _has_format(session)


def _attach_connect(session: Any) -> None:
    if session.is_stopped:
        raise NotASession("This Spark session has been stopped: make a new one and attach to that.")
    _require_version(session.version, "the Connect server of this session")
    if not _has_format(session):
        session.addArtifact(str(jar_path()))
        _has_format(session)


def _has_format(session: Any) -> bool:
    """Whether the session finds the format. The lookup also registers the rules and functions of the format."""
    from pyspark.errors import PySparkException

    try:
        session.read.format("shredded_variant").schema("v VARIANT").load().schema  # noqa: B018
    except PySparkException as e:
        return e.getCondition() != "DATA_SOURCE_NOT_FOUND"
    return True


def _require_version(version: str, where: str) -> None:
    if version.split(".")[:2] != SPARK.split("."):
        raise UnsupportedSpark(
            f"shredded_variant is made for Spark {SPARK}, and {where} is Spark {version}: "
            f"use Spark {SPARK} (pip install 'pyspark>={SPARK},<4.4')."
        )
