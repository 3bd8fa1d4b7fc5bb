"""Rows as the tables of the shredding specification have them, each with the value that it means."""

import pyarrow as pa

from parquet_fixtures import MISSING, UTC, cell

from variants import (  # isort: skip
    FALSE, NULL, TRUE, array, binary, date, decimal, double, float32, int8, int16, int32, int64, obj, string, time,
    timestamp, timestamp_nanos, timestamp_ntz, timestamp_ntz_nanos, uid,
)  # fmt: skip

MICROS, NANOS = pa.timestamp("us", UTC), pa.timestamp("ns", UTC)


UUID = uid("f24f9b64-81fa-49d1-b74e-8c09a6e31c56")


NAN, INF = float("nan"), float("inf")


EVENT = cell({"event_type": cell(pa.string()), "event_ts": cell(MICROS)})


NESTED = cell(
    {
        "event_type": cell(pa.string()),
        "event_ts": cell(MICROS),
        "location": cell({"latitude": cell(pa.float64()), "longitude": cell(pa.float64())}),
        "tags": cell([cell(pa.string())]),
    }
)


def event(event_type=MISSING, event_ts=MISSING):
    return {"event_type": event_type, "event_ts": event_ts}


def field(value, typed):
    """A row whose object has one shredded field `a`."""
    return None, {"a": (value, typed)}


def scalars(parquet_type, *typed):
    """A file whose column holds these scalars shredded, and one value of another type."""
    other = string("n/a") if typed[0].type != "string" else int8(1)
    return cell(parquet_type), [*(((None, v), v) for v in typed), ((other, None), other), ((NULL, None), NULL)]


# name: (shape, [((value, typed_value) or None, what it means), ...])
TABLES = {
    "measurement": (cell(pa.int64()), [
        ((None, 34), int64(34)),
        ((NULL, None), NULL),
        ((string("n/a"), None), string("n/a")),
        ((None, 100), int64(100)),
    ]),
    "states at the root": (EVENT, [
        (MISSING, NULL),
        ((int8(1), None), int8(1)),
        ((NULL, None), NULL),
        ((None, event((None, "x"))), obj(event_type="x")),
        ((obj(b=1), event((None, "x"))), obj(event_type="x", b=1)),
        (None, None),
    ]),
    "states in a field": (cell({"a": cell(pa.int64())}), [
        (field(None, None), obj()),
        (field(string("x"), None), obj(a="x")),
        (field(NULL, None), obj(a=None)),
        (field(None, 7), obj(a=7)),
        (field(obj(b=1), None), obj(a={"b": 1})),
        (field(array(1, None), None), obj(a=[1, None])),
    ]),
    "states of an object in a field": (cell({"a": cell({"b": cell(pa.int64())})}), [
        (field(None, None), obj()),
        (field(NULL, None), obj(a=None)),
        (field(None, {}), obj(a={})),
        (field(None, {"b": (None, 1)}), obj(a={"b": 1})),
        (field(None, {"b": (NULL, None)}), obj(a={"b": None})),
        (field(obj(c=2), {"b": (None, 1)}), obj(a={"b": 1, "c": 2})),
        (field(obj(c=2), {}), obj(a={"c": 2})),
        (field(string("x"), None), obj(a="x")),
    ]),
    "states in an element": (cell([cell(pa.int64())]), [
        ((None, [(None, 1), (string("x"), None), (NULL, None)]), array(1, "x", None)),
        ((None, [MISSING]), array(None)),
        ((None, []), array()),
        ((obj(a=1), None), obj(a=1)),
        ((NULL, None), NULL),
        (MISSING, NULL),
        (None, None),
    ]),
    "states of an object in an element": (cell([cell({"a": cell(pa.int64())})]), [
        ((None, [(None, {"a": (None, 1)}), (obj(b=2), {"a": (None, 1)})]), array({"a": 1}, {"a": 1, "b": 2})),
        ((None, [(None, {}), (NULL, None), (string("x"), None), MISSING]), array({}, None, "x", None)),
    ]),
    "boolean": scalars(pa.bool_(), TRUE, FALSE),
    "int8": scalars(pa.int8(), int8(-128), int8(127)),
    "int16": scalars(pa.int16(), int16(-32768), int16(32767), int16(1)),
    "int32": scalars(pa.int32(), int32(-(2**31)), int32(2**31 - 1), int32(0)),
    "int64": scalars(pa.int64(), int64(-(2**63)), int64(2**63 - 1), int64(0)),
    "float": scalars(pa.float32(), *map(float32, (1.5, -0.0, NAN, INF, -INF))),
    "double": scalars(pa.float64(), *map(double, (0.1, -0.0, NAN, INF, -INF))),
    "decimal4": scalars(pa.decimal128(9, 4), decimal("12345.6789"), decimal("-0.0001"), decimal("0.0000")),
    "decimal8": scalars(pa.decimal128(18, 9), decimal("-123456789.987654321"), decimal("0.000000001")),
    "decimal16": scalars(
        pa.decimal128(38, 10), decimal("1234567890123456789012345678.0123456789"), decimal("-" + "9" * 28)
    ),
    "decimal of scale 38": scalars(pa.decimal128(38, 38), decimal("0." + "9" * 38), decimal("-0." + "0" * 37 + "1")),
    "decimal of scale 0": scalars(pa.decimal128(38, 0), decimal("9" * 38), decimal("-" + "9" * 38)),
    "date": scalars(pa.date32(), date(0), date(-719162), date(20000)),
    "time": scalars(pa.time64("us"), time(0), time(86_399_999_999)),
    "timestamp": scalars(MICROS, timestamp(1729794114937000), timestamp(-1)),
    "timestamp nanos": scalars(NANOS, timestamp_nanos(1729794114937000001), timestamp_nanos(-1)),
    "timestamp_ntz": scalars(pa.timestamp("us"), timestamp_ntz(1729794114937000), timestamp_ntz(-1)),
    "timestamp_ntz nanos": scalars(
        pa.timestamp("ns"), timestamp_ntz_nanos(1729794114937000001), timestamp_ntz_nanos(-1)
    ),
    "binary": scalars(pa.binary(), binary(b""), binary(b"\x00\xff"), binary(b"x" * 300)),
    "string": scalars(pa.string(), string(""), string("n/a"), string("x" * 64), string("ß\U0001f600")),
    "uuid": scalars(pa.uuid(), UUID, uid("00000000-0000-0000-0000-000000000000")),
    "tags": (cell([cell(pa.string())]), [
        ((None, [(None, "comedy"), (None, "drama")]), array("comedy", "drama")),
        ((None, [(None, "horror"), (NULL, None)]), array("horror", None)),
        ((None, [(None, "comedy"), (None, "drama"), (None, "romance")]), array("comedy", "drama", "romance")),
        ((NULL, None), NULL),
    ]),
    "event": (EVENT, [
        ((None, event((None, "noop"), (None, 1729794114937))),
         obj(event_type="noop", event_ts=timestamp(1729794114937))),
        ((obj(email="user@example.com"), event((None, "login"), (None, 1729794146402))),
         obj(event_type="login", event_ts=timestamp(1729794146402), email="user@example.com")),
        ((obj(error_msg="malformed: ..."), event()), obj(error_msg="malformed: ...")),
        ((string("malformed: not an object"), None), string("malformed: not an object")),
        ((obj(click="_button"), event(event_ts=(None, 1729794240241))),
         obj(event_ts=timestamp(1729794240241), click="_button")),
        ((None, event((NULL, None), (None, 1729794954163))), obj(event_type=None, event_ts=timestamp(1729794954163))),
        ((None, event((None, "noop"), (string("2024-10-24"), None))), obj(event_type="noop", event_ts="2024-10-24")),
        ((None, event()), obj()),
        ((NULL, None), NULL),
        (MISSING, NULL),
    ]),
    "event as a field": (cell({"event": EVENT}), [
        ((None, {"event": MISSING}), obj()),
        ((None, {"event": (None, event())}), obj(event={})),
        ((obj(x=1), {"event": (obj(email="e"), event((None, "login")))}),
         obj(x=1, event={"event_type": "login", "email": "e"})),
    ]),
    "nested": (NESTED, [
        ((obj(x=[1, {"y": None}]), {
            **event((None, "noop"), (None, 1)),
            "location": (obj(altitude=8.5), {"latitude": (None, 1.25), "longitude": (int8(2), None)}),
            "tags": (None, [(None, "a"), (obj(b=1), None)]),
         }),
         obj(event_type="noop", event_ts=timestamp(1), x=[1, {"y": None}],
             location={"latitude": 1.25, "longitude": 2, "altitude": 8.5}, tags=["a", {"b": 1}])),
        ((None, {"location": (string("here"), None), "tags": (NULL, None)}), obj(location="here", tags=None)),
        ((None, {"location": (None, {}), "tags": (None, [])}), obj(location={}, tags=[])),
    ]),
    "array of arrays of objects": (cell([cell([cell({"a": cell(pa.int32())})])]), [
        ((None, [(None, [(None, {"a": (None, 1)}), (NULL, None)]), (None, []), (string("x"), None)]),
         array([{"a": 1}, None], [], "x")),
        ((None, []), array()),
        (None, None),
        ((None, [(None, [(None, {"a": (None, 2)})])]), array([{"a": 2}])),
    ]),
}  # fmt: skip
