"""Parquet files of one flat column, made byte by byte, with page headers and counts that no writer would write."""

import itertools
import struct

from parquet_footer import BINARY, FALSE, I32, I64, LIST, STRUCT, encoded, varint

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
PLAIN, RLE, DELTA_BINARY_PACKED, DELTA_LENGTH, DELTA_BYTE_ARRAY, RLE_DICTIONARY = 0, 3, 5, 6, 7, 8
UNCOMPRESSED, GZIP = 0, 2
DICTIONARY_STATS = {
    13: (
        LIST,
        (
            STRUCT,
            [
                {1: (I32, 2), 2: (I32, PLAIN), 3: (I32, 1)},
                {1: (I32, 0), 2: (I32, RLE_DICTIONARY), 3: (I32, 1)},
            ],
        ),
    )
}


def run(value, count, width=1):
    """One RLE run."""
    return varint(count << 1) + value.to_bytes((width + 7) // 8, "little")


def levels(count):
    """The definition levels of a page of version 1 of an optional column without nulls."""
    runs = run(1, count)
    return struct.pack("<I", len(runs)) + runs


def text(value):
    return struct.pack("<I", len(value)) + value


def differences(numbers, count=None, block=128, miniblocks=4):
    """Numbers in DELTA_BINARY_PACKED, all differences in 32 bits; the header promises `count` and the blocks."""
    header = varint(block) + varint(miniblocks) + varint(len(numbers) if count is None else count)
    encoded_numbers = header + varint(_zigzag(numbers[0] if numbers else 0))
    rest = [b - a for a, b in itertools.pairwise(numbers)]
    assert len(rest) <= 32, "the numbers are in the first miniblock"
    if rest:
        packed = [each - min(rest) for each in rest] + [0] * (32 - len(rest))
        encoded_numbers += varint(_zigzag(min(rest))) + bytes([32, 0, 0, 0]) + struct.pack("<32I", *packed)
    return encoded_numbers


def _zigzag(number):
    return (number << 1) ^ (number >> 63)


def texts_by_length(values, **header):
    """Texts in DELTA_LENGTH_BYTE_ARRAY."""
    return differences([len(v) for v in values], **header) + b"".join(values)


def _page(kind, header_field, header, body, size, packed=None, stored=None):
    packed = body if packed is None else packed
    promised = len(body) if size is None else size
    stored = len(packed) if stored is None else stored
    fields = {1: (I32, kind), 2: (I32, promised), 3: (I32, stored), header_field: (STRUCT, header)}
    return encoded(STRUCT, fields) + packed


def page(body, count, encoding=PLAIN, size=None, packed=None, stored=None):
    """A data page of version 1; its header promises `size` bytes, and `stored` bytes for the bytes `packed`."""
    header = {1: (I32, count), 2: (I32, encoding), 3: (I32, RLE), 4: (I32, RLE)}
    return _page(0, 5, header, body, size, packed, stored)


def index_page(stored):
    """A page of a kind that readers pass over, of `stored` bytes by its header."""
    return _page(1, 6, {}, b"", None, None, stored)


def page_v2(definitions, body, count, encoding=PLAIN, rows=None, lengths=(None, 0), size=None):
    """An uncompressed data page of version 2; `lengths` are those of the levels that its header promises."""
    definition = len(definitions) if lengths[0] is None else lengths[0]
    header = {1: (I32, count), 2: (I32, 0), 3: (I32, count if rows is None else rows), 4: (I32, encoding)}
    header |= {5: (I32, definition), 6: (I32, lengths[1]), 7: (FALSE, False)}
    return _page(3, 8, header, definitions + body, size)


def dictionary(body, count, size=None):
    return _page(2, 7, {1: (I32, count), 2: (I32, PLAIN)}, body, size)


def write_pages(
    path, kind, pages, *, rows, dictionary=None, codec=UNCOMPRESSED, encodings=(PLAIN, RLE), element=(), chunk=(),
    first_rows=None, group_rows=None,
):  # fmt: skip
    """A file of the optional column `x`, in one row group.

    `element` and `chunk` add fields to the SchemaElement and the ColumnMetaData, `first_rows` an offset index. The
    footer says that the row group has `group_rows`.
    """
    body = bytearray(b"PAR1")
    body += dictionary or b""
    first = len(body)
    places = []
    for one in pages:
        places.append((len(body), len(one)))
        body += one
    size, group_rows = len(body) - 4, rows if group_rows is None else group_rows
    meta = {1: (I32, kind), 2: (LIST, (I32, list(encodings))), 3: (LIST, (BINARY, [b"x"])), 4: (I32, codec)}
    meta |= {5: (I64, rows), 6: (I64, size), 7: (I64, size), 9: (I64, first)}
    if dictionary:
        meta[11] = (I64, 4)
    meta |= dict(chunk)
    column = {2: (I64, 4), 3: (STRUCT, dict(sorted(meta.items())))}
    if first_rows is not None:
        locations = [
            {1: (I64, at), 2: (I32, n), 3: (I64, row)} for (at, n), row in zip(places, first_rows, strict=True)
        ]
        index = encoded(STRUCT, {1: (LIST, (STRUCT, locations))})
        column |= {4: (I64, len(body)), 5: (I32, len(index))}
        body += index
    group = {1: (LIST, (STRUCT, [column])), 2: (I64, size), 3: (I64, group_rows)}
    leaf = {1: (I32, kind), 3: (I32, 1), 4: (BINARY, b"x")} | dict(element)
    schema = [{4: (BINARY, b"root"), 5: (I32, 1)}, dict(sorted(leaf.items()))]
    footer = {1: (I32, 1), 2: (LIST, (STRUCT, schema)), 3: (I64, group_rows), 4: (LIST, (STRUCT, [group]))}
    footer[6] = (BINARY, b"parquet-mr version 1.15.0 (build x)")
    raw = encoded(STRUCT, footer)
    with open(path, "wb") as f:
        f.write(bytes(body) + raw + struct.pack("<I", len(raw)) + b"PAR1")
    return path


def write_dictionary(path, kind, body, count, ids, *, rows, element=()):
    """A file of one page with ids into a dictionary of this body; `count` is how many values its header promises."""
    return write_pages(
        path, kind, [page(levels(rows) + ids, rows, RLE_DICTIONARY)], rows=rows, dictionary=dictionary(body, count),
        encodings=(RLE_DICTIONARY, RLE), element=element, chunk=DICTIONARY_STATS,
    )  # fmt: skip
