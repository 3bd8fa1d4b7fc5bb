"""Column indexes of other writers, in the current layout: pages are skipped only if no value of them can match."""

import struct

import pyarrow as pa
import pytest

from pages import IN_PAGES, PAGE, ROWS, kept
from parquet_fixtures import MISSING, cell, write_file
from parquet_footer import BINARY, CREATED_BY, drop_page_index, edit_meta_data, edit_page_index
from scan_counts import run
from tables import FORMAT
from variants import NULL, int8, obj, string

NAN = float("nan")
NUMBERS = cell({"a": cell(pa.int64())})
DOUBLES = cell({"a": cell(pa.float64())})
LEAF = "v.typed_value.a.typed_value"
STORED = "v.typed_value.a.value"
A = "try_variant_get(v, '$.a', 'bigint')"


def of_a(*cells):
    """Rows whose field `a` is a cell."""
    return [(None, {"a": c}) for c in cells]


def typed(*values):
    return of_a(*((None, v) for v in values))


def written(path, shape, rows):
    assert len(rows) == ROWS
    return write_file(path, shape, rows, annotated=True, **IN_PAGES)


def in_pages(spark, path, shape, rows):
    return spark.read.format(FORMAT).load(written(path, shape, rows))


# ---- NaN and zeros ----


def test_a_page_without_a_statement_about_nan_may_have_nan(spark, tmp_path):
    numbers = [NAN if i == 15 else float(i) for i in range(ROWS)]
    df = in_pages(spark, tmp_path / "f.parquet", DOUBLES, typed(*numbers))
    assert kept(df, "v:a::double < 5") == ([0, 1, 2, 3, 4], 1)
    assert kept(df, "v:a::double = 12") == ([12], 1)
    assert kept(df, "v:a::double > 37") == ([15, 38, 39], 4)
    assert kept(df, "isnan(v:a::double)") == ([15], 4)
    assert kept(df, "v:a::double IN (12, double('NaN'))") == ([12, 15], 4)
    assert kept(df, "v:a::double >= 10 AND v:a::double < 20") == ([i for i in range(10, 20) if i != 15], 2)


def bounds(path, page, minimum, maximum, leaf=LEAF):
    """Other bounds for a page of doubles."""

    def edit(index):
        for field, bound in ((2, minimum), (3, maximum)):
            index[field][1][1][page] = struct.pack("<d", bound)

    edit_page_index(path, leaf, edit)


@pytest.mark.parametrize(("minimum", "maximum"), [(NAN, NAN), (NAN, 19.0), (10.0, NAN)])
def test_a_page_whose_bounds_are_nan_is_read(spark, tmp_path, minimum, maximum):
    """Some writers write NaN as a bound if the first value, or any value, is NaN; readers must ignore such bounds."""
    path = written(tmp_path / "f.parquet", DOUBLES, typed(*[NAN if i == 10 else float(i) for i in range(ROWS)]))
    bounds(path, 1, minimum, maximum)
    df = spark.read.format(FORMAT).load(path)
    assert kept(df, "v:a::double = 12") == ([12], 1)
    assert kept(df, "v:a::double < 12") == ([*range(10), 11], 2)
    assert kept(df, "v:a::double = 25") == ([25], 2)
    assert kept(df, "isnan(v:a::double)") == ([10], 4)


# Only of parquet-mr it is known that a page with bounds has no NaN: parquet-mr omits the bounds of other pages.
@pytest.mark.parametrize(("writer", "skipped"), [(b"parquet-mr version 1.15.1 (build 0)", 2 * PAGE), (b"other", 0)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_page_whose_bounds_are_nan_may_have_the_first_rows(spark, tmp_path, sign, writer, skipped):
    path = written(tmp_path / "f.parquet", DOUBLES, typed(*(sign * float(i) for i in range(ROWS))))
    bounds(path, 0, NAN, NAN)
    edit_meta_data(path, lambda meta: meta.update({CREATED_BY: (BINARY, writer)}))
    df = spark.read.format(FORMAT).load(path)
    rows, counts = run(df.selectExpr("id", "v:a::double AS a").orderBy("a", ascending=sign > 0).limit(3))
    assert [r.id for r in rows] == [0, 1, 2]
    assert counts.rows_skipped == skipped


def test_zero_and_negative_zero_are_equal(spark, tmp_path):
    numbers = [*[-0.0] * PAGE, *[0.0] * PAGE, *[3.5] * PAGE, *[-3.5] * PAGE]
    path = written(tmp_path / "f.parquet", DOUBLES, typed(*numbers))
    for zeros in ((-0.0, 0.0), (0.0, 0.0), (-0.0, -0.0)):
        bounds(path, 0, *zeros)
        bounds(path, 1, *zeros)
        df = spark.read.format(FORMAT).load(path)
        for zero in ("0D", "-0D"):
            assert kept(df, f"v:a::double = {zero}") == (list(range(20)), 2)
            assert kept(df, f"v:a::double < {zero}") == (list(range(30, 40)), 1)
            assert kept(df, f"v:a::double <= {zero}") == ([*range(20), *range(30, 40)], 3)
            assert kept(df, f"v:a::double IN ({zero}, 7)") == (list(range(20)), 2)


# ---- residual and typed values ----


@pytest.mark.parametrize("stray", [string("25"), int8(25), obj(b=25)])
def test_a_page_with_a_residual_value_is_read(spark, tmp_path, stray):
    cells = [(stray, None) if i == 15 else (None, i) for i in range(ROWS)]
    df = in_pages(spark, tmp_path / "f.parquet", NUMBERS, of_a(*cells))
    result = [] if stray.type == "object" else [15]
    # The page of the typed leaf, and the page of the stored values.
    assert kept(df, f"{A} = 25") == ([*result, 25], 2)
    assert kept(df, f"{A} > 35") == (list(range(36, 40)), 2)
    # Both leaves have the same pages.
    assert kept(df, f"{A} = 14") == ([14], 1)
    rows, counts = run(df.where(f"{A} > 100"))
    assert (rows, counts.rows_skipped) == ([], ROWS - PAGE)


def test_pages_of_variant_nulls_and_missing_fields_have_no_values(spark, tmp_path):
    cells = [(NULL, None) if i in (15, 16) else MISSING if i in (17, 33) else (None, i) for i in range(ROWS)]
    df = in_pages(spark, tmp_path / "f.parquet", NUMBERS, of_a(*cells))
    assert kept(df, "v:a::bigint = 25") == ([25], 1)
    assert kept(df, "v:a::bigint IS NULL") == ([15, 16, 17, 33], 2)
    assert kept(df, "v:a IS NULL") == ([17, 33], 2)
    assert kept(df, "v:a::bigint <=> NULL AND id > 20") == ([33], 1)


def test_a_page_with_only_variant_nulls_has_no_values(spark, tmp_path):
    cells = [(NULL, None) if 10 <= i < 20 else MISSING if 20 <= i < 30 else (None, i) for i in range(ROWS)]
    df = in_pages(spark, tmp_path / "f.parquet", NUMBERS, of_a(*cells))
    assert kept(df, "v:a::bigint IS NOT NULL") == ([*range(10), *range(30, 40)], 2)
    assert kept(df, "v:a::bigint IS NULL") == (list(range(10, 30)), 2)
    assert kept(df, "v:a IS NOT NULL") == ([*range(20), *range(30, 40)], 3)
    assert kept(df, "NOT v:a::bigint < 35") == (list(range(35, 40)), 1)


# ---- leaves without indexes ----


@pytest.mark.parametrize(
    ("leaf", "offsets", "pages"),
    [
        # No column index has what the filter needs.
        (LEAF, False, 4),
        (LEAF, True, 4),
        # The footer says that there are no stored values.
        (STORED, False, 1),
        (STORED, True, 1),
        # A leaf of the projection: with an offset index only some of its pages are read, without one the whole leaf.
        ("id", False, 1),
        ("id", True, 4),
        # A leaf that the query does not need.
        ("v.metadata", True, 1),
    ],
)
def test_a_leaf_without_a_page_index_loses_no_rows(spark, tmp_path, leaf, offsets, pages):
    path = written(tmp_path / "f.parquet", NUMBERS, typed(*range(ROWS)))
    drop_page_index(path, leaf, offsets=offsets)
    df = spark.read.format(FORMAT).load(path)
    assert kept(df, "v:a::bigint = 25") == ([25], pages)
    rows, _ = run(df.where("v:a::bigint >= 37").selectExpr("id", "to_json(v) AS j"))
    assert [(r.id, r.j) for r in rows] == [(i, f'{{"a":{i}}}') for i in (37, 38, 39)]
    rows, _ = run(df.selectExpr("v:a::bigint AS a", "id").orderBy("a", ascending=False).limit(2))
    assert [r.id for r in rows] == [39, 38]


@pytest.mark.parametrize(("offsets", "pages"), [(False, 4), (True, 4)])
def test_residual_values_without_a_page_index_may_be_on_any_page(spark, tmp_path, offsets, pages):
    cells = [(string("25"), None) if i == 15 else (None, i) for i in range(ROWS)]
    path = written(tmp_path / "f.parquet", NUMBERS, of_a(*cells))
    drop_page_index(path, STORED, offsets=offsets)
    df = spark.read.format(FORMAT).load(path)
    assert kept(df, f"{A} = 25") == ([15, 25], pages)
    assert kept(df, "id > 38") == ([39], 1)
