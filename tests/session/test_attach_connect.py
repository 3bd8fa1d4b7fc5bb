"""attach over Spark Connect: to a server with or without the jar, and to a server that pyspark starts for a builder."""

import contextlib
import json
import re
import socket
import subprocess
import sys

import pytest

import shredded_variant
from connect_round import ROUND, SEEN
from programs import QUERIED, ROUNDTRIP, clean_environment, finished, python, script

JAR = shredded_variant.jar_path().name


@contextlib.contextmanager
def connect_server(folder, **settings):
    """The address of a Connect server whose executors have JVMs of their own, and the log of its driver."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = settings | {"spark.connect.grpc.binding.port": port}
    program = script(
        folder,
        """
        builder = calm(master="local-cluster[1,1,1024]").config("spark.executor.memory", "1g")
        builder = builder.config("spark.plugins", "org.apache.spark.sql.connect.SparkConnectPlugin")
        builder = builder.config("spark.sql.artifact.isolation.enabled", "true")
        builder = builder.config("spark.sql.artifact.isolation.alwaysApplyClassloader", "true")
        for key, value in json.loads(sys.argv[1]).items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
        print("ready", flush=True)
        sys.stdin.read()
        spark.stop()
        """,
    )
    log = folder / "server.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, str(program), json.dumps(settings)],
            cwd=folder, env=clean_environment(), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
        )  # fmt: skip
        if process.stdout.readline() != "ready\n":
            pytest.fail(f"the Connect server did not start:\n{log.read_text()[-4000:]}")
        try:
            yield f"sc://127.0.0.1:{port}", log
        finally:
            process.communicate()


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    with connect_server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
def server(logged):
    """The address of a Connect server without our jar."""
    return logged[0]


def the_round(folder, remote, builder=False):
    """Runs ROUND and checks its results; returns the jars that the session sent, and its log."""
    code = f"""
builder = calm(SparkSession.builder.remote(sys.argv[1]))
spark = (sv.attach(builder) if {builder} else builder).getOrCreate()
sent, send = [], spark._client.add_artifacts
spark._client.add_artifacts = lambda *paths, **kinds: [sent.extend(paths), send(*paths, **kinds)]
sv.attach(spark)
print(json.dumps([run(spark, {", ".join(SEEN)}), [os.path.basename(jar) for jar in sent]]))
"""
    process = finished(sys.executable, script(folder, ROUND + code), remote, cwd=folder, SPARK_TESTING="")
    results, sent = json.loads(process.stdout.strip().split("\n")[-1])
    assert results == SEEN
    return sent, process.stderr


def check_log(log):
    """The log has one warning, for the write whose counts are cut, and no error of a missing class of this source."""
    assert len(re.findall(r"WARN CutColumns: .*PATHS_LEFT_OUT.*'v'", log)) == 1, log[-4000:]
    assert re.findall(r"ClassNotFound\w*: shreddedvariant\S*|Could not deserialize.*", log) == []


def test_a_session_that_sends_the_jar_writes_reads_streams_and_maintains_tables(logged, tmp_path):
    server, log = logged
    assert the_round(tmp_path, server)[0] == [JAR]
    check_log(log.read_text())


def test_a_session_on_the_server_that_pyspark_starts_sends_the_jar(tmp_path):
    sent, log = the_round(tmp_path, "local[1]")
    assert sent == [JAR]
    check_log(log)


def test_a_session_of_a_builder_on_the_server_that_pyspark_starts_does_all(tmp_path):
    sent, log = the_round(tmp_path, "local[1]", builder=True)
    assert sent == []
    check_log(log)


def test_attach_sends_no_jar_to_a_server_that_has_it(tmp_path):
    with connect_server(tmp_path, **{"spark.jars": str(shredded_variant.jar_path())}) as (server, _):
        (tmp_path / "client").mkdir()
        assert the_round(tmp_path / "client", server)[0] == []


def test_attach_sends_the_jar_to_the_server(server, tmp_path):
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


def test_an_attached_session_has_the_sql_function(server, tmp_path):
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
