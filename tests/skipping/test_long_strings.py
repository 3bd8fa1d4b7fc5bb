"""Strings longer than bounds: writers truncate bounds, in column indexes after 64 bytes, and these still hold."""

import pytest

from scan_counts import run
from tables import FORMAT, write

PAGE = 10  # rows
TOP = "\U0010ffff"  # the greatest string
HEAD = "x" * 63
# One page or row group for each string, in the order of UTF-8. Truncation cuts an é after 63 bytes in two.
GROUPS = ["a" * 80, "x" * 64 + "A", "x" * 64 + "B", HEAD + "é", HEAD + TOP, "z", "é" * 40, TOP * 20]
TEXTS = [f"{group}{i}" for group in GROUPS for i in range(PAGE)]
ROWS = len(TEXTS)
# Bounds cannot distinguish strings whose first 63 bytes are the same.
ALIKE = {1: 4, 2: 4, 3: 4, 4: 4}
ONE_PAGE = {"parquet.page.row.count.limit": str(PAGE), "parquet.page.size.row.check.min": "1"}
FILES = {
    "pages": ONE_PAGE,
    "row groups": {"parquet.block.row.count.limit": str(PAGE)},
    "row groups cut as pages": {"parquet.block.row.count.limit": str(PAGE), "parquet.statistics.truncate.length": "64"},
}
NAMES = ["t", "v:t::string"]


@pytest.fixture(scope="module", params=FILES)
def table(request, spark, tmp_path_factory):
    rows = spark.createDataFrame(list(enumerate(TEXTS)), "id INT, t STRING").coalesce(1)
    rows = rows.selectExpr("id", "t", "to_variant_object(named_struct('t', t)) AS v")
    options = {"shredding.shape.v": "t STRING", "parquet.enable.dictionary": "false", **FILES[request.param]}
    return spark.read.format(FORMAT).load(write(rows, tmp_path_factory.mktemp("long") / "t", **options))


def read(df, condition):
    """(ids, how many pages or row groups were read)"""
    rows, counts = run(df.where(condition).select("id"))
    return sorted(r.id for r in rows), (ROWS - counts.rows_skipped) // PAGE


@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_a_string_is_searched_only_in_the_pages_that_may_have_it(table, group):
    text, maximum, name = GROUPS[group], ALIKE.get(group, 1), NAMES[group % 2]
    all_of_them = list(range(group * PAGE, (group + 1) * PAGE))
    for condition, ids in {
        f"{name} = '{text}7'": [group * PAGE + 7],
        f"{name} IN ('{text}7', '{text}x')": [group * PAGE + 7],
        f"{name} LIKE '{text}%'": all_of_them,
        f"startswith({name}, '{text}')": all_of_them,
    }.items():
        result, read_ones = read(table, condition)
        assert (result, read_ones <= maximum) == (ids, True), f"{condition[:20]}: {read_ones}"


@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_strings_before_and_after_another_are_all_found(table, group):
    first, alike, name = group * PAGE, ALIKE.get(group, 1) - 1, NAMES[group % 2 - 1]
    for condition, ids in {
        f"{name} > '{GROUPS[group]}4'": range(first + 5, ROWS),
        f"{name} < '{GROUPS[group]}4'": range(first + 4),
        f"NOT {name} > '{GROUPS[group]}4'": range(first + 5),
    }.items():
        result, read_ones = read(table, condition)
        assert result == list(ids)
        assert read_ones <= len(ids) // PAGE + 1 + alike


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("ascending", "ids"), [(True, [0, 1, 2]), (False, [79, 78, 77])])
def test_the_first_and_the_last_strings_are_read_from_their_pages(table, name, ascending, ids):
    rows, counts = run(table.selectExpr("id", f"{name} AS t").orderBy("t", ascending=ascending).limit(3))
    assert [r.id for r in rows] == ids
    assert counts.rows_skipped == ROWS - PAGE


@pytest.mark.parametrize("name", NAMES)
def test_minima_and_maxima_are_whole_strings(table, name):
    rows, counts = run(table.selectExpr(f"min({name})", f"max({name})", f"count({name})"))
    assert rows == [(TEXTS[0], TEXTS[-1], ROWS)]
    assert counts.answered == 0
