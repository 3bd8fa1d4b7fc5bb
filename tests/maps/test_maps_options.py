"""Wrong options of maps are refused before any file is written, with a right option in the sentence."""

import re

import pytest

from parquet_cells import data_files
from tables import refusal, write

COLUMNS = "parquet.map.shredding.columns"


def keys(column):
    return f"parquet.map.shredding.{column}.keys"


# options, and parts of the sentence
REFUSED = [
    ({COLUMNS: "m"}, ["MAP_WITHOUT_KEYS", r"parquet\.map\.shredding\.m\.keys"]),
    ({keys("m"): "a"}, ["MAP_NOT_LISTED", r"parquet\.map\.shredding\.columns"]),
    ({COLUMNS: "s.m", keys("m"): "a"}, ["MAP_NOT_LISTED", r"\bm\b"]),
    ({COLUMNS: "o", keys("o"): "a"}, ["NO_SUCH_COLUMN", "'m'"]),
    ({COLUMNS: "mm", keys("m"): "a"}, ["NO_SUCH_COLUMN", "'m'"]),
    ({COLUMNS: "m", keys("mm"): "a"}, ["NO_SUCH_COLUMN", "'m'"]),
    ({COLUMNS: "id", keys("id"): "a"}, ["NOT_A_MAP", "BIGINT", "'m'", r"'s\.m'"]),
    ({COLUMNS: "byint", keys("byint"): "a"}, ["NOT_A_MAP", "MAP<INT", "'m'"]),
    ({COLUMNS: "l.element", keys("l.element"): "a"}, ["MAP_IN_COLLECTION", "array"]),
    ({COLUMNS: "m-n", keys("m-n"): "a"}, ["OPTION_COLUMN", "m-n"]),
    ({COLUMNS: "m", keys("m"): ""}, ["MAP_KEYS", "no key"]),
    ({COLUMNS: "m", keys("m"): "[]"}, ["MAP_KEYS", "no key"]),
    ({COLUMNS: "m", keys("m"): "a,,b"}, ["MAP_KEYS", "empty"]),
    ({COLUMNS: "m", keys("m"): "a,b,a"}, ["MAP_KEYS", "'a'", "twice"]),
    ({COLUMNS: "m", keys("m"): '["a","a"]'}, ["MAP_KEYS", "twice"]),
    ({"parquet.map.shredding.column": "m"}, ["UNKNOWN_OPTION", r"parquet\.map\.shredding\.columns"]),
    ({"parquet.map.shredding.m.key": "a"}, ["UNKNOWN_OPTION", r"parquet\.map\.shredding\.<column>\.keys"]),
    ({"parquet.map.shredding.m": "a"}, ["UNKNOWN_OPTION", r"parquet\.map\.shredding"]),
]


@pytest.fixture(scope="module")
def df(spark):
    return spark.sql(
        "SELECT id, map('a', 'b') AS m, named_struct('m', map('a', 1)) AS s, map(1, 'x') AS byint,"
        " array(map('a', 1)) AS l FROM range(2)"
    )


@pytest.mark.parametrize(("options", "mentions"), REFUSED)
def test_wrong_options_of_maps_are_refused(df, tmp_path, options, mentions):
    table = write(df, tmp_path / "t")
    before = {f: (tmp_path / "t" / f).read_bytes() for f in data_files(table)}
    for mode, path in (("overwrite", table), ("append", table), ("error", tmp_path / "new")):
        refusal(lambda m=mode, p=path: write(df, p, mode=m, **options), *mentions)
    assert {f: (tmp_path / "t" / f).read_bytes() for f in data_files(table)} == before
    assert data_files(tmp_path / "new") == []


@pytest.mark.parametrize("name", ["__paimon_map_shred_m_0", "__paimon_map_shred_x", "__paimon_map_shred_"])
def test_a_column_with_the_name_of_a_hot_key_is_refused(df, tmp_path, name):
    refusal(lambda: write(df.withColumnRenamed("id", name), tmp_path / "t"), "RESERVED_NAME", re.escape(name))
    nested = df.selectExpr(f"array(named_struct('{name}', id)) AS x")
    refusal(lambda: write(nested, tmp_path / "t"), "RESERVED_NAME", re.escape(f"x.{name}"))
    assert data_files(tmp_path / "t") == []


@pytest.mark.parametrize("spelling", ["m,s.m", " M , s.M ", "`m`,`s`.`m`"])
def test_columns_are_named_as_in_sql(spark, df, tmp_path, spelling):
    named = {COLUMNS: spelling, keys("m"): "a", keys("S.m"): "a"}
    table = write(df, tmp_path / "t", **named)
    result = spark.read.parquet(data_files(table)[0]).selectExpr("__paimon_map_shred_m_0", "s.__paimon_map_shred_m_0")
    assert result.distinct().collect()[0][:] == ("b", 1)
