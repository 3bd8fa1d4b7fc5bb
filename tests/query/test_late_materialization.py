"""Late materialisation reads the filter's columns first, and the other columns only for the rows that pass."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from parquet_cells import chunk_bytes, only_file
from scan_counts import run
from tables import FORMAT, write

ROWS, PAGE = 40_000, 500
SHAPE = "n BIGINT, m BIGINT, text STRING, x BIGINT, l ARRAY<BIGINT>, o STRUCT<p: STRING, q: BIGINT>"
# `n` is clustered and `m` is scattered; `x` is a residual text in one row of seven.
VARIANT = """parse_json(concat('{"n":', id, ',"m":', pmod(xxhash64(id), 1000), ',"x":',
    CASE WHEN id % 7 = 3 THEN concat('"', id % 100, '"') ELSE CAST(id % 100 AS STRING) END,
    ',"text":"', repeat(md5(CAST(id AS STRING)), 3), '","l":[', id, ',', id % 3, '],"o":{"p":"',
    md5(CAST(id AS STRING)), '","q":', id % 50, ',"k":', id, '}',
    CASE WHEN id % 5 = 0 THEN ',"extra":[1,{"z":2}]' ELSE '' END, '}'))"""

# Filters that few rows pass.
FEW = [
    "v:m::bigint = 17",
    "v:m::bigint IN (1, 999)",
    "v:n::bigint BETWEEN 12345 AND 12350",
    "v:m::bigint < 5 AND v:n::bigint > 20000",
    "v:m::bigint = 17 OR v:n::bigint = 5",
    "try_variant_get(v, '$.x', 'int') = 42",
    "try_variant_get(v, '$.x', 'string') = '42' AND v:m::bigint < 100",
    "plain = 'p77'",
    "plain = 'p77' AND v:m::bigint < 300",
    "v:l[0]::bigint = 777",
    "v:o.q::bigint = 3 AND v:m::bigint < 20",
    "v:o.k::bigint = 777",
    "length(v:o.p::string) = 32 AND v:m::bigint = 4",
    "v:m::bigint = 2000",
]
COLUMNS = [
    ["id", "to_json(v) AS j"],
    ["id", "v:text::string AS t", "to_json(v:l) AS l"],
    ["id", "plain", "nested.a", "to_json(v:o) AS o", "v:m::bigint AS m"],
    ["id", "try_variant_get(v, '$.x', 'int') AS x", "v:extra[1].z::int AS z", "to_json(v) AS j"],
]


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("late")
    rows = spark.range(0, ROWS, 1, 1).selectExpr(
        "id",
        "concat('p', id % 1000) AS plain",
        "named_struct('a', id, 'b', repeat('b', 50)) AS nested",
        f"{VARIANT} AS v",
    )
    rows.write.parquet(str(folder / "plain"))
    options = {"shredding.shape.v": SHAPE, "parquet.block.size": 1 << 20, "parquet.page.row.count.limit": PAGE}
    write(spark.read.parquet(str(folder / "plain")), str(folder / "ours"), **options)
    return spark.read.parquet(str(folder / "plain")), str(folder / "ours")


def load(spark, path, late=True):
    return spark.read.format(FORMAT).option("lateMaterialization", str(late).lower()).load(path)


def shown(rows):
    return sorted(str(row) for row in rows)


@pytest.mark.parametrize("columns", COLUMNS, ids=lambda columns: columns[-1])
@pytest.mark.parametrize("condition", FEW)
def test_only_rows_that_pass_are_read(spark, tables, condition, columns):
    unshredded, path = tables
    expected = shown(unshredded.where(condition).selectExpr(*columns).collect())
    rows, counts = run(load(spark, path).where(condition).selectExpr(*columns))
    assert shown(rows) == expected
    assert counts.rows_skipped == ROWS - len(expected)
    assert shown(load(spark, path, late=False).where(condition).selectExpr(*columns).collect()) == expected


@pytest.mark.parametrize("condition", FEW[::4])
def test_other_sessions_read_only_rows_that_pass(spark, tables, other_session, condition):
    test_only_rows_that_pass_are_read(spark, tables, condition, COLUMNS[-1])


def test_if_no_row_passes_only_the_leaf_of_the_filter_is_read(spark, tables, other_session):
    query = load(spark, tables[1]).where("v:m::bigint % 1000 = 1001").selectExpr("id", "plain", "to_json(v) AS j")
    rows, counts = run(query)
    leaf = chunk_bytes(only_file(tables[1]))["v.typed_value.m.typed_value"]
    assert (rows, counts.rows_skipped, counts.bytes[0]) == ([], ROWS, leaf)


def test_other_columns_are_read_only_in_pages_with_rows_that_pass(spark, tables):
    query = load(spark, tables[1]).where("v:n::bigint % 10000 = 77").selectExpr("id", "plain", "v:text::string AS t")
    rows, counts = run(query)
    assert sorted(row.id for row in rows) == [77, 10077, 20077, 30077]
    # All pages of v.n, some of which end at a row group, and for each row one page of the three other leaves.
    assert counts.pages[0] <= ROWS // PAGE + 2 + 3 * 4


def test_late_materialisation_ends_after_a_filter_that_most_rows_pass(spark, tables):
    rows, counts = run(load(spark, tables[1]).where("v:n::bigint % 10 <> 3").selectExpr("id", "to_json(v) AS j"))
    assert len(rows) == ROWS // 10 * 9
    assert counts.rows_skipped < ROWS / 100


def test_spark_evaluates_a_filter_that_may_raise_an_error(spark, tables):
    unshredded, path = tables
    for frame in (unshredded, load(spark, path)):
        with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            # Few rows pass, so that late materialisation is still on at the row that raises the error.
            frame.where("1000 / (v:n::bigint - 20000) > 900").selectExpr("to_json(v)").collect()
    # Spark evaluates the first conjunct first: the row for which the second one would raise an error does not pass it.
    guarded = "v:n::bigint <> 20000 AND 1000 / (v:n::bigint - 20000) > 900"
    rows, counts = run(load(spark, path).where(guarded).selectExpr("id", "to_json(v) AS j"))
    assert [row.id for row in rows] == [20001]
    assert counts.rows_skipped > 0


def test_rows_keep_their_numbers_and_files(spark, tables):
    query = (
        load(spark, tables[1])
        .where("v:m::bigint = 17")
        .selectExpr("id", "_metadata.row_index AS i", "_metadata.file_name AS f", "to_json(v) AS j")
    )
    rows, counts = run(query)
    assert rows and all(row.id == row.i and row.f.endswith(".parquet") for row in rows)
    assert counts.rows_skipped == ROWS - len(rows)


def test_rows_with_the_same_long_value_of_a_dictionary_take_no_memory_for_each(spark, tmp_path):
    """The dictionary has more values than rows pass, and these rows all have its longest value."""
    rows, long = 12_000, "b" * 1_000_000
    ids = pa.array([0 if i % 5 == 1 else i + 1 for i in range(rows)], pa.int32())
    texts = pa.DictionaryArray.from_arrays(ids, [long, *(f"text {i} " * 30 for i in range(rows))])
    path = str(tmp_path / "f.parquet")
    pq.write_table(
        pa.table({"n": pa.array([i % 5 for i in range(rows)], pa.int32()), "text": texts}), path, compression="zstd",
        use_dictionary=["text"], dictionary_pagesize_limit=16 << 20, write_page_index=True,
    )  # fmt: skip
    (found,), counts = run(load(spark, path).where("n % 5 = 1").selectExpr("count(*)", "sum(length(text))"))
    assert tuple(found) == (rows // 5, rows // 5 * len(long)) and counts.rows_skipped == rows - rows // 5
