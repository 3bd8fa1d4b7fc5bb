"""The statistics of files in the log: the bounds of every type, and which and how many paths have bounds."""

import math

import pytest

from delta_tables import actions, bounds, save, statistics
from tables import frame
from variants import FALSE, TRUE, V, obj, uid

ISO = "$['a']"


def variants(spark, *rows):
    """One file with the variant column `v` from SQL expressions."""
    query = " UNION ALL ".join(f"SELECT {i} AS id, CAST(({row}) AS VARIANT) AS v" for i, row in enumerate(rows))
    return spark.sql(query).coalesce(1)


def of(spark, path, shape, *rows, **options):
    """(lower, upper) of the paths of `v` in a file with these rows; None where there are no bounds."""
    save(variants(spark, *rows), path, **{"shredding.shape.v": shape}, **options)
    (file,) = statistics(path)
    lower, upper = file["minValues"].get("v"), file["maxValues"].get("v")
    assert (lower is None) == (upper is None)
    if lower is None:
        return None
    lower, upper = bounds(lower), bounds(upper)
    assert list(lower) == list(upper)
    assert [x.type == "boolean" or x.type for x in lower.values()] == [
        x.type == "boolean" or x.type for x in upper.values()
    ]
    return lower, upper


def named(value):
    return f"to_variant_object(named_struct('a', {value}))"


# shape: (values in any order, lower bound, upper bound)
TYPES = {
    "BOOLEAN": (["true", "false"], FALSE, TRUE),
    "TINYINT": (["5Y", "-7Y"], V("int8", -7), V("int8", 5)),
    "SMALLINT": (["5S", "-700S"], V("int16", -700), V("int16", 5)),
    "INT": (["5", "-70000"], V("int32", -70000), V("int32", 5)),
    "BIGINT": (["5L", "-7000000000L"], V("int64", -7000000000), V("int64", 5)),
    "DECIMAL(9,2)": (["1.50", "-2.25"], V("decimal4", (-225, 2)), V("decimal4", (150, 2))),
    "DECIMAL(18,2)": (["1.50", "2"], V("decimal8", (150, 2)), V("decimal8", (200, 2))),
    "DECIMAL(38,2)": (["1.50", "-2.25"], V("decimal16", (-225, 2)), V("decimal16", (150, 2))),
    "FLOAT": (["CAST(1.5 AS FLOAT)", "CAST(-2.5 AS FLOAT)"], V("float", -2.5), V("float", 1.5)),
    "DOUBLE": (["1.5D", "-2.5D"], V("double", -2.5), V("double", 1.5)),
    "DATE": (["DATE'2026-01-31'", "DATE'1969-12-31'"], V("date", -1), V("date", 20484)),
    "TIMESTAMP": (["TIMESTAMP'1970-01-01 00:00:01.000001Z'"], V("timestamp", 1000001), V("timestamp", 1000001)),
    "TIMESTAMP_NTZ": (["TIMESTAMP_NTZ'1970-01-01 00:00:01'"], V("timestamp_ntz", 1000000), V("timestamp_ntz", 1000000)),
    "BINARY": (["X'01FF'", "X'00'"], V("binary", b"\x00"), V("binary", b"\x01\xff")),
    "STRING": (["'b'", "'é'", "'a'"], V("string", "a"), V("string", "é")),
}


@pytest.mark.parametrize("shape", TYPES)
def test_a_path_has_bounds_of_its_type(spark, tmp_path, shape):
    values, lower, upper = TYPES[shape]
    result = of(spark, tmp_path / "t", f"a {shape}", *map(named, values))
    assert [[(k, repr(x)) for k, x in side.items()] for side in result] == [[(ISO, repr(lower))], [(ISO, repr(upper))]]


LOW, HIGH = "00ff0000-0000-0000-0000-000000000000", "f24f9b64-81fa-49d1-b74e-8c09a6e31c56"
# shape: (the greater value, the lower one), of types that Spark's SQL lacks
RARE = {
    "UUID": (uid(HIGH), uid(LOW)),
    "TIME": (V("time", 86399999999), V("time", 0)),
    "TIMESTAMP_NANOS": (V("timestamp_nanos", 1), V("timestamp_nanos", -1)),
    "TIMESTAMP_NTZ_NANOS": (V("timestamp_ntz_nanos", 2**62), V("timestamp_ntz_nanos", 1)),
}


@pytest.mark.parametrize("shape", RARE)
def test_a_path_has_bounds_of_a_type_that_spark_lacks(spark, tmp_path, shape):
    greater, lower = RARE[shape]
    save(frame(spark, obj(a=greater), obj(a=lower), obj()), tmp_path / "t", shredding__shape__v=f"a {shape}")
    (file,) = statistics(tmp_path / "t")
    assert repr(bounds(file["minValues"]["v"])) == repr({ISO: lower})
    assert repr(bounds(file["maxValues"]["v"])) == repr({ISO: greater})


# name: (shape, rows): files where the path has no bounds
NONE = {
    "a residual of another type": ("a BIGINT", [named("1"), named("'x'")]),
    "a residual beyond the column's range": ("a TINYINT", [named("1"), named("1000")]),
    "a variant null": ("a BIGINT", [named("1"), "parse_json('{\"a\":null}')"]),
    "a NaN": ("a DOUBLE", [named("1D"), named("CAST('NaN' AS DOUBLE)")]),
    "a NaN among floats": ("a FLOAT", [named("CAST('NaN' AS FLOAT)")]),
    "no value at all": ("a BIGINT", [named("'x'")]),
    "elements of an array": ("a ARRAY<BIGINT>", [named("array(1L, 2L)")]),
    "no text": ("a BIGINT", ["NULL"]),
}


@pytest.mark.parametrize("name", NONE)
def test_a_path_has_no_bounds_with(spark, tmp_path, name):
    shape, rows = NONE[name]
    assert of(spark, tmp_path / "t", shape, *rows) is None


def test_rows_that_lack_the_path_end_no_bounds(spark, tmp_path):
    rows = [named("1L"), "parse_json('{}')", "parse_json('7')", "NULL", named("3L")]
    lower, upper = of(spark, tmp_path / "t", "a BIGINT", *rows)
    assert (lower[ISO].value, upper[ISO].value) == (1, 3)
    (file,) = statistics(tmp_path / "t")
    assert (file["numRecords"], file["nullCount"]) == (5, {"id": 0, "v": 1})


def test_one_path_loses_its_bounds_alone(spark, tmp_path):
    rows = ['parse_json(\'{"a":1,"b":2}\')', 'parse_json(\'{"a":"x","b":3}\')']
    lower, upper = of(spark, tmp_path / "t", "a BIGINT, b BIGINT", *rows)
    assert ({k: x.value for k, x in lower.items()}, {k: x.value for k, x in upper.items()}) == (
        {"$['b']": 2},
        {"$['b']": 3},
    )


def test_bounds_hold_for_all_row_groups(spark, tmp_path):
    df = spark.range(0, 30000, 1, 1).selectExpr(
        "id", "to_variant_object(named_struct('a', id + IF(id < 29000, 5L, 0L))) AS v"
    )
    save(df, tmp_path / "t", **{"shredding.shape.v": "a BIGINT", "parquet.block.row.count.limit": "4000"})
    import pyarrow.parquet as pq

    (add,) = actions(tmp_path / "t", "add")
    assert pq.ParquetFile(tmp_path / "t" / add["path"]).num_row_groups > 5
    (file,) = statistics(tmp_path / "t")
    assert (bounds(file["minValues"]["v"])[ISO].value, bounds(file["maxValues"]["v"])[ISO].value) == (5, 29999)


def test_names_are_normalized_paths(spark, tmp_path):
    json = r"""{"it's":1,"a.b":2,"":3,"q\"\\":4,"t\t\u0001":5,"é😀":6,"o":{"p":{"q":7}}}"""
    shape = "`it's` INT, `a.b` INT, `` INT, `q\"\\` INT, `t\t\x01` INT, `é😀` INT, o STRUCT<p STRUCT<q INT>>"
    df = spark.createDataFrame([(json,)], "j STRING").selectExpr("1 AS id", "parse_json(j) AS v")
    save(df, tmp_path / "t", **{"shredding.shape.v": shape})
    (file,) = statistics(tmp_path / "t")
    result = {k: x.value for k, x in bounds(file["minValues"]["v"]).items()}
    assert result == {
        r"$['it\'s']": 1, "$['a.b']": 2, "$['']": 3, "$['q\"\\\\']": 4, r"$['t\t\u0001']": 5, "$['é😀']": 6,
        "$['o']['p']['q']": 7,
    }  # fmt: skip


def test_a_scalar_at_the_root_has_bounds(spark, tmp_path):
    lower, upper = of(spark, tmp_path / "t", "BIGINT", "5L", "9L", "NULL")
    assert (lower["$"].value, upper["$"].value) == (5, 9)


def test_long_strings_are_cut_off_and_raised(spark, tmp_path):
    lower, upper = of(spark, tmp_path / "t", "a STRING", named("repeat('b', 6000)"), named("repeat('a', 50)"))
    assert (lower[ISO].value, upper[ISO].value) == ("a" * 32, "b" * 31 + "c")
    assert of(spark, tmp_path / "u", "a STRING", named("repeat('\U0010ffff', 40)")) is None


def test_zeros_have_the_wider_sign(spark, tmp_path):
    lower, upper = of(spark, tmp_path / "t", "a DOUBLE", named("0D"), named("-0D"))
    assert (math.copysign(1, lower[ISO].value), math.copysign(1, upper[ISO].value)) == (-1, 1)


def test_the_most_frequent_paths_come_first(spark, tmp_path):
    rows = [f"parse_json('{json}')" for json in ('{"a":1,"b":1,"c":1}', '{"b":2,"c":2}', '{"c":3}')]
    number = {"delta.dataSkippingNumIndexedCols": "2"}
    lower, _ = of(spark, tmp_path / "t", "a BIGINT, b BIGINT, c BIGINT", *rows, **number)
    assert list(lower) == ["$['b']", "$['c']"]


@pytest.mark.parametrize(
    ("properties", "columns"),
    [
        ({"delta.dataSkippingStatsColumns": "v"}, {"v"}),
        ({"delta.dataSkippingStatsColumns": "id"}, {"id"}),
        ({"delta.dataSkippingNumIndexedCols": "1"}, {"id"}),
        ({"delta.dataSkippingNumIndexedCols": "0"}, set()),
    ],
)
def test_properties_choose_the_columns(spark, tmp_path, properties, columns):
    save(variants(spark, named("1L")), tmp_path / "t", **{"shredding.shape.v": "a BIGINT"}, **properties)
    (file,) = statistics(tmp_path / "t")
    assert (set(file["nullCount"]), set(file["minValues"]), file["numRecords"]) == (columns, columns, 1)


PLAIN = {
    "1Y": (1, 1), "1S": (1, 1), "1": (1, 1), "1L": (1, 1), "1.5D": (1.5, 1.5), "1.50": (1.5, 1.5),
    "'x'": ("x", "x"), "DATE'2026-01-31'": ("2026-01-31", "2026-01-31"),
    "TIMESTAMP'2026-01-31 12:00:00.0005Z'": ("2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.001Z"),
    "TIMESTAMP_NTZ'2026-01-31 12:00:00'": ("2026-01-31T12:00:00", "2026-01-31T12:00:00"),
    "CAST('NaN' AS DOUBLE)": None, "true": None, "X'00'": None,
}  # fmt: skip


@pytest.mark.parametrize("value", PLAIN)
def test_plain_columns_have_bounds_as_delta_has_them(spark, tmp_path, value):
    save(
        spark.sql(f"SELECT {value} AS c, named_struct('x', {value}) AS s UNION ALL SELECT NULL, NULL").coalesce(1),
        tmp_path / "t",
    )
    (file,) = statistics(tmp_path / "t")
    assert file["nullCount"] == {"c": 1, "s": {"x": 1}}
    result = file["minValues"].get("c"), file["maxValues"].get("c")
    assert result == (PLAIN[value] or (None, None))
    assert (file["minValues"]["s"].get("x"), file["maxValues"]["s"].get("x")) == result


def test_our_files_carry_the_tag_of_their_bounds(spark, tmp_path):
    save(variants(spark, named("1L")), tmp_path / "t")
    assert [add["tags"] for add in actions(tmp_path / "t", "add")] == [{"shredded_variant.bounds": "1"}]


def test_a_json_null_at_the_root_is_no_null_of_the_column(spark, tmp_path):
    save(variants(spark, "parse_json('null')", "NULL"), tmp_path / "t")
    (file,) = statistics(tmp_path / "t")
    assert file["nullCount"]["v"] == 1
