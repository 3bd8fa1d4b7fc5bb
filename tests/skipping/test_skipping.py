"""Filters skip the row groups and pages that cannot match, and give the rows of Spark over the unshredded table."""

import json

import pytest

from path_queries import OTHER_SESSIONS, settings, skipping_shown
from scan_counts import Counts, filtering, read_nothing, run
from skipping_cases import HITS, MISSES, PAGE, ROWS, SHAPE, SMALL_GROUPS, VARIANT, WHOLE
from tables import FORMAT, ours_and_plain, views, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("skipped")


@pytest.fixture(scope="module")
def tables(spark, folder):
    rows = spark.range(0, ROWS, 1, 1).selectExpr(
        "id", "named_struct('x', id, 'y', CAST(id AS STRING)) AS plain", f"{VARIANT} AS v"
    )
    ours, plain = ours_and_plain(rows, folder, **{"shredding.shape.v": SHAPE, **SMALL_GROUPS})
    with views(spark, skipped=ours, unshredded=plain):
        yield spark


query = filtering("skipped", "unshredded")


@pytest.mark.parametrize(("condition", "maximum"), HITS)
def test_a_filter_reads_the_pages_that_can_match(tables, condition, maximum):
    result, counts = query(tables, condition)
    assert result > 0
    read = ROWS - counts.rows_skipped
    assert result <= read <= maximum
    assert counts.files == (1, 0)
    assert counts.bytes[0] > 0
    # Leaves end their pages at the same rows.
    assert counts.pages[0] <= (maximum / ROWS + 0.02) * sum(counts.pages)


@pytest.mark.parametrize("condition", MISSES)
def test_a_filter_that_matches_nothing_reads_nothing(tables, condition):
    counts = read_nothing(query, tables, condition)
    assert (counts.files, counts.rows_skipped) == ((0, 1), ROWS)


def test_a_filter_that_is_never_true_has_no_scan(tables):
    assert query(tables, "v:n::bigint = NULL") == (0, Counts((0, 0), (0, 0), (0, 0), 0, (0, 0), 0))


@pytest.mark.parametrize("condition", WHOLE)
def test_a_filter_that_statistics_cannot_judge_reads_all(tables, condition):
    _, counts = query(tables, condition)
    assert counts.rows_skipped == 0
    assert counts.groups[1] == 0


# The same tests with other settings of the session, for some of the cases.
@pytest.mark.parametrize(("condition", "maximum"), HITS[::7])
def test_other_sessions_read_the_same_pages(tables, other_session, condition, maximum):
    test_a_filter_reads_the_pages_that_can_match(tables, condition, maximum)


@pytest.mark.parametrize("condition", MISSES[::6])
def test_other_sessions_read_nothing_if_nothing_matches(tables, other_session, condition):
    test_a_filter_that_matches_nothing_reads_nothing(tables, condition)


@pytest.mark.parametrize("condition", WHOLE[::4])
def test_other_sessions_read_all_that_statistics_cannot_judge(tables, other_session, condition):
    test_a_filter_that_statistics_cannot_judge_reads_all(tables, condition)


@pytest.mark.parametrize(
    "condition", ["CAST(id AS TINYINT) = 5", "v:n::bigint::tinyint = 5", "CAST(v:d::double AS INT) = 5"]
)
def test_without_ansi_a_cast_that_wraps_around_has_no_order(tables, condition):
    with settings(tables, OTHER_SESSIONS["without ANSI"]):
        test_a_filter_that_statistics_cannot_judge_reads_all(tables, condition)


def test_row_numbers_are_those_of_the_file(tables, folder):
    query(tables, "v:n::bigint IN (17, 4321, 7777)", "id, plain")
    table = tables.read.format(FORMAT).load(str(folder / "t"))
    some = table.where("v:n::bigint IN (17, 4321, 7777) OR id > 7990")
    rows, counts = run(some.selectExpr("id", "_metadata.row_index AS r"))
    assert counts.rows_skipped > ROWS // 2
    assert rows and all(r.id == r.r for r in rows)


def test_whole_variants_lists_and_structs_are_read_from_the_other_pages(tables):
    for columns in ("to_json(v)", "v:l::array<bigint>", "plain", "to_json(v:o), v:l[1]::int, v:s::string"):
        _, counts = query(tables, "v:n::bigint BETWEEN 4290 AND 4310 OR v:s::string LIKE 'é0006%'", columns)
        assert counts.rows_skipped >= ROWS - 4 * PAGE


@pytest.mark.parametrize("batch", ["1", "7", "4096"])
def test_batches_of_any_size_skip_rows(tables, batch):
    tables.conf.set("spark.sql.parquet.columnarReaderBatchSize", batch)
    try:
        query(tables, "v:n::bigint % 1000 < 3 AND v:n::bigint IN (1, 1001, 2002, 7000, 7002)", "id, to_json(v)")
    finally:
        tables.conf.unset("spark.sql.parquet.columnarReaderBatchSize")


def test_files_are_skipped_by_partition_and_by_statistics(tables, tmp_path):
    spark = tables
    rows = spark.range(0, 4000, 1, 4).selectExpr("id", "id % 2 AS p", "parse_json(concat('{\"a\":', id, '}')) AS v")
    path = write(rows, tmp_path / "t", by=["p"], shredding__shape__v="a BIGINT")
    spark.read.format(FORMAT).load(path).createOrReplaceTempView("parts")
    result, counts = run(spark.sql("SELECT id FROM parts WHERE p = 1 AND v:a::bigint < 500"))
    assert len(result) == 250
    assert counts.files == (1, 7)
    assert counts.groups == (1, 3)


def test_a_file_of_several_splits_counts_once(tables, folder):
    spark = tables
    spark.conf.set("spark.sql.files.maxPartitionBytes", "60000")
    try:
        plain = spark.read.format(FORMAT).load(str(folder / "t"))
        for condition, files in (("id < 10", (1, 0)), ("id > 7990", (1, 0)), ("id < 0", (0, 1)), ("true", (1, 0))):
            splits = plain.where(condition)
            assert splits.rdd.getNumPartitions() > 2
            assert run(splits.select("id"))[1].files == files
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")


def test_the_setting_that_disables_parquet_filters_disables_skipping(tables):
    tables.conf.set("spark.sql.parquet.filterPushdown", "false")
    try:
        assert query(tables, "id = 4321")[1].rows_skipped == 0
        _, unused = skipping_shown(tables.sql("SELECT id FROM skipped WHERE id = 4321"))
        assert "spark.sql.parquet.filterPushdown is off" in unused
    finally:
        tables.conf.unset("spark.sql.parquet.filterPushdown")


SCALARS = {
    "f": ("FLOAT", "CAST(id AS FLOAT)", "v:f::float = 4321", "v:f::double > 1e9"),
    "day": (
        "DATE",
        "date_add(DATE'2020-01-01', CAST(id AS INT))",
        "v:day::date < '2020-01-10'",
        "v:day::date < '2020-01-01'",
    ),
    "at": (
        "TIMESTAMP",
        "timestamp_seconds(id * 60)",
        "v:at::timestamp BETWEEN '1970-01-02' AND '1970-01-02 00:10'",
        "v:at::timestamp > '2000-01-01'",
    ),
    "ntz": (
        "TIMESTAMP_NTZ",
        "CAST(timestamp_seconds(id * 60) AS TIMESTAMP_NTZ)",
        "v:ntz::timestamp_ntz = TIMESTAMP_NTZ'1970-01-02'",
        "v:ntz::timestamp_ntz > TIMESTAMP_NTZ'2000-01-01'",
    ),
    "bin": ("BINARY", "unhex(lpad(hex(id), 8, '0'))", "v:bin::binary = X'000010E1'", "v:bin::binary > X'00FFFFFF'"),
    "small": ("SMALLINT", "CAST(id AS SMALLINT)", "v:small::smallint = 4321", "v:small::int < 0"),
    "tiny": ("TINYINT", "CAST(id DIV 80 AS TINYINT)", "v:tiny::tinyint = 42", "v:tiny::int > 99"),
    "wide": (
        "DECIMAL(30,3)",
        "CAST(id AS DECIMAL(30,3)) * 1000000000000BD",
        "v:wide::decimal(38,3) = 4321000000000000",
        "v:wide::decimal(38,3) < 0",
    ),
}


@pytest.mark.parametrize("dictionary", ["true", "false"])
@pytest.mark.parametrize("kind", SCALARS)
def test_bounds_of_every_type_with_a_compatible_order_are_used(tables, tmp_path, kind, dictionary):
    spark = tables
    shape, value, hit, miss = SCALARS[kind]
    rows = spark.range(0, ROWS, 1, 1).selectExpr("id", f"to_variant_object(named_struct('{kind}', {value})) AS v")
    options = {"parquet.page.row.count.limit": str(PAGE), "parquet.enable.dictionary": dictionary}
    path = write(rows, tmp_path / "t", **{"shredding.shape.v": f"{kind} {shape}", **options})
    table = spark.read.format(FORMAT).load(path)
    result, counts = run(table.where(hit))
    assert list(map(str, result)) == list(map(str, rows.where(hit).collect())) != []
    assert 0 < ROWS - counts.rows_skipped <= 2 * PAGE
    result, counts = run(table.where(miss))
    assert (result, counts.files, counts.bytes[0]) == ([], (0, 1), 0)


# In each page all values are the same, and every tenth row has no value: (filter, number of skipped pages).
SAME = [
    ("v:n::bigint <> 3", 1),
    ("3 <> v:n::int", 1),
    ("v:n::bigint NOT IN (3, 5, 50)", 2),
    ("NOT v:n::double BETWEEN 2 AND 4", 3),
    ("v:s::string <> 's3'", 1),
    ("NOT startswith(v:s::string, 's')", 8),
    ("v:d::double NOT IN (1.5, 2.5)", 2),
    ("v:m::decimal(5,2) <> 3.25", 1),
    ("v:n::bigint <> 3 AND v:s::string <> 's4' OR v:d::double = 3.5", 1),
    ("v:n::bigint <> 30", 0),
    ("NOT v:n::bigint <=> 3", 0),
    ("v:n::bigint <> 3 OR v:n IS NULL", 0),
    ("v:k::bigint <> 3", 0),
]


@pytest.fixture(scope="module")
def same(spark, folder):
    number = "id div 100"
    rows = spark.range(0, 8 * PAGE, 1, 1).selectExpr(
        "id",
        f"""if(id % 10 = 9, parse_json('{{"k":3}}'), to_variant_object(named_struct('n', {number}, 'd', {number} + 0.5D,
        's', concat('s', {number}), 'm', CAST({number} + 0.25 AS DECIMAL(5,2)), 'k', {number}))) AS v""",
    )
    options = {"parquet.page.row.count.limit": PAGE, "parquet.enable.dictionary": "false"}
    path = write(rows, folder / "same", **{"shredding.shape.v": "n INT, d DOUBLE, s STRING, m DECIMAL(5,2)"}, **options)
    return spark.read.format(FORMAT).load(path), rows


@pytest.mark.parametrize(("condition", "skipped"), SAME)
def test_pages_of_one_value_are_skipped_by_filters_for_other_values(same, condition, skipped):
    ours, rows = same
    result, counts = run(ours.where(condition).select("id"))
    assert sorted(result) == rows.where(condition).select("id").collect()
    assert counts.rows_skipped == skipped * PAGE


def test_a_strict_cast_that_fails_is_still_an_error(tables):
    # Bounds show that no value is below -5, but the cast of other values fails.
    with pytest.raises(Exception, match="INVALID_VARIANT_CAST"):
        tables.sql("SELECT id FROM skipped WHERE v:big::smallint < -5").collect()
    assert json.dumps([r.id for r in tables.sql("SELECT id FROM skipped WHERE v:big::bigint < 5").collect()]) == "[0]"


def test_other_sessions_raise_what_a_strict_cast_raises(tables, other_session):
    test_a_strict_cast_that_fails_is_still_an_error(tables)


@pytest.mark.parametrize(
    ("condition", "groups", "expected"),
    [
        # Rows of p = 0 have n from 0 on, those of p = 1 from 1000 on; one row group each.
        ("p = 1 OR v:n::bigint > 500", 1, range(1000, 1010)),
        ("p = 1 AND v:n::bigint < 1003 OR p = 0 AND v:n::bigint < -1", 1, range(1000, 1003)),
        ("NOT (p = 0 OR v:n::bigint < 1008)", 1, range(1008, 1010)),
        ("p + 0 = 0 AND v:n::bigint > 7 OR v:n::bigint > 5000", 1, range(8, 10)),
        ("p = 2 OR v:n::bigint > 5000", 0, []),
        ("p IS NULL OR v:n::bigint = 3", 1, [3]),
        ("p <= 1 OR v:n::bigint = 3", 2, [*range(10), *range(1000, 1010)]),
    ],
)
def test_filters_that_mix_partitions_with_paths_are_judged_file_by_file(spark, tmp_path, condition, groups, expected):
    rows = spark.range(0, 20, 1, 1).selectExpr(
        "parse_json(concat('{\"n\":', if(id < 10, id, id + 990), '}')) AS v", "id div 10 AS p"
    )
    path = str(tmp_path / "t")
    rows.write.format(FORMAT).partitionBy("p").option("shredding.shape.v", "n BIGINT").save(path)
    read = spark.read.format(FORMAT).load(path).where(condition)
    result, counts = run(read.selectExpr("v:n::bigint AS n"))
    assert sorted(r.n for r in result) == list(expected)
    assert counts.groups[0] == groups
