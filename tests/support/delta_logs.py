"""Rewrites commits in the log of a Delta table, and reads the ids of its rows."""

import json


def rows(spark, *ids):
    return spark.createDataFrame([(i, i % 2) for i in ids], "id BIGINT, p BIGINT").selectExpr(
        "id", "CAST(id AS VARIANT) AS v", "p"
    )


def ids(df):
    return sorted(r[0] for r in df.select("id").collect())


def rewrite(table, version, change):
    """Changes the actions of a commit, and removes the checksums of the log."""
    log = table / "_delta_log" / f"{version:020}.json"
    lines = [change(json.loads(line)) for line in log.read_text().splitlines()]
    log.write_text("\n".join(json.dumps(line) for line in lines if line) + "\n")
    for file in (table / "_delta_log").glob("*.crc"):
        file.unlink()
