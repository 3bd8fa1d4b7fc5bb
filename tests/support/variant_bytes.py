"""Encodes and decodes variants as the specification says, independent of any engine."""

import itertools
import struct
from typing import NamedTuple

from variants import FALSE, INTEGERS, NULL, TRUE, V, names, string

# "Encoding types" of the specification: the id of each primitive, and the width of those with a fixed width.
IDS = {
    "null": 0, "true": 1, "false": 2, "int8": 3, "int16": 4, "int32": 5, "int64": 6, "double": 7,
    "decimal4": 8, "decimal8": 9, "decimal16": 10, "date": 11, "timestamp": 12, "timestamp_ntz": 13,
    "float": 14, "binary": 15, "string": 16, "time": 17, "timestamp_nanos": 18,
    "timestamp_ntz_nanos": 19, "uuid": 20,
}  # fmt: skip
TYPES = {number: name for name, number in IDS.items()}
COUNTS = INTEGERS | {"date": 4} | dict.fromkeys(
    ("time", "timestamp", "timestamp_ntz", "timestamp_nanos", "timestamp_ntz_nanos"), 8
)  # fmt: skip
DECIMALS = {"decimal4": 4, "decimal8": 8, "decimal16": 16}


class Malformed(ValueError):
    """The bytes break the encoding."""


class Binary(NamedTuple):
    """The two columns of an unshredded variant."""

    metadata: bytes
    value: bytes


def utf8(name):
    return name.encode("utf-8")


def utf16(name):
    """The order of keys in variants of Spark; it differs from UTF-8 for characters beyond U+FFFF."""
    return name.encode("utf-16-be")


def _little(n, size):
    return n.to_bytes(size, "little")


def _width(largest):
    return next(n for n in (1, 2, 3, 4) if largest < 1 << 8 * n)


def encode_metadata(keys, is_sorted=False, offset_size=None):
    raw = [utf8(k) for k in (sorted(keys, key=utf8) if is_sorted else keys)]
    ends = [sum(map(len, raw[:i])) for i in range(len(raw) + 1)]
    size = offset_size or _width(max(ends[-1], len(raw)))
    header = 1 | is_sorted << 4 | size - 1 << 6
    numbers = b"".join(_little(n, size) for n in [len(raw), *ends])
    return bytes([header]) + numbers + b"".join(raw)


def encode(v, keys=None, *, is_sorted=False, offset_size=None, **how):
    """Metadata and value. `keys` is the dictionary, by default the names in the value; `how` as in `encode_value`."""
    keys = names(v) if keys is None else list(keys)
    keys = sorted(keys, key=utf8) if is_sorted else keys
    return Binary(encode_metadata(keys, is_sorted, offset_size), encode_value(v, keys, offset_size=offset_size, **how))


def encode_value(v, keys=(), *, offset_size=None, large=False, order=utf8, long_strings=False):
    """The value. The arguments force sizes and an order of keys that other writers may choose."""
    ids = {k: i for i, k in enumerate(keys)}

    def container(items, first_byte, id_list=()):
        bodies = [put(x) for x in items]
        ends = [sum(map(len, bodies[:i])) for i in range(len(bodies) + 1)]
        size, id_size = offset_size or _width(ends[-1]), offset_size or _width(max([0, *id_list]))
        is_large = large or len(items) > 255
        head = bytes([first_byte(size - 1, id_size - 1, is_large)]) + _little(len(items), 4 if is_large else 1)
        return (
            head
            + b"".join(_little(i, id_size) for i in id_list)
            + b"".join(_little(e, size) for e in ends)
            + b"".join(bodies)
        )

    def put(v):
        kind, x = v.type, v.value
        if kind == "object":
            fields = sorted(x, key=order)
            head = lambda size, id_size, is_large: 2 | (size | id_size << 2 | is_large << 4) << 2  # noqa: E731
            return container([x[k] for k in fields], head, [ids[k] for k in fields])
        if kind == "array":
            return container(x, lambda size, _, is_large: 3 | (size | is_large << 2) << 2)
        if kind == "string" and len(utf8(x)) < 64 and not long_strings:
            return bytes([1 | len(utf8(x)) << 2]) + utf8(x)
        if kind == "boolean":
            kind = "true" if x else "false"
        head = bytes([IDS[kind] << 2])
        if kind in COUNTS:
            return head + x.to_bytes(COUNTS[kind], "little", signed=True)
        if kind in DECIMALS:
            return head + bytes([x[1]]) + x[0].to_bytes(DECIMALS[kind], "little", signed=True)
        if kind in ("float", "double"):
            return head + struct.pack("<f" if kind == "float" else "<d", x)
        if kind in ("string", "binary"):
            raw = utf8(x) if kind == "string" else x
            return head + _little(len(raw), 4) + raw
        return head + (x if kind == "uuid" else b"")

    return put(v)


def _take(buf, at, n):
    if at < 0 or n < 0 or at + n > len(buf):
        raise Malformed(f"{n} bytes at {at} of {len(buf)}")
    return buf[at : at + n]


def _number(buf, at, n):
    return int.from_bytes(_take(buf, at, n), "little")


def decode_metadata(buf):
    """The dictionary; a false flag `sorted` is an error."""
    header = _number(buf, 0, 1)
    if header & 15 != 1:
        raise Malformed(f"version {header & 15}")
    size = (header >> 6) + 1
    count = _number(buf, 1, size)
    ends = [_number(buf, 1 + size * (i + 1), size) for i in range(count + 1)]
    start = 1 + size * (count + 2)
    raw = [_take(buf, start + a, b - a) for a, b in itertools.pairwise(ends)]
    if header & 16 and any(a >= b for a, b in itertools.pairwise(raw)):
        raise Malformed("the dictionary says that it is sorted, and is not")
    return [r.decode("utf-8") for r in raw]


def decode(metadata, value, order=utf8):
    """Decodes a variant strictly: fields out of `order` (None: any order), equal fields and spare bytes are errors."""
    keys = decode_metadata(bytes(metadata))
    buf = bytes(value)

    def members(at, end_of_list, count, size):
        ends = [_number(buf, at + size * i, size) for i in range(count + 1)]
        start = at + size * (count + 1)
        items = [get(start + e) for e in ends[:count]]
        if any(stop > start + ends[-1] for _, stop in items):
            raise Malformed(f"a member reaches past the end of its {end_of_list}")
        return [x for x, _ in items], start + ends[-1]

    def get(at):
        head = _number(buf, at, 1)
        basic, h, at = head & 3, head >> 2, at + 1
        if basic == 1:
            return string(_take(buf, at, h).decode("utf-8")), at + h
        if basic == 0:
            return primitive(TYPES.get(h), at)
        is_large = (h >> 4 if basic == 2 else h >> 2) & 1
        count_size = 4 if is_large else 1
        count, at = _number(buf, at, count_size), at + count_size
        if basic == 3:
            items, end = members(at, "array", count, (h & 3) + 1)
            return V("array", items), end
        id_size = (h >> 2 & 3) + 1
        ids = [_number(buf, at + id_size * i, id_size) for i in range(count)]
        if any(i >= len(keys) for i in ids):
            raise Malformed(f"field ids {ids}, but the dictionary has {len(keys)} names")
        fields = [keys[i] for i in ids]
        in_order = sorted(set(fields), key=order) if order else list(dict.fromkeys(fields))
        if fields != in_order:
            raise Malformed(f"fields out of order: {fields}")
        items, end = members(at + id_size * count, "object", count, (h & 3) + 1)
        return V("object", dict(zip(fields, items, strict=True))), end

    def primitive(kind, at):
        if kind in COUNTS:
            n = COUNTS[kind]
            return V(kind, int.from_bytes(_take(buf, at, n), "little", signed=True)), at + n
        if kind in DECIMALS:
            n = DECIMALS[kind]
            unscaled = int.from_bytes(_take(buf, at + 1, n), "little", signed=True)
            return V(kind, (unscaled, _number(buf, at, 1))), at + 1 + n
        if kind in ("float", "double"):
            n = 4 if kind == "float" else 8
            return V(kind, struct.unpack("<f" if n == 4 else "<d", _take(buf, at, n))[0]), at + n
        if kind in ("string", "binary"):
            n = _number(buf, at, 4)
            raw = _take(buf, at + 4, n)
            return V(kind, raw.decode("utf-8") if kind == "string" else raw), at + 4 + n
        if kind == "uuid":
            return V(kind, _take(buf, at, 16)), at + 16
        if kind is None:
            raise Malformed("unknown primitive type")
        return {"null": NULL, "true": TRUE, "false": FALSE}[kind], at

    v, end = get(0)
    if end != len(buf):
        raise Malformed(f"{len(buf) - end} bytes left over")
    return v
