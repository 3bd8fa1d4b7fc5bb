"""A limit reads only the first rows of a file, and a limit above a sort only the pages that may hold the first rows."""

import re

import pytest

from path_queries import explained
from scan_counts import run
from tables import FORMAT, ours_and_plain, write

ROWS = 4000
PAGE = 100  # rows


@pytest.fixture(scope="module")
def table(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("limits")
    rows = spark.range(0, ROWS, 1, 1).selectExpr(
        "id", "parse_json(concat('{\"n\":', id, ',\"s\":\"', id, '\"}')) AS v", "id % 2 AS p"
    )
    options = {
        "shredding.shape.v": "n BIGINT, s STRING",
        "parquet.block.size": "10000",
        "parquet.block.size.row.check.min": "500",
        "parquet.block.size.row.check.max": "500",
        "parquet.page.row.count.limit": str(PAGE),
    }
    write(rows, folder / "whole", **options)
    rows.write.format(FORMAT).partitionBy("p").options(**options).save(str(folder / "parts"))
    write(rows, folder / "groups", **options | {"parquet.block.row.count.limit": "500"})
    for name in ("whole", "parts", "groups"):
        spark.read.format(FORMAT).load(str(folder / name)).createOrReplaceTempView(f"limit_{name}")
    yield spark
    for name in ("whole", "parts", "groups"):
        spark.catalog.dropTempView(f"limit_{name}")


# (query, number of rows, maximum of pages that are read)
FIRST_PAGES = [
    ("SELECT * FROM limit_whole LIMIT 10", 10, 6),
    ("SELECT v:n::bigint FROM limit_whole LIMIT 10", 10, 1),
    ("SELECT v:n::bigint + 1 FROM limit_whole LIMIT 7 OFFSET 5", 7, 1),
    ("SELECT to_json(v) FROM (SELECT * FROM limit_whole LIMIT 20) LIMIT 3", 3, 3),
    ("SELECT count(v:s::string) FROM (SELECT * FROM limit_whole LIMIT 90)", 1, 1),
]


@pytest.mark.parametrize(("query", "count", "leaves"), FIRST_PAGES)
def test_a_limit_reads_the_first_page_of_each_leaf(table, query, count, leaves):
    rows, counts = run(table.sql(query))
    assert len(rows) == count
    assert 0 < counts.pages[0] <= leaves
    assert counts.groups[0] == 1


def test_more_rows_than_a_row_group_has_come_from_several(table):
    rows, counts = run(table.sql("SELECT v:n::bigint AS n FROM limit_whole LIMIT 2500"))
    assert [row.n for row in rows] == list(range(2500))
    assert counts.groups[0] > 1
    assert counts.pages[0] <= 2500 / PAGE + 1


def test_a_filter_on_partitions_leaves_a_limit_as_it_is(table):
    rows, counts = run(table.sql("SELECT v:n::bigint AS n FROM limit_parts WHERE p = 1 LIMIT 10"))
    assert [row.n for row in rows] == list(range(1, 20, 2))
    assert counts.pages[0] == 1


# Law: a scan stops after the rows of a limit only if the limit takes every row of the scan.
EVERY_ROW = [
    ("SELECT v:n::bigint AS n FROM limit_whole WHERE v:n::bigint >= 3990 LIMIT 10", range(3990, 4000)),
    ("SELECT v:n::bigint AS n FROM limit_whole WHERE id % 1000 = 999 LIMIT 10", range(999, 4000, 1000)),
    ("SELECT v:n::bigint AS n FROM limit_whole ORDER BY v:n::bigint DESC LIMIT 3", range(3999, 3996, -1)),
    ("SELECT count(*) AS n FROM limit_whole LIMIT 1", [ROWS]),
    ("SELECT DISTINCT v:n::bigint % 2 AS n FROM limit_whole ORDER BY n LIMIT 5", [0, 1]),
    ("SELECT max(v:n::bigint) AS n FROM limit_whole GROUP BY p ORDER BY n LIMIT 2", [3998, 3999]),
    ("SELECT a.v:n::bigint AS n FROM limit_whole a JOIN (SELECT 3999 AS m) ON a.v:n::bigint = m LIMIT 1", [3999]),
]


@pytest.mark.parametrize(("query", "expected"), EVERY_ROW)
def test_a_limit_above_another_operator_skips_nothing(table, query, expected):
    assert [row.n for row in table.sql(query).collect()] == list(expected)


def test_a_runtime_filter_of_a_join_does_not_reduce_the_rows_of_a_limit(table):
    query = """
        SELECT count(*) AS n FROM (SELECT * FROM limit_parts LIMIT 3000) a
        JOIN (SELECT 1 AS q WHERE rand(1) < 2) b ON a.p = b.q"""
    # Two partitions of 2,000 rows: a limit of 3,000 has at least 1,000 rows of each.
    assert table.sql(query).collect()[0].n >= 1000


def test_explain_names_the_limit(table):
    assert "Rows of a split: up to 10" in explained(table.sql("SELECT v FROM limit_whole LIMIT 10"))


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("v:n::bigint AS n FROM limit_groups ORDER BY n DESC LIMIT 3", ["3 by v.n DESC NULLS LAST"]),
        ("id FROM limit_groups ORDER BY id NULLS LAST, p LIMIT 3 OFFSET 4", ["7 by id ASC NULLS LAST"]),
        ("id FROM limit_groups ORDER BY v:n::bigint + 1 LIMIT 3", []),
        # Another column may raise an error.
        ("v:n::bigint AS n FROM limit_groups ORDER BY id LIMIT 3", []),
    ],
)
def test_explain_names_the_first_rows_of_an_order(table, query, shown):
    assert re.findall("^First rows: (.*)$", explained(table.sql(f"SELECT {query}")), re.MULTILINE) == shown


# The rows are in the order of n: 500 in a row group, a hundred on a page.
FIRST_ROWS = [
    ("SELECT v:n::bigint AS n FROM limit_groups ORDER BY v:n::bigint DESC LIMIT 3", range(3999, 3996, -1), 1),
    ("SELECT v:n::bigint AS n FROM limit_groups ORDER BY v:n::bigint LIMIT 3", range(3), 1),
    ("SELECT id AS n FROM limit_groups ORDER BY id DESC LIMIT 150", range(3999, 3849, -1), 2),
    ("SELECT id AS n FROM limit_groups ORDER BY v:n::bigint DESC NULLS FIRST, id LIMIT 5", range(3999, 3994, -1), 2),
    ("SELECT try_variant_get(v, '$.n', 'double') AS n FROM limit_groups ORDER BY 1 DESC LIMIT 2", [3999, 3998], 1),
]


@pytest.mark.parametrize(("query", "expected", "pages"), FIRST_ROWS)
def test_the_first_rows_of_an_order_come_from_the_pages_that_may_hold_them(table, query, expected, pages):
    rows, counts = run(table.sql(query))
    assert [row.n for row in rows] == list(expected)
    assert counts.groups[0] == 1 and counts.groups[1] >= 5
    assert counts.pages[0] == pages


@pytest.mark.parametrize(("query", "count", "leaves"), FIRST_PAGES[::2])
def test_other_sessions_read_the_first_page_of_each_leaf(table, other_session, query, count, leaves):
    test_a_limit_reads_the_first_page_of_each_leaf(table, query, count, leaves)


@pytest.mark.parametrize(("query", "expected"), EVERY_ROW[::3])
def test_other_sessions_skip_nothing_for_a_limit_above_another_operator(table, other_session, query, expected):
    test_a_limit_above_another_operator_skips_nothing(table, query, expected)


@pytest.mark.parametrize(("query", "expected", "pages"), FIRST_ROWS[::2])
def test_other_sessions_find_the_first_rows_of_an_order(table, other_session, query, expected, pages):
    test_the_first_rows_of_an_order_come_from_the_pages_that_may_hold_them(table, query, expected, pages)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # Numbers as text have another order.
        ("SELECT v:n::string AS n FROM limit_groups ORDER BY v:n::string DESC LIMIT 2", ["999", "998"]),
        # The sort key is no column.
        ("SELECT -v:n::bigint AS n FROM limit_groups ORDER BY n LIMIT 2", [-3999, -3998]),
        # A filter may remove the first rows of the order.
        ("SELECT v:n::bigint AS n FROM limit_groups WHERE id % 2 = 0 ORDER BY n LIMIT 2", [0, 2]),
    ],
)
def test_an_order_without_bounds_skips_nothing(table, query, expected):
    rows, counts = run(table.sql(query))
    assert [row.n for row in rows] == expected
    assert counts.groups[1] == 0


def test_a_cast_that_fails_is_an_error_although_its_row_is_not_among_the_first(spark, tmp_path):
    rows = spark.range(0, ROWS, 1, 1).selectExpr(
        "id", 'parse_json(concat(\'{"n":\', id, if(id = 7, \',"s":"x"}\', \',"s":"1"}\'))) AS v'
    )
    options = {"shredding.shape.v": "n BIGINT, s STRING", "parquet.page.row.count.limit": str(PAGE)}
    write(rows, tmp_path / "t", **options)
    read = spark.read.format(FORMAT).load(str(tmp_path / "t"))
    with pytest.raises(Exception, match="INVALID_VARIANT_CAST"):
        read.selectExpr("v:s::int AS s", "v:n::bigint AS n").orderBy("n", ascending=False).limit(2).collect()


@pytest.mark.parametrize("nulls", ["FIRST", "LAST"])
@pytest.mark.parametrize("direction", ["ASC", "DESC"])
def test_the_first_rows_are_those_of_plain_columns(spark, tmp_path, direction, nulls):
    """Many files and row groups; numbers that are missing, null, text, fractions or equal; two keys."""
    rows = spark.range(0, 6000, 1, 3).selectExpr(
        "id",
        """parse_json(CASE hash(id, 'k') % 50 WHEN 1 THEN '{}' WHEN 2 THEN '{"n":null}' WHEN 3 THEN '{"n":"17"}'
           ELSE concat('{"n":', id div 7, if(hash(id) % 9 = 0, '.5', ''), '}') END) AS v""",
    )
    small = {"parquet.block.size": "8000", "parquet.block.size.row.check.min": "300",
             "parquet.block.size.row.check.max": "300", "parquet.page.row.count.limit": "100"}  # fmt: skip
    write(rows, tmp_path / "t", **{"shredding.shape.v": "n BIGINT"}, **small)
    clean = rows.where("id % 6000 > 40 AND hash(id, 'k') % 50 NOT IN (1, 2, 3) AND hash(id) % 9 <> 0")
    write(clean, tmp_path / "clean", **{"shredding.shape.v": "n BIGINT"}, **small)
    for name, source in (("t", rows), ("clean", clean)):
        source.createOrReplaceTempView("first_plain")
        spark.read.format(FORMAT).load(str(tmp_path / name)).createOrReplaceTempView("first_ours")
        for limit in (1, 20, 700):
            first = f"try_cast(v:n AS bigint) AS n, id FROM {{}} ORDER BY n {direction} NULLS {nulls}, id LIMIT {limit}"
            result, counts = run(spark.sql("SELECT " + first.format("first_ours")))
            assert result == spark.sql("SELECT " + first.format("first_plain")).collect()
            if (name, limit) == ("clean", 1):
                assert counts.rows_skipped > 3000


GROUP = 500
# Clustered by id: keys without a value are in the third row group, NaN is in the fourth.
TYPED = """to_variant_object(named_struct('s', concat('é', lpad(id, 5, '0')), 'day', date_add(DATE'2020-01-01', id),
    'm', CAST(id / 4 AS DECIMAL(12,2)), 'd', CASE WHEN id = 1750 THEN double('NaN') ELSE id / 2D END))"""
KEYS = ["v:s::string", "v:day::date", "v:m::decimal(12,2)", "v:d::double", "x"]
# (order and limit, row groups of eight that may hold the rows)
ORDERS = [
    ("ASC NULLS FIRST, id LIMIT 5", 2),
    ("ASC NULLS LAST, id LIMIT 5 OFFSET 3", 1),
    ("DESC NULLS FIRST, id LIMIT 15 OFFSET 10", 2),
    ("DESC NULLS LAST, id LIMIT 5", 1),
    ("DESC, id LIMIT 10 OFFSET 500", 2),
]


@pytest.fixture(scope="module")
def typed(spark, tmp_path_factory):
    rows = (
        spark.range(0, ROWS, 1, 1)
        .selectExpr("CAST(id AS INT) AS id")
        .selectExpr(
            "id",
            f"if(id BETWEEN 1200 AND 1219, NULL, {TYPED}) AS v",
            "if(id BETWEEN 1200 AND 1219, NULL, 0.5D * id) AS x",
        )
    )
    options = {"parquet.block.row.count.limit": str(GROUP), "parquet.page.row.count.limit": str(PAGE)}
    options["shredding.shape.v"] = "s STRING, day DATE, m DECIMAL(12,2), d DOUBLE"
    return ours_and_plain(rows, tmp_path_factory.mktemp("typed"), **options)


@pytest.mark.parametrize(("order", "groups"), ORDERS)
@pytest.mark.parametrize("key", KEYS)
def test_the_first_rows_by_every_type_come_from_the_groups_that_may_hold_them(spark, typed, key, order, groups):
    ours, plain = typed
    query = f"SELECT id, {key} FROM {{t}} ORDER BY {key} {order}"
    rows, counts = run(spark.sql(query, t=ours))
    assert list(map(str, rows)) == list(map(str, spark.sql(query, t=plain).collect()))
    # A page with a NaN has no bounds.
    groups += key == "v:d::double"
    assert counts.groups == (groups, ROWS // GROUP - groups)
