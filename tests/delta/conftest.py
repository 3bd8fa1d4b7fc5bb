"""An S3 server, and drivers that use it."""

import pytest

from programs import CALM
from s3_driver import Driver
from s3_server import S3


@pytest.fixture(scope="module")
def store():
    server = S3()
    yield server
    server.close()


@pytest.fixture(scope="module")
def drivers(store, tmp_path_factory):
    """Two drivers, each with a JVM of its own."""
    # Buckets are configured one by one: conditional writes are off for this bucket.
    settings = CALM | store.settings() | {"spark.hadoop.fs.s3a.bucket.off.create.conditional.enabled": "false"}
    both = [Driver(tmp_path_factory.mktemp("driver"), settings) for _ in range(2)]
    yield both
    for driver in both:
        driver.program.stdin.close()
        driver.program.wait(60)


@pytest.fixture
def driver(drivers):
    return drivers[0]


@pytest.fixture
def usual(store):
    """The store as it is without settings of a test."""
    store.usual()
