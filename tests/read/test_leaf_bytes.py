"""A query reads only the bytes of the leaves that it needs, in the row groups that need them."""

import pytest

from parquet_cells import chunk_bytes, group_bytes, only_file
from scan_counts import run
from tables import load, write

GROUP, GROUPS, PAGE = 1000, 4, 100  # rows, row groups, rows
ALL = range(GROUPS)
METADATA, VALUE = "v.metadata", "v.value"
A, B = "v.typed_value.a.typed_value", "v.typed_value.b.typed_value"
L = "v.typed_value.l.typed_value.list.element.typed_value"
A_VALUE = "v.typed_value.a.value"
# Leaves without values, of some dozens of bytes, whose levels show which rows have an object or a list.
L_LEVELS = "v.typed_value.l.typed_value.list.element.value"
# `a` is text in some rows of row group 2; some rows of row group 3 have `extra`, which has no column.
VARIANT = """parse_json(concat('{"a":', if(id BETWEEN 2100 AND 2109, concat('"', id, '"'), string(id)),
    ',"b":"', md5(string(id)), '","l":[', id, ',', id + 1, ']',
    if(id BETWEEN 3100 AND 3109, concat(',"extra":', id), ''), '}'))"""
OPTIONS = {"shredding.shape.v": "a BIGINT, b STRING, l ARRAY<BIGINT>", "shredding.shape.s.v": "b BIGINT, c STRING",
           "parquet.block.row.count.limit": GROUP, "parquet.page.row.count.limit": PAGE}  # fmt: skip

# (query, the row groups in which each leaf is read)
QUERIES = [
    (["try_cast(v:a AS BIGINT)"], {A: ALL, A_VALUE: [2], METADATA: [2]}),
    (["try_variant_get(v, '$.a', 'string')"], {A: ALL, A_VALUE: [2], METADATA: [2]}),
    (["v:b::string"], {B: ALL}),
    (["v:b"], {B: ALL, METADATA: ALL}),
    (["v:b::string", "try_cast(v:a AS INT)"], {B: ALL, A: ALL, A_VALUE: [2], METADATA: [2]}),
    (["v:l[1]::bigint"], {L: ALL, L_LEVELS: ALL}),
    (["v:b.deeper::int"], {}),
    (["v:never"], {VALUE: [3], METADATA: [3]}),
    (["v:extra::int"], {VALUE: [3], METADATA: [3]}),
    (["to_json(v)"], {A: ALL, B: ALL, L: ALL, L_LEVELS: ALL, A_VALUE: ALL, VALUE: [3], METADATA: [2, 3]}),
    (["v"], {A: ALL, B: ALL, L: ALL, L_LEVELS: ALL, A_VALUE: ALL, VALUE: [3], METADATA: ALL}),
    (["id"], {"id": ALL}),
    # Other columns are pruned too.
    (["s.n"], {"s.n": ALL}),
    (["s.n", "s.v:b::bigint"], {"s.n": ALL, "s.v.typed_value.b.typed_value": ALL}),
    (["s.v:b::bigint", "v:b::string"], {"s.v.typed_value.b.typed_value": ALL, B: ALL}),
    (["s.inner.x", "s.v:c::string"], {"s.inner.x": ALL, "s.v.typed_value.c.typed_value": ALL}),
]


@pytest.fixture(scope="module")
def table(spark, tmp_path_factory):
    rows = spark.range(0, GROUP * GROUPS, 1, 1).selectExpr(
        "id",
        f"{VARIANT} AS v",
        """named_struct('n', id, 'wide', repeat(md5(string(id)), 3), 'inner', named_struct('x', id, 'y', -id),
           'v', parse_json(concat('{"b":', id, ',"c":"c', id, '"}'))) AS s""",
    )
    return write(rows, tmp_path_factory.mktemp("bytes") / "t", **OPTIONS)


def read(df):
    rows, counts = run(df)
    assert len(rows) == GROUP * GROUPS
    return counts.bytes


@pytest.mark.parametrize("batches", ["true", "false"])
@pytest.mark.parametrize(("columns", "leaves"), QUERIES)
def test_a_query_reads_the_bytes_of_its_leaves(spark, table, columns, leaves, batches):
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", batches)
    try:
        result = read(load(spark, table, schema=None).selectExpr(*columns))
    finally:
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")
    sizes = group_bytes(only_file(table))
    assert result == (sum(sizes[group][leaf] for leaf, groups in leaves.items() for group in groups), 0), sizes


# (filter, columns, the leaves of both, how many of their pages are read)
FILTERED = [
    ("id < 1000", ["id", "v:b::string"], ["id", B], 20),
    ("id BETWEEN 150 AND 160", ["id", "v:b::string"], ["id", B], 2),
    ("id BETWEEN 950 AND 1049", ["id", "v:b::string", "v:l[1]::bigint"], ["id", B, L, L_LEVELS], 8),
    ("id = 5 OR v:b::string = md5('3999')", ["v:b::string", "s.wide"], ["id", B, "s.wide"], 82),
    # Late materialisation: all pages of the filter's leaf, and the pages of the other leaves with rows that pass.
    ("id % 1000 = 5", ["id", "v:b::string"], ["id", B], 44),
    ("id % 1000 IN (5, 905)", ["id", "v:b::string", "s.wide"], ["id", B, "s.wide"], 56),
    ("id % 10 < 9", ["id", "v:b::string"], ["id", B], 80),
    ("id % 10 = 11", ["id", "v:b::string"], ["id", B], 40),
]


@pytest.mark.parametrize(("condition", "columns", "leaves", "read"), FILTERED)
def test_pages_and_bytes_of_leaves_are_read_or_skipped(spark, table, condition, columns, leaves, read):
    rows, counts = run(load(spark, table, schema=None).where(condition).selectExpr(*columns))
    sizes, pages = chunk_bytes(only_file(table)), len(leaves) * GROUPS * GROUP // PAGE
    assert len(rows) + counts.rows_skipped == GROUPS * GROUP
    assert counts.pages == (read, pages - read)
    assert sum(counts.bytes) == sum(sizes[leaf] for leaf in leaves)
    assert all((page == 0) == (size == 0) for page, size in zip(counts.pages, counts.bytes, strict=True))


def test_bytes_of_whole_row_groups_and_of_late_leaves_are_skipped(spark, table):
    query = load(spark, table, schema=None).selectExpr("id", "v:b::string", "v:l[1]::bigint")
    sizes = [{leaf: group[leaf] for leaf in ("id", B, L, L_LEVELS)} for group in group_bytes(only_file(table))]
    first, *others = (sum(group.values()) for group in sizes)
    assert run(query.where("id < 1000"))[1].bytes == (first, sum(others))
    leaf = sum(group["id"] for group in sizes)
    assert run(query.where("id % 10 = 11"))[1].bytes == (leaf, first + sum(others) - leaf)


def test_the_pages_of_a_leaf_have_together_the_bytes_of_the_leaf(spark, table):
    ids = load(spark, table, schema=None).select("id")
    parts = [run(ids.where(f"id BETWEEN {i} AND {i + 9}"))[1] for i in range(0, GROUP, PAGE)]
    assert all(part.pages[0] == 1 and part.bytes[0] > 0 for part in parts)
    assert sum(part.bytes[0] for part in parts) == group_bytes(only_file(table))[0]["id"]


def test_a_path_that_no_row_has_reads_no_data(spark, tmp_path):
    rows = spark.range(0, GROUP, 1, 1).selectExpr("id", """parse_json(concat('{"a":', id, '}')) AS v""")
    path = write(rows, tmp_path / "t", shredding__shape__v="a BIGINT")
    for never in ("v:never", "v:never::string", "v:a.b::int", "v:a[0]::int"):
        result, counts = run(load(spark, path).selectExpr(never))
        assert [r[0] for r in result] == [None] * GROUP
        assert counts.bytes == (0, 0) and counts.pages[0] == 0
