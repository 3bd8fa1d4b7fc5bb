"""verify of maps with hot keys: the keys in the footer, the columns of the keys, and the residual."""

import re

import pyarrow.parquet as pq
import pytest

from maintained import findings_of
from map_cases import ODD_KEYS, hot
from map_files import ROWS, foreign
from tables import write

ONE, TWO = ["1", None, None, None, None], ["2", "3", None, None, None]
RESIDUAL = [(0, {"x": "2"}), *ROWS[1:]]


def residual(of_first):
    """The rows of a file; the first row has this residual."""
    return [(0, of_first), *ROWS[1:]]


def test_files_of_this_source_with_hot_keys_have_no_finding(spark, tmp_path):
    odd = {key: f"<{key}>" for key in ODD_KEYS}
    rows = [(i, m, (m,)) for i, m in [*ROWS, (5, odd), (6, dict.fromkeys(odd)), (7, odd | {"cold": "1"})]]
    df = spark.createDataFrame(rows, "id INT, m MAP<STRING, STRING>, s STRUCT<`d.m`: MAP<STRING, STRING>>")
    for options in (hot("m", ["a", *ODD_KEYS], **{"s.`d.m`": ["b", *ODD_KEYS]}), hot("m", ["x"]), {}):
        write(df, tmp_path / "t", mode="append", **options)
    assert findings_of(spark, str(tmp_path / "t")) == []


# name: (columns of hot keys, footer, residuals)
TRUE = {
    "a comma list": ({0: ONE, 1: TWO}, " p , q ", RESIDUAL),
    "a JSON list": ({0: ONE, 1: TWO}, '["p","q"]', RESIDUAL),
    "a NULL of a hot key in the residual": ({0: ONE, 1: ONE}, "p,a", RESIDUAL),
    "no hot keys": ({}, None, ROWS),
}


@pytest.mark.parametrize("name", TRUE)
def test_correct_hot_keys_of_another_writer_have_no_finding(spark, tmp_path, name):
    sidecars, keys, rows = TRUE[name]
    foreign(tmp_path / "f.parquet", sidecars, keys, rows)
    assert findings_of(spark, tmp_path) == []


# name: (columns of hot keys, footer, residuals, the map, a part of the finding)
FALSE = {
    "more names than columns": ({0: ONE}, "p,q", RESIDUAL, "m", "2 hot keys are named"),
    "more columns than names": ({0: ONE, 1: TWO}, "p", RESIDUAL, "m", "1 hot key"),
    "a column left out": ({0: ONE, 2: TWO}, "p,q", RESIDUAL, "m", "0, 2"),
    "a name twice": ({0: ONE, 1: TWO}, "p,p", RESIDUAL, "m", "named twice"),
    "no names": ({0: ONE}, None, RESIDUAL, "m", "the footer does not name them"),
    "names and no columns": ({}, "p,q", RESIDUAL, "m", "no column has their values"),
    "a hot value in the residual alone": (
        {0: [None] * 5}, "p", residual({"x": "2", "p": "1"}), "m", "row 0, .*residual has a value of the hot key 'p'"),
    "a hot value in both": (
        {0: ONE}, "p", residual({"p": "2", "x": "2"}), "m", "row 0, .*residual has a value of the hot key 'p'"),
    "a NULL in the residual beside a value": ({0: ONE}, "p", residual({"p": None}), "m", "row 0, .*'p' is there twice"),
    "a hot key of a map that is NULL": ({0: [None, None, None, "1", None]}, "p", RESIDUAL, "m", "row 3, .*NULL"),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_wrong_hot_keys_are_a_finding(spark, tmp_path, name):
    sidecars, keys, rows, column, said = FALSE[name]
    foreign(tmp_path / "f.parquet", sidecars, keys, rows)
    (finding,) = findings_of(spark, tmp_path)
    assert finding[:3] == ("f.parquet", column, "")
    assert re.search(said, finding[3]), finding


def test_hot_keys_of_a_map_that_the_file_lacks_are_a_finding(spark, tmp_path):
    foreign(tmp_path / "f.parquet", {}, "p", column="n")
    foreign(tmp_path / "g.parquet", {0: ONE}, "p", RESIDUAL)
    table = pq.read_table(tmp_path / "g.parquet")
    renamed = table.rename_columns(["id", "other", "column"]).replace_schema_metadata(table.schema.metadata)
    pq.write_table(renamed, tmp_path / "g.parquet")
    findings = findings_of(spark, tmp_path)
    assert {f[:2] for f in findings} == {("f.parquet", "n"), ("g.parquet", "m")}
    assert next(f[3] for f in findings if f[1] == "m").endswith("the file has no such map")


def test_a_map_that_cannot_be_merged_does_not_hide_findings_of_another(spark, tmp_path):
    m = pq.read_table(foreign(tmp_path / "m.parquet", {0: ONE}, "p,q", RESIDUAL))
    n = pq.read_table(foreign(tmp_path / "n.parquet", {0: [None] * 5}, "p", residual({"p": "1"}), column="n"))
    both = m
    for name in n.column_names[1:]:
        both = both.append_column(name, n[name])
    folder = tmp_path / "both"
    folder.mkdir()
    pq.write_table(both.replace_schema_metadata(m.schema.metadata | n.schema.metadata), folder / "f.parquet")
    findings = findings_of(spark, folder)
    assert [f[1] for f in findings] == ["m", "n"]
    assert "2 hot keys are named" in findings[0][3] and "the residual has a value" in findings[1][3]
