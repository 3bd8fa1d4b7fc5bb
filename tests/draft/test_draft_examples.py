"""The examples of the draft, word by word: written, read, and queried by path."""

import pyarrow as pa
import pytest

from draft_fixtures import draft, typed, untyped, write_draft
from draft_rows import read_rows, written
from parquet_cells import chunk_bytes
from path_queries import explained
from scan_counts import run
from tables import load, values
from variants import NULL, array, decimal, obj

LONG, TEXT = draft(pa.int64()), draft(pa.string())
EXAMPLE = draft(object={"a": LONG, "b": draft(object={"c": TEXT})})
EXAMPLE_SHAPE = "a BIGINT, b STRUCT<c STRING>"
# "Parquet Example": the variant value, and the columns for it
EXAMPLE_ROWS = [
    (obj(a=123, b={"c": "hello"}), {"object": {"a": typed(123), "b": {"object": {"c": typed("hello")}}}}),
    (
        obj(a=decimal("1.23"), b={"c": "123"}),
        {"object": {"a": untyped(decimal("1.23")), "b": {"object": {"c": typed("123")}}}},
    ),
    (
        obj(a=[1, 2, 3], b={"c": None}),
        {"object": {"a": untyped([1, 2, 3]), "b": {"object": {"c": untyped(NULL)}}}},
    ),
    (obj(a=123, c=456), untyped({"c": 456}, object={"a": typed(123)})),
    (
        obj(a=123, b={"c": "hello", "d": 456}),
        {"object": {"a": typed(123), "b": untyped({"d": 456}, object={"c": typed("hello")})}},
    ),
    (
        array({"a": 1, "b": {"c": 2}}, {"a": 3, "b": {"c": 4}}),
        untyped([{"a": 1, "b": {"c": 2}}, {"a": 3, "b": {"c": 4}}]),
    ),
]
NESTED = draft(array=draft(object={"a": draft(array=LONG), "b": LONG}))
NESTED_SHAPE = "ARRAY<STRUCT<a ARRAY<BIGINT>, b BIGINT>>"


def item(a, b):
    return {"a": {"array": [typed(x) for x in a]}, "b": typed(b)}


# "Nested Parquet Example": both documents
NESTED_ROWS = [
    (
        array({"a": [1, 2, 3], "b": 100}, {"a": [4, 5, 6], "b": 200}),
        {"array": [{"object": item([1, 2, 3], 100)}, {"object": item([4, 5, 6], 200)}]},
    ),
    (
        array({"a": [1, 2, 3], "b": 100, "c": "unexpected"}, {"a": [4, 5, 6], "b": 200}, "not an object"),
        {
            "array": [
                untyped({"c": "unexpected"}, object=item([1, 2, 3], 100)),
                {"object": item([4, 5, 6], 200)},
                untyped("not an object"),
            ]
        },
    ),
]


@pytest.mark.parametrize(("shape", "rows"), [(EXAMPLE, EXAMPLE_ROWS), (NESTED, NESTED_ROWS)], ids=["first", "nested"])
def test_the_examples_are_read(spark, tmp_path, shape, rows):
    assert read_rows(spark, tmp_path, shape, *[c for _, c in rows], None) == [*[v for v, _ in rows], None]


@pytest.mark.parametrize(
    ("shape", "rows"), [(EXAMPLE_SHAPE, EXAMPLE_ROWS), (NESTED_SHAPE, NESTED_ROWS)], ids=["first", "nested"]
)
def test_the_examples_are_written(spark, tmp_path, shape, rows):
    assert written(spark, tmp_path / "t", shape, *[v for v, _ in rows], None) == [*[c for _, c in rows], None]


MIXED_ROWS = [
    # "if 'a' is an array containing a mix …, the engine will shred individual elements appropriately"
    (
        array({"a": [1, "x", None, 2], "b": 3}),
        {
            "array": [
                {"object": {"a": {"array": [typed(1), untyped("x"), untyped(NULL), typed(2)]}, "b": typed(3)}},
            ]
        },
    ),
    # "if the top-level Variant is not an array …, it will store it in the top-level untyped_value"
    (obj(a=[1], b=2), untyped({"a": [1], "b": 2})),
    # "if 'a' is not an array, it will be stored in the untyped_value under 'a'"
    (array({"a": 1, "b": "n/a"}), {"array": [{"object": {"a": untyped(1), "b": untyped("n/a")}}]}),
]


def test_mixed_arrays_and_what_is_no_array(spark, tmp_path):
    means, cells = [v for v, _ in MIXED_ROWS], [c for _, c in MIXED_ROWS]
    assert written(spark, tmp_path / "t", NESTED_SHAPE, *means) == cells
    assert values(load(spark, tmp_path / "t")) == means
    assert read_rows(spark, tmp_path, NESTED, *cells) == means


def test_a_query_reads_only_the_inner_field(spark, tmp_path):
    """`select variant_get(variant_col, '$.field1.inner_field2', 'string') from tbl` only needs `inner_field2`."""
    shape = draft(object={"field1": draft(object={"inner_field1": TEXT, "inner_field2": TEXT}, untyped=False)})
    rows = [
        {"object": {"field1": {"object": {"inner_field1": typed("x" * i), "inner_field2": typed(f"y{i}")}}}}
        for i in range(500)
    ]
    path = write_draft(tmp_path / "f.parquet", shape, rows, use_dictionary=False)
    df = load(spark, path).selectExpr("variant_get(v, '$.field1.inner_field2', 'string')")
    result, counts = run(df)
    assert result == [(f"y{i}",) for i in range(500)]
    assert "Leaves: [v.field1.inner_field2]" in explained(df)
    assert counts.bytes == (chunk_bytes(path)["v.object.field1.object.inner_field2.typed_value"], 0)
    assert counts.pages == (1, 0)
