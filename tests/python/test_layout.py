"""layout(path) describes Parquet files from their footers; no test of this file starts Spark."""

import json
import os
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from layouts import entry, write_events
from parquet_fixtures import cell, write_file
from shredded_variant import Layout, layout
from variants import string


@pytest.fixture
def events(tmp_path):
    return write_events(tmp_path)


def test_a_layout_prints_as_a_tree(events):
    result = layout(events)
    assert isinstance(result, Layout)
    sizes = [e.bytes for e in result.entries]
    lines = str(result).split("\n")
    assert lines[0] == f"{events}: 4 rows, 1 file, 1 row group, {os.path.getsize(events) / 1024:.1f} KiB"
    table = [" ".join(line.split()) for line in lines[2:]]
    assert table == [
        "column type present typed residual bytes min … max",
        f"id INT 100% {sizes[0]} B 0 … 3",
        f"v VARIANT 75% 33.3% {sizes[1]} B",
        f"├─ user OBJECT {sizes[2]} B",
        f"│ ├─ id BIGINT 75% 66.7% 33.3% {sizes[3]} B -3 … 7",
        f"│ └─ name STRING 50% 100% 0% {sizes[4]} B Ann … Bob",
        f"├─ tags ARRAY {sizes[5]} B",
        f"│ └─ [*] STRING 100% 0% {sizes[6]} B x … y",
        f"└─ odd VARIANT 25% 0% 100% {sizes[7]} B",
    ]
    assert all(len(line) <= 120 for line in lines[1:])


def test_counts_of_a_path_come_from_null_counts(events):
    result = layout(events)
    id = entry(result, "$.user.id")
    assert (id.type, id.files, id.rows, id.typed, id.residual, id.present, id.nulls) == ("BIGINT", 1, 4, 2, 1, 3, 1)
    assert (id.presence, id.share_typed, id.share_residual) == (0.75, 0.666667, 0.333333)
    root = entry(result, "$")
    assert (root.present, root.nulls, root.residual, root.typed) == (3, 1, 1, None)
    tag = entry(result, "$.tags[*]")
    assert (tag.rows, tag.typed, tag.residual, tag.presence) == (None, 2, 0, None)


def test_bytes_are_those_of_the_column_chunks(events):
    chunks = pq.read_metadata(events).row_group(0)
    total = sum(chunks.column(i).total_compressed_size for i in range(chunks.num_columns))
    assert sum(e.bytes for e in layout(events).entries) == total
    assert layout(events).bytes == os.path.getsize(events)


@pytest.mark.parametrize(
    ("type", "values", "name", "bounds"),
    [
        (pa.bool_(), [False, True], "BOOLEAN", (False, True)),
        (pa.int8(), [-2, 5], "TINYINT", (-2, 5)),
        (pa.int16(), [-2, 5], "SMALLINT", (-2, 5)),
        (pa.int32(), [-2, 5], "INT", (-2, 5)),
        (pa.int64(), [-(2**63), 2**63 - 1], "BIGINT", (-(2**63), 2**63 - 1)),
        (pa.float32(), [0.5, -1.5], "FLOAT", (-1.5, 0.5)),
        (pa.float64(), [0.5, -1.5], "DOUBLE", (-1.5, 0.5)),
        (pa.decimal128(9, 2), ["-1.50", "20.00"], "DECIMAL(9,2)", ("-1.50", "20.00")),
        (pa.decimal128(38, 3), ["-1.5", "9" * 35], "DECIMAL(38,3)", ("-1.500", "9" * 35 + ".000")),
        (pa.date32(), [-1, 19000], "DATE", ("1969-12-31", "2022-01-08")),
        (pa.time64("us"), [0, 3_723_000_004], "TIME", ("00:00:00", "01:02:03.000004")),
        (pa.timestamp("us", "UTC"), [-1, 0], "TIMESTAMP", ("1969-12-31 23:59:59.999999Z", "1970-01-01 00:00:00Z")),
        (pa.timestamp("us"), [0, 10**6], "TIMESTAMP_NTZ", ("1970-01-01 00:00:00", "1970-01-01 00:00:01")),
        (pa.timestamp("ns", "UTC"), [1, 2], "TIMESTAMP_NANOS",
         ("1970-01-01 00:00:00.000000001Z", "1970-01-01 00:00:00.000000002Z")),
        (pa.timestamp("ns"), [0, 0], "TIMESTAMP_NTZ_NANOS", ("1970-01-01 00:00:00", "1970-01-01 00:00:00")),
        (pa.timestamp("us"), [0, 2**62], "TIMESTAMP_NTZ", ("1970-01-01 00:00:00", 2**62)),
        (pa.string(), ["é", "z"], "STRING", ("z", "é")),
        (pa.binary(), [b"\x00", b"\xff"], "BINARY", ("0x00", "0xff")),
    ],
)  # fmt: skip
def test_types_are_named_as_in_a_shape_and_bounds_are_values(tmp_path, type, values, name, bounds):
    values = [Decimal(v) for v in values] if pa.types.is_decimal(type) else values
    file = tmp_path / "f.parquet"
    pq.write_table(pa.table({"c": pa.array(values, type)}), file, store_schema=False, version="2.6")
    [result] = layout(file).entries
    assert (result.type, (result.min, result.max)) == (name, bounds)
    json.loads(layout(file).to_json())


def test_uuids_show_as_uuids(tmp_path):
    file = tmp_path / "f.parquet"
    pq.write_table(pa.table({"c": pa.array([b"\x01" * 16], pa.uuid())}), file, store_schema=False)
    [result] = layout(file).entries
    assert (result.type, result.min) == ("UUID", "01010101-0101-0101-0101-010101010101")


def test_bounds_are_shown_only_if_every_chunk_with_values_has_them(tmp_path):
    a, b = (cell({"a": cell(pa.float64())}) for _ in range(2))
    write_file(tmp_path / "1.parquet", a, [(None, {"a": (None, 1.0)})], annotated=True)
    write_file(tmp_path / "2.parquet", b, [(None, {"a": (string("x"), None)})], annotated=True)
    assert (entry(layout(tmp_path), "$.a").min, entry(layout(tmp_path), "$.a").max) == (1.0, 1.0)
    write_file(tmp_path / "3.parquet", b, [(None, {"a": (None, 5.0)})], annotated=True, write_statistics=False)
    result = entry(layout(tmp_path), "$.a")
    assert (result.min, result.max, result.typed, result.present) == (None, None, None, None)


def test_files_of_different_shapes_are_merged_by_path(tmp_path):
    write_file(tmp_path / "1.parquet", cell({"a": cell(pa.int64())}), [(None, {"a": (None, 1)})], annotated=True)
    write_file(tmp_path / "2.parquet", cell({"a": cell(pa.string()), "b": cell(pa.bool_())}),
               [(None, {"a": (None, "x"), "b": (None, True)})] * 2, annotated=True)  # fmt: skip
    write_file(tmp_path / "3.parquet", cell(), [(string("s"), None)], annotated=True)
    result = layout(tmp_path)
    assert [(e.path, e.type, e.files, e.rows) for e in result.entries] == [
        ("", "INT", 3, 4),
        ("$", "OBJECT", 3, 4),
        ("$.a", "BIGINT | STRING", 2, 3),
        ("$.b", "BOOLEAN", 1, 2),
    ]
    assert entry(result, "$.a").min is None
    assert {(s.files, s.rows, s.columns["v"]) for s in result.shapes} == {
        (1, 1, "STRUCT<a BIGINT>"),
        (1, 2, "STRUCT<a STRING, b BOOLEAN>"),
        (1, 1, "VARIANT"),
    }
    assert "3 shapes:" in str(result)


def test_names_with_special_characters_are_distinguished(tmp_path):
    names = ["a.b", "it's", "back\\slash", "b`tick", "", "ключ", "line\nbreak"]
    shape = cell({n: cell(pa.int64()) for n in names} | {"a": cell({"b": cell(pa.int64())})})
    file = write_file(tmp_path / "f.parquet", shape, [(None, {"a": (None, {"b": (None, 1)})})], annotated=True)
    paths = [e.path for e in layout(file).entries if e.depth]
    assert paths == ["$['a.b']", "$['it\\'s']", "$['back\\\\slash']", "$['b`tick']", "$['']", "$['ключ']",
                     "$['line\nbreak']", "$.a", "$.a.b"]  # fmt: skip
    assert layout(file).shapes[0].columns["v"].startswith("STRUCT<`a.b` BIGINT, `it's` BIGINT, ")
    assert len(str(layout(file)).split("\n")) == 3 + len(layout(file).entries)


VALUE = {"metadata": b"\x01\0\0", "value": b"\0"}
PLAIN = pa.struct([pa.field("metadata", pa.binary(), False), ("value", pa.binary())])


def write_as_spark(path, table, footer):
    """A file without annotations, whose footer has this text as Spark's schema."""
    with pq.ParquetWriter(path, table.schema, store_schema=False) as file:
        file.write_table(table)
        file.add_key_value_metadata({"org.apache.spark.sql.parquet.row.metadata": footer})
    return path


def struct_of(**fields):
    return {"type": "struct", "fields": [{"name": k, "type": t, "nullable": True} for k, t in fields.items()]}


def test_without_an_annotation_spark_s_schema_decides_what_is_a_variant(tmp_path):
    table = pa.table({"v": pa.array([VALUE], PLAIN)})
    for name, footer, paths in [
        ("a variant", json.dumps(struct_of(v="variant")), ["$"]),
        ("a struct", json.dumps(struct_of(v=struct_of(metadata="binary", value="binary"))), [""]),
        ("nothing about it", json.dumps(struct_of()), [""]),
        ("nonsense", "{", [""]),
        ("nonsense", "[1]", [""]),
    ]:
        file = write_as_spark(tmp_path / "f.parquet", table, footer)
        assert [e.path for e in layout(file).entries] == paths, name


def test_variants_in_structs_arrays_and_maps_are_found(tmp_path):
    schema = struct_of(
        s=struct_of(n="long", v="variant"),
        a={"type": "array", "elementType": "variant"},
        m={"type": "map", "keyType": "string", "valueType": "variant"},
    )
    table = pa.table(
        {
            "s": pa.array([{"n": 1, "v": VALUE}], pa.struct([("n", pa.int64()), ("v", PLAIN)])),
            "a": pa.array([[VALUE, VALUE, None]], pa.list_(PLAIN)),
            "m": pa.array([[("k", VALUE)]], pa.map_(pa.string(), PLAIN)),
            "plain": pa.array([[{"x": 1}]], pa.list_(pa.struct([("x", pa.int64())]))),
        }
    )
    result = layout(write_as_spark(tmp_path / "f.parquet", table, json.dumps(schema)))
    assert [(e.column, e.path, e.type, e.present) for e in result.entries] == [
        ("s.n", "", "BIGINT", 1),
        ("s.v", "$", "VARIANT", 1),
        ("a.element", "$", "VARIANT", 2),
        ("m.key", "", "STRING", None),
        ("m.value", "$", "VARIANT", 1),
        ("plain", "", "ARRAY<STRUCT<x: BIGINT>>", None),
    ]


def test_a_directory_is_read_as_spark_reads_it(tmp_path):
    for name in ["d=1/h=2/b.parquet", "d=2/h=1/a.parquet", "_x=1/c.parquet"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"n": [1]}), tmp_path / name)
    for name in ["_SUCCESS", ".hidden.parquet", "_temporary/0/x.parquet", "d=1/.b.parquet.crc", "empty.parquet"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("" if name == "empty.parquet" else "no Parquet")
    result = layout(str(tmp_path) + "/")
    assert (result.files, result.rows, result.partitions) == (3, 3, ("_x", "d", "h"))
    assert "3 files, 3 row groups" in str(result) and "partitioned by _x, d, h" in str(result)
    assert layout(tmp_path.as_uri()).files == 3


def test_json_has_a_fixed_form(events):
    result = json.loads(layout(events).to_json())
    assert " ".join(result) == "version path files row_groups rows bytes partitions shapes entries"
    assert result["shapes"] == [{"kind": "parquet", "files": 1, "rows": 4, "columns": {
        "v": "STRUCT<user STRUCT<id BIGINT, name STRING>, tags ARRAY<STRING>, odd VARIANT>"}}]  # fmt: skip
    id = next(e for e in result["entries"] if e["path"] == "$.user.id")
    bytes = id.pop("bytes")
    assert bytes > 0 and id == {
        "column": "v", "path": "$.user.id", "type": "BIGINT", "files": 1, "rows": 4, "present": 3, "nulls": 1,
        "typed": 2, "residual": 1, "presence": 0.75, "share_typed": 0.666667, "share_residual": 0.333333,
        "min": -3, "max": 7,
    }  # fmt: skip


def test_pandas_and_notebooks_get_tables(events, tmp_path):
    table = layout(events).to_pandas()
    assert list(table["path"]) == [e.path for e in layout(events).entries]
    assert table.set_index("path").loc["$.user.id", "typed"] == 2
    shape = cell({"<b>": cell(pa.string())})
    html = layout(write_file(tmp_path / "h", shape, [(None, {"<b>": (None, "<i>")})], annotated=True))._repr_html_()
    assert "&lt;b&gt;" in html and "&lt;i&gt;" in html and "<b>" not in html and "<i>" not in html


def test_the_external_cases_have_layouts(conformance):
    files = sorted((conformance / "parquet-testing/shredded_variant").glob("*.parquet"))
    assert files
    for file in files:
        result = layout(file)
        metadata = pq.read_metadata(file)
        groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
        chunks = [g.column(i) for g in groups for i in range(g.num_columns)]
        assert sum(e.bytes for e in result.entries) == sum(c.total_compressed_size for c in chunks), file
        assert "$" in [e.path for e in result.entries], file


def map_file(path, keys, residual, **sidecars):
    data = {"m": pa.array([None if r is None else list(r.items()) for r in residual], pa.map_(pa.string(), pa.int64()))}
    data |= {f"__paimon_map_shred_m_{i[1:]}": pa.array(values, pa.int64()) for i, values in sidecars.items()}
    table = pa.table({**data, "s": pa.StructArray.from_arrays(list(data.values()), list(data))})
    footer = {f"paimon.map.shredding.{of}m.keys": keys for of in ("", "s.")} if keys else {}
    pq.write_table(table.replace_schema_metadata(footer), path)


def test_hot_keys_are_shown_below_their_maps(tmp_path):
    map_file(tmp_path / "a.parquet", "a,it's", [{"x": 1}, None, {}], _0=[1, None, 5], _1=[None, None, -1])
    map_file(tmp_path / "b.parquet", '["b","a"]', [{"x": 1}], _0=[3], _1=[9])
    map_file(tmp_path / "c.parquet", None, [{"x": 1}])
    result = layout(tmp_path)
    # A struct without hot keys is one column, so that the file `c` counts only for the map outside of the struct.
    for of, files, rows in (("m", 3, 5), ("s.m", 2, 4)):
        actual = [(e.path, e.label, e.depth, e.type, e.files, e.rows, e.present, e.min, e.max)
               for e in result.entries if e.column == of]  # fmt: skip
        assert actual == [
            ("", of, 0, "MAP<STRING, BIGINT>", files, rows, None, None, None),
            ("['a']", "['a']", 1, "BIGINT", 2, 4, 3, 1, 9),
            ("['it\\'s']", "['it\\'s']", 1, "BIGINT", 1, 3, 1, -1, -1),
            ("['b']", "['b']", 1, "BIGINT", 1, 1, 1, 3, 3),
        ]
        assert all(e.bytes > 0 for e in result.entries if e.column == of)
    assert not [e for e in result.entries if "paimon" in e.column or "paimon" in e.type]
    assert "├─ ['a']" in str(result)


def test_columns_of_hot_keys_that_no_footer_names_are_plain_columns(tmp_path):
    map_file(tmp_path / "a.parquet", None, [{"x": 1}], _0=[1])
    assert [e.column for e in layout(tmp_path).entries] == ["m", "__paimon_map_shred_m_0", "s"]
