"""Brings the jar into a JVM that runs: to its class loader for the driver, to its context for the executors."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from shredded_variant.package import jar_path

PROVIDER = "shreddedvariant/source/ShreddedVariantSource.class"


# What makes a session of Spark Connect; the JVM below it is a plain one.
CONNECT_ONLY = ("spark.remote", "spark.api.mode")


def start(options: dict[str, Any]) -> None:
    """Starts this process's JVM as the builder would, unless it runs, and gives it the jar.

    The jar is there before the session is, and `spark.jars` keeps what the user has in it, in the
    configuration files or in PYSPARK_SUBMIT_ARGS: Spark lets the last one win.
    """
    from pyspark.conf import SparkConf
    from pyspark.core.context import SparkContext

    conf = SparkConf()
    for key, value in options.items():
        if key not in CONNECT_ONLY:
            conf.set(key, value)
    remote = os.environ.pop("SPARK_REMOTE", None)
    try:
        SparkContext._ensure_initialized(conf=conf)
    finally:
        if remote is not None:
            os.environ["SPARK_REMOTE"] = remote
    _extend_driver(SparkContext._jvm)


def add(session: Any) -> None:
    """Gives the jar to the driver and to the executors of this session, unless they have it."""
    if not _extend_driver(session._jvm):
        session.sql(f"ADD JAR '{_plain_jar()}'")
        return
    context = session.sparkContext._jsc
    jars = context.sc().listJars()
    if _ours(session._jvm) and not any(jars.apply(i).endswith(f"/{_plain_jar().name}") for i in range(jars.size())):
        context.addJar(str(_plain_jar()))


def _extend_driver(jvm: Any) -> bool:
    """Whether the driver has the jar now; False where no class loader takes it that all threads share.

    Spark runs its driver under a loader that takes more jars, and every thread of Python inherits it, in
    contrast to the loader of `ADD JAR`, which only the thread that ran it sees.
    """
    loader = _context_loader(jvm)
    if loader.getResource(PROVIDER) is not None:
        return True
    mutable = jvm.java.lang.Class.forName("org.apache.spark.util.MutableURLClassLoader")
    shared = None
    while loader is not None:
        shared = loader if mutable.isInstance(loader) else shared
        loader = loader.getParent()
    if shared is None:
        return False
    shared.addURL(jvm.java.io.File(str(_plain_jar())).toURI().toURL())
    return True


def _ours(jvm: Any) -> bool:
    """Whether the driver took the format from our jar, and not from one that the session brought."""
    url = _context_loader(jvm).getResource(PROVIDER).toString()
    return bool(url.startswith(f"jar:{jvm.java.io.File(str(_plain_jar())).toURI().toURL().toString()}!"))


def _context_loader(jvm: Any) -> Any:
    return jvm.java.lang.Thread.currentThread().getContextClassLoader()


@lru_cache(maxsize=1)
def _plain_jar() -> Path:
    """The jar under a path that Spark's lists, globs and URIs leave alone: a copy, where the own one is odd."""
    jar = jar_path()
    if re.fullmatch(r"[A-Za-z0-9_./+=@~-]+", jar.as_posix()):
        return jar
    folder = tempfile.mkdtemp(prefix="shredded-variant-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(shutil.copy(jar, folder))
