"""Tables with files of the draft layout, the current layout and without shredding, and `layout` of such tables."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from draft_fixtures import draft, typed, untyped, write_draft
from layouts import entry
from map_cases import hot
from parquet_cells import data_files, only_file
from parquet_fixtures import cell, write_file
from pinned_tables import append, documents, pins, schemas
from scan_counts import run
from shredded_variant import layout
from tables import FORMAT, frame, load, values, write
from variants import NULL, int8, obj, of


def test_files_of_all_kinds_are_one_table(spark, tmp_path):
    a = cell({"a": cell(pa.int64())})
    write_file(tmp_path / "1.parquet", a, [(of({"b": "x"}), {"a": (None, 1)})], annotated=True)
    write_draft(
        tmp_path / "2.parquet",
        draft(object={"a": draft(pa.string())}),
        [untyped({"b": [2]}, object={"a": typed("2")}), untyped(3)],
        first_id=1,
    )
    write_file(tmp_path / "3.parquet", cell(), [(of({"a": 4}), None), None], annotated=True, first_id=3)
    write_draft(tmp_path / "4.parquet", draft(pa.int64(), array=draft()), [typed(6), {"array": []}], first_id=5)
    pq.write_table(pa.table({"id": pa.array([7], pa.int32())}), tmp_path / "5.parquet")
    means = [obj(a=1, b="x"), obj(a="2", b=[2]), int8(3), obj(a=4), None, of(6), of([]), None]
    for schema in ("id INT, v VARIANT", None):
        df = load(spark, tmp_path, schema=schema)
        assert values(df) == means
        query = df.orderBy("id").selectExpr("try_variant_get(v, '$.a', 'int')", "v IS NULL", "to_json(v:b)")
        assert [tuple(r) for r in query.collect()] == [
            (1, False, '"x"'), (2, False, "[2]"), (None, False, None), (4, False, None), (None, True, None),
            (None, False, None), (None, False, None), (None, True, None),
        ]  # fmt: skip
        assert [r.id for r in df.where("try_variant_get(v, '$.a', 'int') > 1").orderBy("id").collect()] == [1, 3]
    merged = load(spark, tmp_path, schema=None, mergeSchema="true")
    assert dict(merged.dtypes) == {"id": "int", "v": "variant"}
    kinds = {(s.kind, s.files) for s in layout(tmp_path).shapes}
    assert kinds == {("parquet", 1), ("draft", 1), ("unshredded", 1)}
    assert sorted(s.kind for s in layout(tmp_path).shapes) == ["draft", "draft", "parquet", "unshredded", "unshredded"]


def test_appends_may_change_the_layout(spark, tmp_path):
    rows = [of({"a": i, "b": {"c": f"{i}"}}) for i in range(3)]
    for options in ({"layout": "draft"}, {"layout": "parquet"}, {"layout": "DRAFT", "shredding": "off"}):
        shape = {} if "shredding" in options else {"shredding__shape__v": "a BIGINT, b STRUCT<c STRING>"}
        write(frame(spark, *rows), tmp_path / "t", mode="append", **options, **shape)
    df = load(spark, tmp_path / "t", schema=None)
    assert sorted(map(repr, values(df))) == sorted(map(repr, rows * 3))
    assert df.selectExpr("sum(v:a::int)", "max(v:b.c::string)").collect() == [(9, "2")]
    assert sorted(s.kind for s in layout(tmp_path / "t").shapes) == ["draft", "parquet", "unshredded"]


@pytest.mark.parametrize(("named", "kept"), [({}, "STRUCT<n BIGINT, s STRING>"), ({"shredding__shape__v": "s STRING"},
                                                                                "STRUCT<s STRING>")])  # fmt: skip
def test_a_table_keeps_its_shape_in_drafts_as_in_other_files(spark, tmp_path, named, kept):
    """Later writes and streams, in either layout, use the pinned shape, whether it was inferred or given."""
    table = write(documents(spark, "n", "s"), tmp_path / "t", layout="draft", **named)
    first = data_files(table)
    for fields in (("n",), ("o", "d"), ("l", "s")):
        write(documents(spark, *fields), table, mode="append", layout="draft")
    assert schemas(table) == schemas(table, first) and len(schemas(table)) == 1
    assert pins(table) == {"v": kept}
    assert {(s.kind, s.columns["v"]) for s in layout(table).shapes} == {("draft", kept)}
    assert "untyped_value" not in append(documents(spark, "o"), table)
    assert {(s.kind, s.columns["v"]) for s in layout(table).shapes} == {("draft", kept), ("parquet", kept)}
    assert load(spark, table).selectExpr("count(v:n::bigint)", "count(v:o.p::int)").first() == (4000, 4000)


def test_streams_and_path_sql_write_and_read_drafts(spark, tmp_path):
    source = write(
        frame(spark, of({"a": 1}), None, of([2])), tmp_path / "s", shredding__shape__v="a INT", layout="draft"
    )
    rows = spark.readStream.format(FORMAT).schema("id INT, v VARIANT").load(source)
    stream = rows.writeStream.format(FORMAT).option("checkpointLocation", str(tmp_path / "checkpoint"))
    stream = stream.option("layout", "draft").option("shredding.shape.v", "a INT").trigger(availableNow=True)
    stream.start(str(tmp_path / "t")).awaitTermination()
    spark.sql(
        f"INSERT OVERWRITE DIRECTORY '{tmp_path / 'd'}' USING {FORMAT} "
        f"OPTIONS (layout 'draft', `shredding.shape.v` 'a INT') SELECT * FROM {FORMAT}.`{tmp_path / 't'}`"
    )
    for path in ("t", "d"):
        assert values(load(spark, tmp_path / path)) == [obj(a=1), None, of([2])]
        assert [(s.kind, s.columns) for s in layout(tmp_path / path).shapes] == [("draft", {"v": "STRUCT<a INT>"})]


def test_a_table_may_have_hot_keys_and_the_draft_layout(spark, tmp_path):
    """Variants, plain columns and maps in one table; variants in a map are not shredded in either layout."""
    rows = spark.range(0, 40, 1, 1).selectExpr(
        "CAST(id AS INT) AS id", """parse_json(concat('{"a":', id, ',"z":"', id, '"}')) AS v""",
        "map('k', lpad(id, 2, '0'), 'cold', 'x') AS m",
        """map('k', parse_json(concat('{"b":', id, '}'))) AS n""",
    ).selectExpr("*", "named_struct('v', v, 'm', m) AS s")  # fmt: skip
    options = {"shredding.shape.v": "a BIGINT", "shredding.shape.s.v": "a BIGINT"}
    path = write(rows, tmp_path / "t", layout="draft", **options, **hot("m", ["k"], **{"n": ["k"], "s.m": ["k"]}),
                 **{"parquet.block.row.count.limit": "10", "parquet.enable.dictionary": "false"})  # fmt: skip
    schema = pq.read_schema(only_file(path))
    assert {"v", "m", "__paimon_map_shred_m_0", "n", "__paimon_map_shred_n_0"} < set(schema.names)
    kinds = {name: set(schema.field(name).type.names) for name in ("v", "__paimon_map_shred_n_0")}
    assert kinds == {"v": {"untyped_value", "object"}, "__paimon_map_shred_n_0": {"metadata", "value"}}
    df = load(spark, path, schema=None)
    assert df.dtypes == rows.dtypes
    texts = ["id", "to_json(v)", "m", "transform_values(n, (k, x) -> to_json(x))", "to_json(s.v)", "s.m"]
    assert df.selectExpr(*texts).orderBy("id").collect() == rows.selectExpr(*texts).orderBy("id").collect()
    for condition in ("v:a::int = 25", "m['k'] = '25'", "s.v:a::int = 25", "s.m['k'] = '25'"):
        result, counts = run(
            df.where(condition).selectExpr("id", "m['k']", "v:z::string", "n['k']:b::int", "s.m['cold']")
        )
        assert result == [(25, "25", "25", 25, "x")]
        assert counts.groups == (1, 3), condition


def test_the_layout_is_a_default_of_the_session_too(spark, tmp_path):
    spark.conf.set(f"spark.datasource.{FORMAT}.layout", "draft")
    try:
        write(frame(spark, of({"a": 1})), tmp_path / "t", shredding__shape__v="a INT")
    finally:
        spark.conf.unset(f"spark.datasource.{FORMAT}.layout")
    assert [s.kind for s in layout(tmp_path / "t").shapes] == ["draft"]


def test_layout_shows_the_leaves_of_the_draft_layout(tmp_path):
    shape = draft(object={"user": draft(object={"id": draft(pa.int64())}), "tags": draft(array=draft(pa.string()))})
    rows = [
        {"object": {"user": {"object": {"id": typed(7)}}, "tags": {"array": [typed("x"), typed("y")]}}},
        untyped({"more": 1}, object={"user": {"object": {"id": untyped("guest")}}}),
        {"object": {"user": {"object": {"id": typed(-3)}}}},
        None,
    ]
    path = write_draft(tmp_path / "f.parquet", shape, rows)
    result = layout(path)
    assert [(s.kind, s.columns) for s in result.shapes] == [
        ("draft", {"v": "STRUCT<user STRUCT<id BIGINT>, tags ARRAY<STRING>>"})
    ]
    id = entry(result, "$.user.id")
    assert (id.type, id.rows, id.typed, id.residual, id.present, id.min, id.max) == ("BIGINT", 4, 2, 1, 3, -3, 7)
    root = entry(result, "$")
    assert (root.type, root.residual, root.present) == ("OBJECT", 1, None)
    assert entry(result, "$.tags[*]").typed == 2
    chunks = pq.read_metadata(path).row_group(0)
    assert sum(e.bytes for e in result.entries) == sum(
        chunks.column(i).total_compressed_size for i in range(chunks.num_columns)
    )
    assert "in the draft layout" in str(result) and "├─ user" in str(result)


def test_a_level_of_several_types_shows_them_all(tmp_path):
    shape = draft(pa.int64(), {"a": draft(pa.int64())}, draft())
    result = layout(write_draft(tmp_path / "f.parquet", shape, [typed(1), {"array": [untyped(NULL)]}, untyped("x")]))
    assert entry(result, "$").type == "OBJECT | ARRAY | BIGINT"
    assert [e.path for e in result.entries] == ["", "$", "$.a", "$[*]"]
