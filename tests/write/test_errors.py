"""Each refusal has a name, says what is wrong, where, and what to do, and leaves the table as it was."""

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

from parquet_footer import BINARY, I32, LOGICAL, OPTIONAL, REPETITION, STRUCT, edit_schema
from tables import FORMAT, causes


@pytest.fixture(scope="module")
def events(spark, tmp_path_factory):
    """id, v, Id2, an array of variants, a struct with a variant; one file, v shredded."""
    path = str(tmp_path_factory.mktemp("errors") / "events")
    df = spark.range(10).selectExpr(
        "id",
        "parse_json('{\"a\": \"' || repeat('x', 100) || '\"}') v",
        "array(parse_json('1')) l",
        "named_struct('w', parse_json('2')) s",
    )
    df.coalesce(1).write.format(FORMAT).option("shredding.shape.v", "a STRING").save(path)
    return path


def refused(action, name, *said):
    with pytest.raises(Exception) as caught:
        action()
    message = next(m for _, m in causes(caught.value) if m.startswith(f"[SHREDDED_VARIANT_{name}]"))
    sentence = message.splitlines()[0]
    assert sentence[-1] in ".?" and ":" in sentence
    for words in said:
        assert words in sentence
    return sentence


def test_a_table_is_not_overwritten_by_a_query_that_reads_it(spark, events):
    df = spark.read.format(FORMAT).load(events)
    action = lambda: df.where("id < 3").write.format(FORMAT).mode("overwrite").save(events)  # noqa: E731
    refused(action, "OVERWRITE_OF_INPUT", events, "write to another path")
    assert spark.read.format(FORMAT).load(events).count() == 10


@pytest.mark.parametrize("overwrite", ["save", "insert"])
def test_a_table_is_not_overwritten_by_cached_rows_of_it(spark, events, overwrite):
    df = spark.read.format(FORMAT).load(events).cache()
    df.createOrReplaceTempView("cached_events")
    actions = {
        "save": lambda: df.where("id < 3").write.format(FORMAT).mode("overwrite").save(events),
        "insert": lambda: spark.sql(
            f"INSERT OVERWRITE DIRECTORY '{events}' USING {FORMAT} SELECT * FROM cached_events WHERE id < 3"
        ),
    }
    try:
        refused(actions[overwrite], "OVERWRITE_OF_INPUT", events, "write to another path")
    finally:
        spark.catalog.clearCache()
    assert spark.read.format(FORMAT).load(events).count() == 10


def test_partitions_may_be_overwritten_from_their_own_table(spark, tmp_path):
    path = str(tmp_path / "t")
    df = spark.range(6).selectExpr("id", "parse_json('1') v", "id % 2 p")
    df.write.format(FORMAT).partitionBy("p").save(path)
    part = spark.read.format(FORMAT).load(path).where("p = 1 AND id > 1")
    part.write.format(FORMAT).partitionBy("p").option("partitionOverwriteMode", "dynamic").mode("overwrite").save(path)
    assert sorted(r.id for r in spark.read.format(FORMAT).load(path).collect()) == [0, 2, 3, 4, 5]


WRITES = [
    ("shredding.shape.l.element", "INT", "VARIANT_IN_COLLECTION", "unshredded"),
    ("shredding.shape.v..w", "INT", "OPTION_COLUMN", "backticks"),
    ("shredding.shape.s", "INT", "NOT_A_VARIANT", "'v', 's.w'"),
    ("shredding.shape.w", "INT", "NO_SUCH_COLUMN", "'w'"),
]


@pytest.mark.parametrize(("key", "value", "name", "said"), WRITES)
def test_an_option_for_a_column_that_does_not_exist_is_refused(spark, events, tmp_path, key, value, name, said):
    df = spark.read.format(FORMAT).load(events)
    refused(lambda: df.write.format(FORMAT).option(key, value).save(str(tmp_path / "t")), name, key, said)
    assert not (tmp_path / "t").exists()


READS = [
    ("COLUMN_TYPE", "id BOOLEAN", {}, "'id'"),
    ("COLUMN_TYPE", "v VARIANT, s ARRAY<INT>", {}, "'s'"),
    ("MALFORMED_LAYOUT", "id VARIANT", {}, "'id'"),
    ("TOO_LARGE", "v VARIANT", {"maxVariantBytes": "64"}, "maxVariantBytes"),
]


@pytest.mark.parametrize(("name", "schema", "options", "said"), READS)
def test_a_column_that_cannot_be_read_as_the_type_of_the_schema_is_named(spark, events, name, schema, options, said):
    df = spark.read.format(FORMAT).schema(schema).options(**options).load(events)
    assert "part-" in refused(df.collect, name, said)


def logical(branch, **fields):
    """An edit that annotates a leaf with this branch of the union LogicalType."""

    def edit(element):
        element[LOGICAL] = (STRUCT, {branch: (STRUCT, {1: (BINARY, fields["crs"])} if fields else {})})

    return edit


def as_optional(element):
    element[REPETITION] = (I32, OPTIONAL)


# {name: (the column x, edits of the schema, a part of the refusal)}
WITHOUT_TYPE = {
    "half floats": (pa.array([1], pa.float16()), {}, "FLOAT16"),
    "times of millis": (pa.array([1], pa.time32("ms")), {}, "TIME(MILLIS"),
    "a place in no known system": (pa.array([b"1"]), {"x": logical(17, crs=b"none:1")}, "CRS"),
    "a map that does not repeat": (
        pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
        {"x.key_value": as_optional},
        "Invalid map type",
    ),
}


def file_of(folder, column, edits):
    file = str(folder / "typed.parquet")
    pq.write_table(pa.table({"id": pa.array([7]), "x": column}), file)
    edit_schema(file, edits)
    return file


@pytest.mark.parametrize("ignored", ["false", "true"])
@pytest.mark.parametrize("name", WITHOUT_TYPE)
def test_a_column_without_a_type_in_spark_is_named_with_its_file(spark, tmp_path, name, ignored):
    column, edits, said = WITHOUT_TYPE[name]
    file = file_of(tmp_path, column, edits)
    reader = spark.read.format(FORMAT).option("ignoreCorruptFiles", ignored)
    refused(lambda: reader.load(file), "FILE_SCHEMA", os.path.basename(file), said, "schema(")
    assert [r.id for r in reader.schema("id BIGINT").load(file).collect()] == [7]


@pytest.mark.parametrize("schema", [None, "id BIGINT"])
def test_a_logical_type_that_is_newer_than_the_library_has_an_error_of_its_own(spark, tmp_path, schema):
    file = file_of(tmp_path, pa.array([1]), {"x": logical(30)})
    reader = spark.read.format(FORMAT)
    read = lambda: (reader.schema(schema) if schema else reader).load(file).collect()  # noqa: E731
    said = refused(read, "UNKNOWN_TYPE", os.path.basename(file), "'x'", "logical type")
    assert "write it again" not in said


def test_columns_that_differ_only_in_case_are_distinguished(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        spark.range(1).select(F.col("id"), F.lit(2).alias("ID")).write.format(FORMAT).save(path)
        assert spark.read.format(FORMAT).load(path).select("ID").collect() == [(2,)]
    finally:
        spark.conf.set("spark.sql.caseSensitive", "false")
    df = spark.read.format(FORMAT).schema("id INT").load(path)
    refused(df.collect, "AMBIGUOUS_COLUMN", "'id', 'ID'", "spark.sql.caseSensitive")


def test_a_read_without_a_path_or_without_files_is_refused(spark, tmp_path):
    refused(lambda: spark.read.format(FORMAT).load(), "NO_PATH", "load(path)")
    refused(lambda: spark.read.format(FORMAT).load(str(tmp_path)), "NO_SCHEMA", "schema(")
