"""shredding_shape(v) gives the shape of a column as text for the option, the same for any order of the rows."""

import pytest
from pyspark.errors import AnalysisException

from tables import frame, load, refusal, values, write
from variants import NULL, array, decimal, double, int8, int64, obj, string

DOCUMENTS = 100_000
# One path has objects and strings, another has integers and decimals; there are fields in 9 % and in 10 % of the rows,
# arrays of objects, SQL and variant nulls, and a field with a new name in every fiftieth row.
DOCUMENT = """
    CASE WHEN id % 1000 = 0 THEN NULL WHEN id % 1000 = 1 THEN parse_json('null')
    ELSE parse_json(concat('{"id":', id,
        ', "price":', if(id % 3 = 0, id, id / 100),
        ', "subject":', CASE id % 6 WHEN 0 THEN 'null' WHEN 1 THEN '"x"' WHEN 2 THEN '"y"' ELSE '{"uri":"u","n":1}' END,
        if(id % 100 < 9, ', "nine": "x"', ''), if(id % 100 BETWEEN 10 AND 19, ', "ten": "x"', ''),
        ', "tags":[', CASE id % 4 WHEN 0 THEN '' WHEN 1 THEN '{"k":1}' ELSE '{"k":1},{"k":2.5,"l":"x"}' END, ']',
        if(id % 50 = 7, concat(', "only', id, '": true'), ''), '}'))
    END AS v
"""
EXPECTED = (
    "STRUCT<id BIGINT, price DECIMAL(7,2), subject STRUCT<n BIGINT, uri STRING>, "
    "tags ARRAY<STRUCT<k DECIMAL(2,1), l STRING>>, ten STRING>"
)


def shape(df, *limits, column="v"):
    """The shape of a column; limits as `name=value` in one map."""
    entries = ", ".join(f"'{text}'" for name, value in limits for text in (name, value))
    (row,) = df.selectExpr(f"shredding_shape({column}{f', map({entries})' if limits else ''}) AS shape").collect()
    return row.shape


@pytest.fixture(scope="module")
def documents(spark):
    df = spark.range(DOCUMENTS).selectExpr("id", DOCUMENT).persist()
    yield df
    df.unpersist()


def test_the_same_documents_have_one_shape_in_any_order_and_partitioning(spark, documents):
    orders = {
        "as they are": documents,
        "one partition": documents.coalesce(1),
        "backwards, many partitions": documents.repartitionByRange(11, "id").sortWithinPartitions(documents.id.desc()),
        "shuffled": documents.sort(documents.id % 97, documents.id),
        "skewed": documents.repartition(5, documents.id % 2),
        "in batches": documents.where("id % 7 = 3").union(documents.where("id % 7 != 3")),
    }
    assert {name: shape(df) for name, df in orders.items()} == dict.fromkeys(orders, shape(documents))


def test_the_shape_has_the_frequent_paths_and_types(documents):
    # Of 99,800 documents that are not null, a field in 9 % is too rare, and one in 10 % is frequent enough.
    assert shape(documents) == EXPECTED
    majority = shape(documents, ("policy", "majority"))
    assert majority.startswith("STRUCT<id INT, price DECIMAL(") and "uri STRING" in majority


def test_the_result_is_a_value_of_the_option(documents, tmp_path):
    sample = documents.where("id < 500")
    write(sample, tmp_path / "t", shredding__shape__v=shape(sample))
    ours = load(sample.sparkSession, tmp_path / "t", schema="id BIGINT, v VARIANT")
    assert ours.selectExpr("sum(v:price::double)", "count(v:subject.uri)").collect() == (
        sample.selectExpr("sum(v:price::double)", "count(v:subject.uri)").collect()
    )


@pytest.mark.parametrize(
    "rows",
    [[], [None, None], [NULL], [obj()], [array()], [int8(1), string("x"), obj(a=int8(1)), array(int8(1))]],
    ids=["no rows", "SQL NULL", "variant null", "empty objects", "empty arrays", "all kinds alike"],
)
def test_the_result_for_no_values_is_a_value_of_the_option(spark, tmp_path, rows):
    df = frame(spark, *rows, None).where("true" if rows else "false")
    ddl = shape(df)
    assert ddl == ("STRUCT<a BIGINT>" if len(rows) == 4 else "VARIANT")
    write(df, tmp_path / "t", shredding__shape__v=ddl)
    assert len(values(load(spark, tmp_path / "t"))) == df.count()


def test_groups_and_filters_have_shapes_of_their_own(spark):
    df = frame(spark, obj(a=int8(1)), obj(a=string("x")), obj(b=int8(1)), None, array(double(1.5)), NULL)
    groups = df.groupBy("id").agg({"v": "shredding_shape"}).sort("id").collect()
    assert [g[1] for g in groups] == [
        "STRUCT<a BIGINT>", "STRUCT<a STRING>", "STRUCT<b BIGINT>", "VARIANT", "ARRAY<DOUBLE>", "VARIANT",
    ]  # fmt: skip
    df.createOrReplaceTempView("few")
    (row,) = spark.sql(
        "SELECT shredding_shape(v) FILTER (WHERE id = 1) AS one, shredding_shape(v) FILTER (WHERE id > 99) AS none, "
        "shredding_shape(v:a) AS part, count(DISTINCT id) AS n FROM few"
    ).collect()
    assert tuple(row) == ("STRUCT<a STRING>", "VARIANT", "STRING", 6)
    running = spark.sql("SELECT shredding_shape(v) OVER (ORDER BY id) AS s FROM few WHERE id < 2").collect()
    assert [r.s for r in running] == ["STRUCT<a BIGINT>", "STRUCT<a STRING>"]


def test_limits_are_those_of_the_options(spark):
    df = frame(spark, *[obj(a=int64(1), b=obj(c=string("x")), d=int8(1))] * 9, obj(a=decimal("1.5"), d=string("x")))
    assert shape(df) == "STRUCT<a DECIMAL(2,1), b STRUCT<c STRING>, d BIGINT>"
    assert shape(df, ("minFieldFrequency", "0.95")) == "STRUCT<a DECIMAL(2,1)>"
    assert shape(df, ("MAXDEPTH", "1")) == "STRUCT<a DECIMAL(2,1), d BIGINT>"
    assert shape(df, ("maxFields", "1")) == "STRUCT<a DECIMAL(2,1)>"
    assert shape(df, ("maxIntermediateFields", "1")) == "STRUCT<a DECIMAL(2,1)>"
    assert shape(df, ("policy", "majority")) == "STRUCT<a BIGINT, b STRUCT<c STRING>, d TINYINT>"
    assert shape(df, ("exclude", '$.b, $["d"]')) == "STRUCT<a DECIMAL(2,1)>"
    included = shape(df, ("minFieldFrequency", "1"), ("include", "$.b.c, $.new"), ("exclude", "$.a"))
    assert included == "STRUCT<b STRUCT<c STRING>, new VARIANT>"


# limits: parts of the refusal
WRONG = {
    "map('minFrequency', '0.2')": ("'minFrequency'", "did you mean 'minFieldFrequency'"),
    "map('include.v', '$.a')": (r"'include\.v'", "did you mean 'include'"),
    "map('policy', 'best')": ("shredding.policy", "'best'", "equivalence or majority"),
    "map('maxDepth', '101')": ("shredding.maxDepth", "'101'", "from 1 to 100"),
    "map('include', 'user.id')": ("'include'", r"'user\.id'", r"\$\.user\.id"),
    "map('include', '')": ("'include'", r"\$\.user\.id"),
    "map('policy', CAST(NULL AS STRING))": ("NULL for 'policy'",),
    "CAST(NULL AS MAP<STRING, STRING>)": ("NULL", "constant map"),
    "map('policy', CAST(id AS STRING))": ("not constant", "constant map"),
}


@pytest.mark.parametrize("limits", WRONG)
def test_wrong_limits_are_refused_with_the_names_of_all_limits(spark, limits):
    df = frame(spark, obj(a=int8(1)))
    refusal(lambda: df.selectExpr(f"shredding_shape(v, {limits})").collect(), *WRONG[limits])


# arguments: the condition with which Spark refuses them for its own functions
ARGUMENTS = {
    "": "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
    "v, map('policy', 'majority'), 1": "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
    "id": "DATATYPE_MISMATCH.TYPE_CHECK_FAILURE_WITH_HINT",
    "v, 1": "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
    "v, map('maxFields', 1)": "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
}


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_wrong_arguments_have_the_error_conditions_of_spark(spark, arguments):
    df = frame(spark, obj(a=int8(1)))
    with pytest.raises(AnalysisException) as caught:
        df.selectExpr(f"shredding_shape({arguments})")
    assert caught.value.getCondition() == ARGUMENTS[arguments]


def test_the_function_describes_itself(spark):
    (name, _, usage, *_) = [r[0] for r in spark.sql("DESCRIBE FUNCTION shredding_shape").collect()]
    assert name == "Function: shredding_shape" and "shredding_shape(v[, limits])" in usage


def test_a_malformed_variant_is_named(spark):
    df = frame(spark, (b"\x01\x00\x00", b"\x02\x01\x00\x00"))
    refusal(lambda: df.selectExpr("shredding_shape(v)").collect(), "variant at 'v'", "malformed")
