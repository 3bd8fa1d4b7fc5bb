"""An independent Delta: delta-spark in a JVM of its own, asked in SQL. Run as a program it is that JVM's end."""

import json
import subprocess
import sys

import pytest
from conftest import CALM, ROOT, clean_environment

JARS = ROOT / ".tools" / "delta-spark"


class DeltaSpark:
    """Answers SQL; `{path}` stands for the table delta.`path`."""

    def __init__(self, log):
        if not (JARS / ".stamp").exists():
            pytest.fail(f"{JARS} is missing: run the tests by `make test-python`, which fetches it")
        self.program = subprocess.Popen(
            [sys.executable, __file__, *map(str, sorted(JARS.glob("*.jar")))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=clean_environment(),
        )  # fmt: skip

    def sql(self, query, **paths):
        """The rows of a query as lists; its error as an exception."""
        named = query.format(**{k: f"delta.`{v}`" for k, v in paths.items()})
        self.program.stdin.write(json.dumps(named) + "\n")
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


def serve(jars):
    from pyspark.sql import SparkSession

    answers = sys.stdout
    sys.stdout = sys.stderr
    settings = CALM | {
        "spark.jars": ",".join(jars),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # Its other reader is made for Spark 4.2 alone.
        "spark.databricks.delta.v2.enableMode": "STRICT",
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for line in sys.stdin:
        try:
            answer = {"rows": [list(row) for row in spark.sql(json.loads(line)).collect()]}
        except Exception as error:
            answer = {"error": str(error)[:2000]}
        answers.write(json.dumps(answer, default=str) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1:])
