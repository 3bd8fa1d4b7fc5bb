"""The settings of each Spark that tests start, and scripts that run in processes of their own, as those of a user."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Tests run many small queries: the optimising compiler and parallel collectors cost more than they save.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# For every Spark that tests start: no UI, no port for other machines, two partitions, limited memory.
CALM = {f"spark.{key}": value for key, value in {
    "ui.enabled": "false", "ui.showConsoleProgress": "false",
    "driver.host": "127.0.0.1", "driver.bindAddress": "127.0.0.1", "driver.memory": "1g",
    "driver.extraJavaOptions": JAVA_OPTIONS, "executor.extraJavaOptions": JAVA_OPTIONS,
    "sql.shuffle.partitions": "2", "sql.session.timeZone": "UTC",
}.items()}  # fmt: skip


def finished(*command, cwd, stdin=None, **environment):
    """Runs a command, which must succeed, and returns the process, with its output."""
    done = subprocess.run(
        [str(c) for c in command], cwd=cwd, input=stdin, capture_output=True, text=True, timeout=280,
        env=clean_environment(**environment),
    )  # fmt: skip
    assert done.returncode == 0, f"{command[0]} failed:\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
    return done


def run(*command, cwd, stdin=None, **environment):
    """Runs a command, which must succeed, and returns the JSON in the last line of its output."""
    return json.loads(finished(*command, cwd=cwd, stdin=stdin, **environment).stdout.strip().split("\n")[-1])


def clean_environment(**more):
    """The environment without the variables of the Spark that this process runs."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))} | more


def script(folder, code, name="job.py"):
    """Writes a program: PRELUDE, which has imports, `calm`, `roundtrip` and `queried`, and then this code."""
    path = Path(folder) / name
    path.write_text(PRELUDE.format(calm=CALM) + textwrap.dedent(code))
    return path


def python(folder, code, *arguments, **environment):
    """Runs the code in a process of its own; the code ends with print(json.dumps(...))."""
    return run(sys.executable, script(folder, code), *arguments, cwd=folder, **environment)


def finished_in(kind, folder, code):
    """Runs the code in a process of its own, with the argument `connect` if the kind of its session is `connect`."""
    arguments, environment = (["connect"], {"SPARK_TESTING": ""}) if kind == "connect" else ([], {})
    return finished(sys.executable, script(folder, code), *arguments, cwd=folder, **environment)


PRELUDE = '''
import json, os, sys, threading
from pyspark.sql import SparkSession

def calm(builder=None, master="local[2]"):
    builder = SparkSession.builder.master(master) if builder is None else builder
    for key, value in {calm}.items():
        builder = builder.config(key, value)
    return builder

def roundtrip(spark, path):
    """Writes two variants as a shredded table and reads them; on an error, its class and message."""
    try:
        df = spark.sql("SELECT parse_json(to_json(named_struct('a', id))) AS v FROM range(2)")
        df.write.format("shredded_variant").option("shredding.shape.v", "a BIGINT").mode("overwrite").save(path)
        read = spark.read.format("shredded_variant").load(path)
        return [r[0] for r in read.selectExpr("to_json(v)").sort("to_json(v)").collect()]
    except Exception as e:
        return [type(e).__name__, " ".join(str(e).split())[:500]]

def queried(spark, path):
    """The leaves in EXPLAIN and the rows of queries on a small shredded table, and the error of a refused write."""
    import contextlib, io, re
    if not os.path.exists(path):
        spark.sql("SELECT id, parse_json(to_json(named_struct('a', id, 'b', 'x'))) AS v FROM range(3)").write.format(
            "shredded_variant").option("shredding.shape.v", "a BIGINT, b STRING").save(path)
    spark.read.format("shredded_variant").load(path).createOrReplaceTempView("t")
    seen = {{}}
    for query in ("SELECT sum(v:a::bigint) FROM t WHERE v:b::string = 'x'",
                  "SELECT a.id FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.v:a::int = a.v:a::int + 2)"):
        df = spark.sql(query)
        with contextlib.redirect_stdout(io.StringIO()) as text:
            df.explain("formatted")
        leaves = set(", ".join(re.findall(r"Leaves: \\[(.*)\\]", text.getvalue())).split(", "))
        seen[query] = [sorted(leaves), [r[0] for r in df.collect()]]
    try:
        spark.sql(f"INSERT OVERWRITE DIRECTORY '{{os.path.abspath(path)}}' USING shredded_variant SELECT * FROM t")
    except Exception as e:
        seen["overwrite of what is read"] = re.search("SHREDDED_VARIANT_[A-Z_]+", str(e))[0]
    query = "SELECT shredding_shape(parse_json(j)) FROM VALUES ('[1]'), ('[2.5]') AS t(j)"
    seen["shape"] = spark.sql(query).collect()[0][0]
    return seen
'''
# What `queried` returns.
QUERIED = {
    "SELECT sum(v:a::bigint) FROM t WHERE v:b::string = 'x'": [["v.a", "v.b"], [3]],
    "SELECT a.id FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.v:a::int = a.v:a::int + 2)": [["id", "v.a"], [0]],
    "overwrite of what is read": "SHREDDED_VARIANT_OVERWRITE_OF_INPUT",
    "shape": "ARRAY<DECIMAL(2,1)>",
}
# What `roundtrip` returns.
ROUNDTRIP = ['{"a":0}', '{"a":1}']
