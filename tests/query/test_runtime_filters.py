"""Runtime filters from the keys of a join or the result of a subquery skip files, row groups and rows."""

import pytest

from path_queries import settings
from scan_counts import compared, run
from tables import FORMAT, views, write

ROWS, FILES, GROUP, PAGE = 40_000, 4, 2500, 250  # rows, files, rows, rows
GROUPS = ROWS // GROUP
VARIANT = (
    "parse_json(concat('{\"n\":', id, ',\"k\":', id % 10, ',\"t\":\"', repeat(md5(CAST(id AS STRING)), 8), '\"}'))"
)


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runtime")
    rows = spark.range(0, ROWS, 1, FILES).selectExpr("id", "CAST(id div 10000 AS INT) AS part", f"{VARIANT} AS v")
    rows.write.partitionBy("part").parquet(str(folder / "plain"))
    read = spark.read.parquet(str(folder / "plain"))
    options = {"shredding.shape.v": "n BIGINT, k INT, t STRING"}
    options |= {"parquet.block.row.count.limit": GROUP, "parquet.page.row.count.limit": PAGE}
    write(read, str(folder / "ours"), by=["part"], **options)
    spark.sql("SELECT id AS key, id % 4 AS part, concat('s', id % 100) AS name FROM range(4000)").write.parquet(
        str(folder / "small")
    )
    ours, small = spark.read.format(FORMAT).load(str(folder / "ours")), spark.read.parquet(str(folder / "small"))
    with views(spark, small=small, plain=read, ours=ours):
        yield str(folder / "ours")


def answer(spark, query):
    """(rows, counts) of a query, whose rows must be those of the unshredded table."""
    return compared(spark, query, "ours", "plain")


# (query over {t}, files read of four, row groups read of sixteen, maximum of rows)
CASES = [
    ("SELECT id, v:t::string FROM {t} JOIN small s ON {t}.part = s.part WHERE s.name = 's7' AND key < 8", 1, 4, 10000),
    ("SELECT s.key, v:t::string FROM {t} JOIN small s ON v:n::bigint = s.key WHERE s.name = 's7'", 1, 2, 40),
    ("SELECT s.key, v:t::string FROM {t} JOIN small s ON try_cast(v:n AS INT) = s.key WHERE s.name = 's7'", 1, 2, 40),
    ("SELECT id, to_json(v) FROM {t} LEFT SEMI JOIN small s ON id = s.key + 10000 AND s.name = 's7'", 1, 2, 40),
    ("SELECT id, v:t::string FROM {t} JOIN small s ON id = s.key WHERE s.name = 's7'", 1, 2, 40),
    (
        "SELECT /*+ BROADCAST(s) */ id FROM {t} JOIN small s ON id = key + 9000 WHERE name = 's7' AND key < 99",
        1,
        1,
        PAGE,
    ),
    ("SELECT id FROM {t} WHERE v:n::bigint = (SELECT max(key) FROM small)", 1, 1, PAGE),
    ("SELECT id, v:n::int FROM {t} WHERE id > (SELECT 10 * max(key) - 100 FROM small)", 1, 1, PAGE),
    ("SELECT id FROM {t} WHERE v:n::bigint = (SELECT max(key) FROM small WHERE key < 0)", 0, 0, 0),
    ("SELECT id FROM {t} LEFT JOIN small s ON v:n::bigint = s.key AND s.name = 's7' WHERE id < 3", 1, 1, PAGE),
]


@pytest.mark.parametrize(("query", "files", "groups", "rows"), CASES, ids=[case[0][:60] for case in CASES])
def test_keys_of_a_join_and_results_of_subqueries_skip_what_they_can(spark, tables, query, files, groups, rows):
    _, counts = answer(spark, query)
    assert counts.files == (files, FILES - files)
    assert counts.groups[0] == groups
    assert sum(counts.groups) * GROUP - counts.rows_skipped == rows


@pytest.mark.parametrize(("late", "rows"), [(True, 40), (False, 4000)])
def test_keys_skip_pages_and_then_rows(spark, tables, late, rows):
    read = spark.read.format(FORMAT).option("lateMaterialization", str(late).lower()).load(tables)
    query = "SELECT s.key, v:t::string FROM {t} JOIN small s ON v:n::bigint = s.key WHERE s.name = 's7'"
    result, counts = run(spark.sql(query, t=read))
    # One key in each hundred of the first 4,000 numbers.
    assert sorted(row.key for row in result) == list(range(7, 4000, 100))
    assert counts.rows_skipped == ROWS - rows
    assert counts.pages == (2 * 4000 // PAGE, 2 * (ROWS - 4000) // PAGE)


def test_keys_that_statistics_cannot_judge_still_leave_out_rows(spark, tables):
    query = "SELECT v:t::string FROM {t} JOIN small s ON v:n::bigint + 1 = s.key WHERE s.name = 's7'"
    rows, counts = answer(spark, query)
    assert (counts.files, counts.groups, counts.rows_skipped) == ((4, 0), (GROUPS, 0), ROWS - len(rows))


# Law: a join that keeps all rows of a side gives that side no runtime filter.
KEPT = [
    "{t} LEFT JOIN s7 s ON v:n::bigint = s.key",
    "s7 s RIGHT JOIN {t} ON v:n::bigint = s.key",
    "{t} FULL JOIN s7 s ON v:n::bigint = s.key",
    "{t} LEFT JOIN s7 s ON {t}.part = s.part AND v:n::bigint = s.key",
    "(SELECT *, 1 AS key FROM {t} LEFT ANTI JOIN s7 s ON v:n::bigint = s.key)",
    "(SELECT *, 1 AS key FROM {t} WHERE v:n::bigint NOT IN (SELECT key FROM s7))",
    "(SELECT *, EXISTS (SELECT 1 FROM s7 s WHERE v:n::bigint = s.key) AS key FROM {t})",
]


@pytest.mark.parametrize("source", KEPT)
def test_a_side_whose_rows_a_join_keeps_is_read_whole(spark, tables, source):
    spark.sql("SELECT * FROM small WHERE name = 's7'").createOrReplaceTempView("s7")
    rows, counts = answer(spark, f"SELECT count(*), count(key), count(v:t::string), sum(id) FROM {source}")
    assert rows[0][2] >= ROWS - 40
    assert (counts.files, counts.groups, counts.rows_skipped) == ((FILES, 0), (GROUPS, 0), 0)


@pytest.mark.parametrize(("keys", "files"), [(50_000, 1), (50_001, FILES)])
def test_too_many_keys_make_no_runtime_filter(spark, tables, keys, files):
    _, counts = answer(
        spark,
        f"""SELECT /*+ BROADCAST(s) */ count(*), sum(v:k::int) FROM {{t}}
            JOIN (SELECT id + 32500 AS key FROM range(100000) WHERE id < {keys}) s ON v:n::bigint = s.key""",
    )
    groups = 3 if files == 1 else GROUPS
    assert (counts.files[0], counts.groups[0]) == (files, groups)
    assert sum(counts.groups) * GROUP - counts.rows_skipped == groups * GROUP


# Each row group has another type of number; `c` has the keys in upper case.
ODD = """SELECT id, repeat(md5(string(id)), 3) AS wide, CAST(concat('K', id) AS STRING COLLATE UTF8_LCASE) AS c,
    CASE id div 500 WHEN 0 THEN -0D WHEN 1 THEN 0D WHEN 2 THEN double('NaN') ELSE double(id) END AS d
    FROM range(0, 2000, 1, 1)"""
KEYS = """SELECT id AS key, CAST(concat('k', id) AS STRING COLLATE UTF8_LCASE) AS text,
    CASE id WHEN 0 THEN 0D WHEN 1 THEN -0D WHEN 2 THEN double('NaN') ELSE id + 1600D END AS number FROM range(10)"""


@pytest.fixture(scope="module")
def odd(spark, tmp_path_factory):
    path = tmp_path_factory.mktemp("odd") / "t"
    rows = spark.sql(f"SELECT *, to_variant_object(named_struct('d', d, 'c', CAST(c AS STRING))) AS v FROM ({ODD})")
    options = {"parquet.block.row.count.limit": 500, "parquet.page.row.count.limit": 100}
    write(rows, path, **{"shredding.shape.v": "d DOUBLE, c STRING"}, **options)
    spark.read.format(FORMAT).load(str(path)).createOrReplaceTempView("odd")
    spark.sql(KEYS).createOrReplaceTempView("keys")


@pytest.mark.parametrize(
    ("query", "ids", "groups"),
    [
        ("{d} IN (SELECT number FROM keys WHERE key = 0)", range(1000), 2),
        ("{d} IN (SELECT number FROM keys WHERE key = 1)", range(1000), 2),
        ("{d} = (SELECT max(number) FROM keys WHERE key < 2)", range(1000), 2),
        ("{d} IN (SELECT number FROM keys WHERE key = 2)", range(1000, 1500), 1),
        ("{d} >= (SELECT max(number) FROM keys)", range(1000, 1500), 1),
        ("{d} IN (SELECT number FROM keys WHERE key IN (1, 2, 3))", [*range(1500), 1603], 4),
        ("{d} IN (SELECT number FROM keys WHERE key = 5)", [1605], 1),
        ("{c} IN (SELECT text FROM keys WHERE key IN (7, 8))", [7, 8], 4),
        ("{c} = (SELECT max(text) FROM keys WHERE key < 8)", [7], 4),
    ],
)
@pytest.mark.parametrize("of", [{"d": "d", "c": "c"}, {"d": "v:d::double", "c": "v:c::string COLLATE UTF8_LCASE"}])
def test_keys_find_rows_that_equal_them_by_other_bytes(spark, odd, query, ids, groups, of):
    """A row group of NaN has no bounds; its dictionary has only NaN."""
    # Spark takes the keys from the hash table of a join; joins on a collation have no hash table.
    with settings(spark, {"spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly": "false"}):
        rows, counts = run(spark.sql(f"SELECT id, wide FROM odd WHERE {query.format(**of)}"))
    assert sorted(row.id for row in rows) == list(ids)
    # The keys have filtered the rows.
    assert counts.rows_skipped == 2000 - len(rows)
    assert counts.groups == (groups, 4 - groups)


def test_a_table_that_is_read_twice_keeps_its_filters_apart(spark, tables):
    query = """
        SELECT v:t::string FROM {t} JOIN small s ON v:n::bigint = s.key WHERE s.name = 's7'
        UNION ALL SELECT v:t::string FROM {t} JOIN small s ON v:n::bigint = s.key + 20000 WHERE s.name = 's8'"""
    rows, _ = answer(spark, query)
    assert len(rows) == 80
