"""Queries tables with delta-spark, which runs in a JVM of its own. Run as a program, this file is the server there."""

import json
import subprocess
import sys

import pytest

from programs import CALM, ROOT, clean_environment

JARS = ROOT / ".tools" / "delta-spark"
# The settings that docs/delta.md names.
SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # The other reader of delta-spark works with Spark 4.2 only.
    "spark.databricks.delta.v2.enableMode": "STRICT",
}


class DeltaSpark:
    """A client of the server: it sends SQL, in which `{t}` is the table delta.`path` of the argument `t=path`."""

    def __init__(self, log):
        if not (JARS / ".stamp").exists():
            pytest.fail(f"{JARS} is missing: run the tests by `make test-python`, which fetches it")
        self.program = subprocess.Popen(
            [sys.executable, __file__, *map(str, sorted(JARS.glob("*.jar")))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=clean_environment(),
        )  # fmt: skip

    def sql(self, query, **paths):
        """The rows of a query as lists; an error of delta-spark is raised as RuntimeError."""
        return self.ask(query.format(**{k: f"delta.`{v}`" for k, v in paths.items()}))

    def files(self, path, operator, column, number):
        """The names of the files that Delta Kernel opens for a comparison of a column with a number."""
        return self.ask([str(path), operator, column, number])

    def history(self, path):
        """The operations of each version, the newest first."""
        return self.ask({"history": str(path)})

    def ask(self, what):
        self.program.stdin.write(json.dumps(what) + "\n")
        self.program.stdin.flush()
        answer = json.loads(self.program.stdout.readline() or '{"error": "delta-spark has ended"}')
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["rows"]

    def close(self):
        self.program.stdin.close()
        self.program.wait(60)


@pytest.fixture(scope="session")
def delta_spark(tmp_path_factory):
    with (tmp_path_factory.mktemp("delta-spark") / "log").open("w") as log:
        server = DeltaSpark(log)
        yield server
        server.close()


def kernel_files(spark, path, operator, column, number):
    """The files that remain after Delta Kernel's own skipping, for a comparison of a column of type BIGINT."""
    jvm = spark._jvm
    kernel = jvm.io.delta.kernel
    engine = kernel.defaults.engine.DefaultEngine.create(spark._jsc.hadoopConfiguration())
    names = spark.sparkContext._gateway.new_array(jvm.java.lang.String, 1)
    names[0] = column
    compared = jvm.java.util.ArrayList()
    compared.add(kernel.expressions.Column(names))
    compared.add(kernel.expressions.Literal.ofLong(number))
    predicate = kernel.expressions.Predicate(operator, compared)
    snapshot = kernel.Table.forPath(engine, path).getLatestSnapshot(engine)
    batches = snapshot.getScanBuilder().withFilter(predicate).build().getScanFiles(engine)
    result = []
    while batches.hasNext():
        rows = batches.next().getRows()
        while rows.hasNext():
            status = kernel.internal.InternalScanFileUtils.getAddFileStatus(rows.next())
            result.append(status.getPath().rsplit("/", 1)[1])
    return sorted(result)


def history(spark, path):
    from pyspark.sql import DataFrame

    table = spark._jvm.io.delta.tables.DeltaTable.forPath(spark._jsparkSession, path)
    return [row[0] for row in DataFrame(table.history(), spark).select("operation").collect()]


def serve(jars):
    from pyspark.sql import SparkSession

    answers = sys.stdout
    sys.stdout = sys.stderr
    settings = CALM | SETTINGS | {"spark.jars": ",".join(jars)}
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for line in sys.stdin:
        try:
            request = json.loads(line)
            if isinstance(request, list):
                answer = {"rows": kernel_files(spark, *request)}
            elif isinstance(request, dict):
                answer = {"rows": history(spark, request["history"])}
            else:
                answer = {"rows": [list(row) for row in spark.sql(request).collect()]}
        except Exception as error:
            answer = {"error": str(error)[:2000]}
        answers.write(json.dumps(answer, default=str) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1:])
