"""What Spark learns while a query runs - keys of a join, results of subqueries - reaches partitions and row groups."""

import pytest
from scan_counts import run
from tables import FORMAT, write

ROWS, GROUPS = 40_000, 8
VARIANT = (
    "parse_json(concat('{\"n\":', id, ',\"k\":', id % 10, ',\"t\":\"', repeat(md5(CAST(id AS STRING)), 8), '\"}'))"
)


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runtime")
    rows = spark.range(0, ROWS, 1, 4).selectExpr("id", "CAST(id div 10000 AS INT) AS part", f"{VARIANT} AS v")
    rows.write.partitionBy("part").parquet(str(folder / "plain"))
    read = spark.read.parquet(str(folder / "plain"))
    write(read, str(folder / "ours"), by=["part"], **{"shredding.shape.v": "n BIGINT, k INT, t STRING"})
    spark.sql("SELECT id AS key, id % 4 AS part, concat('s', id % 100) AS name FROM range(4000)").write.parquet(
        str(folder / "small")
    )
    spark.read.parquet(str(folder / "small")).createOrReplaceTempView("small")
    read.createOrReplaceTempView("plain")
    spark.read.format(FORMAT).load(str(folder / "ours")).createOrReplaceTempView("ours")


# (query over {t}, files that have to be read of four)
CASES = [
    ("SELECT id, v:t::string FROM {t} JOIN small s ON {t}.part = s.part WHERE s.name = 's7' AND s.key < 8", 1),
    ("SELECT s.key, v:t::string FROM {t} JOIN small s ON v:n::bigint = s.key WHERE s.name = 's7'", 1),
    ("SELECT s.key, v:t::string FROM {t} JOIN small s ON try_cast(v:n AS INT) = s.key WHERE s.name = 's7'", 1),
    ("SELECT id, to_json(v) FROM {t} LEFT SEMI JOIN small s ON id = s.key + 10000 AND s.name = 's7'", 1),
    ("SELECT id, v:t::string FROM {t} JOIN small s ON id = s.key WHERE s.name = 's7'", 1),
    ("SELECT id FROM {t} WHERE v:n::bigint = (SELECT max(key) FROM small)", 1),
    ("SELECT id, v:n::int FROM {t} WHERE id > (SELECT 10 * max(key) - 100 FROM small)", 1),
    ("SELECT id FROM {t} WHERE v:n::bigint = (SELECT max(key) FROM small WHERE key < 0)", 0),
    ("SELECT id FROM {t} LEFT JOIN small s ON v:n::bigint = s.key AND s.name = 's7' WHERE id < 3", 1),
]


@pytest.mark.parametrize(("query", "files"), CASES, ids=[case[0][:60] for case in CASES])
def test_keys_of_a_join_and_results_of_subqueries_skip_files(spark, tables, query, files):
    rows, counts = run(spark.sql(query.format(t="ours")))
    assert sorted(map(str, rows)) == sorted(map(str, spark.sql(query.format(t="plain")).collect()))
    assert counts.files == (files, 4 - files)


def test_a_table_that_is_read_twice_keeps_its_filters_apart(spark, tables):
    query = """
        SELECT v:t::string FROM {t} JOIN small s ON v:n::bigint = s.key WHERE s.name = 's7'
        UNION ALL SELECT v:t::string FROM {t} JOIN small s ON v:n::bigint = s.key + 20000 WHERE s.name = 's8'"""
    rows = spark.sql(query.format(t="ours")).collect()
    assert sorted(map(str, rows)) == sorted(map(str, spark.sql(query.format(t="plain")).collect()))
    assert len(rows) == 80
