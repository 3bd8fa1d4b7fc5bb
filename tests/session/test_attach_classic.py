"""attach on classic sessions: on a running session, and on a builder that creates or finds one."""

import shutil
import sys
import zipfile
from pathlib import Path

import pytest

import shredded_variant
from programs import QUERIED, ROUNDTRIP, python, run
from shredded_variant import errors


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """The results of a program that attaches to its running session."""
    return python(
        tmp_path_factory.mktemp("running"),
        """
        import shredded_variant
        spark = calm().getOrCreate()
        before = roundtrip(spark, "t0")
        seen = {"before": before[1], "same": shredded_variant.attach(spark) is spark, "here": roundtrip(spark, "t1")}
        def elsewhere():
            seen["thread"] = roundtrip(spark, "t2")
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        seen["new session"] = roundtrip(spark.newSession(), "t3")
        seen["queried"] = [queried(session, os.path.abspath("q")) for session in (spark, spark.newSession())]
        shredded_variant.attach(spark)
        shredded_variant.attach(spark.newSession())
        found = shredded_variant.attach(SparkSession.builder).getOrCreate()
        seen["found"] = found is spark
        seen["created"] = roundtrip(shredded_variant.attach(SparkSession.builder).create(), "t5")
        seen["jars"] = [os.path.basename(r[0]) for r in spark.sql("LIST JARS").collect()]
        seen["twice"] = roundtrip(spark, "t4")
        spark.stop()
        try:
            shredded_variant.attach(spark)
        except shredded_variant.ShreddedVariantError as e:
            seen["stopped"] = str(e)
        spark = shredded_variant.attach(calm()).getOrCreate()
        seen["next"] = roundtrip(spark, "t6")
        seen["queried at start"] = queried(spark, os.path.abspath("q"))
        print(json.dumps(seen))
        """,
    )


def test_a_running_session_has_the_format_after_attach_and_not_before(running):
    assert "DATA_SOURCE_NOT_FOUND" in running["before"]
    assert running["same"] and running["here"] == ROUNDTRIP


def test_every_thread_and_every_session_of_the_context_has_the_format(running):
    assert running["thread"] == running["new session"] == ROUNDTRIP


def test_a_session_that_attaches_later_reads_the_leaves_that_a_session_with_the_jar_at_its_start_reads(running):
    assert running["queried"] == [QUERIED, QUERIED]
    assert running["queried at start"] == QUERIED


def test_attaching_again_adds_no_second_jar(running):
    assert running["jars"] == [shredded_variant.jar_path().name]
    assert running["twice"] == ROUNDTRIP


def test_a_builder_that_finds_a_running_session_attaches_to_it(running):
    assert running["found"] and running["created"] == ROUNDTRIP


def test_a_stopped_session_is_refused_and_the_next_one_works(running):
    assert running["stopped"] == "This Spark session has been stopped: make a new one and attach to that."
    assert running["next"] == ROUNDTRIP


def test_an_attached_session_has_the_sql_function(tmp_path):
    seen = python(
        tmp_path,
        """
        import shredded_variant
        query = "SELECT shredding_shape(v) FROM (SELECT parse_json('[1]') AS v)"
        spark = calm().getOrCreate()
        try:
            spark.sql(query)
        except Exception as e:
            seen = [e.getCondition()]
        for session in (spark, spark.newSession(), spark):
            seen.append(shredded_variant.attach(session).sql(query).collect()[0][0])
        print(json.dumps(seen))
        """,
    )
    assert seen == ["UNRESOLVED_ROUTINE", "ARRAY<BIGINT>", "ARRAY<BIGINT>", "ARRAY<BIGINT>"]


@pytest.fixture(scope="module")
def other_jar(tmp_path_factory):
    """A second jar, for a session that has a jar already."""

    jar = tmp_path_factory.mktemp("other") / "other.jar"
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("other.txt", "other")
    return jar


@pytest.mark.parametrize("source", ["arguments", "defaults"])
def test_a_builder_keeps_the_jars_that_the_session_has(tmp_path, other_jar, source):
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf/spark-defaults.conf").write_text(f"spark.jars {other_jar}\n" if source == "defaults" else "")
    arguments = f"--jars {other_jar} " if source == "arguments" else ""
    seen = python(
        tmp_path,
        """
        import shredded_variant
        builder = calm()
        attached = shredded_variant.attach(shredded_variant.attach(builder))
        spark = attached.config("spark.app.name", "after attach").getOrCreate()
        loader = spark._jvm.Thread.currentThread().getContextClassLoader()
        print(json.dumps({
            "same": attached is builder,
            "name": spark.sparkContext.appName,
            "rows": roundtrip(spark, "t"),
            "jars": sorted(os.path.basename(r[0]) for r in spark.sql("LIST JARS").collect()),
            "other": loader.getResource("other.txt") is not None,
        }))
        """,
        SPARK_CONF_DIR=str(tmp_path / "conf"),
        PYSPARK_SUBMIT_ARGS=f"{arguments}pyspark-shell",
    )
    assert seen == {
        "same": True,
        "name": "after attach",
        "rows": ROUNDTRIP,
        "jars": ["other.jar", shredded_variant.jar_path().name],
        "other": True,
    }


def test_executors_in_jvms_of_their_own_have_the_jar(tmp_path, other_jar):
    """The package may be at a path with characters that Spark's lists, globs or URIs treat specially."""

    odd = tmp_path / "odd, ü [x] %41 'y' {z} #1"
    shutil.copytree(Path(shredded_variant.__file__).parent, odd / "shredded_variant")
    seen = python(
        tmp_path,
        """
        import shredded_variant
        assert "odd," in str(shredded_variant.jar_path())
        builder = calm(master="local-cluster[1,1,1024]").config("spark.executor.memory", "1g")
        spark = builder.config("spark.jars", sys.argv[1]).getOrCreate()
        before = spark.range(4, numPartitions=2).count()
        shredded_variant.attach(spark)
        jars = sorted(os.path.basename(r[0]) for r in spark.sql("LIST JARS").collect())
        print(json.dumps([before, roundtrip(spark, os.path.abspath("t")), jars]))
        """,
        other_jar,
        PYTHONPATH=str(odd),
    )
    assert seen == [4, ROUNDTRIP, ["other.jar", shredded_variant.jar_path().name]]


def test_other_versions_of_spark_are_refused(monkeypatch, spark):
    from pyspark.sql import SparkSession

    monkeypatch.setattr("pyspark.__version__", "4.2.1")
    with pytest.raises(errors.UnsupportedSpark) as refused:
        shredded_variant.attach(SparkSession.builder)
    assert str(refused.value) == (
        "shredded_variant is made for Spark 4.3, and the installed pyspark is Spark 4.2.1: "
        "use Spark 4.3 (pip install 'pyspark>=4.3,<4.4')."
    )
    monkeypatch.setitem(vars(spark), "version", "5.0.0")
    with pytest.raises(errors.UnsupportedSpark, match=r"this session is Spark 5\.0\.0"):
        shredded_variant.attach(spark)


def test_an_argument_that_is_not_a_session_is_refused_with_a_hint(spark):
    from pyspark.sql import SparkSession

    for given, sentence in [
        (spark.sparkContext, "was given a SparkContext: pass SparkSession(sc)"),
        (spark.range(1), "was given a DataFrame: pass df.sparkSession"),
        (SparkSession, "was given the class SparkSession: pass SparkSession.builder"),
        (None, "was given a NoneType: pass SparkSession.builder, or the session that it made"),
    ]:
        with pytest.raises(errors.NotASession) as refused:
            shredded_variant.attach(given)
        assert sentence in str(refused.value)


def test_a_package_without_its_jar_is_an_error(tmp_path):

    shutil.copytree(
        Path(shredded_variant.__file__).parent,
        tmp_path / "shredded_variant",
        ignore=shutil.ignore_patterns("*.jar"),
    )
    seen = python(
        tmp_path,
        """
        import shredded_variant
        try:
            shredded_variant.attach(SparkSession.builder)
        except shredded_variant.ShreddedVariantError as e:
            print(json.dumps([type(e).__name__, str(e)]))
        """,
        PYTHONPATH=str(tmp_path),
    )
    assert seen[0] == "JarMissing" and seen[1].endswith("install the wheel that `make wheel` leaves in dist/.")


def test_the_error_without_pyspark_names_what_to_install(tmp_path):
    (tmp_path / "pyspark.py").write_text("raise ImportError(\"No module named 'pyspark'\")")
    program = tmp_path / "job.py"
    program.write_text(
        "import json, shredded_variant\n"
        "try:\n    shredded_variant.attach(None)\n"
        "except shredded_variant.ShreddedVariantError as e:\n    print(json.dumps(str(e)))\n"
    )
    sentence = run(sys.executable, program, cwd=tmp_path)
    assert sentence.endswith("pip install 'pyspark>=4.3,<4.4'.")
