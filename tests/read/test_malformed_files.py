"""Files that break the specification are refused with file, column and path, or read in one stated way."""

import re

import pyarrow as pa
import pytest

import parquet_footer
from broken_variants import FALSE_FLAGS, METADATA, VALUES, nested_arrays
from draft_fixtures import draft, write_draft
from parquet_fixtures import MISSING, UTC, cell, write_file
from shredded_variant import verify
from tables import load, refusal, values
from variant_bytes import encode_value
from variants import NULL, array, int8, int64, obj, string

INT, TEXT, OPTIONAL = cell(pa.int64()), cell(pa.string()), cell(pa.int64(), optional=True)
EVENT = cell({"event_type": TEXT, "event_ts": cell(pa.timestamp("us", UTC))})
ROOT, FIELD, ELEMENT = r"'v'", r"v\.a\b", r"v\[|v\.a\["


def in_field(bad):
    """An object with a field `a`, whose value is these bytes."""
    return cell({"a": INT}), (None, {"a": (bad, None)})


def in_element(bad):
    return cell([INT]), (None, [(None, 1), (bad, None)])


def in_rest(bad):
    """An object whose residual is these bytes."""
    return cell({"a": INT}), (bad, {"a": (None, 1)})


def refuse(spark, path, *mentions, **options):
    return refusal(lambda: load(spark, path, **options).collect(), re.escape(path.name), r"\bv\b", *mentions)


def write(path, shape, *rows, **options):
    write_file(path, shape, list(rows), **options)
    return path


# name: (shape, row, where)
INVALID = {
    "value and typed_value on a scalar": (INT, (string("x"), 1), ROOT),
    "value and typed_value, equal": (INT, (int64(1), 1), ROOT),
    "variant null beside typed_value": (INT, (NULL, 1), ROOT),
    "both on a scalar in a field": (cell({"a": INT}), (None, {"a": (string("x"), 1)}), FIELD),
    "both on a scalar in an element": (cell([INT]), (None, [(string("x"), 1)]), ELEMENT),
    "value beside an array": (cell([INT]), (array(), [(None, 1)]), ROOT),
    "object value beside an array": (cell([INT]), (obj(b=1), [(None, 1)]), ROOT),
    "value beside an array in a field": (cell({"a": cell([INT])}), (None, {"a": (int8(1), [])}), FIELD),
    "string beside an object": (EVENT, (string("a"), {}), ROOT),
    "variant null beside an object": (EVENT, (NULL, {}), ROOT),
    "array beside an object": (EVENT, (array(), {}), ROOT),
    "string beside an object in a field": (cell({"a": EVENT}), (None, {"a": (string("a"), {})}), FIELD),
    "string beside an object in an element": (cell([EVENT]), (None, [(string("a"), {})]), ELEMENT),
}


@pytest.mark.parametrize("name", INVALID)
def test_a_pair_without_a_meaning_is_refused(spark, tmp_path, name):
    shape, row, where = INVALID[name]
    path = write(tmp_path / "bad.parquet", shape, MISSING, row)
    refuse(spark, path, where)
    assert values(load(spark, write(tmp_path / "good.parquet", shape, (NULL, None)))) == [NULL]


@pytest.mark.parametrize(("typed", "means"), [({"event_type": (None, "login")}, obj(event_type="login")), ({}, obj())])
def test_a_field_in_value_and_typed_value_has_its_shredded_value(spark, tmp_path, typed, means):
    """Writers must not write such a row. Readers take its shredded field, also if that is missing."""
    path = write(tmp_path / "twice.parquet", EVENT, (obj(event_type="old"), typed))
    assert values(load(spark, path)) == [means]


def test_a_shredded_field_whose_name_is_not_in_the_metadata_is_refused(spark, tmp_path):
    path = write(tmp_path / "unnamed.parquet", EVENT, (None, {"event_type": (None, "x")}), keys=["unrelated"])
    refuse(spark, path, "'event_type' is not in the metadata")


def test_an_object_in_value_without_typed_value_is_read(spark, tmp_path):
    rows = (obj(event_type="login"), None), (b"\x02\x00\x00", None), (obj(other=1), None)
    path = write(tmp_path / "object.parquet", EVENT, *rows)
    assert values(load(spark, path)) == [obj(event_type="login"), obj(), obj(other=1)]


def test_the_group_of_a_field_or_element_may_be_optional_in_files_of_other_writers(spark, tmp_path):
    shape = cell({"a": OPTIONAL, "l": cell([OPTIONAL])})
    rows = (None, {"a": None, "l": (None, [(None, 1)])}), (None, {"a": (None, 5), "l": (None, [])})
    path = write(tmp_path / "optional.parquet", shape, *rows)
    assert values(load(spark, path)) == [obj(l=[1]), obj(a=5, l=[])]


# Types that are not in the table of the specification.
FOREIGN = {
    **{f"uint{n}": getattr(pa, f"uint{n}")() for n in (8, 16, 32, 64)},
    "float16": pa.float16(),
    "time of millis": pa.time32("ms"),
    "time of nanos": pa.time64("ns"),
    "timestamp of millis": pa.timestamp("ms", UTC),
    "timestamp of millis without zone": pa.timestamp("ms"),
    "fixed bytes": pa.binary(5),
    "decimal of 40 digits": pa.decimal256(40, 2),
    "map": pa.map_(pa.string(), pa.int64()),
    "list of plain strings": pa.list_(pa.field("element", pa.string(), False)),
    "struct of a plain field": pa.struct([pa.field("a", pa.int64())]),
}
WRONG = {
    **{name: (cell(kind), {}, ROOT) for name, kind in FOREIGN.items()},
    "uint32 in a field": (cell({"a": cell(pa.uint32())}), {}, FIELD),
    "uint32 in an element": (cell({"a": cell([cell(pa.uint32())])}), {}, ELEMENT),
    "int96": (cell(pa.timestamp("ns")), {"use_deprecated_int96_timestamps": True}, ROOT),
    "no metadata": (INT, {"metadata": False}, ROOT),
    "metadata alone": (cell(value=False), {}, ROOT),
    "value of another type": (cell(pa.int64(), value=pa.int32()), {}, ROOT),
    "value of another type in a field": (cell({"a": cell(value=pa.int64())}), {}, FIELD),
    "a field with neither column": (cell({"a": TEXT}), {"edits": {
        "v.typed_value.a.value": parquet_footer.named("x"), "v.typed_value.a.typed_value": parquet_footer.named("y"),
    }}, FIELD),
    "an element with neither column": (cell([TEXT]), {"edits": {
        "v.typed_value.list.element.value": parquet_footer.named("x"),
        "v.typed_value.list.element.typed_value": parquet_footer.named("y"),
    }}, ELEMENT),
    "a third column": (cell({"a": TEXT}), {"edits": {"v.typed_value.a.value": parquet_footer.named("x")}}, FIELD),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_schema_outside_the_specification_is_refused_for_all_rows(spark, tmp_path, name):
    shape, options, where = WRONG[name]
    refuse(spark, write(tmp_path / "schema.parquet", shape, None, None, **options), where)


def test_a_column_that_is_not_a_variant_in_the_file_cannot_be_read_as_a_variant(spark, tmp_path):
    extra = {"w": pa.array([1], pa.int64())}
    path = write(tmp_path / "plain.parquet", cell(), (NULL, None), extra=extra)
    refusal(lambda: load(spark, path, schema="w VARIANT").collect(), r"plain\.parquet", r"\bw\b")


BROKEN_REST = {
    "a field id outside the dictionary": encode_value(obj(zz=1), ["b", "zz"]),
    "a value that starts outside": bytes([2, 1, 1, 200, 1]) + b"\0",
    "values that end outside": bytes([2, 1, 1, 0, 200]) + b"\0",
    "the same field twice": bytes([2, 2, 1, 1, 0, 1, 2]) + b"\0\0",
    "fewer bytes than fields": bytes([2, 9, 1, 1]),
    "an object of 2^32 fields": VALUES["an object of 2^32 fields"],
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize(("put", "where"), [(in_field, FIELD), (in_element, ELEMENT)], ids=["field", "element"])
def test_a_value_with_malformed_bytes_is_not_rebuilt(spark, tmp_path, put, where, name):
    refuse(spark, write(tmp_path / "bytes.parquet", *put(VALUES[name])), where)


@pytest.mark.parametrize("name", BROKEN_REST)
def test_a_malformed_residual_is_not_merged_into_an_object(spark, tmp_path, name):
    shape, row = in_rest(BROKEN_REST[name])
    refuse(
        spark, write(tmp_path / "rest.parquet", shape, row, keys=["a"] if "outside the" in name else ["a", "b"]), ROOT
    )


@pytest.mark.parametrize("name", VALUES)
def test_malformed_bytes_are_refused_in_a_shredded_column_and_returned_from_an_unshredded_one(spark, tmp_path, name):
    refuse(spark, write(tmp_path / "shredded.parquet", INT, (VALUES[name], None)), ROOT)
    path = write(tmp_path / "unshredded.parquet", cell(), (VALUES[name], None))
    ((v,),) = load(spark, path).select("v").collect()
    assert v.value == VALUES[name]


# The only value whose elements are whole: only the last offset is wrong.
ENDS_OUTSIDE = "an array that ends outside"
# query: what it gives for a row with 1 and a row with broken bytes; with other bytes it is refused
READ = {
    "v:a::int": {name: [None, None] for name in VALUES if not name.startswith(("an object", "no bytes"))},
    "try_variant_get(v, '$', 'string')": {ENDS_OUTSIDE: ["1", "[null]"]},
    "to_json(v)": {ENDS_OUTSIDE: ["1", "[null]"]},
    "v::int": {},
}


@pytest.mark.parametrize("name", VALUES)
def test_a_path_in_malformed_bytes_is_refused_with_the_file_unless_it_does_not_need_them(spark, tmp_path, name):
    path = write(tmp_path / "path.parquet", INT, (None, 1), (VALUES[name], None))
    for query, read in READ.items():
        df = load(spark, path).selectExpr(query)
        if name in read:
            assert [r[0] for r in df.collect()] == read[name], query
        elif name == ENDS_OUTSIDE:
            refusal(df.collect, r"\[null\]", name="INVALID_VARIANT_CAST")
        else:
            refusal(df.collect, r"path\.parquet", name="SHREDDED_VARIANT_MALFORMED_VALUE")


@pytest.mark.parametrize("name", METADATA)
def test_malformed_metadata_is_not_used_to_rebuild(spark, tmp_path, name):
    shape, row = in_rest(encode_value(obj(b=1), ["a", "b"]))
    path = write(tmp_path / "metadata.parquet", shape, row, metadata=METADATA[name], annotated=True)
    refuse(spark, path)
    for text in ("string(v)", "to_json(v)", "to_json(v:b)", "v:b::string"):
        refusal(lambda text=text: load(spark, path).selectExpr(text).collect(), path.name, r"\bv\b")
    (finding,) = verify(spark, str(path)).findings
    assert "is malformed" in finding.wrong


@pytest.mark.parametrize("name", FALSE_FLAGS)
def test_a_false_flag_that_keys_are_sorted_is_removed_from_metadata(spark, tmp_path, name):
    metadata, stored = FALSE_FLAGS[name], encode_value(obj(a=7), ["", "a"])
    files = {
        "unshredded": (cell(), (stored, None)),
        "shredded": (cell({"a": INT}), (None, {"a": (stored, None)})),
    }
    for layout, (shape, row) in files.items():
        path = write(tmp_path / f"{layout}.parquet", shape, row, metadata=metadata, annotated=True)
        for column in ("v", "v:a") if layout == "shredded" else ("v",):
            ((v,),) = load(spark, path).selectExpr(column).collect()
            assert v.metadata == b"\x01" + metadata[1:]
        (finding,) = verify(spark, str(path)).findings
        assert "sorted and unique, and they are not" in finding.wrong
    draft_file = write_draft(tmp_path / "draft.parquet", draft(), [{"untyped_value": metadata + stored}])
    ((v,),) = load(spark, draft_file).select("v").collect()
    assert v.metadata == b"\x01" + metadata[1:]


@pytest.mark.parametrize("levels", [5_000, 100_000])
@pytest.mark.parametrize("put", [lambda bad: (INT, (bad, None)), in_field], ids=["root", "field"])
def test_stored_values_of_any_depth_keep_their_bytes(spark, tmp_path, put, levels):
    path = write(tmp_path / "deep.parquet", *put(nested_arrays(levels)))
    assert load(spark, path).select("v").collect()[0][0].value.endswith(nested_arrays(levels))


def test_the_reader_refuses_values_beyond_its_limits_of_depth_and_size(spark, tmp_path):
    shape, typed = INT, (None, 1)
    for _ in range(20):
        shape, typed = cell({"a": shape}), (None, {"a": typed})
    path = write(tmp_path / "deep.parquet", shape, typed)
    refuse(spark, path, "maxVariantDepth", maxVariantDepth=10)
    big = write(tmp_path / "big.parquet", cell({"a": TEXT}), (None, {"a": (None, "x" * 1000)}))
    refuse(spark, big, "maxVariantBytes", maxVariantBytes=100)
    assert values(load(spark, big, maxVariantBytes=2000, maxVariantDepth=2)) == [obj(a="x" * 1000)]


def test_a_read_succeeds_after_the_read_of_a_malformed_file_has_failed(spark, tmp_path):
    refuse(spark, write(tmp_path / "bad.parquet", INT, (string("x"), 1)))
    write(tmp_path / "bad.parquet", INT, (None, 7))
    assert values(load(spark, tmp_path)) == [int64(7)]
