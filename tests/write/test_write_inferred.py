"""Without a given shape, the first rows of a file decide its shape; all readers read the same values."""

import json
from collections import Counter
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from parquet_cells import only_file
from tables import FORMAT, load, write

ROWS = 200
# A field in every row, one in half of them, one in 5 %, one of mixed numbers, one of objects and texts, a list.
DOCUMENT = """to_json(named_struct(
    'id', id,
    'half', if(id % 2 = 0, concat('h', id), null),
    'rare', if(id % 20 = 0, id, null),
    'price', CAST(id / 4 AS DECIMAL(10,2)),
    'user', named_struct('name', concat('u', id % 7), 'ok', id % 3 = 0),
    'tags', array(concat('t', id % 5), 'x')))"""


def documents(spark, rows=ROWS, document=DOCUMENT):
    return spark.sql(f"SELECT CAST(id AS INT) AS id, parse_json({document}) AS v FROM range(0, {rows}, 1, 1)")


def typed(file):
    """The paths of the typed columns in the file, without `typed_value` and other names of the layout."""
    schema = pq.ParquetFile(file).schema
    leaves = [schema.column(i).path for i in range(len(schema.names))]
    ends = [leaf.removesuffix(".typed_value") for leaf in leaves if leaf.endswith(".typed_value")]
    return {end.replace(".typed_value", "").replace(".list.element", "[]") for end in ends}


def files(table):
    return sorted(map(str, Path(table).glob("*.parquet")))


def texts(df, column="v"):
    return [json.loads(r[0]) if r[0] else None for r in df.sort("id").selectExpr(f"to_json({column})").collect()]


@pytest.fixture(scope="module")
def written(spark, tmp_path_factory):
    return write(documents(spark), tmp_path_factory.mktemp("inferred") / "t")


def test_a_default_write_shreds_what_most_rows_share(written):
    assert typed(only_file(written)) == {"v.id", "v.half", "v.price", "v.user.name", "v.user.ok", "v.tags[]"}


def test_rows_with_inferred_shapes_are_read_as_written(spark, written):
    assert texts(load(spark, written)) == texts(documents(spark))
    assert load(spark, written).where("v:user.name::string = 'u3'").count() == sum(i % 7 == 3 for i in range(ROWS))


def test_other_readers_read_the_same_values(spark, written):
    expected = texts(documents(spark))
    with_spark = spark.read.parquet(written)
    assert texts(with_spark) == expected
    rows = duckdb.sql(f"SELECT v::JSON FROM read_parquet('{only_file(written)}') ORDER BY id").fetchall()
    assert [_numbers(json.loads(r[0])) for r in rows] == [_numbers(row) for row in expected]


def _numbers(value):
    """1, 1.0 and 1.00 are one number."""
    if isinstance(value, dict):
        return {key: _numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_numbers(inner) for inner in value]
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


@pytest.mark.parametrize("options", [{"shredding": "infer"}, {"shredding__shape__v": "infer"}])
def test_the_option_infer_is_the_default(spark, tmp_path, written, options):
    table = write(documents(spark), tmp_path / "t", **options)
    assert typed(only_file(table)) == typed(only_file(written))


def test_columns_with_infer_off_and_a_shape_are_written_together(spark, tmp_path):
    df = documents(spark, 20).selectExpr("id", "v", "v AS off", "v AS given", "named_struct('v', v) AS s")
    shapes = {"shredding.shape.off": "off", "shredding.shape.given": "half STRING"}
    table = write(df, tmp_path / "t", **shapes)
    by_column = Counter(path.split(".")[0] for path in typed(only_file(table)))
    assert by_column == {"v": 6, "given": 1, "s": 6}  # `rare` is in 5 % of the rows
    for column in ("v", "off", "given", "s.v"):
        assert texts(load(spark, table, None), column) == texts(df, column)


def test_variants_in_lists_and_maps_are_written_unshredded(spark, tmp_path):
    df = documents(spark, 20).selectExpr("id", "array(v) AS l", "map('k', v) AS m")
    table = write(df, tmp_path / "t")
    assert typed(only_file(table)) == set()
    assert texts(load(spark, table, None), "l[0]") == texts(df, "l[0]") == texts(documents(spark, 20))


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_a_table_smaller_than_a_sample_is_written(spark, tmp_path, rows):
    df = documents(spark, rows)
    table = write(df, tmp_path / "t")
    assert texts(load(spark, table)) == texts(df)
    assert [bool(typed(file)) for file in files(table)] == [rows > 0]


def test_a_column_of_nulls_stays_unshredded(spark, tmp_path):
    df = documents(spark).selectExpr("id", "CAST(NULL AS VARIANT) AS v", "parse_json('null') AS n")
    table = write(df, tmp_path / "t")
    assert typed(only_file(table)) == set()
    assert load(spark, table, None).where("v IS NULL AND n IS NOT NULL").count() == ROWS


@pytest.mark.parametrize(("option", "value", "is_number"), [
    ("shredding.sampleRows", "10", True), ("shredding.sampleRows", "150", False),
    ("shredding.sampleBytes", "400", True), ("shredding.sampleBytes", "1m", False),
])  # fmt: skip
def test_the_sample_is_bounded(spark, tmp_path, option, value, is_number):
    """Numbers in the first 40 rows, text in the others."""
    df = documents(spark, ROWS, "if(id < 40, concat('{\"a\":', id, '}'), concat('{\"a\":\"text ', id, '\"}'))")
    table = write(df, tmp_path / "t", **{option: value})
    leaf = next(c for c in _leaves(only_file(table)) if c.path.endswith("a.typed_value"))
    assert (leaf.physical_type == "INT64") == is_number
    assert texts(load(spark, table)) == texts(df)


def _leaves(file):
    schema = pq.ParquetFile(file).schema
    return [schema.column(i) for i in range(len(schema.names))]


def test_each_file_has_the_shape_of_its_own_rows(spark, tmp_path):
    df = documents(spark, 60, "if(id < 30, concat('{\"a\":', id, '}'), concat('{\"b\":', id, '}'))")
    table = write(df.selectExpr("*", "if(id < 30, 'a', 'b') AS part"), tmp_path / "t", by=["part"])
    result = {file.parent.name: typed(file) for file in Path(table).glob("*/*.parquet")}
    assert result == {"part=a": {"v.a"}, "part=b": {"v.b"}}
    assert texts(load(spark, table)) == texts(df)


def test_the_footer_has_counts_of_all_rows_if_the_shape_is_inferred(spark, tmp_path, written):
    few = write(documents(spark), tmp_path / "few", shredding__sampleRows="10")
    off = write(documents(spark), tmp_path / "off", shredding="off")
    counts = [pq.read_metadata(only_file(t)).metadata.get(b"shredded_variant.counts.v") for t in (written, few, off)]
    assert counts[0] and counts[0] == counts[1]
    assert counts[2] is None


def test_limits_of_inference_apply_to_the_writer(spark, tmp_path):
    options = {
        "shredding.minFieldFrequency": "0.05",
        "shredding.exclude.v": "$.user, $.tags",
        "shredding.maxFields": "4",
    }
    table = write(documents(spark), tmp_path / "t", **options)
    assert typed(only_file(table)) == {"v.id", "v.half", "v.price", "v.rare"}


# options -> the typed paths of documents that are nested four deep and have fields of several frequencies
NESTED = """concat('{"n": ', id % 100, ', "o": {"p": {"q": {"r": "x"}}}',
    if(id % 2 = 0, ', "b": 1', ''), if(id % 4 = 0, ', "c": 1.5', ', "c": 7'), '}')"""
LIMITS = [
    ({}, {"v.n": "INT64", "v.o.p.q.r": "BYTE_ARRAY", "v.b": "INT64", "v.c": "INT32 DECIMAL(2,1)"}),
    ({"shredding.policy": "majority"},
     {"v.n": "INT32 INT_8", "v.o.p.q.r": "BYTE_ARRAY", "v.b": "INT32 INT_8", "v.c": "INT32 INT_8"}),
    ({"shredding.maxDepth": "4"}, {"v.n", "v.o.p.q.r", "v.b", "v.c"}),
    ({"shredding.maxDepth": "3"}, {"v.n", "v.b", "v.c"}),
    ({"shredding.maxDepth": "3", "shredding.policy": "majority"}, {"v.n", "v.b", "v.c"}),
    ({"shredding.maxIntermediateFields": "3"}, {"v.n", "v.o.p.q.r", "v.c"}),
    ({"shredding.maxIntermediateFields": "1", "shredding.policy": "majority"}, {"v.c"}),
]  # fmt: skip


@pytest.mark.parametrize(("options", "paths"), LIMITS)
def test_policy_depth_and_intermediate_fields_apply_to_the_file(spark, tmp_path, options, paths):
    df = documents(spark, document=NESTED)
    table = write(df, tmp_path / "t", **options)
    assert typed(only_file(table)) == set(paths)
    if isinstance(paths, dict):
        leaves = {c.path.replace(".typed_value", ""): c for c in _leaves(only_file(table)) if "typed_value" in c.path}
        for path, wanted in paths.items():
            leaf = leaves[path]
            kind = {"INT_8": "INT_8", "DECIMAL": f"DECIMAL({leaf.precision},{leaf.scale})"}.get(leaf.converted_type)
            assert f"{leaf.physical_type} {kind}".removesuffix(" None") == wanted, path
    assert texts(load(spark, table)) == texts(df)


# JSONBench's documents: of a hundred, 50 have an object as subject and 36 a text; 9 records have a text.
POSTS = """concat('{"did": "d', id, '", "commit": {"collection": "c", "record": {"type": "t"',
    if(id % 100 < 9, concat(', "text": "t', id, '"'), ''),
    CASE WHEN id % 100 < 50 THEN concat(', "subject": {"cid": "c', id, '", "uri": "u"}')
         WHEN id % 100 < 86 THEN concat(', "subject": "did:', id, '"') ELSE '' END, '}}}')"""
ALWAYS = {"v.did", "v.commit.collection", "v.commit.record.type"}
SUBJECT = {"v.commit.record.subject.cid", "v.commit.record.subject.uri"}
TEXT = {"v.commit.record.text"}


@pytest.mark.parametrize("policy", ["equivalence", "majority"])
@pytest.mark.parametrize(("minimum", "paths"), [
    ("0.1", ALWAYS | SUBJECT), ("0.09", ALWAYS | SUBJECT | TEXT), ("0.51", ALWAYS), ("0.091", ALWAYS | SUBJECT),
])  # fmt: skip
def test_jsonbench_subject_is_shredded_for_its_objects_and_text_follows_the_threshold(
    spark, tmp_path, policy, minimum, paths
):
    df = documents(spark, 1000, POSTS)
    table = write(df, tmp_path / "t", **{"shredding.policy": policy, "shredding.minFieldFrequency": minimum})
    assert typed(only_file(table)) == paths
    read = load(spark, table)
    assert texts(read) == texts(df)
    counts = "count(v:commit.record.subject.cid::string)", "count(v:commit.record.text::string)"
    assert read.selectExpr(*counts).first()[:] == (500, 90)


def test_an_included_path_is_shredded_at_any_frequency(spark, tmp_path):
    table = write(documents(spark), tmp_path / "t", **{"shredding.include.v": "$.rare"})
    assert "v.rare" in typed(only_file(table))


def test_every_value_after_the_sample_is_kept(spark, tmp_path):
    df = documents(spark, 50, "if(id < 10, concat('{\"a\":', id, '}'), concat('[', id, ', {\"z\": null}]'))")
    table = write(df, tmp_path / "t", shredding__sampleRows="5")
    assert typed(only_file(table)) == {"v.a"}
    assert texts(load(spark, table)) == texts(df)


def test_streams_infer_too(spark, tmp_path):
    write(documents(spark), tmp_path / "in", shredding="off")
    stream = spark.readStream.format(FORMAT).schema("id INT, v VARIANT").load(str(tmp_path / "in"))
    query = stream.writeStream.format(FORMAT).option("checkpointLocation", str(tmp_path / "check"))
    query.trigger(availableNow=True).start(str(tmp_path / "out")).awaitTermination()
    assert "v.price" in typed(files(tmp_path / "out")[0])
    assert texts(load(spark, tmp_path / "out")) == texts(documents(spark))
