"""Delta tables whose log a test rewrites, and the rows that they still have."""

import json


def rows(spark, *ids):
    return spark.createDataFrame([(i, i % 2) for i in ids], "id BIGINT, p BIGINT").selectExpr(
        "id", "CAST(id AS VARIANT) AS v", "p"
    )


def ids(df):
    return sorted(r[0] for r in df.select("id").collect())


def rewrite(table, version, change):
    """Changes the actions of a commit; its checksum goes."""
    log = table / "_delta_log" / f"{version:020}.json"
    lines = [change(json.loads(line)) for line in log.read_text().splitlines()]
    log.write_text("\n".join(json.dumps(line) for line in lines if line) + "\n")
    for file in (table / "_delta_log").glob("*.crc"):
        file.unlink()
