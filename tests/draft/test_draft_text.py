"""The draft's text, sentence by sentence; its examples are in test_draft_examples."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from draft_fixtures import as_draft, as_draft_cell, draft, split, typed, untyped, whole, write_draft
from draft_rows import read_rows, written
from parquet_cells import only_file
from spec_tables import TABLES
from tables import frame, load, values, write
from variants import NULL, V, array, decimal, double, float32, int8, int32, int64, obj, of, string

LONG, TEXT = draft(pa.int64()), draft(pa.string())


# ---- "Parquet Layout" ----


def test_the_four_states_of_a_leaf(spark, tmp_path):
    """Three of the four rows of the table; the fourth is invalid and is refused, see test_draft_malformed."""
    shape = draft(object={"a": LONG})
    rows = [{"object": {"a": c}} for c in ({}, None, untyped("x"), typed(7))]
    assert read_rows(spark, tmp_path, shape, *rows) == [obj(), obj(), obj(a="x"), obj(a=7)]


def test_a_writer_may_omit_either_field(spark, tmp_path):
    shape = draft(object={"a": draft(pa.int64(), untyped=False), "b": draft()}, untyped=False)
    rows = [{"object": {"a": typed(1), "b": untyped([2])}}, {"object": {}}, {"object": {"b": untyped("x")}}]
    assert read_rows(spark, tmp_path, shape, *rows, annotated=True) == [obj(a=1, b=[2]), obj(), obj(b="x")]


def test_a_level_may_have_any_of_the_four_fields(spark, tmp_path):
    shape = draft(pa.int64(), {"a": LONG}, LONG)
    cells = [untyped("x"), typed(1), {"object": {"a": typed(2)}}, {"array": [typed(3), untyped(None)]}, {"array": []}]
    means = [string("x"), int64(1), obj(a=2), array(3, None), array()]
    assert read_rows(spark, tmp_path, shape, *cells) == means
    inside = draft(object={"k": shape})
    df = load(spark, write_draft(tmp_path / "g.parquet", inside, [{"object": {"k": c}} for c in cells]))
    assert values(df) == [obj(k=v) for v in means]
    assert values(df.selectExpr("id", "v:k AS v")) == means
    assert [r[0] for r in df.orderBy("id").selectExpr("try_variant_get(v, '$.k', 'bigint')").collect()] == [
        None, 1, None, None, None
    ]  # fmt: skip
    assert [r[0] for r in df.orderBy("id").selectExpr("try_variant_get(v, '$.k[0]', 'bigint')").collect()] == [
        None,
        None,
        None,
        3,
        None,
    ]
    assert [r[0] for r in df.orderBy("id").selectExpr("v:k.a::bigint").collect()] == [None, None, 2, None, None]


@pytest.fixture(scope="module")
def converted(spark, tmp_path_factory):
    """The tables of the current specification as one draft table, with the same cells."""
    folder, first = tmp_path_factory.mktemp("converted"), 0
    for i, (shape, rows) in enumerate(TABLES.values()):
        cells = [as_draft_cell(c) for c, _ in rows]
        write_draft(folder / f"{i:03}.parquet", as_draft(shape), cells, first_id=first)
        first += len(rows)
    return values(load(spark, folder))


@pytest.mark.parametrize("name", TABLES)
def test_every_type_and_state_has_the_meaning_of_the_current_layout(converted, name):
    """`typed_value` may be any type that has a corresponding variant type."""
    first = sum(len(rows) for _, rows in list(TABLES.values())[: list(TABLES).index(name)])
    means = [v for _, v in TABLES[name][1]]
    assert converted[first : first + len(means)] == means


def test_metadata_ends_where_its_last_offset_says(spark, tmp_path):
    """The binary in the text of the draft: six bytes of metadata with one key, then the value."""
    stored = b"\x01\x01\x00\x02hi" + bytes([0b00000010, 1, 0, 0, 2, 12, 7])
    assert split(stored) == obj(hi=7)
    assert read_rows(spark, tmp_path, draft(), {"untyped_value": stored}) == [obj(hi=7)]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_metadata_may_have_offsets_of_any_size(spark, tmp_path, size):
    from variant_bytes import encode

    stored = b"".join(encode(obj(b=1, a={"c": 2}), offset_size=size, is_sorted=size % 2 == 0))
    shape = draft(object={"x": LONG})
    actual = read_rows(spark, tmp_path, shape, {"untyped_value": stored, "object": {"x": typed(0)}})
    assert actual == [obj(b=1, a={"c": 2}, x=0)]


# ---- "Unshredded values" ----

UNSHREDDED = [
    # the value, and the columns of the shape `a BIGINT, b STRUCT<c BIGINT>`
    (obj(a={"x": 1}), {"object": {"a": untyped({"x": 1})}}),
    (obj(a=[1]), {"object": {"a": untyped([1])}}),
    (obj(a=double(1.0)), {"object": {"a": untyped(double(1.0))}}),
    (obj(b={"c": 1, "d": 2}), {"object": {"b": untyped({"d": 2}, object={"c": typed(1)})}}),
    (obj(b=5), {"object": {"b": untyped(5)}}),
    (obj(), {"object": {}}),
    (obj(b={}), {"object": {"b": {"object": {}}}}),
    (NULL, untyped(NULL)),
    (string("x"), untyped("x")),
]


def test_values_without_a_column_are_stored_beside_the_typed_ones(spark, tmp_path):
    table = tmp_path / "t"
    rows = [v for v, _ in UNSHREDDED]
    assert written(spark, table, "a BIGINT, b STRUCT<c BIGINT>", *rows) == [c for _, c in UNSHREDDED]
    assert values(load(spark, table)) == rows


def test_an_array_is_always_fully_shredded(spark, tmp_path):
    table = tmp_path / "t"
    rows = [array(1, "x", None, [2], {"k": 3}), array(), obj(a=1)]
    cells = [
        {"array": [typed(1), untyped("x"), untyped(NULL), untyped([2]), untyped({"k": 3})]},
        {"array": []},
        untyped({"a": 1}),
    ]
    assert written(spark, table, "ARRAY<BIGINT>", *rows) == cells
    assert values(load(spark, table)) == rows


def test_each_stored_value_has_its_own_keys_and_no_others(spark, tmp_path):
    table = tmp_path / "t"
    row = obj(a={"x": 1, "y": [{"z": 2}]}, b=1, c="typed")
    file = only_file(write(frame(spark, row), table, shredding__shape__v="a BIGINT, c STRING", layout="draft"))
    (stored,) = pq.read_table(file).to_pylist()
    assert stored["v"]["untyped_value"] == whole(obj(b=1))
    inner = stored["v"]["object"]["a"]["untyped_value"]
    assert inner[1] == 3 and split(inner) == obj(x=1, y=[{"z": 2}])


def test_names_of_all_parts_come_together_in_the_metadata(spark, tmp_path):
    shape = draft(object={"a": draft(object={"b": TEXT}), "l": draft(array=draft())})
    row = untyped(
        {"r": {"s": 1}},
        object={
            "a": untyped({"t": [{"u": 1}]}, object={"b": typed("x")}),
            "l": {"array": [untyped({"r": 1, "w": 2}), untyped({"s": 3})]},
        },
    )
    df = load(spark, write_draft(tmp_path / "f.parquet", shape, [row, row]))
    means = obj(a={"b": "x", "t": [{"u": 1}]}, l=[{"r": 1, "w": 2}, {"s": 3}], r={"s": 1})
    assert values(df) == [means, means]
    from variant_bytes import decode_metadata

    assert sorted(decode_metadata(df.first().v.metadata)) == ["a", "b", "l", "r", "s", "t", "u", "w"]
    assert json.loads(df.selectExpr("to_json(v)").first()[0]) == {
        "a": {"b": "x", "t": [{"u": 1}]}, "l": [{"r": 1, "w": 2}, {"s": 3}], "r": {"s": 1}
    }  # fmt: skip


# ---- "Shredding Semantics" ----

WIDENED = [
    # column, value, whether it is typed
    ("DECIMAL(9,2)", int8(123), True),
    ("BIGINT", decimal("1.23"), False),
    ("BIGINT", decimal("123.00"), True),
    ("BIGINT", int32(123), True),
    ("TINYINT", int64(123), True),
    ("TINYINT", int64(128), False),
    ("DECIMAL(9,2)", decimal("1.234"), False),
    ("DECIMAL(4,2)", int64(100), False),
    ("INT", string("123"), False),
    ("BIGINT", double(1.0), False),
    ("DECIMAL(9,2)", float32(1.0), False),
    ("DOUBLE", int8(1), False),
    ("DOUBLE", float32(1.0), False),
    ("FLOAT", double(1.0), False),
    ("STRING", int8(1), False),
]


@pytest.mark.parametrize(("column", "value", "is_typed"), WIDENED)
def test_numbers_widen_without_loss_and_nothing_else_is_cast(spark, tmp_path, column, value, is_typed):
    table = tmp_path / "t"
    (cell,) = written(spark, table, column, value)
    assert list(cell) == ["typed_value" if is_typed else "untyped_value"]
    assert values(load(spark, table)) == [value]


def test_expressions_do_not_see_the_type_of_a_number(spark, tmp_path):
    table = tmp_path / "t"
    written(spark, table, "DECIMAL(9,2)", int8(123))
    df = load(spark, table)
    assert df.selectExpr("cast(v AS STRING)", "v::bigint", "to_json(v)").collect() == [("123", 123, "123")]
    # The one exception in the text: the number gets the type of its column.
    assert df.selectExpr("schema_of_variant(v)").first()[0] in ("BIGINT", "DECIMAL(3,0)", "DECIMAL(9,2)")


# ---- "Reconstructing a Variant" ----


def test_a_key_whose_field_is_null_is_taken_from_what_is_stored_around_it(spark, tmp_path):
    shape = draft(object={"a": LONG, "b": draft(object={"c": LONG, "d": draft(array=LONG)})})
    rows = [
        untyped({"a": 5, "z": 1}, object={}),
        untyped({"b": {"c": 6, "d": [7]}}),
        {"object": {"b": untyped({"c": "8", "d": [9]})}},
        {"object": {"b": untyped({"d": [10]}, object={"c": typed(11)})}},
        untyped({"b": {"c": 12}}, object={"b": {"object": {}}}),
        untyped({"a": 13}, object={"a": typed(14)}),
        untyped({"b": {"c": 15}}, object={"b": untyped(16)}),
    ]
    df = load(spark, write_draft(tmp_path / "f.parquet", shape, rows))
    means = [
        obj(a=5, z=1), obj(b={"c": 6, "d": [7]}), obj(b={"c": "8", "d": [9]}), obj(b={"c": 11, "d": [10]}),
        obj(b={}), obj(a=14), obj(b=16),
    ]  # fmt: skip
    assert values(df) == means
    query = df.orderBy("id").selectExpr("v:a::int a", "v:b.c::string c", "v:b.d[0]::int d", "to_json(v) j")
    actual = query.collect()
    assert [r.a for r in actual] == [5, None, None, None, None, 14, None]
    assert [r.c for r in actual] == [None, "6", "8", "11", None, None, None]
    assert [r.d for r in actual] == [None, 7, 9, 10, None, None, None]
    plain = [m.value for m in means]
    assert [json.loads(r.j) for r in actual] == [_plain(V("object", v)) for v in plain]
    assert values(df.selectExpr("id", "v:b AS v"))[:4] == [None, *[m.value["b"] for m in means[1:4]]]
    assert [r[0] for r in df.orderBy("id").selectExpr("to_json(v:b.d)").collect()] == [
        None, "[7]", "[9]", "[10]", None, None, None
    ]  # fmt: skip


def _plain(v):
    if v.type == "object":
        return {k: _plain(x) for k, x in v.value.items()}
    return [_plain(x) for x in v.value] if v.type == "array" else v.value


def test_paths_into_an_array_in_value_are_read(spark, tmp_path):
    shape = draft(array=draft(object={"a": LONG}))
    rows = [untyped([{"a": 1}, {"a": "x"}]), {"array": [{"object": {"a": typed(2)}}, None, {}]}, {"array": []}]
    df = load(spark, write_draft(tmp_path / "f.parquet", shape, rows))
    assert values(df) == [array({"a": 1}, {"a": "x"}), array({"a": 2}, None, None), array()]
    query = df.orderBy("id").selectExpr(
        "variant_get(v, '$[0].a', 'string')",
        "variant_get(v, '$[1].a', 'string')",
        "variant_get(v, '$[1]', 'variant') IS NULL",
    )
    assert [tuple(r) for r in query.collect()] == [("1", "x", False), ("2", None, False), (None, None, True)]


def test_null_and_missing_at_each_place(spark, tmp_path):
    shape = draft(pa.int64(), array=LONG)
    df = load(spark, write_draft(tmp_path / "f.parquet", shape, [None, {}, untyped(NULL), {"array": [None, {}]}]))
    assert values(df) == [None, NULL, NULL, array(None, None)]
    assert [r[0] for r in df.orderBy("id").selectExpr("v IS NULL").collect()] == [True, False, False, False]
    assert df.selectExpr("count(v)").first()[0] == 3


@pytest.mark.parametrize("options", [{}, {"write_statistics": False}], ids=["statistics", "none"])
def test_a_null_variant_is_found_by_the_levels_of_any_leaf(spark, tmp_path, options):
    """Without metadata, the levels of any leaf show which rows are present, also in files without null counts."""
    without = draft(object={"a": draft(pa.int64(), untyped=False)}, array=draft(), untyped=False)
    rows = [None, {}, {"object": {}}, {"object": {"a": typed(1)}}, None, {"array": [untyped(1), None]}, {"array": []}]
    for shape in (without, without._replace(untyped=pa.binary())):
        df = load(spark, write_draft(tmp_path / "f.parquet", shape, rows, annotated=True, row_group_size=2, **options))
        assert sorted(r.id for r in df.where("v IS NULL").select("id").collect()) == [0, 4]
        assert sorted(r.id for r in df.where("v IS NOT NULL").select("id").collect()) == [1, 2, 3, 5, 6]
        assert df.selectExpr("count(v)", "count(*)", "count(v:a)", "max(v:a::int)").first() == (5, 7, 1, 1)
        assert sorted(r.id for r in df.where("v:a IS NULL").select("id").collect()) == [0, 1, 2, 4, 5, 6]


# ---- "Backward and forward compatibility" ----


def test_a_group_of_value_and_metadata_is_still_read(spark, tmp_path):
    rows = [obj(a=1), None, of("x")]
    write(frame(spark, *rows), tmp_path / "t", layout="draft", shredding="off")
    file = only_file(tmp_path / "t")
    assert set(pq.read_table(file)["v"].type.names) == {"metadata", "value"}
    assert values(load(spark, tmp_path / "t")) == rows


def test_siblings_that_begin_with_an_underscore_are_ignored(spark, tmp_path):
    beside = {"_metadata_key_paths": pa.string(), "_spark_next": pa.list_(pa.int32())}
    shape = draft(object={"a": draft(pa.int64(), beside=beside), "_b": LONG}, beside=beside)
    rows = [{"object": {"a": typed(1), "_b": typed(2)}}]
    path = write_draft(tmp_path / "f.parquet", shape, rows)
    assert values(load(spark, path, schema=None)) == [obj(a=1, _b=2)]
    assert load(spark, path).selectExpr("v:a::int", "v:_b::int").collect() == [(1, 2)]


def test_keys_are_data_whatever_their_names(spark, tmp_path):
    keys = ["untyped_value", "object", "array", "typed_value", "metadata", "value", "_spark_x", "a.b", "é", "x y"]
    row = obj({k: i for i, k in enumerate(keys)})
    shape = draft(object=dict.fromkeys(keys, LONG))
    cell = {"object": {k: typed(i) for i, k in enumerate(keys)}}
    assert read_rows(spark, tmp_path, shape, cell) == [row]
    ddl = ", ".join(f"`{k}` BIGINT" for k in keys)
    assert written(spark, tmp_path / "t", ddl, row) == [cell]


def test_a_group_is_a_variant_or_a_struct(spark, tmp_path):
    """A group is a variant by its annotation, by the schema of the read, or by its fields; otherwise it is a struct."""
    only = draft(pa.int64())
    without = draft(pa.int64(), untyped=False)
    kinds = {
        "fields": (only, {}, "variant"),
        "annotation": (without, {"annotated": True}, "variant"),
        "nothing": (without, {}, "struct<typed_value:bigint>"),
        "text": (draft(untyped=pa.string()), {}, "struct<untyped_value:string>"),
        "more": (draft(pa.int64(), beside={"x": pa.int32()}), {},
                 "struct<untyped_value:binary,typed_value:bigint,x:int>"),
    }  # fmt: skip
    for name, (shape, options, kind) in kinds.items():
        path = write_draft(tmp_path / f"{name}.parquet", shape, [{}], **options)
        assert dict(load(spark, path, schema=None).dtypes)["v"] == kind, name
    path = write_draft(tmp_path / "t.parquet", without, [typed(3), None])
    assert values(load(spark, path)) == [int64(3), None]


def test_a_struct_that_spark_wrote_is_a_variant_by_its_fields_and_a_struct_on_demand(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.sql(
        "SELECT 0 id, named_struct('untyped_value', X'01000000', 'typed_value', CAST(NULL AS BIGINT)) v"
    ).write.parquet(path)
    assert values(load(spark, path, schema=None)) == [NULL]
    as_struct = load(spark, path, schema="v STRUCT<untyped_value: BINARY>")
    assert as_struct.selectExpr("hex(v.untyped_value)").first()[0] == "01000000"


def test_variants_are_read_inside_structs_and_lists(spark, tmp_path):
    stored = pa.struct([("untyped_value", pa.binary()), ("typed_value", pa.int64())])
    cells = [{"untyped_value": whole(obj(a=1)), "typed_value": None}, None, {"untyped_value": None, "typed_value": 2}]
    table = pa.table(
        {
            "id": pa.array(range(3), pa.int32()),
            "s": pa.array([{"n": c} for c in cells], pa.struct([("n", stored)])),
            "l": pa.array([[c, c] for c in cells], pa.list_(pa.field("element", stored))),
            "m": pa.array([[("k", c)] for c in cells], pa.map_(pa.string(), stored)),
        }
    )
    pq.write_table(table, tmp_path / "f.parquet", store_schema=False)
    df = load(spark, tmp_path / "f.parquet", schema=None)
    assert dict(df.dtypes) == {
        "id": "int", "s": "struct<n:variant>", "l": "array<variant>", "m": "map<string,variant>"
    }  # fmt: skip
    for expression in ("s.n", "l[1]", "m['k']"):
        assert values(df.selectExpr("id", f"{expression} AS v")) == [obj(a=1), None, int64(2)]
    assert [r[0] for r in df.orderBy("id").selectExpr("s.n:a::int").collect()] == [1, None, None]
