"""Decimals in binaries of other writers: signed numbers of any length, which are not in the order of their bytes."""

from decimal import Decimal

import pytest

from java_files import unscaled, write_java
from pages import PAGE, ROWS, kept
from scan_counts import run
from tables import FORMAT
from variant_bytes import encode_metadata

# Two pages each of negative numbers, and of numbers of one, two and nine bytes. By its bytes, -1 is the greatest.
NUMBERS = [*range(-10000, -9990), *range(-5, 5), *range(30000, 30010), *range(2**70, 2**70 + 10)]
PLAIN = "message m { required int32 id; optional binary d (DECIMAL(30,2)); }"
SHREDDED = """message m { required int32 id; optional group v { required binary metadata; optional binary value;
    optional group typed_value { required group a { optional binary value;
        optional binary typed_value (DECIMAL(30,2)); } } } }"""


def value(i):
    return str(Decimal(NUMBERS[i]).scaleb(-2))


def plain(i):
    return {"id": i, "d": unscaled(NUMBERS[i])}


def shredded(i):
    metadata = encode_metadata(["a"])
    return {"id": i, "v": {"metadata": metadata, "typed_value": {"a": {"typed_value": unscaled(NUMBERS[i])}}}}


@pytest.fixture(scope="module", params=["d", "v:a::decimal(30,2)"])
def column(request, spark, tmp_path_factory):
    """(a table, a column or path of it)"""
    path = tmp_path_factory.mktemp("decimals") / "f.parquet"
    schema, row, fields = (
        (PLAIN, plain, "id INT, d DECIMAL(30,2)") if request.param == "d" else (SHREDDED, shredded, "id INT, v VARIANT")
    )
    write_java(spark, path, schema, map(row, range(ROWS)), page=PAGE)
    return spark.read.format(FORMAT).schema(fields).load(str(path)), request.param


@pytest.mark.parametrize(
    ("condition", "ids", "pages"),
    [
        (f"= {value(3)}", [3], 1),
        (f"= {value(14)}", [14], 1),
        (f"= {value(25)}", [25], 1),
        (f"= {value(33)}", [33], 1),
        ("< 0", range(15), 2),
        ("< -50", range(10), 1),
        (">= 0", range(15, 40), 3),
        ("> 300", range(21, 40), 2),
        ("> 1000000", range(30, 40), 1),
        ("BETWEEN -0.02 AND 0.01", range(13, 17), 1),
        (f"IN ({value(0)}, {value(39)})", [0, 39], 2),
        ("<> 0", [i for i in range(ROWS) if i != 15], 4),
        ("IS NOT NULL", range(ROWS), 4),
    ],
)
def test_pages_are_skipped_by_numbers(column, condition, ids, pages):
    df, name = column
    assert kept(df, f"{name} {condition}") == (list(ids), pages)


@pytest.mark.parametrize("condition", ["> 1e30", "< -100.01", "= 0.05", "IS NULL"])
def test_a_row_group_is_skipped_by_numbers(column, condition):
    df, name = column
    rows, counts = run(df.where(f"{name} {condition}"))
    # 0.05 is between the bounds of the row group; the bounds of its pages exclude it.
    assert (rows, counts.rows_skipped) == ([], ROWS)


def test_minima_and_maxima_are_those_of_the_rows(column):
    """Writers may truncate bounds of binaries, so that the aggregates come from pages."""
    df, name = column
    rows, counts = run(df.selectExpr(f"min({name})", f"max({name})", f"count({name})"))
    assert rows == [(Decimal("-100.00"), Decimal(NUMBERS[-1]).scaleb(-2), ROWS)]
    assert (counts.answered, counts.groups[0]) == (0, 1)
    rows, counts = run(df.selectExpr(f"count({name})"))
    assert (rows, counts.answered) == ([(ROWS,)], 1)


@pytest.mark.parametrize(("ascending", "ids"), [(True, [0, 1, 2]), (False, [39, 38, 37])])
def test_the_first_rows_of_an_order_are_read_from_their_page(column, ascending, ids):
    df, name = column
    rows, counts = run(df.selectExpr("id", f"{name} AS d").orderBy("d", ascending=ascending).limit(3))
    assert [r.id for r in rows] == ids
    assert counts.rows_skipped == ROWS - PAGE
