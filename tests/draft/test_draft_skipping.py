"""Draft files are skipped by `typed_value` only if no stored value of the cell, or around it, can match."""

import pyarrow as pa
import pytest

from draft_fixtures import draft, typed, untyped, write_draft
from pages import IN_PAGES, kept
from pages import ROWS as ROWS_IN_PAGES
from parquet_cells import only_file
from scan_counts import run
from skipping_cases import HITS, MISSES, PAGE, ROWS, SHAPE, VARIANT, WHOLE
from tables import FORMAT, LAYOUTS, frame, load, values, write
from variants import NULL, of

LONG = draft(pa.int64())
NESTED = draft(object={"b": draft(object={"a": LONG})})
GROUP = 10


def table(spark, path, shape, rows, **options):
    return load(spark, write_draft(path, shape, rows, row_group_size=GROUP, use_dictionary=False, **options))


def ids(df, condition):
    """(ids, row groups read, row groups skipped)"""
    rows, counts = run(df.where(condition).select("id"))
    return sorted(r.id for r in rows), *counts.groups


def in_pages(spark, path, shape, rows):
    return load(spark, write_draft(path, shape, rows, **IN_PAGES))


def fields(*cells):
    return [{"object": {"a": c}} for c in cells]


LOW, HIGH = [typed(i) for i in range(10)], [typed(i) for i in range(100, 110)]
A = draft(object={"a": LONG})


def test_groups_are_skipped_by_typed_bounds_where_nothing_is_stored(spark, tmp_path):
    df = table(spark, tmp_path / "f.parquet", A, fields(*LOW, *HIGH))
    assert ids(df, "v:a::bigint = 105") == ([15], 1, 1)
    assert ids(df, "v:a::bigint > 200") == ([], 0, 2)
    assert ids(df, "v:a::double < 5") == ([0, 1, 2, 3, 4], 1, 1)


def test_the_string_123_in_untyped_value_is_found(spark, tmp_path):
    """`where variant_get(col, "$.field", "long") = 123`"""
    df = table(spark, tmp_path / "f.parquet", A, fields(*LOW[:9], untyped("123"), *HIGH))
    assert ids(df, "variant_get(v, '$.a', 'long') = 123") == ([9], 1, 1)
    assert ids(df, "variant_get(v, '$.a', 'long') = 105") == ([15], 2, 0)


def test_untyped_value_without_values_is_not_read(spark, tmp_path):
    """In the best case, the `untyped_value` fields are all null and the engine does not need to read them."""
    read = {}
    for name, shape in {
        "omitted": draft(object={"a": draft(pa.int64(), untyped=False)}, untyped=False),
        "null": A,
    }.items():
        df = load(spark, write_draft(tmp_path / f"{name}.parquet", shape, fields(*LOW, *HIGH), use_dictionary=False))
        rows, counts = run(df.selectExpr("sum(v:a::bigint)"))
        assert rows == [(1090,)]
        read[name] = counts.bytes[0]
    assert read["null"] == read["omitted"] > 0


def test_variant_nulls_are_no_values(spark, tmp_path):
    df = table(spark, tmp_path / "f.parquet", A, fields(*LOW[:9], untyped(NULL), *HIGH))
    assert ids(df, "v:a::bigint = 105") == ([15], 1, 1)
    assert ids(df, "v:a::bigint IS NULL") == ([9], 1, 1)


@pytest.mark.parametrize("level", ["root", "b", "a"])
def test_a_stored_value_at_any_level_keeps_its_row_group(spark, tmp_path, level):
    def row(cell):
        return {"object": {"b": {"object": {"a": cell}}}}

    stray = {
        "root": untyped({"b": {"a": "105"}}),
        "b": {"object": {"b": untyped({"a": "105"})}},
        "a": row(untyped("105")),
    }[level]
    rows = [*[row(c) for c in LOW[:9]], stray, *[row(c) for c in HIGH]]
    df = table(spark, tmp_path / "f.parquet", NESTED, rows)
    assert ids(df, "variant_get(v, '$.b.a', 'bigint') = 105") == ([9, 15], 2, 0)
    assert ids(df, "variant_get(v, '$.b.a', 'bigint') = 5") == ([5], 1, 1)
    assert [r[0] for r in df.selectExpr("max(v:b.a::bigint)").collect()] == [109]


LEVELS = {
    "root": lambda x: untyped({"b": {"a": x}}),
    "b": lambda x: {"object": {"b": untyped({"a": x})}},
    "a": lambda x: {"object": {"b": {"object": {"a": untyped(x)}}}},
}


@pytest.mark.parametrize("level", [None, *LEVELS])
def test_a_stored_value_at_any_level_keeps_its_page(spark, tmp_path, level):
    rows = [{"object": {"b": {"object": {"a": typed(i)}}}} for i in range(ROWS_IN_PAGES)]
    stray = [15] if level else []
    for i in stray:
        rows[i] = LEVELS[level]("25")
    df = in_pages(spark, tmp_path / "f.parquet", NESTED, rows)
    path = "variant_get(v, '$.b.a', 'bigint')"
    # The page of the typed leaf, and the page of the stored values.
    assert kept(df, f"{path} = 25") == ([*stray, 25], 1 + len(stray))
    assert kept(df, f"{path} > 30") == (list(range(31, 40)), 1 + len(stray))
    # Both leaves have the same pages.
    assert kept(df, f"{path} = 14") == ([14], 1)
    rows, counts = run(df.where(f"{path} = 100").select("id"))
    assert (rows, counts.groups) == ([], (1, 0) if level else (0, 1))
    assert counts.rows_skipped == ROWS_IN_PAGES - GROUP * len(stray)


@pytest.mark.parametrize("level", LEVELS)
def test_pages_whose_stored_values_are_variant_nulls_are_skipped_as_if_there_were_none(spark, tmp_path, level):
    """A cast of a stored variant null gives NULL; a variant null around the cell has no path."""
    rows = [{"object": {"b": {"object": {"a": typed(i)}}}} for i in range(ROWS_IN_PAGES)]
    null = untyped(NULL)
    rows[15] = {"root": null, "b": {"object": {"b": null}}, "a": {"object": {"b": {"object": {"a": null}}}}}[level]
    df = in_pages(spark, tmp_path / "f.parquet", NESTED, rows)
    assert kept(df, "v:b.a::bigint = 25") == ([25], 1)
    assert kept(df, "v:b.a::bigint IS NULL") == ([15], 1)


def test_what_is_stored_for_other_keys_keeps_a_row_group_of_unknown_writers_too(spark, tmp_path):
    rows = [untyped({"z": i}, object={"a": c}) if i == 9 else {"object": {"a": c}} for i, c in enumerate(LOW + HIGH)]
    df = table(spark, tmp_path / "f.parquet", A, rows)
    assert ids(df, "v:a::bigint = 105") == ([15], 2, 0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_our_own_files_skip_alike_in_both_layouts(spark, tmp_path, layout):
    rows = [of({"a": i, "z": f"{i}" * 300}) for i in range(40)]
    options = {"parquet.block.row.count.limit": GROUP, "parquet.enable.dictionary": "false"}
    path = write(frame(spark, *rows), tmp_path / "t", shredding__shape__v="a BIGINT", layout=layout, **options)
    df = load(spark, path)
    assert ids(df, "v:a::bigint = 25") == ([25], 1, 3)
    assert ids(df, "v:a::bigint < 0 OR v:a::bigint IS NULL") == ([], 0, 4)
    rows, counts = run(df.selectExpr("min(v:a::bigint)", "max(v:a::bigint)", "count(v:a::bigint)"))
    assert rows == [(0, 39, 40)]
    assert counts.answered == 4


@pytest.mark.parametrize("layout", LAYOUTS)
def test_where_the_variant_itself_is_null(spark, tmp_path, layout):
    rows = [*[None] * 10, *[of({"a": i}) for i in range(10)], *[None if i % 2 else of(i) for i in range(10)]]
    path = write(frame(spark, *rows), tmp_path / "t", shredding__shape__v="a BIGINT", layout=layout,
                 parquet__block__row__count__limit=GROUP)  # fmt: skip
    df = load(spark, path)
    assert ids(df, "v IS NULL") == ([*range(10), *range(21, 30, 2)], 2, 1)
    assert ids(df, "v IS NOT NULL") == ([*range(10, 20), *range(20, 30, 2)], 2, 1)
    rows, counts = run(df.selectExpr("count(v)"))
    assert (rows, counts.answered) == ([(15,)], 3)


@pytest.fixture(scope="module")
def both(spark, tmp_path_factory):
    """The table of test_skipping in both layouts."""
    folder = tmp_path_factory.mktemp("both")
    rows = spark.range(0, ROWS, 1, 1).selectExpr("id", "named_struct('x', id, 'y', CAST(id AS STRING)) plain",
                                                 f"{VARIANT} AS v")  # fmt: skip
    options = {
        "shredding.shape.v": SHAPE,
        "parquet.page.row.count.limit": str(PAGE),
        "parquet.block.row.count.limit": "2000",
        "parquet.enable.dictionary": "false",
    }
    for layout in LAYOUTS:
        path = write(rows, folder / layout, layout=layout, **options)
        spark.read.format(FORMAT).load(path).createOrReplaceTempView(f"in_{layout}")
    yield spark
    for layout in LAYOUTS:
        spark.catalog.dropTempView(f"in_{layout}")


@pytest.mark.parametrize("condition", [*(hit for hit, _ in HITS), *MISSES, *WHOLE, "v IS NULL", "v IS NOT NULL"])
def test_row_groups_and_pages_are_skipped_as_in_todays_layout(both, condition):
    today, ours = (run(both.sql(f"SELECT id FROM in_{x} WHERE {condition}")) for x in LAYOUTS)
    assert sorted(ours[0]) == sorted(today[0])
    assert (ours[1].files, ours[1].groups, ours[1].rows_skipped) == (
        today[1].files, today[1].groups, today[1].rows_skipped
    )  # fmt: skip


def test_a_copy_by_another_library_is_not_treated_as_our_file(spark, tmp_path):
    """Another writer may copy the keys of the footer, but its rows may break the law of the layout."""
    import pyarrow.parquet as pq

    path = write(frame(spark, *[of({"a": i, "z": 1}) for i in range(20)]), tmp_path / "t",
                 shredding__shape__v="a BIGINT", layout="draft")  # fmt: skip
    copied = pq.read_table(only_file(path))
    assert b"shredded_variant.draft" in copied.schema.metadata
    pq.write_table(copied, tmp_path / "copy.parquet", row_group_size=GROUP)
    df = load(spark, tmp_path / "copy.parquet")
    assert ids(df, "v:a::bigint = 5") == ([5], 2, 0)
    assert len(values(df)) == 20


def test_elements_of_arrays(spark, tmp_path):
    shape = draft(object={"l": draft(array=LONG)})

    def lists(*rows):
        return [{"object": {"l": r if isinstance(r, dict) else {"array": [typed(x) for x in r]}}} for r in rows]

    rows = lists(*[[i, i + 1] for i in range(8)], [], untyped("no list"), *[[i] for i in range(100, 110)])
    df = table(spark, tmp_path / "f.parquet", shape, rows)
    assert ids(df, "v:l[1]::bigint = 3") == ([2], 1, 1)
    stray = lists(*[[i] for i in range(9)], untyped([105]), *[[i] for i in range(100, 110)])
    df = table(spark, tmp_path / "g.parquet", shape, stray)
    assert ids(df, "v:l[0]::bigint = 105") == ([9, 15], 2, 0)
    assert ids(df, "v:l[0]::bigint > 200") == ([], 1, 1)


def test_rows_are_filtered_before_the_rest_is_read(spark, tmp_path):
    """`select * from tbl where variant_get(variant_col, '$.id', 'integer') = 123`"""
    rows = [of({"id": i, "text": f"{i}" * 200}) for i in range(3000)]
    path = write(frame(spark, *rows), tmp_path / "t", shredding__shape__v="id INT, text STRING", layout="draft",
                 parquet__page__row__count__limit="100")  # fmt: skip
    df = load(spark, path).where("variant_get(v, '$.id', 'integer') % 1000 = 123")
    result, counts = run(df.selectExpr("id", "to_json(v) j"))
    assert sorted(r.id for r in result) == [123, 1123, 2123]
    assert counts.rows_skipped > 2000
