"""Bytes that break the variant encoding, one fault each, and values of hostile depth."""

# Values whose bytes are not those that their header announces.
VALUES = {
    "no bytes": b"",
    "a short int64": bytes([6 << 2, 1, 2]),
    "a short short string": bytes([5 << 2 | 1]) + b"ab",
    "a short uuid": bytes([20 << 2]) + b"x" * 15,
    "a string of 2 GiB": bytes([16 << 2]) + b"\xff\xff\xff\x7fab",
    "binary of 4 GiB": bytes([15 << 2]) + b"\xff\xff\xff\xffab",
    "an unknown primitive": bytes([63 << 2]),
    "an array of 2^31 elements": bytes([0x13 | 3 << 2]) + b"\xff\xff\xff\x7f",
    "an object of 2^32 fields": bytes([0x42 | 3 << 2]) + b"\xff\xff\xff\xff",
    "an array that ends outside": bytes([3, 1, 0, 200]) + b"\0",
    "an object without offsets": bytes([2, 3]),
}
# Dictionaries for a value whose only field has the id 1, or 0.
METADATA = {
    "empty": b"",
    "version 2": b"\x02\x01\x00\x01a",
    "cut off": b"\x01\x05\x00\x01",
    "a dictionary of 2^32 names": b"\xc1\xff\xff\xff\xff",
    "offsets outside": b"\x01\x01\x00\xc8a",
    "offsets that fall": b"\x01\x02\x02\x00\x01ab",
    "a key that begins at 2 GiB": b"\xc1\x01\x00\x00\x00\xff\xff\xff\x7f\x03\x00\x00\x00abc",
    "a key that ends at 2 GiB": b"\xc1\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\x7fabc",
    "a name of many that begins at 2 GiB": b"\xc1\x02\x00\x00\x00\x00\x00\x00\x00\xf8\xff\xff\x7f\x03\x00\x00\x00abc",
}
# Dictionaries whose flag says falsely that the keys are sorted and unique: of b and a, and of a twice.
FALSE_FLAGS = {"unsorted": b"\x11\x02\x00\x01\x02ba", "not unique": b"\x11\x02\x00\x01\x02aa"}


def nested_arrays(levels):
    heads, size = [], 1
    for _ in range(levels):
        heads.append(bytes([3 | 3 << 2, 1]) + bytes(4) + size.to_bytes(4, "little"))
        size += len(heads[-1])
    return b"".join(reversed(heads)) + b"\0"
