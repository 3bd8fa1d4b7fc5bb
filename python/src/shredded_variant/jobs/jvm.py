"""Adds the jar to a running JVM: to a class loader of the driver, and to the SparkContext for the executors."""

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


# Settings that select Spark Connect. The JVM of a local Connect server starts without them.
CONNECT_ONLY = ("spark.remote", "spark.api.mode")


def start(options: dict[str, Any]) -> None:
    """Starts this process's JVM with the options of the builder, unless it runs, and adds the jar to the driver.

    So the driver has the jar before the session starts. The setting `spark.jars` is not used for it, because it
    would replace the value that the user sets in configuration files or in PYSPARK_SUBMIT_ARGS.
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
    """Adds the jar to the driver and to the executors of this session, unless they have it."""
    if not _extend_driver(session._jvm):
        session.sql(f"ADD JAR '{_plain_jar()}'")
        return
    context = session.sparkContext._jsc
    jars = context.sc().listJars()
    if _is_our_jar(session._jvm) and not any(
        jars.apply(i).endswith(f"/{_plain_jar().name}") for i in range(jars.size())
    ):
        context.addJar(str(_plain_jar()))


def _extend_driver(jvm: Any) -> bool:
    """Adds the jar to the driver; False if no class loader that all threads share accepts it.

    Spark runs its driver under a loader that accepts more jars, and every thread of Python inherits it. Only the
    thread that runs `ADD JAR` has the loader of that statement.
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


def _is_our_jar(jvm: Any) -> bool:
    """Whether the driver has the format from the jar of this package, not from one that the session had before."""
    url = _context_loader(jvm).getResource(PROVIDER).toString()
    return bool(url.startswith(f"jar:{jvm.java.io.File(str(_plain_jar())).toURI().toURL().toString()}!"))


def _context_loader(jvm: Any) -> Any:
    return jvm.java.lang.Thread.currentThread().getContextClassLoader()


@lru_cache(maxsize=1)
def _plain_jar() -> Path:
    """A path of the jar without characters that Spark's lists, globs or URIs interpret; a copy if necessary."""
    jar = jar_path()
    if re.fullmatch(r"[A-Za-z0-9_./+=@~-]+", jar.as_posix()):
        return jar
    folder = tempfile.mkdtemp(prefix="shredded-variant-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(shutil.copy(jar, folder))
