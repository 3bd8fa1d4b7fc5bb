"""A commit of another writer between the start and the commit of one of our writes."""

import itertools
import os
import threading
import time

from delta_tables import load, save

NUMBERS = itertools.count()


def rows(spark, *ids):
    return (
        spark.createDataFrame([(i,) for i in ids], "id BIGINT").selectExpr("id", "CAST(id AS VARIANT) AS v").coalesce(1)
    )


def ids(spark, path):
    return sorted(r[0] for r in load(spark, path).select("id").collect())


def meanwhile(spark, path, others, *added, **options):
    """Starts a write, runs `others` before its first row is written, and returns the errors of the write."""
    from pyspark.sql import functions as f

    begun, done = (f"{path}.{name}{next(NUMBERS)}" for name in ("begun", "done"))

    def wait(row):
        open(begun, "w").close()
        while not os.path.exists(done):
            time.sleep(0.05)
        return row

    slow = rows(spark, 100).selectExpr("*", *added).withColumn("id", f.udf(wait, "bigint")("id"))
    failures = []

    def write():
        try:
            save(slow, path, **options)
        except Exception as e:
            failures.append(str(e))

    writer = threading.Thread(target=write)
    writer.start()
    while not os.path.exists(begun) and writer.is_alive():
        time.sleep(0.05)
    assert writer.is_alive(), failures
    others()
    open(done, "w").close()
    writer.join()
    return failures
