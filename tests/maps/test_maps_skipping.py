"""Filters on keys of maps read only the row groups and pages that can match, and give the rows of Spark."""

import pyarrow.parquet as pq
import pytest

from map_cases import hot
from map_files import sizes
from parquet_cells import data_files, only_file
from path_queries import settings
from scan_counts import filtering, read_nothing, run
from skipping_cases import PAGE, ROWS, SMALL_GROUPS
from tables import FORMAT, load, views, write

# `n` and `s` grow with id; `rare` is in a few rows; `late` is in the second half and NULL in some; no row has `no`.
MAP = (
    "map_filter(map('n', lpad(id, 5, '0'), 's', concat('é', lpad(id, 5, '0')),"
    " 'rare', IF(id BETWEEN 3000 AND 3010, 'x', '-'), 'late', IF(id % 2 = 0, NULL, concat('l', id)),"
    " 'cold', concat('c', id), 'filler', repeat(uuid(), 2)),"
    " (k, x) -> (k <> 'rare' OR x = 'x') AND (k <> 'late' OR id >= 4000) AND (k <> 'cold' OR id >= 6000))"
)
NUMBERS = "map('n', id, 'd', id * 2, 'cold', id)"

HITS = [
    ("m['n'] = '04321'", PAGE),
    ("'04321' = m.n", PAGE),
    ("element_at(m, 'n') = '04321'", PAGE),
    ("try_element_at(m, 'n') IN ('00017', '04321')", 2 * PAGE),
    ("m['s'] LIKE 'é0432%'", PAGE),
    ("startswith(m['s'], 'é0432')", PAGE),
    ("m['n'] > '07950'", 2 * PAGE),
    ("m['n'] BETWEEN '04300' AND '04350'", PAGE),
    ("m['n'] <=> '04321'", PAGE),
    ("m['rare'] = 'x'", 3 * PAGE),
    ("m['rare'] IS NOT NULL", 3 * PAGE),
    ("m['late'] IS NOT NULL", 4000 + PAGE),
    ("m['n'] IS NULL", PAGE),
    ("m['n'] = '04321' AND m['rare'] IS NULL", PAGE),
    ("m['n'] = '00017' OR m['n'] = '04321'", 2 * PAGE),
    ("n['n'] = 4321", PAGE),
    ("n['n'] < 50", PAGE),
    ("n['d'] = 8642", PAGE),
    ("CAST(n['n'] AS DECIMAL(30,2)) = 4321", PAGE),
    ("s.m['n'] = '04321'", PAGE),
    ("id = 4321", PAGE),
]
MISSES = [
    "m['n'] = '09999'", "m['n'] < ''", "m['s'] LIKE 'f%'", "n['n'] < 0", "n['n'] > 8000", "m['n'] = 'x' AND id > 9000",
    "m['no'] IS NOT NULL", "m['no'] = 'x'", "s.m['n'] > 'z'", "m['n'] = NULL",
]  # fmt: skip
# These filters read all rows.
WHOLE = [
    "m['n'] LIKE '%99'", "m['filler'] > '0'", "length(m['n']) = 5", "m['n'] <> '04321'", "map_contains_key(m, 'n')",
    "m['n'] COLLATE UTF8_LCASE = ('04321' COLLATE UTF8_LCASE)", "n['cold'] = 4321", "m['n'] IS NOT NULL", "size(m) > 3",
    "m['cold'] = 'c7000' OR m['filler'] = '1'", "m[concat('n', substr(s.m['n'], 0, 0))] = '04321'",
]  # fmt: skip


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("map-skipping")
    rows = spark.range(0, ROWS, 1, 1).selectExpr(
        "id", f"IF(id = 5000, NULL, {MAP}) AS m", f"{NUMBERS} AS n", f"named_struct('m', {MAP}) AS s"
    )
    rows.write.parquet(str(folder / "plain"))
    plain = spark.read.parquet(str(folder / "plain"))
    keys = hot("m", ["n", "s", "rare", "late", "no"], n=["n", "d"], **{"s.m": ["n"]})
    path = write(plain.coalesce(1).sortWithinPartitions("id"), folder / "t", **keys, **SMALL_GROUPS)
    with views(spark, skipped_maps=load(spark, path, schema=None), plain_maps=plain):
        yield spark


query = filtering("skipped_maps", "plain_maps")


@pytest.mark.parametrize(("condition", "maximum"), HITS)
def test_a_filter_reads_the_pages_that_can_match(tables, condition, maximum):
    result, counts = query(tables, condition)
    assert 0 < result <= ROWS - counts.rows_skipped <= maximum


@pytest.mark.parametrize("condition", MISSES)
def test_a_filter_that_matches_nothing_reads_nothing(tables, condition):
    read_nothing(query, tables, condition)


@pytest.mark.parametrize("condition", WHOLE)
def test_a_filter_that_statistics_cannot_judge_reads_all(tables, condition):
    _, counts = query(tables, condition)
    assert counts.rows_skipped == 0
    assert counts.groups[1] == 0


def test_other_columns_come_from_the_pages_that_are_left(tables):
    for columns in ("array_sort(map_entries(n))", "n['cold'], m['filler'], s.m['n']", "array_sort(map_entries(s.m))"):
        _, counts = query(tables, "m['n'] IN ('00017', '04321')", f"id, {columns}")
        assert ROWS - counts.rows_skipped <= 2 * PAGE


def test_rows_that_a_filter_drops_cost_the_other_columns_nothing(tables):
    """The filter skips nothing, so that late materialisation evaluates it on its own column first."""
    _, counts = query(tables, "m['n'] LIKE '%4321'", "id, m['filler'], array_sort(map_entries(s.m))")
    assert counts.rows_skipped > ROWS - 10


# Values that grow with id: (type, value, a value of some row, a value beyond all rows or None).
TYPED = [
    ("TINYINT", "CAST(id div 80 AS TINYINT)", "54Y", "101Y"),
    ("INT", "CAST(id AS INT)", "4321", "-1"),
    ("FLOAT", "CAST(id AS FLOAT)", "CAST(4321 AS FLOAT)", "CAST(9e9 AS FLOAT)"),
    ("DOUBLE", "id / 2D", "2160.5D", "-0.5D"),
    ("DECIMAL(9,2)", "CAST(id + 0.25 AS DECIMAL(9,2))", "4321.25", "0.24"),
    ("DECIMAL(38,10)", "CAST(id * 12345678901 AS DECIMAL(38,10))", "4321 * 12345678901BD", "-1BD"),
    ("BINARY", "CAST(lpad(id, 5, '0') AS BINARY)", "CAST('04321' AS BINARY)", "x'ff'"),
    ("DATE", "date_add(DATE'2020-01-01', CAST(id AS INT))", "DATE'2031-11-01'", "DATE'2019-12-31'"),
    ("TIMESTAMP", "timestamp_seconds(id)", "timestamp_seconds(4321)", "timestamp_seconds(-1)"),
    ("TIMESTAMP_NTZ", "timestampadd(DAY, CAST(id AS INT), TIMESTAMP_NTZ'2020-01-01 00:00:00')",
     "TIMESTAMP_NTZ'2031-11-01 00:00:00'", "TIMESTAMP_NTZ'2019-01-01 00:00:00'"),
    ("BOOLEAN", "id >= 7900", "true", None),
]  # fmt: skip


@pytest.mark.parametrize(("ddl", "value", "there", "beyond"), TYPED, ids=[t[0] for t in TYPED])
def test_hot_values_of_each_type_have_bounds_that_skip(spark, tmp_path, ddl, value, there, beyond):
    rows = spark.range(0, ROWS, 1, 1).selectExpr("id", f"map('k', IF(id = 5000, NULL, {value}), 'c', {value}) AS m")
    options = {"parquet.page.row.count.limit": str(PAGE), "parquet.enable.dictionary": "false"}
    # INT96, the default of Spark's `parquet` for times in a zone, has no statistics.
    with settings(spark, {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}):
        table = load(spark, write(rows, tmp_path / "t", **hot("m", ["k"]), **options), schema=None)
    assert dict(table.dtypes)["m"].upper() == f"MAP<STRING,{ddl}>"
    for condition in (f"m['k'] = {there}", f"{there} <=> element_at(m, 'k')", f"m['k'] IN ({there})"):
        result, counts = run(table.where(condition).select("id"))
        expected = {r.id for r in rows.where(condition).select("id").collect()}
        assert expected and {r.id for r in result} == expected
        assert len(expected) <= ROWS - counts.rows_skipped <= 2 * PAGE, condition
    if beyond:
        result, counts = run(table.where(f"m['k'] = {beyond}").select("id"))
        assert (result, counts.groups[0], counts.bytes[0]) == ([], 0, 0)
    # A cold key has no bounds.
    result, counts = run(table.where(f"m['c'] = {there}").select("id"))
    assert result and counts.rows_skipped == 0


def test_a_hot_value_that_is_nan_does_not_hide_matching_values(spark, tmp_path):
    rows = spark.range(0, 2000, 1, 1).selectExpr("id", "map('k', IF(id % 500 = 7, double('NaN'), id / 2D)) AS m")
    options = {"parquet.page.row.count.limit": str(PAGE), "parquet.enable.dictionary": "false"}
    table = load(spark, write(rows, tmp_path / "t", **hot("m", ["k"]), **options), schema=None)
    for condition in ("isnan(m['k'])", "m['k'] > 990", "m['k'] = 500", "m['k'] >= double('NaN')", "m['k'] < 3"):
        result = {r.id for r in table.where(condition).select("id").collect()}
        assert result == {r.id for r in rows.where(condition).select("id").collect()} != set(), condition


def test_a_key_that_no_map_has_is_found_in_the_dictionary_of_keys(spark, tmp_path):
    rows = spark.range(0, 100, 1, 1).selectExpr("map(IF(id < 50, 'a', 'z'), id, 'm', id) AS m")
    table = load(spark, write(rows, tmp_path / "t"), schema=None)
    for condition, read in (("m['k'] = 3", 0), ("m['k'] IS NOT NULL", 0), ("m['~'] = 3", 0), ("m['z'] = 60", 1)):
        result, counts = run(table.where(condition))
        assert counts.groups[0] == read
        assert len(result) == read
    assert table.where("m['k'] IS NULL").count() == 100


def test_a_lookup_of_a_hot_key_reads_only_its_column(spark, tmp_path):
    rows = spark.range(0, 2000, 1, 1).selectExpr("id", "map('a', id, 'b', -id, 'c', id * 7) AS m")
    table = write(rows, tmp_path / "t", **hot("m", ["a", "b"]))
    group = pq.read_metadata(data_files(table)[0]).row_group(0)
    chunks = [group.column(i) for i in range(group.num_columns)]
    size = {c.path_in_schema: c.total_compressed_size for c in chunks}
    residual, a, b = ["m.key_value.key", "m.key_value.value"], "__paimon_map_shred_m_0", "__paimon_map_shred_m_1"
    for expression, columns in {
        "sum(m['a'])": [a], "sum(m['b'])": [b], "sum(m['c'])": residual, "m": [*residual, a, b], "count(m)": [],
        "sum(size(m))": residual[:1], "max(array_size(map_keys(m)))": residual[:1],
        "map_keys(m)": residual[:1],
        "map_contains_key(m, 'b')": [residual[0], b], "map_contains_key(m, 'c')": residual[:1], "m IS NULL": [],
    }.items():  # fmt: skip
        _, counts = run(spark.read.format(FORMAT).load(table).selectExpr(expression))
        assert counts.bytes[0] == sum(size[c] for c in columns), expression


# query on `t`: the keys that each of its scans looks up
BYTES = {
    "SELECT sum(m['a']) FROM t": ["a"],
    "SELECT count(*) FROM t WHERE m['a'] % 2 = 0": ["a"],
    "SELECT count(*) FROM t WHERE m['a'] % 2 = 0 AND m['b'] % 3 = 1": ["ab"],
    "SELECT m['a'] % 10, count(*) FROM t GROUP BY m['a'] % 10": ["a"],
    # A sort reads its input twice: for a sample, and for the sort.
    "SELECT m['a'] FROM t ORDER BY m['a'] % 100, m['a']": ["a", "a"],
    "SELECT count(*) FROM t x JOIN t y ON x.m['a'] = y.m['b']": ["a", "b"],
    "SELECT count(*) FROM t x LEFT JOIN t y ON x.m['a'] = y.m['a'] AND y.m['b'] % 2 = 0": ["a", "ab"],
    "SELECT count(*) FROM t WHERE m['a'] IN (SELECT m['b'] FROM t)": ["a", "b"],
    "SELECT count(*) FROM (SELECT m AS x FROM t) q WHERE x['a'] % 2 = 0": ["a"],
    "SELECT count(*) FROM t WHERE m['c'] % 2 = 0": ["c"],
    "SELECT count(*) FROM t x JOIN t y ON x.m['a'] = y.m['c']": ["a", "c"],
}
# The leaves of each key in the files: a column of its own, or the residual.
RESIDUAL = ("m.key_value.key", "m.key_value.value")
FIRST, SECOND = ("__paimon_map_shred_m_0",), ("__paimon_map_shred_m_1",)
STANDS = [
    {"a": FIRST, "b": SECOND, "c": RESIDUAL},
    {"a": RESIDUAL, "b": FIRST, "c": RESIDUAL},
    {"a": RESIDUAL, "b": RESIDUAL, "c": RESIDUAL},
]


@pytest.fixture(scope="module")
def files(spark, tmp_path_factory):
    """The same rows in three files, with the hot keys `a` and `b`, with `b`, and with none; and as plain Parquet."""
    folder = tmp_path_factory.mktemp("map-bytes")
    rows = spark.range(0, 2000, 1, 1).selectExpr("id", "map('a', id, 'b', id * 7 % 2000, 'c', id * 9 % 2000) AS m")
    paths = [write(rows, folder / f"f{i}", **hot("m", k)) for i, k in enumerate((["a", "b"], ["b"]))]
    paths.append(write(rows, folder / "f2"))
    rows.write.parquet(str(folder / "plain"))
    return paths, str(folder / "plain")


@pytest.mark.parametrize("query", BYTES)
def test_a_lookup_of_a_hot_key_reads_only_the_bytes_of_its_column(spark, files, query):
    paths, plain = files
    assert bytes_read(spark, query, paths[:1], [plain]) == wanted_bytes(query, paths[:1])


@pytest.mark.parametrize("query", BYTES)
def test_in_mixed_files_a_key_is_read_from_its_column_or_from_the_residual(spark, files, query):
    paths, plain = files
    assert bytes_read(spark, query, paths, [plain] * 3) == wanted_bytes(query, paths)


def wanted_bytes(query, paths):
    """The bytes of the leaves of these keys; a scan reads each leaf of a file once."""
    result = 0
    for path, stands in zip(paths, STANDS, strict=False):
        size = sizes(only_file(path))
        result += sum(size[leaf] for keys in BYTES[query] for leaf in {x for key in keys for x in stands[key]})
    return result


def bytes_read(spark, query, paths, plain):
    """The bytes that a query reads; its rows are those of plain Parquet."""
    with views(spark, t=spark.read.parquet(*plain)):
        expected = spark.sql(query).collect()
    with views(spark, t=load(spark, paths, schema="id BIGINT, m MAP<STRING, BIGINT>")):
        rows, counts = run(spark.sql(query))
    assert sorted(rows) == sorted(expected)
    return counts.bytes[0]


def test_counts_minima_and_maxima_of_hot_keys_come_from_the_footer(spark, tmp_path):
    rows = spark.range(0, 2000, 1, 1).selectExpr("id", "IF(id < 3, NULL, map('a', id, 'b', NULL)) AS m")
    table = load(spark, write(rows, tmp_path / "t", **hot("m", ["a", "b"])), schema=None)
    result, counts = run(table.selectExpr("count(m['a'])", "min(m['a'])", "max(m['a'])", "count(m['b'])", "count(*)"))
    assert result[0][:] == (1997, 3, 1999, 0, 2000)
    assert counts.answered == 1
    assert counts.bytes[0] == 0
