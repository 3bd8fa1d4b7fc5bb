"""Reads and edits footers and column indexes of Parquet files, also in ways that pyarrow cannot write."""

import struct

# The types of Thrift's compact protocol. A struct is read as {field id: (type, value)}, a list as (type, [values]).
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
# Fields of FileMetaData and SchemaElement, and branches of LogicalType.
SCHEMA, ROW_GROUPS, CREATED_BY = 2, 4, 6
TYPE, REPETITION, NAME, CHILDREN, CONVERTED, SCALE, PRECISION, LOGICAL = 1, 3, 4, 5, 6, 7, 8, 10
DECIMAL, VARIANT = 5, 16
REQUIRED, OPTIONAL, REPEATED = 0, 1, 2


def variant(element):
    """Adds the annotation VARIANT(1)."""
    element[LOGICAL] = (STRUCT, {VARIANT: (STRUCT, {1: (BYTE, 1)})})


def logical(kind):
    """Gives an element this annotation alone, one without details."""

    def edit(element):
        element.pop(CONVERTED, None)
        element[LOGICAL] = (STRUCT, {kind: (STRUCT, {})})

    return edit


def decimal_in(precision, scale):
    """Annotates a leaf as DECIMAL."""

    def edit(element):
        element[CONVERTED], element[SCALE], element[PRECISION] = (I32, 5), (I32, scale), (I32, precision)
        element[LOGICAL] = (STRUCT, {DECIMAL: (STRUCT, {1: (I32, scale), 2: (I32, precision)})})

    return edit


def named(name):
    def edit(element):
        element[NAME] = (BINARY, name.encode())

    return edit


def edit_schema(path, edits):
    """`edits` maps dotted paths of the schema, as `v.typed_value.a`, to functions that change one SchemaElement."""
    body, meta = _footer(path)
    elements = _by_path(meta)
    for at, edit in edits.items():
        edit(elements[at])
    for i, at in enumerate(_leaves(meta)):  # the chunks name their columns by path
        for group in meta[ROW_GROUPS][1][1]:
            chunk = group[1][1][1][i]
            chunk[3][1][3] = (LIST, (BINARY, [name.encode() for name in at]))
    changed = _write(STRUCT, meta)
    with open(path, "wb") as f:
        f.write(body + changed + struct.pack("<I", len(changed)) + b"PAR1")


def edit_chunk(path, column, edit, group=0):
    """`edit` changes the ColumnMetaData of the leaf with this dotted path, in one row group."""

    def edit_meta(meta):
        edit(_chunk(meta, column, group)[3][1])

    edit_meta_data(path, edit_meta)


def edit_meta_data(path, edit):
    """`edit` changes the FileMetaData."""
    body, meta = _footer(path)
    edit(meta)
    changed = _write(STRUCT, meta)
    with open(path, "wb") as f:
        f.write(body + changed + struct.pack("<I", len(changed)) + b"PAR1")


def spoil(meta, random):
    """Gives one number, text, list or struct of a FileMetaData a wrong value."""
    fields = list(_values(STRUCT, meta))
    holder, key, kind, value = random.choice(fields)
    if kind in (I16, I32, I64, BYTE):
        few = kind == BYTE
        wrong = random.choice([0, 1, 100] if few else [0, -1, 1, 17, value + 1, value * 2, 2**31 - 1, 2**62, -(2**63)])
    elif kind == BINARY:
        wrong = random.choice([b"", value[:-1], value * 2, b"\xff\xfe", random.randbytes(len(value))])
    elif kind == LIST:
        item, items = value
        at = random.randrange(len(items) + 1)
        wrong = random.choice([(item, []), (item, items[:at]), (item, items + items[:1]), (item, items[::-1])])
    elif kind == STRUCT:
        wrong = {n: field for n, field in value.items() if random.random() < 0.8}
    else:
        wrong = value
    holder[key] = wrong if isinstance(holder, list) else (kind, wrong)


def _values(kind, value):
    """(container, field or index, type, value) for each value in a struct or list, at any depth."""
    if kind == STRUCT:
        inner = [(value, number, *field) for number, field in value.items()]
    elif kind == LIST:
        inner = [(value[1], i, value[0], item) for i, item in enumerate(value[1])]
    else:
        inner = []
    for entry in inner:
        yield entry
        yield from _values(*entry[2:])


def varint(n):
    """A number in the compact protocol."""
    return _put_varint(n)


def encoded(kind, value):
    """A value in the compact protocol, for example (STRUCT, fields)."""
    return _write(kind, value)


def edit_page_index(path, column, edit, group=0):
    """`edit` changes the ColumnIndex of a leaf, which must keep its size."""
    body, meta = _footer(path)
    chunk = _chunk(meta, column, group)
    start, size = chunk[6][1], chunk[7][1]
    index, _ = _read(body, start, STRUCT)
    edit(index)
    changed = _write(STRUCT, index)
    assert len(changed) == size
    with open(path, "r+b") as f:
        f.seek(start)
        f.write(changed)


def edit_offset_index(path, column, edit, group=0):
    """`edit` changes the OffsetIndex of a leaf."""
    body, meta = _footer(path)
    chunk = _chunk(meta, column, group)
    index, _ = _read(body, chunk[4][1], STRUCT)
    edit(index)
    changed = _write(STRUCT, index)
    chunk[4], chunk[5] = (I64, len(body)), (I32, len(changed))
    footer = _write(STRUCT, meta)
    with open(path, "wb") as f:
        f.write(body + changed + footer + struct.pack("<I", len(footer)) + b"PAR1")


def drop_page_index(path, column, *, offsets, group=0):
    """Removes the ColumnIndex of a leaf, and with `offsets` its OffsetIndex too."""

    def edit(meta):
        for field in (4, 5, 6, 7) if offsets else (6, 7):
            del _chunk(meta, column, group)[field]

    edit_meta_data(path, edit)


def _chunk(meta, column, group):
    place = [".".join(at) for at in _leaves(meta)].index(column)
    return meta[ROW_GROUPS][1][1][group][1][1][1][place]


def schema_elements(path):
    """{dotted path: SchemaElement} of a file."""
    return _by_path(_footer(path)[1])


def _footer(path):
    with open(path, "rb") as f:
        content = f.read()
    size = struct.unpack("<I", content[-8:-4])[0]
    return content[: -8 - size], _read(content[-8 - size : -8], 0, STRUCT)[0]


def _by_path(meta):
    return {".".join(at): element for at, element in _walk(iter(meta[SCHEMA][1][1]))}


def _leaves(meta):
    return [at for at, element in _walk(iter(meta[SCHEMA][1][1])) if CHILDREN not in element]


def _walk(elements, parent=None):
    element = next(elements)
    at = (*parent, element[NAME][1].decode()) if parent is not None else ()
    yield at, element
    for _ in range(element.get(CHILDREN, (I32, 0))[1]):
        yield from _walk(elements, at)


def _varint(buf, at):
    n = shift = 0
    while True:
        n |= (buf[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if not buf[at - 1] & 128:
            return n, at


def _read(buf, at, kind):
    if kind in (TRUE, FALSE):
        return kind == TRUE, at
    if kind == BYTE:
        return buf[at], at + 1
    if kind in (I16, I32, I64):
        n, at = _varint(buf, at)
        return n >> 1 ^ -(n & 1), at
    if kind == DOUBLE:
        return struct.unpack("<d", buf[at : at + 8])[0], at + 8
    if kind == BINARY:
        n, at = _varint(buf, at)
        return buf[at : at + n], at + n
    if kind == LIST:
        head, at = buf[at], at + 1
        n, item = head >> 4, head & 15
        if n == 15:
            n, at = _varint(buf, at)
        items = []
        for _ in range(n):
            if item in (TRUE, FALSE):
                x, at = buf[at] == TRUE, at + 1
            else:
                x, at = _read(buf, at, item)
            items.append(x)
        return (item, items), at
    assert kind == STRUCT, f"no thrift type {kind} in footers"
    fields, number = {}, 0
    while buf[at]:
        step, kind, at = buf[at] >> 4, buf[at] & 15, at + 1
        if step:
            number += step
        else:
            number, at = _read(buf, at, I16)
        x, at = _read(buf, at, kind)
        fields[number] = (kind, x)
    return fields, at + 1


def _put_varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


def _write(kind, x):
    if kind == BYTE:
        return bytes([x])
    if kind in (I16, I32, I64):
        return _put_varint((x << 1 ^ x >> 63) & (1 << 64) - 1)
    if kind == DOUBLE:
        return struct.pack("<d", x)
    if kind == BINARY:
        return _put_varint(len(x)) + x
    if kind == LIST:
        item, items = x
        n = len(items)
        head = bytes([n << 4 | item]) if n < 15 else bytes([15 << 4 | item]) + _put_varint(n)
        if item in (TRUE, FALSE):
            return head + bytes(TRUE if i else FALSE for i in items)
        return head + b"".join(_write(item, i) for i in items)
    out, last = b"", 0
    for number, (field, value) in sorted(x.items()):
        if field in (TRUE, FALSE):
            field = TRUE if value else FALSE
        short = 0 < number - last < 16
        out += bytes([(number - last) << 4 | field]) if short else bytes([field]) + _write(I16, number)
        out += b"" if field in (TRUE, FALSE) else _write(field, value)
        last = number
    return out + b"\0"
