"""Options choose the variant columns to shred, at any depth; keys are in the order of unsigned UTF-8 bytes."""

import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

import parquet_footer
from parquet_cells import cells, dictionaries, only_file, rebuilt
from tables import FORMAT, frame, load, to_spark, values, write
from variant_bytes import decode, utf16
from variants import array, int8, int64, names, obj, string

EMOJI, WIDE = "\U0001f600", "\uff5e"  # in the order of UTF-16; UTF-8 has the reverse order
ROWS = [obj(a=1, b="x"), obj(a="1"), int8(3), None]


def paths(table):
    """The columns of the only file, and the groups annotated as variants."""
    file = only_file(table)
    leaves = {c.path for c in map(pq.ParquetFile(file).schema.column, range(len(pq.ParquetFile(file).schema.names)))}
    elements = parquet_footer.schema_elements(file).items()
    return leaves, {p for p, e in elements if parquet_footer.VARIANT in e.get(parquet_footer.LOGICAL, (0, {}))[1]}


@pytest.fixture(scope="module")
def placed(spark, tmp_path_factory):
    """Variants at the root, in structs, arrays and maps, each with a shape if it can have one."""
    df = frame(spark, *ROWS).select(
        "id",
        "v",
        F.struct(F.col("v").alias("v"), F.struct(F.col("v").alias("w.x")).alias("in")).alias("s"),
        F.col("v").alias("dots.in name"),
        F.array("v", F.lit(None)).alias("l"),
        F.create_map(F.lit("k"), "v").alias("m"),
        F.array(F.struct("v")).alias("ls"),
        F.col("v").alias("Camel"),
        F.col("v").alias("plain"),
    )
    options = {
        "shredding.shape.v": "a BIGINT",
        "shredding.shape.s.v": "a STRING",
        "shredding.shape.s.in.`w.x`": "b STRING",
        "shredding.shape.`dots.in name`": "a BIGINT, b STRING",
        "shredding.shape.camel": "a BIGINT",
        "shredding": "off",
    }
    table = write(df, tmp_path_factory.mktemp("placed") / "t", **options)
    return table, df.schema


# column: its path in the file, and the field that its shape has
SHREDDED = {"v": "a", "s.v": "a", "s.in.w.x": "b", "dots.in name": "b", "Camel": "a"}


@pytest.mark.parametrize("column", SHREDDED)
def test_a_shape_applies_to_its_column_at_the_root_and_in_structs(placed, column):
    leaves, variants = paths(placed[0])
    assert f"{column}.typed_value.{SHREDDED[column]}.typed_value" in leaves
    assert column in variants


@pytest.mark.parametrize("column", ["l.list.element", "m.key_value.value", "ls.list.element.v", "plain"])
def test_other_variants_are_written_unshredded_and_annotated(placed, column):
    leaves, variants = paths(placed[0])
    assert {p for p in leaves if p.startswith(f"{column}.")} == {f"{column}.metadata", f"{column}.value"}
    assert column in variants


def test_variants_at_every_place_are_read_as_written(spark, placed):
    table, schema = placed
    for given in (None, schema):
        df = load(spark, table, schema=given)
        if given is None:
            assert df.schema.simpleString() == schema.simpleString()
        places = ["v", "s.v", "s.in.`w.x`", "`dots.in name`", "l[0]", "m['k']", "ls[0].v", "Camel", "plain"]
        read = df.selectExpr("id", *(f"{p} AS p{i}" for i, p in enumerate(places))).cache()
        for i, place in enumerate(places):
            assert values(read, f"p{i}") == ROWS, place
        read.unpersist()
        assert df.where("l[1] IS NULL").count() == len(ROWS)


@pytest.mark.parametrize("options", [{"shredding": "off"}, {"shredding__shape__v": "off"}])
def test_off_writes_a_variant_unshredded(spark, tmp_path, options):
    table = write(frame(spark, *ROWS), tmp_path / "t", **options)
    assert paths(table) == ({"id", "v.metadata", "v.value"}, {"v"})
    assert values(load(spark, table)) == ROWS


def test_a_shape_of_the_write_replaces_that_of_the_session(spark, tmp_path):
    key = f"spark.datasource.{FORMAT}.shredding.shape.v"
    spark.conf.set(key, "a BIGINT")
    try:
        session = write(frame(spark, *ROWS), tmp_path / "session")
        own = write(frame(spark, *ROWS), tmp_path / "write", shredding__shape__v="b STRING")
    finally:
        spark.conf.unset(key)
    assert "v.typed_value.a.typed_value" in paths(session)[0]
    assert {p for p in paths(own)[0] if p.endswith("typed_value")} == {"v.typed_value.b.typed_value"}


def test_option_names_are_case_insensitive(spark, tmp_path):
    table = write(frame(spark, *ROWS), tmp_path / "t", **{"SHREDDING.Shape.V": "a BIGINT"})
    assert "v.typed_value.a.typed_value" in paths(table)[0]


def test_keys_are_written_in_the_order_of_unsigned_utf8_also_if_spark_orders_by_utf16(spark, tmp_path):
    v = obj({WIDE: {WIDE: 1, EMOJI: 2}, EMOJI: [{EMOJI: 1, WIDE: None}], "a": 5})
    df = spark.createDataFrame([(0, to_spark(v, order=utf16))], "id INT, v VARIANT")
    parsed = spark.sql(f"""SELECT 1 AS id, parse_json('{{"{WIDE}": 1, "{EMOJI}": 2, "a": 3}}') AS v""")
    for name, options in {
        "off": {"shredding": "off"},
        "shape": {"shredding__shape__v": f"a INT, `{WIDE}` STRUCT<b: INT>"},
    }.items():
        table = write(df.union(parsed).coalesce(1), tmp_path / name, **options)
        file = only_file(table)
        for i, expected in enumerate([v, obj({WIDE: 1, EMOJI: 2, "a": 3})]):
            assert rebuilt(cells(file)[i]) == expected  # `cells` decodes strictly, in this order of keys
        assert values(load(spark, table)) == [v, obj({WIDE: 1, EMOJI: 2, "a": 3})]


def test_a_field_of_type_variant_has_a_column_without_a_type(spark, tmp_path):
    table = write(frame(spark, *ROWS), tmp_path / "t", shredding__shape__v="a VARIANT, b STRING")
    assert cells(only_file(table))[:2] == [
        (None, {"a": (int8(1), None), "b": (None, string("x"))}),
        (None, {"a": (string("1"), None), "b": (None, None)}),
    ]
    assert not any("a.typed_value" in p for p in paths(table)[0])


def test_every_encoding_of_a_value_can_be_shredded(spark, tmp_path):
    v = obj({f"key{i:03}": i for i in range(300)}, a=[1, "x"], text="y" * 70_000)
    forms = [{}, {"is_sorted": True}, {"offset_size": 3}, {"offset_size": 4, "large": True}, {"long_strings": True}]
    rows = [(i, to_spark(v, **how)) for i, how in enumerate(forms)]
    rows.append((len(forms), to_spark(v, keys=["unused", *reversed(names(v))])))
    df = spark.createDataFrame(rows, "id INT, v VARIANT").coalesce(1)
    table = write(df, tmp_path / "t", shredding__shape__v="a ARRAY<INT>, key007 BIGINT, text STRING, none INT")
    stored = cells(only_file(table))
    assert [rebuilt(x) for x in stored] == [v] * len(rows)
    assert {x[1]["key007"][1] for x in stored} == {int64(7)}
    assert values(load(spark, table)) == [v] * len(rows)
    assert all(len(d) == len(set(d)) for d in dictionaries(only_file(table)))


def test_a_wide_shape_and_a_deep_one_are_written_and_read(spark, tmp_path):
    wide = obj({f"k{i}": i for i in range(500)})
    deep, shape = int8(1), "BIGINT"
    for _ in range(40):
        deep, shape = obj(a=deep), f"STRUCT<a: {shape}>"
    options = {"shredding.shape.w": ", ".join(f"k{i} BIGINT" for i in range(500)), "shredding.shape.d": shape}
    table = write(frame(spark, w=[wide, obj(k3="x", other=1)], d=[deep, array(1)]), tmp_path / "t", **options)
    df = load(spark, table, schema="id INT, w VARIANT, d VARIANT")
    assert values(df, "w") == [wide, obj(k3="x", other=1)]
    assert values(df, "d") == [deep, array(1)]
    assert cells(only_file(table), "w")[0][0] is None


def test_variants_from_each_function_of_spark_are_written(spark, tmp_path):
    df = spark.sql("""
        SELECT 0 AS id, to_variant_object(named_struct('d', DATE'2024-10-24', 't', TIMESTAMP'2024-10-24 01:02:03',
            'n', TIMESTAMP_NTZ'2024-10-24 01:02:03.000004', 'x', 1.50BD, 'f', 1.5F, 'b', X'00FF',
            'l', array(1, 2))) AS v
        UNION ALL SELECT 1, parse_json('{"d": 1, "x": 1.5, "l": [1, null], "deep": {"er": [{}]}}')
        UNION ALL SELECT 2, CAST(12 AS VARIANT)""").coalesce(1)
    shape = "d DATE, t TIMESTAMP, n TIMESTAMP_NTZ, x DECIMAL(12,2), f FLOAT, b BINARY, l ARRAY<INT>"
    table = write(df, tmp_path / "t", shredding__shape__v=shape)
    given = [decode(r.v.metadata, r.v.value) for r in df.orderBy("id").collect()]
    assert values(load(spark, table)) == given
    first = cells(only_file(table))[0]
    assert first[0] is None
    assert all(value is None for value, _ in first[1].values())
