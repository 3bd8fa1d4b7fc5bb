"""Each malformed draft file is refused in one sentence that names the file, the column and the fault."""

import pyarrow as pa
import pytest

from draft_fixtures import draft, typed, untyped, whole, write_draft
from tables import load, refusal, values
from variants import NULL, obj

LONG = draft(pa.int64())
ALL = draft(pa.int64(), {"a": LONG}, LONG)
A = draft(object={"a": LONG})

# name: (shape, cell, a part of the sentence)
CONFLICTS = {
    "a value typed and untyped": (LONG, untyped(1, typed_value=2), "At 'v' untyped_value and a typed column"),
    "a variant null beside a typed value": (LONG, untyped(NULL, typed_value=2), "both set"),
    "a field typed and untyped": (A, {"object": {"a": untyped("x", typed_value=1)}}, "At 'v.a'"),
    "a number beside an object": (A, untyped(1, object={"a": typed(1)}), "not an object"),
    "a variant null beside an object": (A, untyped(NULL, object={}), "not an object"),
    "an array beside an array": (draft(array=LONG), untyped([1], array=[typed(1)]), "an array"),
    "object and array": (ALL, {"object": {}, "array": []}, "two of object, array and typed_value"),
    "array and typed_value": (ALL, {"array": [], "typed_value": 1}, "two of object, array and typed_value"),
    "an element typed and untyped": (
        draft(array=LONG),
        {"array": [typed(1), untyped("x", typed_value=2)]},
        r"At 'v\[.*\]'.*both set",
    ),
    "a variant null beside an element": (draft(array=LONG), {"array": [untyped(NULL, typed_value=2)]}, r"At 'v\["),
    "two parts of an element": (draft(array=ALL), {"array": [{"object": {}, "typed_value": 1}]}, r"At 'v\[.*two of"),
    "an array of an element beside a number": (
        draft(array=draft(array=LONG)),
        {"array": [untyped(1, array=[typed(1)])]},
        r"At 'v\[.*an array",
    ),
    "object and typed_value": (draft(object={"k": ALL}), {"object": {"k": {"object": {}, "typed_value": 1}}}, "'v.k'"),
}


@pytest.mark.parametrize("name", CONFLICTS)
@pytest.mark.parametrize("query", ["v", "to_json(v)"])
def test_a_value_that_is_set_twice_is_refused(spark, tmp_path, name, query):
    shape, cell, said = CONFLICTS[name]
    path = write_draft(tmp_path / "f.parquet", shape, [{}, cell])
    refusal(lambda: load(spark, path).selectExpr(query).collect(), said, "row 1", name="SHREDDED_VARIANT_CONFLICT")


KEYS = whole(obj(a=1))
BYTES = {
    "nothing": (b"", "ends too early"),
    "metadata of no version": (b"\x00\x00\x00\x00", "not of version 1"),
    "no value behind the metadata": (b"\x01\x00\x00", "ends too early|no value behind"),
    "metadata that is cut": (b"\x01\x02\x00\x01", "ends too early"),
    "keys beyond the end": (b"\x01\x01\x00\x09ab", "ends too early"),
    "a size beyond 2 GiB": (b"\xc1\xff\xff\xff\xff\x00", "2 GiB"),
    "a string that is cut": (b"\x01\x00\x00\x15ab", "ends too early"),
    "an object whose key has no name": (b"\x01\x00\x00\x02\x01\x00\x00\x01\x00", "key 0 of 0"),
    "an object that is cut": (KEYS[:-1], "ends too early"),
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_that_are_no_variant_are_refused(spark, tmp_path, name):
    stored, said = BYTES[name]
    row = {"object": {"a": typed(1), "x": {"untyped_value": stored}}}
    path = write_draft(tmp_path / "f.parquet", draft(object={"a": LONG, "x": draft()}), [row])
    condition = "SHREDDED_VARIANT_MALFORMED_VALUE"
    refusal(lambda: load(spark, path).selectExpr("v").collect(), said, "row 0", "'v", name=condition)
    refusal(lambda: load(spark, path).selectExpr("to_json(v)").collect(), said, name=condition)
    if "key" not in said:
        refusal(lambda: load(spark, path).selectExpr("v:x::string").collect(), name=condition)
    assert load(spark, path).selectExpr("v:a::int").collect() == [(1,)]


SCHEMAS = {
    "an unknown field": (draft(pa.int64(), beside={"x": pa.int32()}), "'x'"),
    "an unknown field inside": (draft(object={"k": draft(beside={"value": pa.binary()})}), "'value'"),
    "untyped_value as text": (draft(pa.int64(), untyped=pa.string()), "untyped_value"),
    "untyped_value as a number inside": (draft(object={"k": draft(untyped=pa.int32())}), "untyped_value"),
    "object as a number": (draft(beside={"object": pa.int32()}), "object"),
    "array as a struct": (draft(beside={"array": pa.struct([("untyped_value", pa.binary())])}), "array"),
    "typed_value as a struct": (draft(beside={"typed_value": pa.struct([("a", pa.int32())])}), "typed_value"),
    "a field without the layout": (draft(beside={"object": pa.struct([("a", pa.int32())])}), "'a'"),
    "an unknown field in an element": (draft(array=draft(pa.int64(), beside={"x": pa.int32()})), r"'v\[\*\]'.*'x'"),
    "a field of an element that is text": (
        draft(array=draft(object={"k": draft(untyped=pa.string())})),
        r"'v\[\*\]\.k'",
    ),
    "a primitive element": (draft(beside={"array": pa.list_(pa.int64())}), "three-level list"),
    "an element without columns": (draft(array=draft(untyped=False, beside={"_x": pa.int32()})), r"'v\[\*\]'.*neither"),
    "an element of a struct": (draft(array=draft(untyped=False, beside={"a": pa.int64()})), r"'v\[\*\]'.*'a'"),
    "an element of today's layout": (
        draft(array=draft(pa.int64(), untyped=False, beside={"value": pa.binary()})),
        r"'v\[\*\]'.*'value'",
    ),
    "elements of a type that no variant has": (draft(array=draft(pa.uint32())), r"'v\[\*\]'.*INTEGER"),
    "a type that no variant has": (draft(pa.uint32()), "INTEGER"),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_group_that_breaks_the_layout_is_refused_by_name(spark, tmp_path, name):
    shape, said = SCHEMAS[name]
    path = write_draft(tmp_path / "f.parquet", shape, [{}])
    # Cells that a path does not need are not read, so their faults are not found.
    aside = ("a field without the layout", "a field of an element that is text")
    for query in ("v",) if name in aside else ("v", "v:k::int"):
        refusal(lambda q=query: load(spark, path).selectExpr(q).collect(), said, "f.parquet")


def test_a_hostile_value_is_refused_before_it_is_rebuilt(spark, tmp_path):
    """An array whose elements share the same bytes would be rebuilt as a much larger value."""
    stored = b"\x00"
    for _ in range(30):
        stored = bytes([3, 4, 0, 0, 0, 0, len(stored)]) + stored if len(stored) < 256 else stored
    row = {"object": {"a": typed(1), "x": {"untyped_value": b"\x01\x00\x00" + stored}}}
    path = write_draft(tmp_path / "f.parquet", draft(object={"a": LONG, "x": draft()}), [row])
    for query in "v", "to_json(v)":
        refusal(lambda q=query: load(spark, path).selectExpr(q).collect(), "'v.x'", "its parts overlap")


def test_a_value_that_is_larger_than_it_may_be_is_refused(spark, tmp_path):
    row = {"object": {"a": typed(1), "x": untyped(["x" * 1000] * 2000)}}
    path = write_draft(tmp_path / "f.parquet", draft(object={"a": LONG, "x": draft()}), [row])
    assert len(load(spark, path).collect()[0].v.value) > 2_000_000
    refusal(
        lambda: load(spark, path, maxVariantBytes="1m").collect(), "maxVariantBytes", name="SHREDDED_VARIANT_TOO_LARGE"
    )


def test_a_deep_value_is_refused(spark, tmp_path):
    stored = b"\x00"
    for _ in range(60):
        stored = bytes([3 | 1 << 2, 1, 0, 0]) + len(stored).to_bytes(2, "little") + stored
    row = untyped({"z": 1}, object={"a": {"untyped_value": b"\x01\x00\x00" + stored}})
    path = write_draft(tmp_path / "f.parquet", A, [row])
    assert len(values(load(spark, path))) == 1
    refusal(lambda: load(spark, path, maxVariantDepth="20").collect(), "deeper than 20")
