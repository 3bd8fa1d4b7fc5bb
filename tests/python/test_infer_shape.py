"""`infer_shape` gives the same shape for any order and split of the rows, and refuses wrong input before any job."""

import re

import pytest
from pyspark.sql import functions as F

import shredded_variant
from programs import python
from shredded_variant import Shape, ShreddedVariantError, infer_shape
from tables import refusal

# Documents with mixed numbers, a path of objects and strings, arrays, fields in about 10 % of the rows, and more
# equally frequent fields than a shape takes.
DOCUMENT = """parse_json(concat(
  '{"id": ', id, ', "n": ',
  CASE id % 4 WHEN 0 THEN string(id) WHEN 1 THEN string(id / 8.0) WHEN 2 THEN '"n"' ELSE 'null' END,
  ', "subject": ', CASE WHEN id % 6 < 3 THEN '{"cid": "c", "seq": 7}' WHEN id % 6 < 5 THEN '"s"' ELSE '[1]' END,
  ', "tags": [', if(id % 3 = 0, '', '"a", {"b": 1.5}, "c"'), ']',
  if(id % 100 < 11, ', "eleven": true', ''), if(id % 100 < 10, ', "ten": 1e3', ''), if(id % 100 < 9, ', "nine": 1', ''),
  ', "k": {', concat_ws(',', transform(sequence(0, 7), i -> concat('"', (id + i) % 80, '": 1'))), '}',
  '}'))"""


@pytest.fixture(scope="module")
def documents(spark, tmp_path_factory):
    """100,000 documents in a table, made once."""
    path = str(tmp_path_factory.mktemp("infer") / "documents")
    spark.range(0, 100_000, 1, 4).selectExpr("id", f"{DOCUMENT} AS v").write.parquet(path)
    return spark.read.parquet(path)


def orders(df):
    """The same rows in several orders and partitions."""
    yield df
    yield df.orderBy(F.desc("id")).coalesce(1)
    yield df.repartition(7)
    slices = [df.where(f"id BETWEEN {i * 10_000} AND {i * 10_000 + 9_999}") for i in (3, 9, 0, 7, 1, 8, 2, 6, 5, 4)]
    for piece in slices[1:]:
        slices[0] = slices[0].unionAll(piece)
    yield slices[0]
    yield df.repartitionByRange(3, F.xxhash64("id")).sortWithinPartitions(F.hash("id"))


@pytest.mark.parametrize("policy", ["equivalence", "majority"])
def test_the_same_rows_in_any_order_and_partitions_give_the_same_shape(spark, documents, policy):
    result = []
    for i, df in enumerate(orders(documents)):
        # Partial aggregates are merged once, or spilled and merged in many steps.
        spark.conf.set("spark.sql.objectHashAggregate.sortBased.fallbackThreshold", str(128 if i % 2 else 1))
        result.append(infer_shape(df, "v", policy=policy, max_fields=50).ddl())
    spark.conf.unset("spark.sql.objectHashAggregate.sortBased.fallbackThreshold")
    assert len(result) == 5 and len(set(result)) == 1
    paths = Shape.parse(result[0]).paths()
    assert paths["$.subject.cid"] == "STRING" and paths["$.eleven"] == "BOOLEAN"
    assert "$.ten" in paths and "$.nine" not in paths
    # Of 80 equally frequent fields, the shape has the first 50 by name.
    names = sorted(str(i) for i in range(80))[:50]
    assert {path for path in paths if path.startswith("$.k")} == {f"$.k['{name}']" for name in names}


def frame(spark, *documents):
    return spark.createDataFrame([(d,) for d in documents], "text STRING").selectExpr("parse_json(text) AS v")


def test_the_ddl_of_a_shape_is_an_option_of_a_write(spark, table):
    df = frame(spark, *['{"a": 1, "b": {"c": "x"}}', '{"a": 2.5}', '{"b": {"c": "y"}, "t": [true]}'] * 5)
    shape = infer_shape(df, "v")
    assert shape == Shape.parse("a DECIMAL(2,1), b STRUCT<c STRING>, t ARRAY<BOOLEAN>").merge(shape)
    df.write.format("shredded_variant").option("shredding.shape.v", shape.ddl()).save(table)
    (files,) = shredded_variant.layout(table).shapes
    assert Shape.parse(files.columns["v"]) == shape


@pytest.mark.parametrize("documents", [[], [None, None], ["null"], ["{}", "{}"]])
def test_the_shape_of_values_without_frequent_paths_is_variant(spark, table, documents):
    df = frame(spark, *documents)
    shape = infer_shape(df, "v")
    assert shape.ddl() == "VARIANT"
    df.write.format("shredded_variant").option("shredding.shape.v", shape.ddl()).save(table)


def test_columns_are_named_as_in_sql(spark):
    df = frame(spark, '{"a": 1}').selectExpr("named_struct('x.y', v, 'z', 1) AS s", "v AS `a.b`", "v", "1 AS n")
    for column in (
        "v",
        "`a.b`",
        "s.`x.y`",
        "V",
        F.col("v"),
        df["v"],
        F.expr("s.`x.y`"),
        F.parse_json(F.lit('{"a": 1}')),
    ):
        assert infer_shape(df, column) == Shape.parse("a BIGINT")
    assert infer_shape(df, F.variant_get("v", "$.a", "variant")) == Shape.parse("BIGINT")


LIMITS = [
    ({}, "a BIGINT, b STRUCT<c BIGINT, d STRING>"),
    ({"policy": "majority"}, "a TINYINT, b STRUCT<c TINYINT, d STRING>"),
    ({"max_fields": 1}, "a BIGINT"),
    ({"exclude": ["$.b.d", "$.a"]}, "b STRUCT<c BIGINT>"),
    ({"exclude": ("$.b",)}, "a BIGINT"),
    ({"include": ["$.r"]}, "a BIGINT, b STRUCT<c BIGINT, d STRING>, r BOOLEAN"),
    ({"include": {"$['odd, name']"}, "exclude": {"$.b"}}, "a BIGINT, `odd, name` BIGINT"),
    ({"min_field_frequency": 0.05}, "a BIGINT, b STRUCT<c BIGINT, d STRING>, `odd, name` BIGINT, r BOOLEAN"),
    ({"min_field_frequency": 1, "max_depth": 50, "max_intermediate_fields": 1000}, "a BIGINT"),
]


@pytest.mark.parametrize(("limits", "shape"), LIMITS)
def test_limits_are_those_of_the_options(spark, limits, shape):
    rows = ['{"a": 1, "b": {"c": 2, "d": "x"}}'] * 18 + ['{"a": 1, "r": true, "odd, name": 1}', '{"a": 5}']
    assert infer_shape(frame(spark, *rows), "v", **limits) == Shape.parse(shape)


ARGUMENTS = {
    "min_field_frequncy": (0.1, "no argument 'min_field_frequncy': did you mean 'min_field_frequency'"),
    "minFieldFrequency": (0.1, "did you mean 'min_field_frequency'"),
    "sample_rows": (5, "there are policy, min_field_frequency"),
    "policy": ("majorty", "policy='majorty': use 'equivalence' or 'majority'"),
    "min_field_frequency": (1.5, "min_field_frequency=1.5: use a number from 0 to 1"),
    "max_fields": (0, "max_fields=0: use a whole number from 1 to 100000"),
    "max_depth": (101, "max_depth=101: use a whole number from 1 to 100"),
    "max_intermediate_fields": (True, "max_intermediate_fields=True: use a whole number"),
    "max_intermediate_fieldz": ("5", "did you mean 'max_intermediate_fields'"),
    "include": ("$.a", r"include='\$\.a': use a list of paths"),
    "exclude": ([1], r"exclude=\[1\]: use a list of paths"),
}


def refused(action, mention):
    """Refused in one sentence, before any job."""
    with pytest.raises(ShreddedVariantError, match=mention) as caught:
        action()
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500 and str(caught.value)[-1] in ".?"


@pytest.fixture
def exploding(spark):
    """A job over these rows fails, so that a refusal must come before the job."""
    return spark.range(1).selectExpr(
        "parse_json(raise_error('a job ran')) AS value", "1 AS n", "array(parse_json('1')) AS l",
        "named_struct('inner', parse_json('1')) AS s", "parse_json('1') AS `a.b`",
    )  # fmt: skip


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_wrong_argument_is_refused_and_the_nearest_named(exploding, name):
    value, mention = ARGUMENTS[name]
    refused(lambda: infer_shape(exploding, "value", **{name: value}), mention)


@pytest.mark.parametrize("path", ["a", "$.", "$.a[", "$a", "", "$['a"])
def test_an_invalid_path_is_refused(exploding, path):
    for name in ("include", "exclude"):
        wrong = {name: [path]}
        refusal(lambda w=wrong: infer_shape(exploding, "value", **w), rf"(?i){name}", name="SHREDDED_VARIANT_PATH")


COLUMNS = {
    "valu": "The column 'valu' does not exist: did you mean 'value'",
    "x": "The column 'x' does not exist: the variant columns are 'value', 's.inner', '`a.b`'",
    "s.iner": "The column 's.iner' does not exist: did you mean 's.inner'",
    "a.b": "The column 'a.b' does not exist: did you mean '`a.b`'",
    "n": "The column 'n' is INT and neither a variant nor a map whose keys are strings: the variant columns are",
    "l": "The column 'l' is ARRAY<VARIANT> and neither a variant",
    "s": "The column 's' is STRUCT<INNER:VARIANT> and neither a variant",
    "*": "The column '\\*' is 5 columns and neither a variant",
    "": "''",
    "`a": "'`a'",
}


@pytest.mark.parametrize(("column", "mention"), COLUMNS.items(), ids=COLUMNS)
def test_a_column_that_is_not_a_variant_is_refused_with_the_names_of_the_variants(exploding, column, mention):
    refused(lambda: infer_shape(exploding, column), mention)


def test_arguments_that_are_not_a_column_or_a_dataframe_are_named(spark, exploding):
    refused(lambda: infer_shape(exploding, 5), "as a name or a Column and was given 5: the variant columns are")
    refused(lambda: infer_shape(exploding, F.lit(1)), "The column '1' is INT and neither a variant")
    refused(
        lambda: infer_shape(spark, "v"), r"takes a DataFrame of Spark and was given a pyspark\.sql\.\S*SparkSession"
    )
    refused(lambda: infer_shape("t", "v"), "was given a str: pass one, such as spark.read")
    stream = spark.readStream.format("rate").load().selectExpr("parse_json('1') AS v")
    refused(lambda: infer_shape(stream, "v"), "this DataFrame is a stream: pass what spark.read gives")


def test_the_error_of_a_session_without_the_jar_names_attach(tmp_path):
    said = python(
        tmp_path,
        """
        import shredded_variant
        spark = calm().getOrCreate()
        df = spark.sql("SELECT parse_json('1') AS v")
        seen = []
        for attached in (False, True):
            try:
                seen.append(shredded_variant.infer_shape(df, "v").ddl())
            except shredded_variant.ShreddedVariantError as e:
                seen.append(str(e))
            shredded_variant.attach(spark)
        print(json.dumps(seen))
        """,
    )
    assert said[0].startswith("This session does not know shredding_shape: call shredded_variant.attach(spark)")
    assert said[1] == "BIGINT"


def test_the_result_is_the_same_over_connect(tmp_path):
    """The server has the jar only through `attach`."""
    seen = python(
        tmp_path,
        """
        import shredded_variant
        from pyspark.sql import functions as F
        spark = calm(SparkSession.builder.remote("local[2]")).getOrCreate()
        df = spark.sql("SELECT parse_json('{\\"a\\": ' || id || ', \\"b\\": {\\"c\\": \\"x\\"}}') AS v FROM range(100)")
        def seen(*arguments, **limits):
            try:
                return shredded_variant.infer_shape(*arguments, **limits).ddl()
            except shredded_variant.ShreddedVariantError as e:
                return str(e)
        found = [seen(df, "v")]
        shredded_variant.attach(spark)
        found += [seen(df, "v"), seen(df.repartition(5), F.col("v"), exclude=["$.b"]), seen(df, "w")]
        found.append(seen(df, "v", x=1))
        print(json.dumps([type(df).__module__, found]))
        """,
        SPARK_TESTING="",
    )
    assert seen[0] == "pyspark.sql.connect.dataframe"
    assert seen[1][0].startswith("This session does not know shredding_shape: call shredded_variant.attach(spark)")
    assert seen[1][1:3] == ["STRUCT<a BIGINT, b STRUCT<c STRING>>", "STRUCT<a BIGINT>"]
    assert seen[1][3] == "The column 'w' does not exist: the variant columns are 'v'."
    assert re.match("infer_shape has no argument 'x'", seen[1][4])
