"""Files of Delta tables that are never opened: how many of how many, and never one with a row that matches."""

import json
import random

import pytest
from delta_tables import load, save
from scan_counts import run

FILES = 1000
SHAPE = "n BIGINT, s STRING, f DOUBLE, o STRUCT<d DATE>"
DOCUMENT = (
    "to_variant_object(named_struct('n', id, 's', 'k' || lpad(id, 6, '0'), 'f', id / 2, "
    "'o', named_struct('d', date_add(DATE'2020-01-01', CAST(id / 100 AS INT)))))"
)


@pytest.fixture(scope="module")
def table(spark, tmp_path_factory):
    """A thousand files of a hundred rows each, in the order of `id`."""
    path = tmp_path_factory.mktemp("files") / "t"
    df = spark.range(0, FILES * 100, 1, FILES).selectExpr("id", f"{DOCUMENT} AS v", "id % 2 = 0 AS flag")
    return save(df, path, **{"shredding.shape.v": SHAPE})


# filter: how many of the thousand files are opened
FILTERS = {
    "id BETWEEN 350 AND 550": 3,
    "v:n::bigint BETWEEN 350 AND 550": 3,
    "v:n::int = 350": 1,
    "v:n::double < 250.5": 3,
    "v:n::bigint IN (1, 50000, 99999, 100000)": 3,
    "v:s::string >= 'k099900'": 1,
    "v:s::string LIKE 'k0003%'": 1,
    "v:f::double < 100": 2,
    "v:o.d::date = DATE'2020-01-11'": 1,
    "v:n::bigint < 150 AND v:s::string > 'k000100'": 1,
    "v:n::bigint < 50 OR v:n::bigint > 99949": 2,
    "NOT (v:n::bigint >= 100)": 1,
    "v:n::bigint < 0": 0,
    "v IS NULL": 0,
    "v:absent::bigint = 1": 1000,
    "flag": 1000,
}


@pytest.mark.parametrize("condition", FILTERS)
def test_files_that_cannot_match_are_not_opened(spark, table, condition):
    expected = FILTERS[condition]
    df = load(spark, table).where(condition).selectExpr("id", "v:n::bigint AS n")
    assert f"Files: [{expected} of {FILES}]" in df._jdf.queryExecution().toString()
    rows, counts = run(df)
    # Row groups are looked at in files that are opened: statistics of a log say less than those of a file.
    assert counts.files[0] <= expected
    assert sum(counts.files) == FILES
    spark.conf.set("spark.sql.parquet.filterPushdown", "false")
    try:
        assert sorted(map(tuple, rows)) == sorted(map(tuple, df.collect()))
    finally:
        spark.conf.unset("spark.sql.parquet.filterPushdown")


def test_keys_of_a_join_skip_files(spark, table):
    load(spark, table).createOrReplaceTempView("t")
    spark.sql("SELECT explode(array(5L, 99000L)) AS k, 1 AS x").where("x = 1").createOrReplaceTempView("k")
    spark.conf.set("spark.sql.optimizer.dynamicPartitionPruning.enabled", "true")
    rows = spark.sql("SELECT t.id FROM t JOIN k ON t.v:n::bigint = k.k").collect()
    assert sorted(r[0] for r in rows) == [5, 99000]


def test_statistics_survive_a_checkpoint(spark, tmp_path):
    path = tmp_path / "t"
    for i in range(12):
        df = spark.range(i * 10, i * 10 + 10, 1, 1).selectExpr("id", f"{DOCUMENT} AS v")
        save(df, path, **{"shredding.shape.v": SHAPE})
    for version in range(10):
        (path / "_delta_log" / f"{version:020}.json").unlink()
    _, counts = run(load(spark, path).where("v:n::bigint = 15").select("id"))
    assert counts.files == (1, 11)


def values(generator):
    """JSON documents with everything that ends bounds, now and then."""
    number = generator.choice(
        [generator.randint(-5, 300), generator.randint(0, 10) / 4, 10 ** generator.randint(0, 20)]
    )
    odd = generator.choice([None, "x", "1", [1], {"b": 2}, True])
    value = odd if generator.random() < 0.03 else number
    document = {"a": value, "s": generator.choice(["", "a", "b", "ab" * 40, "é", "\U0001f600" * 40])}
    if generator.random() < 0.1:
        document.pop("a")
    return generator.choice([document] * 20 + [None, 7])


@pytest.mark.parametrize("seed", range(3))
def test_no_skipped_file_holds_a_matching_row(spark, tmp_path, seed):
    generator = random.Random(seed)
    path = tmp_path / "t"
    for shape in ("a BIGINT, s STRING", "a DOUBLE, s STRING", "a DECIMAL(20,2)", "a STRUCT<b BIGINT>, s STRING"):
        rows = [(json.dumps(values(generator)),) for _ in range(120)]
        files = spark.createDataFrame(rows, "j STRING").repartitionByRange(6, "j").sortWithinPartitions("j")
        options = {"shredding.shape.v": shape, "parquet.block.row.count.limit": "10"}
        save(files.selectExpr("parse_json(j) AS v"), path, **options)
    df = load(spark, path)
    conditions = [
        f"try_variant_get(v, '$.{key}', '{kind}') {test}"
        for key, kind, constants in [
            ("a", "bigint", ["3", "100", "1000000"]), ("a", "double", ["2.5D", "1e18D"]),
            ("a", "decimal(12,2)", ["2.50"]),
            ("a", "string", ["'1'", "'x'"]), ("s", "string", ["'a'", "'b'"]), ("a.b", "int", ["2"]),
        ]
        for c in constants
        for test in (f"= {c}", f"< {c}", f">= {c}", f"<> {c}", f"IN ({c}, NULL)", "IS NULL", "IS NOT NULL")
    ]  # fmt: skip
    generator.shuffle(conditions)
    for condition in conditions[:25]:
        asked = df.where(condition).selectExpr("to_json(v)")
        spark.conf.set("spark.sql.parquet.filterPushdown", "false")
        expected = sorted(str(r[0]) for r in asked.collect())
        spark.conf.unset("spark.sql.parquet.filterPushdown")
        assert sorted(str(r[0]) for r in df.where(condition).selectExpr("to_json(v)").collect()) == expected, condition
