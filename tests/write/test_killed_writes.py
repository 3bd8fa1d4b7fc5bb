"""A later write removes the temporary files of a killed write."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from programs import clean_environment, script
from tables import load, write

# Two writes; in each, one task is done and another task does not end until the process is killed.
ENDLESS = """
    import shredded_variant
    spark = shredded_variant.attach(calm(master="local[4]")).getOrCreate()
    value = "IF(id = 1, reflect('java.lang.Thread', 'sleep', 3600000L), '1')"
    df = spark.range(0, 2, 1, 2).selectExpr("CAST(id AS INT) AS id", f"parse_json({value}) AS v", "id % 2 AS p")
    def save(name, **options):
        df.write.format("shredded_variant").mode("overwrite").partitionBy("p").options(**options).save(name)
    threading.Thread(target=save, args=["files"]).start()
    save("dynamic", partitionOverwriteMode="dynamic")
"""
LEFT = {"files": "_temporary/*/task_*", "dynamic": ".spark-staging-*/_temporary/*/task_*"}


def killed_writes(folder):
    """Two directories with the files of killed writes."""
    with (folder / "log").open("w") as log:
        writer = subprocess.Popen(
            [sys.executable, str(script(folder, ENDLESS))], cwd=folder, env=clean_environment(), stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
        try:
            until = time.monotonic() + 200
            while not all(list((folder / name).glob(task)) for name, task in LEFT.items()):
                assert writer.poll() is None and time.monotonic() < until, (folder / "log").read_text()[-4000:]
                time.sleep(0.1)
        finally:
            os.killpg(writer.pid, signal.SIGKILL)
            writer.wait()


def age(path, days):
    then = time.time() - days * 86400
    for file in [path, *Path(path).rglob("*")]:
        os.utime(file, (then, then))


def left(folder):
    return sorted(p.name.split("-")[1] if "-" in p.name else p.name for p in folder.glob("[._][ts]*") if p.is_dir())


def test_a_later_write_removes_the_old_files_of_a_killed_write(spark, tmp_path):
    killed_writes(tmp_path)
    files, dynamic = tmp_path / "files", tmp_path / "dynamic"
    df = spark.range(4).selectExpr("CAST(id AS INT) AS id", "parse_json('2') AS v", "id % 2 AS p")

    def save():
        write(df, files, mode="append", by=["p"], keepTemporary="3d")
        write(df, dynamic, mode="overwrite", by=["p"], partitionOverwriteMode="dynamic")

    save()
    assert left(files) == ["_temporary"] and left(dynamic) == ["staging"], "what is young stays"
    age(files, 2)
    save()
    assert left(files) == ["_temporary"], "so does what the option keeps"
    age(files, 4)
    age(dynamic, 2)
    save()
    assert left(files) == left(dynamic) == []
    assert load(spark, files).count() == 12 and load(spark, dynamic).count() == 4
