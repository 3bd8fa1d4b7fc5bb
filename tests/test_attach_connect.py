"""attach over Spark Connect: to a server that has the jar or not, and to one that pyspark starts for a builder."""

import socket
import subprocess
import sys

import pytest
from conftest import QUERIED, ROUNDTRIP, clean_environment, python, script

import shredded_variant


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of a Connect server without our jar, whose executors have JVMs of their own."""
    folder = tmp_path_factory.mktemp("server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = script(
        folder,
        """
        builder = calm(master="local-cluster[1,1,1024]").config("spark.executor.memory", "1g")
        builder = builder.config("spark.plugins", "org.apache.spark.sql.connect.SparkConnectPlugin")
        builder = builder.config("spark.sql.artifact.isolation.enabled", "true")
        builder = builder.config("spark.sql.artifact.isolation.alwaysApplyClassloader", "true")
        spark = builder.config("spark.connect.grpc.binding.port", sys.argv[1]).getOrCreate()
        print("ready", flush=True)
        sys.stdin.read()
        spark.stop()
        """,
    )
    log = (folder / "server.log").open("w+")
    process = subprocess.Popen(
        [sys.executable, str(program), str(port)],
        cwd=folder, env=clean_environment(), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
    )  # fmt: skip
    if process.stdout.readline() != "ready\n":
        log.seek(0)
        pytest.fail(f"the Connect server did not start:\n{log.read()[-4000:]}")
    yield f"sc://127.0.0.1:{port}"
    process.communicate()


def test_the_jar_travels_to_the_server_with_the_session(server, tmp_path):
    seen = python(
        tmp_path,
        """
        import shredded_variant
        path = os.path.abspath("t")
        attached = shredded_variant.attach(SparkSession.builder.remote(sys.argv[1]))
        spark = attached.getOrCreate()
        seen = {"kind": type(spark).__module__, "builder": roundtrip(spark, path)}
        other = spark.newSession()
        seen["before"] = roundtrip(other, path)[1]
        seen["same"] = shredded_variant.attach(shredded_variant.attach(other)) is other
        seen["running"] = roundtrip(other, path)
        from pyspark.sql.connect.session import SparkSession as Remote
        created = shredded_variant.attach(Remote.builder.remote(sys.argv[1])).create()
        seen["created"] = roundtrip(created, path)
        seen["queried"] = [queried(session, os.path.abspath("q")) for session in (spark, created)]
        vars(other)["version"] = "4.1.0"
        try:
            shredded_variant.attach(other)
        except shredded_variant.ShreddedVariantError as e:
            seen["version"] = str(e)
        # A second session that nobody stops would keep the process from ending.
        created.stop()
        other.stop()
        try:
            shredded_variant.attach(other)
        except shredded_variant.ShreddedVariantError as e:
            seen["stopped"] = str(e)
        print(json.dumps(seen))
        """,
        server,
    )
    assert seen["kind"] == "pyspark.sql.connect.session"
    assert "DATA_SOURCE_NOT_FOUND" in seen["before"]
    assert seen["builder"] == seen["running"] == seen["created"] == ROUNDTRIP
    assert seen["queried"] == [QUERIED, QUERIED]
    assert seen["same"]
    assert seen["version"].startswith("shredded_variant is made for Spark 4.3, and the Connect server of this session")
    assert seen["stopped"].startswith("This Spark session has been stopped")


def test_the_sql_function_is_there_as_soon_as_a_session_is_attached(server, tmp_path):
    seen = python(
        tmp_path,
        """
        import shredded_variant
        spark = shredded_variant.attach(SparkSession.builder.remote(sys.argv[1])).getOrCreate()
        query = "SELECT shredding_shape(parse_json(j)) FROM VALUES ('[1]'), ('[2.5]') AS t(j)"
        print(json.dumps(spark.sql(query).collect()[0][0]))
        """,
        server,
    )
    assert seen == "ARRAY<DECIMAL(2,1)>"


def test_a_server_that_pyspark_starts_for_a_builder_has_the_jar(tmp_path):
    seen = python(
        tmp_path,
        """
        import shredded_variant
        spark = shredded_variant.attach(calm(SparkSession.builder.remote("local[2]"))).getOrCreate()
        rows, seen = roundtrip(spark, os.path.abspath("t")), queried(spark, os.path.abspath("q"))
        print(json.dumps([type(spark).__module__, rows, seen]))
        """,
        SPARK_TESTING="",
    )
    assert seen == ["pyspark.sql.connect.session", ROUNDTRIP, QUERIED]


def test_a_server_that_has_the_jar_is_left_alone(tmp_path):
    seen = python(
        tmp_path,
        """
        import shredded_variant
        builder = calm(SparkSession.builder.remote("local[2]")).config("spark.jars", sys.argv[1])
        spark = builder.getOrCreate()
        sent = []
        spark._client.add_artifacts = lambda *paths, **kinds: sent.append(paths)
        shredded_variant.attach(spark)
        print(json.dumps([sent, roundtrip(spark, os.path.abspath("t"))]))
        """,
        shredded_variant.jar_path(),
    )
    assert seen == [[], ROUNDTRIP]
