"""The bytes that a query reads are those of the leaves that it needs, in the row groups that need them."""

import pytest
from parquet_cells import group_bytes, only_file
from scan_counts import run
from tables import load, write

GROUP, GROUPS = 1000, 4
ALL = range(GROUPS)
METADATA, VALUE = "v.metadata", "v.value"
A, B = "v.typed_value.a.typed_value", "v.typed_value.b.typed_value"
L = "v.typed_value.l.typed_value.list.element.typed_value"
A_VALUE = "v.typed_value.a.value"
# Leaves without values, some dozens of bytes, whose levels tell where an object or a list is.
L_LEVELS = "v.typed_value.l.typed_value.list.element.value"
# `a` is text in some rows of the row group 2, and `extra`, which has no column, stands in some of the group 3.
VARIANT = """parse_json(concat('{"a":', if(id BETWEEN 2100 AND 2109, concat('"', id, '"'), string(id)),
    ',"b":"', md5(string(id)), '","l":[', id, ',', id + 1, ']',
    if(id BETWEEN 3100 AND 3109, concat(',"extra":', id), ''), '}'))"""
OPTIONS = {"shredding.shape.v": "a BIGINT, b STRING, l ARRAY<BIGINT>", "shredding.shape.s.v": "b BIGINT, c STRING",
           "parquet.block.row.count.limit": GROUP}  # fmt: skip

# (what is asked for, the row groups in which each leaf is read)
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
    # Other columns are pruned beside paths as without them.
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
        found = read(load(spark, table, schema=None).selectExpr(*columns))
    finally:
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")
    sizes = group_bytes(only_file(table))
    assert found == (sum(sizes[group][leaf] for leaf, groups in leaves.items() for group in groups), 0), sizes


def test_a_path_that_no_row_has_reads_no_data(spark, tmp_path):
    rows = spark.range(0, GROUP, 1, 1).selectExpr("id", """parse_json(concat('{"a":', id, '}')) AS v""")
    path = write(rows, tmp_path / "t", shredding__shape__v="a BIGINT")
    for never in ("v:never", "v:never::string", "v:a.b::int", "v:a[0]::int"):
        found, counts = run(load(spark, path).selectExpr(never))
        assert [r[0] for r in found] == [None] * GROUP
        assert counts.bytes == (0, 0) and counts.pages[0] == 0
