"""The bounds of a file of several row groups hold for all of its rows, whatever one row group has."""

import pyarrow.parquet as pq
import pytest

from delta_tables import actions, bounds, load, save, statistics
from scan_counts import run

GROUP, GROUPS = 10, 4
PATH = "$['a']"


def table(spark, path, value, odd, shape, groups=(1,)):
    """One file of four row groups: row i has `value`, but one row or all rows of the chosen groups have `odd`."""
    sql, everywhere = odd if isinstance(odd, tuple) else (odd, False)
    where = " OR ".join(f"(id div {GROUP} = {g}{'' if everywhere else f' AND id % {GROUP} = 3'})" for g in groups)
    document = f"IF({where}, {sql}, to_variant_object(named_struct('a', {value})))"
    df = spark.range(0, GROUP * GROUPS, 1, 1).selectExpr("id", f"{value} AS plain", f"{document} AS v")
    save(df, path, **{"shredding.shape.v": f"a {shape}", "parquet.block.row.count.limit": str(GROUP)})
    (add,) = actions(path, "add")
    assert pq.ParquetFile(path / add["path"]).num_row_groups == GROUPS
    (file,) = statistics(path)
    lower, upper = file["minValues"].get("v"), file["maxValues"].get("v")
    assert (lower is None) == (upper is None)
    return None if lower is None else (bounds(lower)[PATH].value, bounds(upper)[PATH].value)


def of(value):
    return f"to_variant_object(named_struct('a', {value}))"


def inner(low, high):
    """The lowest and the highest id of the other rows."""
    return low, high


def greater(low, high):
    return f"{low:03}", "x" * 31 + "y"


# name: (value of a row, shape, the odd value of one group, the bounds of the file by the lowest and highest id of the
# other rows, a condition that the odd rows fulfil)
CASES = {
    "a NaN": ("CAST(id AS DOUBLE)", "DOUBLE", of("CAST('NaN' AS DOUBLE)"), None, "v:a::double > 100"),
    "a NaN among floats": ("CAST(id AS FLOAT)", "FLOAT", of("CAST('NaN' AS FLOAT)"), None, "v:a::float > 100"),
    "a group of NaN": ("CAST(id AS DOUBLE)", "DOUBLE", (of("CAST('NaN' AS DOUBLE)"), True), None, "isnan(v:a::double)"),
    "infinity": ("CAST(id AS DOUBLE)", "DOUBLE", of("CAST('Infinity' AS DOUBLE)"), lambda low, _: (low, float("inf")),
                 "v:a::double > 100"),
    "a residual of another type": ("id", "BIGINT", of("'500'"), None, "v:a::bigint = 500"),
    "a group of residuals": ("id", "BIGINT", (of("'500'"), True), None, "v:a::bigint = 500"),
    "a residual beyond the range": ("CAST(id AS TINYINT)", "TINYINT", of("500"), None, "v:a::bigint = 500"),
    "a JSON null": ("id", "BIGINT", "parse_json('{\"a\":null}')", None, "is_variant_null(v:a)"),
    "a group of JSON nulls": ("id", "BIGINT", ("parse_json('{\"a\":null}')", True), None, "is_variant_null(v:a)"),
    "a string of more than 4096 bytes": ("lpad(id, 3, '0')", "STRING", of("repeat('x', 5000)"), greater,
                                         "v:a::string > 'w'"),
    "a group of strings of more than 4096 bytes": ("lpad(id, 3, '0')", "STRING", (of("repeat('x', 5000)"), True),
                                                   greater, "v:a::string LIKE 'xx%'"),
    "a long string that nothing is greater than": ("lpad(id, 3, '0')", "STRING", of("repeat('\U0010ffff', 2000)"), None,
                                                   "v:a::string > 'w'"),
    "a string that is lower by one byte": ("lpad(id, 3, '0')", "STRING", of("''"), lambda _, high: ("", f"{high:03}"),
                                           "v:a::string < '0'"),
    "a group without the path": ("id", "BIGINT", ("parse_json('{}')", True), inner, "v:a::bigint IS NULL"),
    "a group of NULLs": ("id", "BIGINT", ("NULL", True), inner, "v IS NULL"),
    "a group of other values": ("id", "BIGINT", ("parse_json('7')", True), inner, "v:a::bigint IS NULL"),
    "an outlier": ("id", "BIGINT", of("-500L"), lambda _, high: (-500, high), "v:a::bigint < 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("group", [0, 2, GROUPS - 1])
def test_one_row_group_decides_what_is_known_of_the_file(spark, tmp_path, name, group):
    value, shape, odd, expected, condition = CASES[name]
    whole = range(group * GROUP, group * GROUP + GROUP)
    there = whole if isinstance(odd, tuple) else [group * GROUP + 3]
    others = [i for i in range(GROUP * GROUPS) if i not in there]
    result = table(spark, tmp_path / "t", value, odd, shape, groups=(group,))
    assert result == (expected and expected(others[0], others[-1]))
    rows, counts = run(load(spark, tmp_path / "t").where(condition).select("id"))
    assert sorted(r[0] for r in rows) == list(there)
    assert counts.files == (1, 0)


def test_groups_without_any_value_leave_the_path_without_bounds(spark, tmp_path):
    assert table(spark, tmp_path / "t", "id", ("NULL", True), "BIGINT", groups=range(GROUPS)) is None
    (file,) = statistics(tmp_path / "t")
    assert file["nullCount"]["v"] == GROUP * GROUPS


# name: (SQL of a plain column, its bounds)
PLAIN = {
    "a NaN in one group": ("IF(id = 13, CAST('NaN' AS DOUBLE), id)", None),
    "a group of NaN": ("IF(id div 10 = 1, CAST('NaN' AS DOUBLE), id)", None),
    "a group of NULLs": ("IF(id div 10 = 1, NULL, id)", (0, 39)),
    "nothing but NULLs": ("CAST(NULL AS BIGINT)", None),
    "a string of more than 4096 bytes": ("IF(id = 13, repeat('x', 5000), lpad(id, 3, '0'))", ("000", "x" * 31 + "y")),
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_columns_are_judged_alike(spark, tmp_path, name):
    sql, expected = PLAIN[name]
    df = spark.range(0, GROUP * GROUPS, 1, 1).selectExpr("id", f"{sql} AS c")
    save(df, tmp_path / "t", **{"parquet.block.row.count.limit": str(GROUP)})
    (add,) = actions(tmp_path / "t", "add")
    assert pq.ParquetFile(tmp_path / "t" / add["path"]).num_row_groups == GROUPS
    (file,) = statistics(tmp_path / "t")
    lower, upper = file["minValues"].get("c"), file["maxValues"].get("c")
    assert (lower, upper) == (expected or (None, None))
    nulls = df.where("c IS NULL").count()
    assert file["nullCount"]["c"] == nulls
