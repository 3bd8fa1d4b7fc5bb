"""layout(path) of rare and hostile footers: it answers in seconds of work, or refuses in one sentence."""

import json
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from layouts import entry
from parquet_fixtures import cell, write_file
from parquet_footer import (
    BINARY,
    BYTE,
    CHILDREN,
    CONVERTED,
    I32,
    LIST,
    LOGICAL,
    NAME,
    OPTIONAL,
    REPEATED,
    REPETITION,
    ROW_GROUPS,
    SCHEMA,
    STRUCT,
    TYPE,
    VARIANT,
    edit_meta_data,
    edit_schema,
    logical,
)
from shredded_variant import layout
from shredded_variant.errors import UnreadableFile
from shredded_variant.footers.footer import DATE, STRING

INF = float("inf")


def shown(path):
    """The layout of a path, which all ways to show it can encode."""
    start = time.process_time()
    result = layout(path)
    for text in (str(result), result.to_json(), result._repr_html_()):
        text.encode()
    assert time.process_time() - start < 5
    result.to_pandas()
    return result


@pytest.mark.parametrize("type", [pa.float32(), pa.float64()])
def test_infinite_bounds_are_strings(tmp_path, type):
    file = tmp_path / "f.parquet"
    pq.write_table(pa.table({"c": pa.array([1.5, INF, -INF], type)}), file)
    [result] = json.loads(shown(file).to_json())["entries"]
    assert (result["min"], result["max"]) == ("-Infinity", "Infinity")
    shape = cell({"a": cell(type)})
    write_file(file, shape, [(None, {"a": (None, -INF)}), (None, {"a": (None, 2.0)})], annotated=True)
    assert (entry(shown(file), "$.a").min, entry(layout(file), "$.a").max) == ("-Infinity", 2.0)


def test_an_infinite_date_is_shown(tmp_path):
    file = tmp_path / "f.parquet"
    pq.write_table(pa.table({"c": [INF, -INF]}), file)
    edit_schema(file, {"c": logical(DATE)})
    [result] = shown(file).entries
    assert (result.type, result.min, result.max) == ("DATE", "-Infinity", "Infinity")


@pytest.mark.parametrize("values", [[1, 2], [1.5, INF], [True, False]])
def test_bounds_with_different_physical_types_are_left_out(tmp_path, values):
    pq.write_table(pa.table({"x": ["a", "b"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"x": values}), tmp_path / "2.parquet")
    edit_schema(tmp_path / "2.parquet", {"x": logical(STRING)})
    for name in ("1.parquet", "3.parquet"):
        (tmp_path / "1.parquet").rename(tmp_path / name)
        [result] = shown(tmp_path).entries
        assert (result.type, result.files, result.present, result.min, result.max) == ("STRING", 2, 4, None, None)


def test_a_hot_key_that_utf_8_cannot_encode_is_shown_with_a_replacement(tmp_path):
    file = tmp_path / "f.parquet"
    data = {"m": pa.array([[("k", "v")]], pa.map_(pa.string(), pa.string())), "__paimon_map_shred_m_0": ["x"]}
    footer = {"paimon.map.shredding.m.keys": '["\\ud800"]'}
    pq.write_table(pa.table(data).replace_schema_metadata(footer), file)
    assert [e.path for e in shown(file).entries] == ["", "['\ufffd']"]


def element(name, children=None, fields=None, repetition=OPTIONAL):
    """A group of so many elements that follow, or a leaf of bytes."""
    size = {TYPE: (I32, 6)} if children is None else {CHILDREN: (I32, children)}
    return {REPETITION: (I32, repetition), NAME: (BINARY, name.encode()), **size, **(fields or {})}


VARIANT_OF = {LOGICAL: (STRUCT, {VARIANT: (STRUCT, {1: (BYTE, 1)})})}
ARRAY = {CONVERTED: (I32, 3)}


def file_of(path, elements, footer=None):
    """A file without rows, with this schema and text in its footer."""

    def edit(meta):
        meta[SCHEMA], meta[ROW_GROUPS] = (LIST, (STRUCT, elements)), (LIST, (STRUCT, []))
        if footer is not None:
            key = b"org.apache.spark.sql.parquet.row.metadata"
            meta[5] = (LIST, (STRUCT, [{1: (BINARY, key), 2: (BINARY, json.dumps(footer).encode())}]))

    pq.write_table(pa.table({"x": [1]}), path)
    edit_meta_data(path, edit)
    return path


def variant_of(*below):
    return [element("root", 1), element("v", 3, VARIANT_OF), element("metadata"), element("value"), *below]


@pytest.mark.parametrize("levels", [100, 400, 480, 500])
def test_the_deepest_shapes_have_layouts(tmp_path, levels):
    level = [element("typed_value", 1), element("f", 2), element("value")]
    result = shown(file_of(tmp_path / "f.parquet", variant_of(*level * levels, element("typed_value"))))
    assert result.shapes[0].columns["v"] == "STRUCT<f " * levels + "BINARY" + ">" * levels
    assert result.entries[-1].path == "$" + ".f" * levels
    level = [element("typed_value", 1, ARRAY), element("list", 1, repetition=REPEATED), element("element", 2)]
    elements = variant_of(*[*level, element("value")] * levels, element("typed_value"))
    result = shown(file_of(tmp_path / "a.parquet", elements))
    assert result.shapes[0].columns["v"] == "ARRAY<" * levels + "BINARY" + ">" * levels
    assert result.entries[-1].path == "$" + "[*]" * levels


def nested(levels, *bottom):
    return [element("root", 1), *[element("s", 1)] * (levels - 1), *bottom]


def test_schemas_have_at_most_2000_levels(tmp_path):
    [result] = shown(file_of(tmp_path / "f.parquet", nested(2000, element("x")))).entries
    assert result.type == "STRUCT<s: " * 1998 + "STRUCT<x: BINARY>" + ">" * 1998
    for levels in (2001, 100_000):
        file = file_of(tmp_path / "deep.parquet", nested(levels, element("x")))
        with pytest.raises(UnreadableFile) as caught:
            layout(file)
        reason = "its schema is nested deeper than 2000 levels"
        assert str(caught.value) == f"{file} is damaged ({reason}): write it again or remove it."


def test_wide_structs_above_a_variant_take_linear_time(tmp_path):
    level = [element("s", 101), *(element(f"c{i}") for i in range(100))]
    bottom = element("v", 2, VARIANT_OF), element("metadata"), element("value")
    result = shown(file_of(tmp_path / "f.parquet", [element("root", 1), *level * 300, *bottom]))
    assert len(result.entries) == 30_001
    assert [e.column for e in result.entries if e.path == "$"] == ["s." * 300 + "v"]


@pytest.mark.parametrize("same", [False, True])
def test_wide_schemas_of_spark_take_linear_time(tmp_path, same):
    names = ["c" if same else f"c{i}" for i in range(20_000)]
    fields = [{"name": name, "type": "variant"} for name in names]
    elements = [e for name in names for e in (element(name, 2), element("metadata"), element("value"))]
    result = shown(file_of(tmp_path / "f.parquet", [element("root", 20_000), *elements], {"fields": fields}))
    assert sum(e.files for e in result.entries) == 20_000
    assert result.entries[0].path == "$"


@pytest.mark.parametrize("name", [["c"], {}, None, 5])
def test_a_field_of_spark_s_schema_without_a_name_is_ignored(tmp_path, name):
    fields = [{"name": name, "type": "variant"}, {"name": "c", "type": "variant"}]
    elements = [element("root", 1), element("c", 2), element("metadata"), element("value")]
    assert [e.path for e in shown(file_of(tmp_path / "f.parquet", elements, {"fields": fields})).entries] == ["$"]


def test_a_row_group_has_the_columns_of_its_schema(tmp_path):
    file = tmp_path / "f.parquet"
    pq.write_table(pa.table({"x": [1], "y": [2]}), file)

    def edit(meta):
        kind, columns = meta[ROW_GROUPS][1][1][0][1][1]
        meta[ROW_GROUPS][1][1][0][1] = (LIST, (kind, columns[:1]))

    edit_meta_data(file, edit)
    with pytest.raises(UnreadableFile, match="columns in a row group and in its schema differ: 1 and 2"):
        layout(file)


def test_columns_with_the_same_name_have_their_own_chunks(tmp_path):
    file = tmp_path / "f.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([5])], ["x", "x"]), file)
    chunks = pq.read_metadata(file).row_group(0)
    [result] = shown(file).entries
    assert result.bytes == sum(chunks.column(i).total_compressed_size for i in range(2))
    assert (result.min, result.max) == (1, 5)
