"""Fixtures of all tests: a Spark session for each process, and paths to write to."""

import os
import sys

import pytest

import shredded_variant
from path_queries import OTHER_SESSIONS, settings
from programs import CALM, ROOT
from quick_files import quick_files


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """The session of this process, through `attach` on a builder."""
    from pyspark.sql import SparkSession

    # Python functions run in the Python of the tests, not in the one of the PATH.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("tests")
    for key, value in (CALM | quick_files(tmp_path_factory.mktemp("classes"))).items():
        builder = builder.config(key, value)
    builder = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    session = shredded_variant.attach(builder).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(params=OTHER_SESSIONS)
def other_session(request, spark):
    """The session with other settings, which must not change what is read and skipped."""
    with settings(spark, OTHER_SESSIONS[request.param]):
        yield spark


@pytest.fixture
def table(tmp_path):
    """The path of a table that does not exist yet."""
    return str(tmp_path / "table")


@pytest.fixture(scope="session")
def conformance():
    """The folder of external cases; a test that needs it is skipped if the folder does not exist."""
    folder = ROOT.parent / "shared" / "conformance"
    if not folder.is_dir():
        pytest.skip("no ../shared/conformance beside this clone")
    return folder
