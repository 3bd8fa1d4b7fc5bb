"""Filters on columns with a collation do not use bounds, dictionaries or bloom filters, which are of bytes."""

import pytest

from scan_counts import run
from tables import ours_and_plain

GROUP = 10  # rows
# One row group for each word. Trailing spaces and upper case change the bytes, and their order.
WORDS = ["ant", "Bee", "cat ", "DOG  "]
ROWS = GROUP * len(WORDS)
COLLATIONS = {"lcase": "UTF8_LCASE", "rtrim": "UTF8_BINARY_RTRIM", "both": "UTF8_LCASE_RTRIM", "icu": "UNICODE_CI"}


@pytest.fixture(scope="module", params=["dictionary", "bloom filter", "bounds"])
def tables(request, spark, tmp_path_factory):
    """(the table, the same rows in Spark's own files): `plain` has no collation, the other columns have one."""
    word = f"concat(array({', '.join(map(repr, WORDS))})[CAST(id DIV {GROUP} AS INT)], if(id % 3 = 0, ' ', ''))"
    collated = [f"{word} COLLATE {collation} AS {name}" for name, collation in COLLATIONS.items()]
    rows = spark.range(0, ROWS, 1, 1).selectExpr("id", f"{word} AS plain", *collated)
    options = {"parquet.block.row.count.limit": str(GROUP)}
    options["parquet.enable.dictionary"] = str(request.param == "dictionary").lower()
    if request.param == "bloom filter":
        options |= {f"parquet.bloom.filter.enabled#{name}": "true" for name in ("plain", *COLLATIONS)}
    ours, plain = ours_and_plain(rows, tmp_path_factory.mktemp("collated"), **options)
    assert {f.name: f.dataType.simpleString() for f in ours.schema}["lcase"] == "string collate UTF8_LCASE"
    return ours, plain


CONDITIONS = [
    "{} = 'BEE'",
    "'bee ' = {}",
    "{} <=> 'Cat'",
    "{} <> 'ANT'",
    "{} IN ('ANT', 'dog')",
    "{} NOT IN ('ANT', 'dog')",
    "{} < 'B'",
    "{} >= 'CAT'",
    "{} BETWEEN 'a' AND 'BEE'",
    "startswith({}, 'D')",
    "startswith({}, 'd')",
]


@pytest.mark.parametrize("name", COLLATIONS)
def test_rows_that_are_equal_under_a_collation_are_found(tables, name):
    ours, plain = tables
    # Spark has LIKE for no other collation.
    likes = ["{} LIKE 'D%'", "{} LIKE 'd%'", "{} LIKE 'bee%'"] if name == "lcase" else []
    for condition in CONDITIONS + likes:
        rows, counts = run(ours.where(condition.format(name)).select("id"))
        assert rows == plain.where(condition.format(name)).select("id").collect(), condition
        assert counts.groups == (len(WORDS), 0)


@pytest.mark.parametrize("name", COLLATIONS)
@pytest.mark.parametrize("ascending", [True, False])
def test_the_first_rows_are_those_in_the_order_of_the_collation(tables, name, ascending):
    ours, plain = (df.orderBy(name, "id", ascending=[ascending, True]).limit(12).select("id") for df in tables)
    rows, counts = run(ours)
    assert rows == plain.collect()
    assert counts.rows_skipped == 0


@pytest.mark.parametrize("name", COLLATIONS)
def test_minima_and_maxima_are_those_of_the_collation(tables, name):
    ours, plain = tables
    ends = [f"upper(trim(min({name})))", f"upper(trim(max({name})))", f"count({name})"]
    assert ours.selectExpr(*ends).collect() == plain.selectExpr(*ends).collect()


def test_null_tests_and_columns_without_a_collation_have_the_rows_of_spark(tables):
    ours, plain = tables
    for condition, groups in {
        "lcase IS NULL": 4,  # the footer has its null count, but this source reads no leaf under a collation
        "plain = 'Bee'": 1,
        "plain LIKE 'c%'": 1,
        "plain = 'BEE'": 0,
        "plain = 'ant' AND lcase = 'ANT'": 1,
    }.items():
        rows, counts = run(ours.where(condition).select("id"))
        assert rows == plain.where(condition).select("id").collect()
        assert counts.groups[0] <= groups, condition
