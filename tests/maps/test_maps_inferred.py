"""Inferred hot keys: of the frequent keys in the first rows of a file, those with the most bytes."""

import pyarrow.parquet as pq
import pytest

from map_files import named_keys
from parquet_cells import data_files
from tables import load, refusal, write

COLUMNS = "parquet.map.shredding.columns"
ROWS = [
    (i, {"often": "x" * 9, "half" if i % 2 else "other half": str(i), f"k{i}": "rare", "null": None} if i else None)
    for i in range(400)
]


def option(name, column="m"):
    return f"parquet.map.shredding.{column}.{name}"


# options: the hot keys
CHOSEN = [
    ({}, ["often", "other half", "half"]),
    ({option("maxKeys"): "1"}, ["often"]),
    ({option("minFrequency"): "0.9"}, ["often"]),
    ({option("minFrequency"): "0", option("maxKeys"): "400"}, 400),
    ({option("keys"): "mine,half", option("maxKeys"): "3"}, ["mine", "half", "often"]),
    ({option("keys"): "null", option("maxKeys"): "1"}, ["null"]),
    ({"shredding.sampleRows": "1", option("minFrequency"): "1"}, []),
    ({"shredding.sampleRows": "2", option("minFrequency"): "1"}, ["often", "k1", "half"]),
]


@pytest.mark.parametrize(("options", "chosen"), CHOSEN)
def test_the_keys_that_are_chosen(spark, tmp_path, options, chosen):
    df = spark.createDataFrame(ROWS, "id INT, m MAP<STRING, STRING>").coalesce(1)
    table = write(df, tmp_path / "t", **{COLUMNS: "m", option("infer"): "true"}, **options)
    (file,) = data_files(table)
    assert len(named_keys(file)) == chosen if isinstance(chosen, int) else named_keys(file) == chosen
    assert [(r.id, r.m) for r in load(spark, table, schema=None).orderBy("id").collect()] == ROWS


def test_each_file_has_its_own_hot_keys(spark, tmp_path):
    for i, key in enumerate(("a", "b")):
        df = spark.range(5).selectExpr(f"map('{key}', id) AS m", f"named_struct('m', map('{key}', {i})) AS s")
        write(df.coalesce(1), tmp_path / "t", mode="append",
              **{COLUMNS: "m,s.m", option("infer"): "true", option("infer", "s.m"): "TRUE"})  # fmt: skip
    files = data_files(tmp_path / "t")
    assert sorted(named_keys(f) for f in files) == sorted(named_keys(f, "s.m") for f in files) == [["a"], ["b"]]
    table = load(spark, tmp_path / "t", schema=None)
    assert table.selectExpr("sum(m['a'])", "sum(m['b'])", "count(s.m['b'])").first()[:] == (10, 10, 5)


def test_maps_without_rows_or_keys_have_no_hot_keys(spark, tmp_path):
    options = {COLUMNS: "m", option("infer"): "true"}
    for i, where in enumerate(("id < 0", "id >= 0")):
        df = spark.range(3).selectExpr("CAST(NULL AS MAP<STRING, INT>) AS m", "id").where(where).coalesce(1)
        table = write(df, tmp_path / str(i), **options)
        assert [named_keys(f) for f in data_files(table)] == [[]]
        assert load(spark, table, schema="m MAP<STRING, INT>").where("m IS NOT NULL").count() == 0


def test_variants_and_maps_are_inferred_by_the_same_rows(spark, tmp_path):
    df = spark.range(50).selectExpr("map('a', parse_json('[1]')) AS m", """parse_json('{"a": 1}') AS v""").coalesce(1)
    table = write(df, tmp_path / "t", **{COLUMNS: "m", option("infer"): "true"})
    assert named_keys(data_files(table)[0]) == ["a"]
    assert "typed_value" in str(pq.read_schema(data_files(table)[0]).field("v"))
    assert load(spark, table, schema=None).selectExpr(
        "variant_get(m['a'], '$[0]', 'int')", "v:a::int"
    ).distinct().first()[:] == (1, 1)


REFUSED = [
    ({COLUMNS: "m", option("infer"): "yes"}, ["OPTION_VALUE", "infer", "true or false"]),
    ({COLUMNS: "m", option("infer"): "false"}, ["MAP_WITHOUT_KEYS", r"m\.infer"]),
    ({option("infer"): "true"}, ["MAP_NOT_LISTED", r"columns"]),
    ({COLUMNS: "m", option("keys"): "a", option("maxKeys"): "4"}, ["MAP_NOT_INFERRED", r"m\.infer"]),
    ({COLUMNS: "m", option("infer"): "true", option("maxKeys"): "0"}, ["OPTION_VALUE", "maxKeys", "'0'"]),
    ({COLUMNS: "m", option("infer"): "true", option("maxKeys"): "many"}, ["OPTION_VALUE", "maxKeys", "many"]),
    ({COLUMNS: "m", option("infer"): "true", option("minFrequency"): "2"}, ["OPTION_VALUE", "minFrequency", "0 to 1"]),
    ({COLUMNS: "m", option("infer"): "true", option("minFrequency"): "NaN"}, ["OPTION_VALUE", "minFrequency"]),
]


@pytest.mark.parametrize(("options", "mentions"), REFUSED)
def test_limits_that_cannot_be_meant_are_refused(spark, tmp_path, options, mentions):
    df = spark.sql("SELECT map('a', 'b') AS m")
    refusal(lambda: write(df, tmp_path / "t", **options), *mentions)
    assert data_files(tmp_path / "t") == []
