"""`infer_shape` and `shredding_shape` of a map give its hot keys, the same for any order and split of the rows."""

import json

import pytest
from pyspark.sql import functions as F

from map_cases import ODD_KEYS, quoted
from parquet_cells import data_files
from programs import python
from shredded_variant import HotKeys, Shape, ShreddedVariantError, infer_shape, layout
from tables import load, refusal, write

# Keys in all rows, in 10 % and in 9 %, one with a comma, one that is always NULL, and two thousand in one row each.
MAP = """map_filter(map('always', 'x', 'ten', repeat('t', 50), 'nine', repeat('n', 90), 'a,b', 'yy', 'null', NULL,
  concat('id', id), repeat('u', 500)), (k, x) -> (k <> 'ten' OR id % 10 = 0) AND (k <> 'nine' OR id % 100 < 9))"""
HOT = ("always", "ten", "a,b")


@pytest.fixture(scope="module")
def df(spark):
    rows = spark.range(0, 2000, 1, 4).selectExpr(
        "id", f"IF(id % 50 = 49, NULL, {MAP}) AS m", f"named_struct('m', {MAP}, 'b c', map('k', id)) AS s",
        "map(1, 2) AS n", "parse_json('1') AS v",
    )  # fmt: skip
    yield rows.persist()
    rows.unpersist()


def test_the_same_rows_in_any_order_and_partitions_give_the_same_keys(df):
    orders = [
        df, df.coalesce(1), df.orderBy(F.desc("id")).coalesce(1), df.repartition(7), df.repartition(5, F.col("id") % 2),
        df.where("id % 7 = 3").unionAll(df.where("id % 7 <> 3")),
    ]  # fmt: skip
    assert [infer_shape(each, "m") for each in orders] == [HotKeys(HOT)] * len(orders)


# limits: keys
LIMITS = [
    ({"max_keys": 1}, HOT[:1]),
    ({"min_frequency": 0.5}, ("always", "a,b")),
    ({"min_frequency": 0.09}, ("nine", "always", "ten", "a,b")),
    ({"keys": ["mine", "a,b"], "max_keys": 3}, ("mine", "a,b", "always")),
    ({"min_frequency": 1}, ("always", "a,b")),
]


@pytest.mark.parametrize(("limits", "keys"), LIMITS)
def test_limits_are_those_of_the_options(df, limits, keys):
    assert infer_shape(df, F.col("m"), **limits).keys == keys


def test_the_keys_go_into_a_write_and_are_those_that_a_write_would_choose(spark, df, tmp_path):
    keys = infer_shape(df, "s.m")
    assert keys.options("s.m") == {
        "parquet.map.shredding.columns": "s.m", "parquet.map.shredding.s.m.keys": '["always", "ten", "a,b"]'
    }  # fmt: skip
    given = write(df.select("id", "s").coalesce(1), tmp_path / "given", **keys.options("s.m"))
    chosen = write(
        df.select("id", "s").coalesce(1), tmp_path / "chosen",
        **{"parquet.map.shredding.columns": "s.m", "parquet.map.shredding.s.m.infer": "true"},
    )  # fmt: skip
    sidecars = [f"__paimon_map_shred_m_{i}" for i in range(3)]
    for table in (given, chosen):
        (file,) = data_files(table)
        assert spark.read.parquet(file).selectExpr("s.*").columns == ["m", "b c", *sidecars]
    assert load(spark, given, schema=None).where("s.m['a,b'] = 'yy'").count() == 2000
    assert infer_shape(df, "s.`b c`").options("s.`b c`")["parquet.map.shredding.s.`b c`.keys"] == "k"


@pytest.mark.parametrize("key", ODD_KEYS, ids=ascii)
def test_an_odd_key_is_the_one_that_was_counted_and_the_one_that_a_file_has(spark, tmp_path, key):
    rows = spark.createDataFrame([({key: "x"},)], "m MAP<STRING, STRING>").coalesce(1)
    keys = infer_shape(rows, "m")
    assert keys == HotKeys((key,)) == HotKeys.parse(keys.text()) == HotKeys.parse(keys.to_json())
    table = write(rows, tmp_path / "t", **keys.options("m"))
    entries = [entry for entry in layout(table).entries if entry.depth]
    assert [(entry.path, entry.present) for entry in entries] == [(f"[{quoted(key)}]", 1)]


def test_the_hot_keys_of_no_maps_are_empty(spark, df):
    none = infer_shape(df.where("id < 0"), "m")
    assert (none, none.text(), none.options("m")) == (HotKeys(()), "[]", {})
    assert infer_shape(spark.sql("SELECT CAST(NULL AS MAP<STRING, INT>) AS m"), "m") == none


def test_keys_are_a_value_that_prints_and_parses(df):
    keys = infer_shape(df, "m")
    assert HotKeys.parse(keys.text()) == HotKeys.parse(keys.to_json()) == keys
    assert json.loads(keys.to_json()) == list(HOT)
    assert repr(keys) == "HotKeys: 3 keys\n  ['always']\n  ['ten']\n  ['a,b']"
    assert HotKeys.parse(" p , q ").text() == "p,q"
    for odd in ("", " a", "a ", "a,b", "[x", '["a"]', "\u00a0x"):
        assert HotKeys.parse(HotKeys((odd, "z")).text()).keys == (odd, "z")


def test_shredding_shape_in_sql_gives_the_same_keys(spark, df):
    df.createOrReplaceTempView("counted_maps")
    row = spark.sql(
        "SELECT shredding_shape(m), shredding_shape(m, map('maxKeys', '1')), shredding_shape(v),"
        " shredding_shape(m, map('KEYS', 'z', 'minFrequency', '1')), shredding_shape(s.`b c`) FROM counted_maps"
    ).first()
    assert row[:] == ('["always","ten","a,b"]', "always", "BIGINT", '["z","always","a,b"]', "k")
    groups = spark.sql("SELECT id % 2, shredding_shape(m) FROM counted_maps GROUP BY 1").collect()
    assert dict(map(tuple, groups)) == {0: '["ten","nine","always","a,b"]', 1: '["always","a,b"]'}


WRONG_SQL = {
    "m, map('maxFields', '3')": ("UNKNOWN_LIMIT", "maxKeys"),
    "m, map('maxkey', '3')": ("UNKNOWN_LIMIT", "did you mean 'maxKeys'"),
    "m, map('maxKeys', '0')": ("OPTION_VALUE", "'0'"),
    "m, map('minFrequency', 'x')": ("OPTION_VALUE", "from 0 to 1"),
    "m, map('keys', 'a,a')": ("MAP_KEYS", "twice"),
    "v, map('maxKeys', '3')": ("UNKNOWN_LIMIT", "maxKeys"),
}


@pytest.mark.parametrize("arguments", WRONG_SQL)
def test_wrong_limits_in_sql_are_refused(df, arguments):
    refusal(lambda: df.selectExpr(f"shredding_shape({arguments})").collect(), *WRONG_SQL[arguments])


def test_keys_that_are_no_strings_are_refused_in_sql(df):
    with pytest.raises(Exception, match=r"DATATYPE_MISMATCH.*variant or a map whose keys are strings.*MAP<INT, INT>"):
        df.selectExpr("shredding_shape(n)").collect()


# column and limits: a part of the refusal
WRONG = [
    ("m", {"max_keys": 0}, "max_keys=0: use a whole number from 1 to 10000"),
    ("m", {"min_frequency": 2}, "min_frequency=2: use a number from 0 to 1"),
    ("m", {"keys": "a"}, "keys='a': use a list of keys"),
    ("m", {"keys": ["a", "a"]}, "use a list of keys, each once"),
    ("m", {"max_fields": 3}, "max_fields, which is for variants, and 'm' is a map: there are keys, max_keys"),
    ("v", {"max_keys": 3}, "max_keys, which is for maps, and 'v' is a variant: there are policy"),
    ("n", {}, "The column 'n' is MAP<INT,INT> and neither a variant nor a map whose keys are strings: the variant "
              "columns are 'v' and the maps 'm', 's.m', 's.`b c`'"),
    ("mm", {}, "The column 'mm' does not exist: did you mean 'm'"),
]  # fmt: skip


@pytest.mark.parametrize(("column", "limits", "said"), WRONG)
def test_wrong_limits_are_refused(df, column, limits, said):
    with pytest.raises(ShreddedVariantError) as caught:
        infer_shape(df, column, **limits)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["", "a,,b", "a,a", '["a","a"]', 5])
def test_a_text_that_is_not_a_list_of_keys_is_refused(text):
    with pytest.raises(ShreddedVariantError, match=r"once|a text"):
        HotKeys.parse(text)


def test_the_result_is_the_same_over_connect(tmp_path):
    said = python(
        tmp_path,
        """
        import shredded_variant
        spark = shredded_variant.attach(calm(SparkSession.builder.remote("local[2]"))).getOrCreate()
        df = spark.sql("SELECT map('a', id, concat('k', id), id) AS m, parse_json('1') AS v FROM range(100)")
        print(json.dumps([shredded_variant.infer_shape(df, "m").keys, shredded_variant.infer_shape(df, "v").ddl()]))
        """,
        SPARK_TESTING="",
    )
    assert said == [["a"], "BIGINT"]
    assert Shape.parse(said[1]).ddl() == "BIGINT"
