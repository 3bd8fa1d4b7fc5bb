"""layout(path) describes Parquet files from their footers; no test of this file starts Spark."""

import json
import os
import random
import struct
import time
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzz import FUZZ
from layouts import entry
from parquet_fixtures import MISSING, cell, write_file
from parquet_footer import I64, edit_meta_data, spoil, varint
from shredded_variant import Layout, layout
from shredded_variant.errors import UnreadableFile
from variants import obj, string

pytestmark = pytest.mark.fuzz

# How many damaged footers a test looks at.
DAMAGED = 10_000 if FUZZ else 400

USER = cell({"id": cell(pa.int64()), "name": cell(pa.string())})
EVENT = cell({"user": USER, "tags": cell([cell(pa.string())]), "odd": cell()})
ROWS = [
    (None, {"user": (None, {"id": (None, 7), "name": (None, "Ann")}), "tags": (None, [(None, "x"), (None, "y")])}),
    (obj(more=1), {"user": (None, {"id": (string("guest"), None), "name": (None, "Bob")}), "odd": (string("?"), None)}),
    (None, {"user": (None, {"id": (None, -3), "name": MISSING})}),
    None,
]


@pytest.fixture
def events(tmp_path):
    return write_file(tmp_path / "events.parquet", EVENT, ROWS, annotated=True)


def test_a_layout_prints_as_a_tree(events):
    found = layout(events)
    assert isinstance(found, Layout)
    sizes = [e.bytes for e in found.entries]
    lines = str(found).split("\n")
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
    found = layout(events)
    id = entry(found, "$.user.id")
    assert (id.type, id.files, id.rows, id.typed, id.residual, id.present, id.nulls) == ("BIGINT", 1, 4, 2, 1, 3, 1)
    assert (id.presence, id.share_typed, id.share_residual) == (0.75, 0.666667, 0.333333)
    root = entry(found, "$")
    assert (root.present, root.nulls, root.residual, root.typed) == (3, 1, 1, None)
    tag = entry(found, "$.tags[*]")
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
    [found] = layout(file).entries
    assert (found.type, (found.min, found.max)) == (name, bounds)
    json.loads(layout(file).to_json())


def test_uuids_show_as_uuids(tmp_path):
    file = tmp_path / "f.parquet"
    pq.write_table(pa.table({"c": pa.array([b"\x01" * 16], pa.uuid())}), file, store_schema=False)
    [found] = layout(file).entries
    assert (found.type, found.min) == ("UUID", "01010101-0101-0101-0101-010101010101")


def test_bounds_are_shown_only_where_every_chunk_with_values_has_them(tmp_path):
    a, b = (cell({"a": cell(pa.float64())}) for _ in range(2))
    write_file(tmp_path / "1.parquet", a, [(None, {"a": (None, 1.0)})], annotated=True)
    write_file(tmp_path / "2.parquet", b, [(None, {"a": (string("x"), None)})], annotated=True)
    assert (entry(layout(tmp_path), "$.a").min, entry(layout(tmp_path), "$.a").max) == (1.0, 1.0)
    write_file(tmp_path / "3.parquet", b, [(None, {"a": (None, 5.0)})], annotated=True, write_statistics=False)
    found = entry(layout(tmp_path), "$.a")
    assert (found.min, found.max, found.typed, found.present) == (None, None, None, None)


def test_files_of_other_shapes_are_merged_by_path(tmp_path):
    write_file(tmp_path / "1.parquet", cell({"a": cell(pa.int64())}), [(None, {"a": (None, 1)})], annotated=True)
    write_file(tmp_path / "2.parquet", cell({"a": cell(pa.string()), "b": cell(pa.bool_())}),
               [(None, {"a": (None, "x"), "b": (None, True)})] * 2, annotated=True)  # fmt: skip
    write_file(tmp_path / "3.parquet", cell(), [(string("s"), None)], annotated=True)
    found = layout(tmp_path)
    assert [(e.path, e.type, e.files, e.rows) for e in found.entries] == [
        ("", "INT", 3, 4),
        ("$", "OBJECT", 3, 4),
        ("$.a", "BIGINT | STRING", 2, 3),
        ("$.b", "BOOLEAN", 1, 2),
    ]
    assert entry(found, "$.a").min is None
    assert {(s.files, s.rows, s.columns["v"]) for s in found.shapes} == {
        (1, 1, "STRUCT<a BIGINT>"),
        (1, 2, "STRUCT<a STRING, b BOOLEAN>"),
        (1, 1, "VARIANT"),
    }
    assert "3 shapes:" in str(found)


def test_names_of_any_kind_stay_apart(tmp_path):
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


def test_without_an_annotation_spark_s_schema_says_what_is_a_variant(tmp_path):
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
    found = layout(write_as_spark(tmp_path / "f.parquet", table, json.dumps(schema)))
    assert [(e.column, e.path, e.type, e.present) for e in found.entries] == [
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
    found = layout(str(tmp_path) + "/")
    assert (found.files, found.rows, found.partitions) == (3, 3, ("_x", "d", "h"))
    assert "3 files, 3 row groups" in str(found) and "partitioned by _x, d, h" in str(found)
    assert layout(tmp_path.as_uri()).files == 3


def test_json_has_a_fixed_form(events):
    found = json.loads(layout(events).to_json())
    assert list(found) == ["version", "path", "files", "row_groups", "rows", "bytes", "partitions", "shapes", "entries"]
    assert found["shapes"] == [{"kind": "parquet", "files": 1, "rows": 4, "columns": {
        "v": "STRUCT<user STRUCT<id BIGINT, name STRING>, tags ARRAY<STRING>, odd VARIANT>"}}]  # fmt: skip
    id = next(e for e in found["entries"] if e["path"] == "$.user.id")
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


def refused(path):
    with pytest.raises(UnreadableFile) as caught:
        layout(path)
    message = str(caught.value)
    assert message.startswith(str(path)) and message.endswith(".") and "\n" not in message
    return message


def test_wrong_paths_and_malformed_files_are_refused_in_one_sentence(tmp_path, events):
    whole = Path(events).read_bytes()
    (tmp_path / "nothing").mkdir()
    for name, content in {
        "text.parquet": b"id,v\n1,2\n" * 9,
        "empty.parquet": b"",
        "cut.parquet": whole[: len(whole) // 2],
        "short.parquet": b"PAR1" + whole[-40:],
        "encrypted.parquet": whole[:-4] + b"PARE",
        "damaged.parquet": whole[:-508] + b"\xff" * 500 + whole[-8:],
    }.items():
        (tmp_path / name).write_bytes(content)
    assert "does not exist" in refused(tmp_path / "absent")
    assert "holds no Parquet file" in refused(tmp_path / "nothing")
    assert "is not a Parquet file" in refused(tmp_path / "text.parquet")
    assert "is not a Parquet file" in refused(tmp_path / "empty.parquet")
    assert "is cut off: it starts as a Parquet file" in refused(tmp_path / "cut.parquet")
    assert "is cut off: its footer of" in refused(tmp_path / "short.parquet")
    assert "has an encrypted footer" in refused(tmp_path / "encrypted.parquet")
    assert "is damaged" in refused(tmp_path / "damaged.parquet")


def test_a_directory_names_the_file_that_is_none(tmp_path, events):
    (tmp_path / "z.csv").write_text("id,v\n1,2\n")
    with pytest.raises(UnreadableFile) as caught:
        layout(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}/z.csv is not a Parquet file")


@pytest.fixture
def of_all_kinds(tmp_path):
    """A file with everything that `layout` reads: variants, hot keys, Spark's schema, annotations, bounds."""
    inner = pa.struct([pa.field("value", pa.binary()), pa.field("metadata", pa.binary(), False)])
    columns = {
        "u": pa.array([{"value": b"\0", "metadata": b"\1\0\0"}] * 4, inner),
        "m": pa.array([[("a", 1)], [], None, []], pa.map_(pa.string(), pa.int64())),
        "__paimon_map_shred_m_0": pa.array([1, None, None, 2]),
        "d": pa.array([Decimal("1.25")] * 4, pa.decimal128(9, 2)),
        "t": pa.array([0] * 4, pa.timestamp("us", "UTC")),
    }
    fields = [{"name": name, "type": "variant" if name == "u" else "long"} for name in columns]
    keys = {
        "org.apache.spark.sql.parquet.row.metadata": json.dumps({"type": "struct", "fields": fields}),
        "paimon.map.shredding.m.keys": "k",
    }
    return write_file(tmp_path / "kinds.parquet", EVENT, ROWS, annotated=True, extra=columns, key_value=keys)


def is_refused(file):
    """Whether `layout` refuses the file, in a sentence that names it; `layout` must take less than a second of CPU."""
    start = time.process_time()
    try:
        found = layout(file)
        found.to_json()
        str(found)
        found._repr_html_()
    except UnreadableFile as e:
        assert str(file) in str(e) and "\n" not in str(e)
        return True
    else:
        return False
    finally:
        assert time.process_time() - start < 1


def with_footer(file, footer):
    file.write_bytes(b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1")
    return file


def test_a_damaged_footer_is_read_or_refused_and_never_breaks(tmp_path, of_all_kinds):
    whole = Path(of_all_kinds).read_bytes()
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    rnd = random.Random(1)
    hostile = [b"\xff" * 9 + b"\1", b"\xff" * 9 + b"\x7f", b"\x80" * 40, b"\xff\xff\xff\xff\x0f", bytes(8), b""]
    file = tmp_path / "damaged.parquet"
    refusals = 0
    for _ in range(DAMAGED):
        footer = bytearray(whole[start:-8])
        for _ in range(rnd.choice((1, 1, 3))):
            at = rnd.randrange(len(footer))
            if rnd.random() < 0.3:
                footer[at : at + rnd.randrange(10)] = rnd.choice(hostile)
            else:
                footer[at] = rnd.randrange(256)
        refusals += is_refused(with_footer(file, bytes(footer)))
    assert 0 < refusals < DAMAGED


def test_a_footer_that_says_what_it_may_not_is_read_or_refused_and_never_breaks(tmp_path, of_all_kinds):
    whole = Path(of_all_kinds).read_bytes()
    rnd = random.Random(2)
    file = tmp_path / "lying.parquet"
    refusals = 0
    for _ in range(DAMAGED):
        file.write_bytes(whole)
        edit_meta_data(file, lambda meta: [spoil(meta, rnd) for _ in range(rnd.choice((1, 1, 3)))])
        refusals += is_refused(file)
    assert 0 < refusals < DAMAGED


@pytest.mark.parametrize("schema", ["[1]", "5", '"x"', "[null]", '{"name": "u"}', '[{"name": "u", "type": [1]}]', "{}"])
def test_a_schema_of_spark_s_that_is_none_says_nothing(tmp_path, schema):
    keys = {"org.apache.spark.sql.parquet.row.metadata": f'{{"fields": {schema}}}'}
    file = write_file(tmp_path / "odd.parquet", EVENT, ROWS, annotated=True, key_value=keys)
    assert entry(layout(file), "$.user.id").type == "BIGINT"


def test_numbers_of_a_footer_are_those_that_parquet_can_count(tmp_path, events):
    def rows(n):
        def edit(meta):
            meta[3] = (I64, n)

        return edit

    for n in (-1, -(2**63)):
        edit_meta_data(events, rows(n))
        assert is_refused(events)
    edit_meta_data(events, rows(2**63 - 1))
    assert layout(events).rows == 2**63 - 1


@pytest.mark.parametrize("at", range(4))
def test_a_number_that_does_not_end_is_refused_at_once(tmp_path, at):
    """The number is the version, the length of the schema, the length of a name, or the number of rows."""
    endless = b"\xff" * 2_000_000
    heads = [b"\x15", b"\x15\2\x19\xfc", b"\x15\2\x19\x1c\x48", b"\x15\2\x19\x1c\x48\1m\x15\0\0\x16"]
    assert is_refused(with_footer(tmp_path / "endless.parquet", heads[at] + endless))


def test_a_list_that_claims_more_than_there_is_is_refused_at_once(tmp_path):
    for head in (b"\x15\2\x19\xfc", b"\x15\2\x19\xf1", b"\x15\2\x1b", b"\x15\2\x18"):
        for size in (2**31 - 1, 2**62, 2**64 - 1):
            footer = head + varint(size) + b"\x11" * 1000
            assert is_refused(with_footer(tmp_path / "long.parquet", footer))


def test_the_external_cases_have_layouts(conformance):
    files = sorted((conformance / "parquet-testing/shredded_variant").glob("*.parquet"))
    assert files
    for file in files:
        found = layout(file)
        metadata = pq.read_metadata(file)
        groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
        chunks = [g.column(i) for g in groups for i in range(g.num_columns)]
        assert sum(e.bytes for e in found.entries) == sum(c.total_compressed_size for c in chunks), file
        assert "$" in [e.path for e in found.entries], file


def map_file(path, keys, residual, **sidecars):
    data = {"m": pa.array([None if r is None else list(r.items()) for r in residual], pa.map_(pa.string(), pa.int64()))}
    data |= {f"__paimon_map_shred_m_{i[1:]}": pa.array(values, pa.int64()) for i, values in sidecars.items()}
    table = pa.table({**data, "s": pa.StructArray.from_arrays(list(data.values()), list(data))})
    footer = {f"paimon.map.shredding.{of}m.keys": keys for of in ("", "s.")} if keys else {}
    pq.write_table(table.replace_schema_metadata(footer), path)


def test_hot_keys_stand_below_their_maps(tmp_path):
    map_file(tmp_path / "a.parquet", "a,it's", [{"x": 1}, None, {}], _0=[1, None, 5], _1=[None, None, -1])
    map_file(tmp_path / "b.parquet", '["b","a"]', [{"x": 1}], _0=[3], _1=[9])
    map_file(tmp_path / "c.parquet", None, [{"x": 1}])
    found = layout(tmp_path)
    # A struct without hot keys is one column, so that the file `c` counts only for the map outside of the struct.
    for of, files, rows in (("m", 3, 5), ("s.m", 2, 4)):
        got = [(e.path, e.label, e.depth, e.type, e.files, e.rows, e.present, e.min, e.max)
               for e in found.entries if e.column == of]  # fmt: skip
        assert got == [
            ("", of, 0, "MAP<STRING, BIGINT>", files, rows, None, None, None),
            ("['a']", "['a']", 1, "BIGINT", 2, 4, 3, 1, 9),
            ("['it\\'s']", "['it\\'s']", 1, "BIGINT", 1, 3, 1, -1, -1),
            ("['b']", "['b']", 1, "BIGINT", 1, 1, 1, 3, 3),
        ]
        assert all(e.bytes > 0 for e in found.entries if e.column == of)
    assert not [e for e in found.entries if "paimon" in e.column or "paimon" in e.type]
    assert "├─ ['a']" in str(found)


def test_columns_whose_keys_no_footer_names_are_columns_like_others(tmp_path):
    map_file(tmp_path / "a.parquet", None, [{"x": 1}], _0=[1])
    assert [e.column for e in layout(tmp_path).entries] == ["m", "__paimon_map_shred_m_0", "s"]
