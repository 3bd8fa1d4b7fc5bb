"""The external conformance cases pass in every mode of their runner."""

import subprocess
import sys

import pytest

import shredded_variant

MODES = ("read", "extract", "union")


@pytest.fixture(scope="module")
def runs(conformance, tmp_path_factory):
    """The runner in each mode, all at the same time: each has its own Spark, which mostly waits."""
    folder = tmp_path_factory.mktemp("conformance")
    command = [sys.executable, str(conformance / "run_spark.py"), "--format", "shredded_variant"]
    command += ["--jars", str(shredded_variant.jar_path()), "--timeout", "300"]
    started = {}
    for mode in MODES:
        log = open(folder / f"{mode}.log", "w+")  # noqa: SIM115
        started[mode] = subprocess.Popen([*command, "--mode", mode], cwd=folder, stdout=log, stderr=log), log
    yield started
    for process, log in started.values():
        process.kill()
        process.wait()
        log.close()


@pytest.mark.timeout(960)
@pytest.mark.parametrize("mode", MODES)
def test_every_external_case_is_right(runs, mode):
    process, log = runs[mode]
    status = process.wait(timeout=900)
    log.seek(0)
    assert status == 0, log.read()[-6000:]
