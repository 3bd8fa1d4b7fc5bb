"""Variant values as Python trees, with the specification's names of types and its equality of numbers."""

import struct
import uuid
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

INTEGERS = {"int8": 1, "int16": 2, "int32": 4, "int64": 8}
DECIMAL_DIGITS = {"decimal4": 9, "decimal8": 18, "decimal16": 38}


@dataclass(frozen=True, eq=False)
class V:
    """A variant value. Exact numbers are equal by value, all others by type and value; `repr` shows the exact type."""

    type: str
    value: Any

    def key(self) -> Any:
        if self.type in INTEGERS:
            return "number", Fraction(self.value)
        if self.type in DECIMAL_DIGITS:
            return "number", Fraction(self.value[0], 10 ** self.value[1])
        if self.type in ("float", "double"):
            return self.type, "nan" if self.value != self.value else struct.pack("<d", self.value)
        if self.type == "array":
            return "array", tuple(x.key() for x in self.value)
        if self.type == "object":
            return "object", tuple(sorted((k, x.key()) for k, x in self.value.items()))
        return self.type, self.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, V) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __repr__(self) -> str:
        if self.type == "object":
            return "{" + ", ".join(f"{k!r}: {x!r}" for k, x in self.value.items()) + "}"
        if self.type == "array":
            return "[" + ", ".join(map(repr, self.value)) + "]"
        if self.type in DECIMAL_DIGITS:
            return f"{self.type}({as_decimal(self)})"
        return self.type if self.value is None else f"{self.type}({self.value!r})"


NULL, TRUE, FALSE = V("null", None), V("boolean", True), V("boolean", False)


def _maker(name):
    return lambda value: V(name, value)


int8, int16, int32, int64 = map(_maker, INTEGERS)
float32, double, string, binary = map(_maker, ("float", "double", "string", "binary"))
date, time, timestamp, timestamp_ntz = map(_maker, ("date", "time", "timestamp", "timestamp_ntz"))
timestamp_nanos, timestamp_ntz_nanos = map(_maker, ("timestamp_nanos", "timestamp_ntz_nanos"))


def uid(text):
    return V("uuid", uuid.UUID(text).bytes)


def decimal(text, width=None):
    """A decimal with the scale of the text, in the given type or the narrowest that holds it."""
    sign, digits, exponent = Decimal(text).as_tuple()
    unscaled, scale = int("".join(map(str, digits)) + "0" * max(exponent, 0)), max(-exponent, 0)
    fits = next(w for w, n in DECIMAL_DIGITS.items() if max(len(str(unscaled)), scale) <= n)
    return V(width or fits, (-unscaled if sign else unscaled, scale))


def as_decimal(v):
    """The exact Decimal; arithmetic of Decimal rounds to 28 digits."""
    return Decimal(f"{v.value[0]}E-{v.value[1]}")


def array(*items):
    return V("array", [of(x) for x in items])


def obj(fields=None, **more):
    return V("object", {k: of(x) for k, x in {**(fields or {}), **more}.items()})


def of(x):
    """A Python value as a variant; integers and decimals get their narrowest type."""
    if isinstance(x, V):
        return x
    if x is None:
        return NULL
    if isinstance(x, bool):
        return TRUE if x else FALSE
    if isinstance(x, int):
        return V(next(t for t, n in INTEGERS.items() if -1 << 8 * n - 1 <= x < 1 << 8 * n - 1), x)
    if isinstance(x, Decimal):
        return decimal(str(x))
    if isinstance(x, dict):
        return obj(x)
    if isinstance(x, list | tuple):
        return array(*x)
    return V({str: "string", float: "double", bytes: "binary"}[type(x)], x)


def names(v):
    """All field names in a value, in the order of their first use."""
    if v.type == "array":
        return list(dict.fromkeys(k for x in v.value for k in names(x)))
    if v.type == "object":
        return list(dict.fromkeys(k for name, x in v.value.items() for k in (name, *names(x))))
    return []
