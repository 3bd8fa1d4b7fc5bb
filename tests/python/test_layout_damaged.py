"""layout(path) of files with wrong or damaged bytes: it returns a layout, or refuses the file in one sentence."""

import json
import random
import struct
import time
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from fuzz import FUZZ
from layouts import EVENT, ROWS, entry, write_events
from parquet_fixtures import write_file
from parquet_footer import I64, edit_meta_data, spoil, varint
from shredded_variant import layout
from shredded_variant.errors import UnreadableFile

pytestmark = pytest.mark.fuzz

# The number of damaged footers that a test reads.
DAMAGED = 10_000 if FUZZ else 400


@pytest.fixture
def events(tmp_path):
    return write_events(tmp_path)


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


def test_the_error_of_a_directory_names_the_file_that_is_not_parquet(tmp_path, events):
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
        result = layout(file)
        result.to_json()
        str(result)
        result._repr_html_()
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


def test_a_damaged_footer_is_read_or_refused(tmp_path, of_all_kinds):
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


def test_a_footer_with_wrong_fields_is_read_or_refused(tmp_path, of_all_kinds):
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
def test_an_invalid_schema_of_spark_is_ignored(tmp_path, schema):
    keys = {"org.apache.spark.sql.parquet.row.metadata": f'{{"fields": {schema}}}'}
    file = write_file(tmp_path / "odd.parquet", EVENT, ROWS, annotated=True, key_value=keys)
    assert entry(layout(file), "$.user.id").type == "BIGINT"


def test_counts_in_a_footer_are_not_negative(tmp_path, events):
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
def test_a_varint_without_an_end_is_refused_in_bounded_time(tmp_path, at):
    """The number is the version, the length of the schema, the length of a name, or the number of rows."""
    endless = b"\xff" * 2_000_000
    heads = [b"\x15", b"\x15\2\x19\xfc", b"\x15\2\x19\x1c\x48", b"\x15\2\x19\x1c\x48\1m\x15\0\0\x16"]
    assert is_refused(with_footer(tmp_path / "endless.parquet", heads[at] + endless))


def test_a_list_that_is_longer_than_the_footer_is_refused_in_bounded_time(tmp_path):
    for head in (b"\x15\2\x19\xfc", b"\x15\2\x19\xf1", b"\x15\2\x1b", b"\x15\2\x18"):
        for size in (2**31 - 1, 2**62, 2**64 - 1):
            footer = head + varint(size) + b"\x11" * 1000
            assert is_refused(with_footer(tmp_path / "long.parquet", footer))
