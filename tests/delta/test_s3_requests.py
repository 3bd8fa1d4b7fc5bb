"""Permissions for a prefix, and requests for logs, on S3 through Hadoop's S3A with a server on loopback."""

from collections import Counter

import pytest

pytestmark = pytest.mark.usefixtures("usual")


# Actions on tables below the prefix `{0}`, and the rows that they read.
BELOW = """
save(rows(1, 2), "{0}/files")
save(rows(3), "{0}/files")
in_sql = spark.sql("SELECT id FROM shredded_variant.`{0}/files`")
answer = [ids("{0}/files"), ids("{0}/f*s"), [r[0] for r in in_sql.collect()]]
save(rows(1), "{0}/t", "error", table="delta")
save(rows(2), "{0}/t")
save(rows(4), "{0}/t", "overwrite")
spark.sql("CREATE TABLE below USING shredded_variant LOCATION '{0}/t'")
spark.sql("INSERT INTO below SELECT 5L, parse_json('1')")
answer += [ids("{0}/t"), spark.table("below").count()]
query = spark.readStream.format("shredded_variant").load("{0}/t").writeStream.format("shredded_variant")
query = query.option("checkpointLocation", "{0}/c").option("table", "delta").trigger(availableNow=True).start("{0}/s")
query.awaitTermination()
answer += [ids("{0}/s")]
spark.sql("DROP TABLE below")
"""


def test_everything_works_with_permissions_for_one_prefix(store, driver):
    store.allowed = "prefix/teams/ours/"
    answer = driver.run(BELOW.format("s3a://prefix/teams/ours"))
    assert [sorted(a) if isinstance(a, list) else a for a in answer] == [[1, 2, 3]] * 3 + [[4, 5], 2, [4, 5]]


def test_a_delta_table_in_a_parent_directory_is_found_if_permissions_allow(store, driver):
    driver.run('save(rows(1), "s3a://above/t", table="delta")')
    for code in ("load('s3a://above/t/p=1/').count()", "save(rows(1), 's3a://above/t/p=1')"):
        assert "SHREDDED_VARIANT_INSIDE_DELTA_TABLE" in driver.run(f"answer = refused(lambda: {code})")


def test_a_denied_table_is_an_error_that_names_the_denial(store, driver):
    store.allowed = "denied/else/"
    assert "AccessDenied" in driver.run("answer = refused(lambda: load('s3a://denied/t').count())")


# Actions on the table of a kind, which is `a/t`: each asks once whether a directory above the table is a Delta table.
# The number is how often it asks any directory at most: a write also asks the table in its checks and in its plan.
ASKING = {
    "load": (1, "load('{0}').count()"),
    "load with a filter": (1, "load('{0}').where('v:a::int = 1').count()"),
    "append": (3, "save(rows(3), '{0}')"),
    "overwrite": (3, "save(rows(3), '{0}', 'overwrite')"),
    "in SQL": (3, "spark.sql('SELECT * FROM shredded_variant.`{0}`').count()"),
    "insert": (4, "spark.sql('INSERT INTO {1} SELECT 1L, NULL')"),
}
FILES = {
    "load with a schema": (1, "spark.read.format('shredded_variant').schema('id BIGINT').load('{0}').count()"),
    "a pattern": (1, "load('{0}/*.parquet').count()"),
    "a directory": (
        3,
        "spark.sql(\"INSERT OVERWRITE DIRECTORY '{0}' USING shredded_variant SELECT 1L AS id, NULL AS v\")",
    ),
    "a new directory": (3, "save(rows(3), '{0}/../new{1}', 'error')"),
}


@pytest.mark.parametrize(
    ("kind", "what"),
    [*((kind, what) for kind in ("files", "delta") for what in ASKING), *(("files", w) for w in FILES)],
)
def test_a_directory_above_a_table_is_asked_once_whether_it_is_a_delta_table(store, driver, kind, what):
    name = f"asked_{kind}"
    path = f"s3a://asked-{kind}/a/t"
    limit, code = (ASKING | FILES)[what]
    driver.run(f"save(rows(1, 2), '{path}', 'overwrite'{', table=' + repr(kind) if kind == 'delta' else ''})")
    driver.run(f"spark.sql(\"CREATE TABLE IF NOT EXISTS {name} USING shredded_variant LOCATION '{path}'\")")
    store.requests.clear()
    driver.run(code.format(path, name))
    asked = Counter(p for p in store.asked("HEAD", "_delta_log") if p.endswith("_delta_log"))
    above = {p: n for p, n in asked.items() if p in (f"asked-{kind}/_delta_log", f"asked-{kind}/a/_delta_log")}
    assert above and max(above.values()) == 1, asked
    assert max(asked.values()) <= limit, asked
