"""Casts that round: row groups, pages, footers and Delta's log cast bounds as Spark casts values; no row is lost."""

import pytest

from scan_counts import run
from tables import FORMAT

ROWS = 20  # of a page, and of a file of the Delta table
TYPES = ["tinyint", "int", "bigint"]
# Each page has one number, which differs from the number before, so that each bound decides for its rows.
NUMBERS = [
    "0.99999999999999999",
    "-0.99999999999999999",
    "127.99999999999999999",
    "-128.99999999999999999",
    "2147483646.99999999999999999",
    "2147483647.99999999999999999",
    "-2147483648.99999999999999999",
    "9223372036854775806.99999999999999999",
    "9223372036854775807.99999999999999999",
]
# The double 2^63 is greater than every BIGINT, but Spark casts it to the greatest BIGINT.
DOUBLES = ["9.223372036854775807E18", "-9.223372036854775808E18", "1e300", "2147483647.9999998", "-0.0", "NaN"]


@pytest.fixture(scope="module", params=["pages", "files", "delta"])
def tables(spark, request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("casts")
    numbers = [(f"CAST({n} AS DECIMAL(38,17))", "CAST(1 AS DOUBLE)") for n in NUMBERS]
    numbers += [("CAST(1 AS DECIMAL(38,17))", f"CAST('{n}' AS DOUBLE)") for n in DOUBLES]
    cases = " ".join(f"WHEN {i} THEN named_struct('x', {x}, 'd', {d})" for i, (x, d) in enumerate(numbers))
    rows = spark.range(0, ROWS * len(numbers), 1, 1).selectExpr(
        "id", f"id DIV {ROWS} AS p", f"to_variant_object(CASE id DIV {ROWS} {cases} END) AS v"
    )
    rows.write.parquet(str(folder / "plain"))
    options = {
        "shredding.shape.v": "x DECIMAL(38,17), d DOUBLE",
        "parquet.page.row.count.limit": str(ROWS),
        "parquet.page.size.row.check.min": "1",
        "parquet.enable.dictionary": "false",
    }
    writer = rows.write.format(FORMAT).options(**options)
    if request.param == "delta":
        writer = writer.option("table", "delta")
    (writer if request.param == "pages" else writer.partitionBy("p")).save(str(folder / "ours"))
    spark.read.format(FORMAT).load(str(folder / "ours")).createOrReplaceTempView("ours")
    spark.read.parquet(str(folder / "plain")).createOrReplaceTempView("plain")
    yield spark
    spark.catalog.dropTempView("ours")
    spark.catalog.dropTempView("plain")


@pytest.mark.parametrize("target", TYPES)
def test_a_filter_on_a_cast_that_rounds_finds_all_rows(tables, target):
    access = f"try_variant_get(v, '$.x', '{target}')"
    expected = {}
    for page, value in tables.sql(f"SELECT DISTINCT p, CAST({access} AS STRING) FROM plain").collect():
        expected.setdefault(value, set()).add(page)
    skipped = 0
    for value, pages in expected.items():
        test = "IS NULL" if value is None else f"= CAST('{value}' AS {target})"
        rows, counts = run(tables.sql(f"SELECT p, count(*) AS rows FROM ours WHERE {access} {test} GROUP BY p"))
        assert {r.p: r.rows for r in rows} == dict.fromkeys(pages, ROWS), test
        skipped += counts.rows_skipped + counts.files[1]
    assert skipped > 0


@pytest.mark.parametrize("target", TYPES)
def test_minima_and_maxima_of_a_cast_that_rounds_are_those_of_the_rows(tables, target):
    access = [f"try_variant_get(v, '$.{path}', '{target}')" for path in ("x", "d")]
    ends = ", ".join(f"min({a}), max({a}), count({a})" for a in access)
    query = f"SELECT p, {ends} FROM {{t}} GROUP BY p"
    rows = tables.sql(query.format(t="ours")).collect()
    assert sorted(map(str, rows)) == sorted(map(str, tables.sql(query.format(t="plain")).collect()))
