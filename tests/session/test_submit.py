"""spark-submit without attach: the jar comes from --jars, or from --packages and a local Maven repository."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shredded_variant
from programs import ROOT, ROUNDTRIP, run, script

BIN = Path(sys.executable).parent
JOB = """
spark = calm().getOrCreate()
print(json.dumps(roundtrip(spark, os.path.abspath("t"))))
"""
# A job that attaches, because it may also run without spark-submit.
ATTACHING_JOB = """
import shredded_variant
builder = calm()
first = roundtrip(builder.getOrCreate(), os.path.abspath("t"))[0]
spark = shredded_variant.attach(builder).getOrCreate()
jars = [os.path.basename(r[0]) for r in spark.sql("LIST JARS").collect()]
print(json.dumps([first, roundtrip(spark, os.path.abspath("t")), jars]))
"""


def submit(folder, job, *options, **environment):
    environment.setdefault("PYSPARK_PYTHON", sys.executable)
    return run(BIN / "spark-submit", *options, script(folder, job), cwd=folder, **environment)


def test_a_job_runs_with_the_jar_of_the_command_in_jars_and_attach_adds_no_second_jar(tmp_path):
    command = [BIN / "shredded-variant", "jar"]
    jar = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert submit(tmp_path, ATTACHING_JOB, "--jars", jar) == [ROUNDTRIP[0], ROUNDTRIP, [Path(jar).name]]


def test_a_job_that_attaches_needs_no_jars(tmp_path):
    first, rows, jars = submit(tmp_path, ATTACHING_JOB)
    assert (first != ROUNDTRIP[0], rows, jars) == (True, ROUNDTRIP, [shredded_variant.jar_path().name])


def test_a_job_runs_with_packages_and_a_local_repository_without_a_network(tmp_path):
    version = shredded_variant.__version__
    jar = shredded_variant.jar_path()
    pom = ROOT / "target/scala-2.13" / jar.with_suffix(".pom").name
    if not pom.exists():
        pytest.fail(f"{pom} is missing: run the tests by `make test-python`, which makes it")
    repository = tmp_path / ".m2/repository/io/github/shredded-variant/shredded-variant_2.13" / version
    repository.mkdir(parents=True)
    shutil.copy(jar, repository)
    shutil.copy(pom, repository)
    nowhere = "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=1 -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=1"
    seen = submit(
        tmp_path,
        JOB,
        "--packages",
        f"io.github.shredded-variant:shredded-variant_2.13:{version}",
        "--conf",
        f"spark.jars.ivy={tmp_path / 'ivy'}",
        SPARK_SUBMIT_OPTS=f"-Duser.home={tmp_path} {nowhere}",
    )
    assert seen == ROUNDTRIP
