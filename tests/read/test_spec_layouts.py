"""Files read the same in all forms that the specification allows: column order, pages, codecs, encodings, metadata."""

import json

import pyarrow as pa
import pytest

import parquet_footer
from parquet_fixtures import MISSING, UTC, File, cell, write_file
from tables import load, read_files, values
from variant_bytes import Binary, encode, encode_value, utf16
from variants import NULL, array, decimal, int64, names, obj, string, timestamp

BACKWARDS = ("typed_value", "value", "metadata")
EMOJI, WIDE = "\U0001f600", "\uff5e"  # in the order of UTF-16; UTF-8 has the reverse order
BIG = obj({f"key{i:03}": i for i in range(300)}, list=list(range(300)), text="x" * 70_000)


def small(value=True, order=None):
    """A shape with an object, an array and scalars, with or without `value` columns below the root."""
    how = {"value": value, "order": order or ("value", "typed_value")}
    inner = {"b": cell(pa.int64(), **how), "c": cell([cell(pa.string(), **how)], **how)}
    return cell({"a": cell(inner, **how)}, order=order or ("metadata", "value", "typed_value"))


SMALL_ROWS = [
    ((None, {"a": (None, {"b": (None, 1), "c": (None, [(None, "x")])})}), obj(a={"b": 1, "c": ["x"]})),
    ((obj(d=None), {"a": MISSING}), obj(d=None)),
    ((None, {"a": (None, {"c": (None, [])})}), obj(a={"c": []})),
    (None, None),
    ((string("s"), None), string("s")),
]


def small_file(shape=None, **options):
    return File(shape or small(), SMALL_ROWS, options)


def one(shape, *rows, **options):
    return File(shape, list(rows), options)


def as_written(v, **how):
    """A value in another legal encoding, as the unshredded rest of an object whose field `s` is shredded."""
    keys = sorted({"s", *names(v)})
    stored = (encode_value(v, keys, **how), {"s": (None, "x")})
    return one(cell({"s": cell(pa.string())}), (stored, obj({**v.value, "s": "x"})), keys=keys)


DECIMAL = [((None, decimal("-1.50")), decimal("-1.50")), ((None, decimal("99.99")), decimal("99.99"))]
LIST = [((None, [(None, 1), (NULL, None)]), array(1, None))]
FILES = {
    "metadata last, value after typed_value": small_file(small(order=BACKWARDS)),
    "typed_value before metadata": small_file(cell(small().typed, order=("typed_value", "metadata", "value"))),
    "no value columns below the root": File(small(value=False), SMALL_ROWS[:4]),
    "fields with value only": one(
        cell({"a": cell()}), ((None, {"a": (string("x"), None)}), obj(a="x")), ((None, {}), obj())
    ),
    "elements with value only": one(cell([cell()]), ((None, [(string("x"), None), (NULL, None)]), array("x", None))),
    "elements with typed_value only": one(cell([cell(pa.string(), value=False)]), ((None, [(None, "x")]), array("x"))),
    "value only": one(cell(), ((string("x"), None), string("x")), (None, None), ((obj(a=1), None), obj(a=1))),
    "a required variant": File(small(), SMALL_ROWS[:3], {"required": True}),
    "no rows": one(small()),
    "only nulls": one(small(), (None, None), (None, None)),
    "annotated": small_file(annotated=True),
    "pages of version 2": small_file(data_page_version="2.0"),
    "plain encoding": small_file(use_dictionary=False),
    "delta encodings": small_file(
        use_dictionary=False,
        column_encoding={
            "v.value": "DELTA_LENGTH_BYTE_ARRAY",
            "v.typed_value.a.typed_value.b.typed_value": "DELTA_BINARY_PACKED",
            "v.typed_value.a.typed_value.c.typed_value.list.element.typed_value": "DELTA_BYTE_ARRAY",
        },
    ),
    "no statistics": small_file(write_statistics=False),
    "a row group for each row": small_file(row_group_size=1),
    "many rows, row groups and pages": File(small(), SMALL_ROWS * 199, {"row_group_size": 300, "data_page_size": 64}),
    **{f"codec {codec}": small_file(compression=codec) for codec in ("snappy", "gzip", "zstd", "lz4")},
    "decimal in INT32": one(cell(pa.decimal128(9, 2)), *DECIMAL, store_decimal_as_integer=True),
    "decimal in INT64": one(cell(pa.decimal128(18, 2)), *DECIMAL, store_decimal_as_integer=True),
    "decimal(9) in FIXED": one(cell(pa.decimal128(9, 2)), *DECIMAL),
    "decimal in BYTE_ARRAY": one(
        cell(pa.binary()),
        ((None, b"\xff\x6a"), decimal("-1.50")),
        ((None, b"\x00"), decimal("0.00")),
        ((None, b"\x00" * 9 + b"\x96"), decimal("1.50")),
        edits={"v.typed_value": parquet_footer.decimal_in(20, 2)},
    ),
    "list and element of other names": one(
        cell([cell(pa.int64())]),
        *LIST,
        edits={
            "v.typed_value.list": parquet_footer.named("bag"),
            "v.typed_value.list.element": parquet_footer.named("array_element"),
        },
    ),
    "fields in no order of names": one(
        cell({k: cell(pa.int64()) for k in ("b", EMOJI, "a", WIDE, "")}),
        (
            (obj(c=3), {"b": (None, 1), EMOJI: (None, 2), "a": (None, 4), WIDE: (None, 5), "": (None, 6)}),
            obj({"b": 1, EMOJI: 2, "a": 4, WIDE: 5, "c": 3, "": 6}),
        ),
    ),
    "field names as of the layout itself": one(
        cell({k: cell(pa.int64()) for k in ("value", "typed_value", "metadata", "list", "a.b", "$['x']")}),
        (
            (
                obj({"element": 1}),
                dict.fromkeys(("value", "typed_value", "metadata", "list", "a.b", "$['x']"), (None, 7)),
            ),
            obj({"element": 1, "value": 7, "typed_value": 7, "metadata": 7, "list": 7, "a.b": 7, "$['x']": 7}),
        ),
    ),
    "names that differ in case": one(
        cell({"a": cell(pa.int64()), "A": cell(pa.string())}),
        ((obj({"aA": 1}), {"a": (None, 1), "A": (None, "x")}), obj({"a": 1, "A": "x", "aA": 1})),
    ),
    "dictionary with other names": one(
        small(), *SMALL_ROWS[:4], keys=["zz", "d", "c", "unused", "b", "a", ""], use_dictionary=False
    ),
    "rest ordered by UTF-16": as_written(obj({WIDE: 1, EMOJI: 2, "in": {EMOJI: 1, "x": 2}}), order=utf16),
    "rest in offsets of 2 bytes": as_written(obj(b=[1], a="y"), offset_size=2),
    "rest in offsets of 3 bytes": as_written(obj(b=[1], a="y"), offset_size=3),
    "rest in offsets of 4 bytes": as_written(obj(b=[1], a="y"), offset_size=4),
    "rest that says it is large": as_written(obj(b=[1], a="y"), large=True),
    "rest of long strings": as_written(obj(b="y"), long_strings=True),
    "large objects, arrays and strings": as_written(BIG),
}


@pytest.fixture(scope="module")
def readings(spark, tmp_path_factory):
    files = {name: f._replace(rows=[stored for stored, _ in f.rows]) for name, f in FILES.items()}
    return read_files(spark, tmp_path_factory.mktemp("layouts") / "files", files)


@pytest.mark.parametrize("name", FILES)
def test_a_valid_layout_is_read_as_its_values(readings, name):
    assert readings[name] == [means for _, means in FILES[name].rows]


def levels(n, last):
    return last if n == 0 else obj(a=levels(n - 1, last))


@pytest.mark.parametrize("depth", [1, 20, 60])
def test_values_of_usual_depths_are_read(spark, tmp_path, depth):
    shape, typed = cell(pa.int64()), (None, 1)
    for _ in range(depth):
        shape, typed = cell({"a": shape}), (None, {"a": typed})
    in_value = levels(depth, array())
    path = write_file(tmp_path / "deep.parquet", shape, [typed, (NULL, None), (None, {"a": (in_value, None)})])
    assert values(load(spark, path)) == [levels(depth, int64(1)), NULL, obj(a=in_value)]


# Metadata may be sorted or not, and have offsets of any width.
METADATA = {"is_sorted": True}, {"offset_size": 2}, {"offset_size": 3}, {"offset_size": 4, "is_sorted": True}


@pytest.mark.parametrize("how", METADATA, ids=str)
def test_metadata_is_read_in_all_its_forms(spark, tmp_path, how):
    keys = ["b", EMOJI, "a", WIDE]
    metadata, rest = encode(obj({EMOJI: 1, WIDE: "x"}), keys, **how)
    stored = rest, {"b": (None, 5), "a": MISSING}
    shape = cell({"b": cell(pa.int64()), "a": cell()})
    path = write_file(tmp_path / "m.parquet", shape, [stored], metadata=metadata)
    assert values(load(spark, path)) == [obj({"b": 5, EMOJI: 1, WIDE: "x"})]


def test_a_rebuilt_object_has_its_keys_in_the_order_of_unsigned_utf8(spark, tmp_path):
    shape = cell({EMOJI: cell(pa.int64()), "z": cell(pa.int64())})
    path = write_file(tmp_path / "o.parquet", shape, [(obj({WIDE: 1, "a": 2}), {EMOJI: (None, 3), "z": (None, 4)})])
    (v,) = values(load(spark, path))  # `values` decodes strictly: ids in range, no bytes after the value, keys in order
    assert list(v.value) == ["a", "z", WIDE, EMOJI]


def test_objects_in_a_residual_may_keep_the_key_order_of_their_writer(spark, tmp_path):
    v, keys = obj({"in": {WIDE: 1, EMOJI: [2]}, EMOJI: 3}), ["in", WIDE, EMOJI, "s"]
    stored = encode_value(v, keys, order=utf16), {"s": (None, "x")}
    path = write_file(tmp_path / "u.parquet", cell({"s": cell(pa.string())}), [stored], keys=keys)
    assert values(load(spark, path), keys_by=None) == [obj({**v.value, "s": "x"})]


def test_an_annotated_group_is_a_variant_without_a_schema_from_the_user(spark, tmp_path):
    path = write_file(tmp_path / "a.parquet", small(), [s for s, _ in SMALL_ROWS], annotated=True)
    df = load(spark, path, schema=None)
    assert df.schema.simpleString() == "struct<id:int,v:variant>"
    assert values(df) == [means for _, means in SMALL_ROWS]


def test_a_group_that_spark_s_schema_in_the_footer_calls_a_variant_is_one(spark, tmp_path):
    row = {"name": "v", "type": "variant", "nullable": True, "metadata": {}}
    schema = {"type": "struct", "fields": [{"name": "id", "type": "integer", "nullable": True, "metadata": {}}, row]}
    key = "org.apache.spark.sql.parquet.row.metadata"
    path = write_file(tmp_path / "s.parquet", small(), [s for s, _ in SMALL_ROWS], key_value={key: json.dumps(schema)})
    df = load(spark, path, schema=None)
    assert df.schema.simpleString() == "struct<id:int,v:variant>"
    assert values(df) == [means for _, means in SMALL_ROWS]


def test_a_group_without_an_annotation_and_a_schema_is_a_struct(spark, tmp_path):
    path = write_file(tmp_path / "g.parquet", cell(pa.int64()), [(None, 1)])
    kind = dict(load(spark, path, schema=None).dtypes)["v"]
    assert kind == "struct<metadata:binary,value:binary,typed_value:bigint>"


def test_files_of_different_shapes_are_one_table(spark, tmp_path):
    micros = pa.timestamp("us", UTC)
    shapes = cell(pa.int64()), cell({"a": cell(micros)}), cell({"a": cell(pa.string())}), cell([cell()]), cell()
    rows = (None, 1), (None, {"a": (None, 5)}), (obj(b=1), {"a": (None, "x")}), (None, [(NULL, None)]), (obj(a=2), None)
    for i, (shape, row) in enumerate(zip(shapes, rows, strict=True)):
        write_file(tmp_path / f"{i}.parquet", shape, [row], first_id=i, annotated=True)
    means = [int64(1), obj(a=timestamp(5)), obj(a="x", b=1), array(None), obj(a=2)]
    assert values(load(spark, tmp_path)) == means
    assert values(load(spark, tmp_path, schema=None)) == means


def test_variants_are_read_inside_structs_lists_and_maps(spark, tmp_path):
    unshredded = pa.struct([pa.field("metadata", pa.binary(), False), pa.field("value", pa.binary(), False)])
    stored = dict(zip(Binary._fields, encode(obj(a=[1, "x"])), strict=True))
    extra = {
        "s": pa.array([{"n": {"v": stored}}, None], pa.struct([("n", pa.struct([("v", unshredded)]))])),
        "l": pa.array([[stored, None], []], pa.list_(unshredded)),
        "m": pa.array([[("k", stored)], None], pa.map_(pa.string(), unshredded)),
    }
    path = write_file(tmp_path / "n.parquet", cell(), [(NULL, None)] * 2, extra=extra)
    schema = "id INT, s STRUCT<n: STRUCT<v: VARIANT>>, l ARRAY<VARIANT>, m MAP<STRING, VARIANT>"
    df = load(spark, path, schema=schema)
    for expression in ("s.n.v", "get(l, 0)", "m['k']"):
        assert values(df.selectExpr("id", f"{expression} AS v")) == [obj(a=[1, "x"]), None]


def test_an_unshredded_column_keeps_its_bytes(spark, tmp_path):
    metadata, value = encode(obj(b=1, a=[1, None]), ["b", "unused", "a"], offset_size=3)
    path = write_file(tmp_path / "u.parquet", cell(), [(value, None)], metadata=metadata)
    (row,) = load(spark, path).collect()
    assert (row.v.metadata, row.v.value) == (metadata, value)
