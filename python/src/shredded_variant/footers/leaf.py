"""The type of a Parquet leaf in Spark's DDL, and its bounds as values."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from uuid import UUID as Uuid

from shredded_variant.footers import footer
from shredded_variant.footers.footer import Node

# A bound in comparable form: numbers as numbers, other types as unsigned bytes.
Key = bool | int | float | bytes
# A bound in the form for text and JSON.
Value = bool | int | float | str

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
WIDTHS = {BOOLEAN: 1, INT32: 4, INT64: 8, FLOAT: 4, DOUBLE: 8}
PHYSICAL = ("BOOLEAN", "INT", "BIGINT", "TIMESTAMP", "FLOAT", "DOUBLE", "BINARY", "BINARY")
CONVERTED = {0: "STRING", 4: "STRING", 6: "DATE", 7: "TIME_MILLIS", 8: "TIME", 9: "TIMESTAMP_MILLIS",
             10: "TIMESTAMP", 11: "UINT8", 12: "UINT16", 13: "UINT32", 14: "UINT64", 15: "TINYINT",
             16: "SMALLINT", 17: "INT", 18: "BIGINT", 19: "STRING", 20: "BINARY", 21: "INTERVAL"}  # fmt: skip
SIMPLE = {footer.STRING: "STRING", footer.ENUM: "STRING", footer.JSON: "STRING", footer.BSON: "BINARY",
          footer.DATE: "DATE", footer.UUID: "UUID", footer.UNKNOWN: "VOID", footer.FLOAT16: "FLOAT16"}  # fmt: skip
UNITS = {1: "_MILLIS", 2: "", 3: "_NANOS"}
PER_SECOND = {"_MILLIS": 10**3, "": 10**6, "_NANOS": 10**9}


def ddl(node: Node) -> str:
    """The type of this leaf. A type that Spark lacks has its name in `shredding.shape`."""
    if node.logical is not None:
        kind, details = node.logical
        if kind in SIMPLE:
            return SIMPLE[kind]
        if kind == footer.DECIMAL:
            return f"DECIMAL({details[2]},{details[1]})"
        if kind == footer.INTEGER:
            signed = {8: "TINYINT", 16: "SMALLINT", 32: "INT", 64: "BIGINT"}
            return signed.get(details[1], "INT") if details[2] else f"UINT{details[1]}"
        if kind in (footer.TIME, footer.TIMESTAMP):
            unit = UNITS.get(next(iter(details[2]), 2), "")
            local = "" if kind == footer.TIME or details[1] else "_NTZ"
            return ("TIME" if kind == footer.TIME else "TIMESTAMP") + local + unit
    if node.converted == 5:
        return f"DECIMAL({node.precision},{node.scale})"
    if node.converted in CONVERTED:
        return CONVERTED[node.converted]
    return PHYSICAL[node.physical or 0]


def key(node: Node, raw: bytes | None) -> Key | None:
    """The bound in these bytes, or None if there is none or it cannot be compared."""
    if raw is None:
        return None
    kind, name = node.physical, ddl(node)
    if len(raw) != WIDTHS.get(kind or 0, len(raw)):
        return None
    if kind == BOOLEAN:
        return raw[0] != 0
    if kind in (INT32, INT64):
        return int.from_bytes(raw, "little", signed=not name.startswith("UINT"))
    if kind in (FLOAT, DOUBLE):
        number: float = struct.unpack("<f" if kind == FLOAT else "<d", raw)[0]
        return None if math.isnan(number) else number
    if name.startswith("DECIMAL"):
        return int.from_bytes(raw, "big", signed=True) if len(raw) <= 32 else None
    return None if kind == INT96 or name in ("INTERVAL", "FLOAT16") else raw


def value(name: str, bound: Key) -> Value:
    """A bound of this type for text and JSON: dates, times, decimals, bytes and infinities are strings."""
    if isinstance(bound, float) and math.isinf(bound):
        return "Infinity" if bound > 0 else "-Infinity"
    if isinstance(bound, bytes):
        if name == "STRING":
            return bound.decode("utf-8", "replace")
        return str(Uuid(bytes=bound)) if name == "UUID" and len(bound) == 16 else "0x" + bound.hex()
    if name.startswith("DECIMAL"):
        scale = int(name.rstrip(")").split(",")[1])
        return _or_number(lambda: str(Decimal(int(bound)).scaleb(-scale, Context(prec=100))), bound)
    if name == "DATE":
        return _or_number(lambda: str(date(1970, 1, 1) + timedelta(days=bound)), bound)
    if name.startswith("TIME"):
        unit = next((u for u in ("_MILLIS", "_NANOS") if name.endswith(u)), "")
        return _or_number(lambda: _time(name, int(bound), PER_SECOND[unit]), bound)
    return bound


def _time(name: str, bound: int, per_second: int) -> str:
    seconds, rest = divmod(bound, per_second)
    fraction = f".{rest:0{len(str(per_second)) - 1}}".rstrip("0") if rest else ""
    moment = datetime(1970, 1, 1) + timedelta(seconds=seconds)
    if name == "TIME" or name.startswith("TIME_"):
        return moment.strftime("%H:%M:%S") + fraction
    zone = "" if "_NTZ" in name else "Z"
    return moment.isoformat(sep=" ", timespec="seconds") + fraction + zone


def _or_number(show: Callable[[], str], bound: Value) -> Value:
    """The text of a bound, or its number if Python cannot convert it, such as a date after the year 9999."""
    try:
        return show()
    except (ArithmeticError, ValueError):
        return bound
