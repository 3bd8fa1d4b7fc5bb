"""A given shape decides which values are typed and which are residual, and changes no value."""

import pyarrow.parquet as pq
import pytest

import parquet_footer
from parquet_cells import cells, dictionaries, only_file, rebuilt
from parquet_fixtures import MISSING
from tables import frame, load, values, write

from variants import (  # isort: skip
    FALSE, NULL, TRUE, array, binary, date, decimal, double, float32, int8, int16, int32, int64, names, obj, string,
    time, timestamp, timestamp_nanos, timestamp_ntz, timestamp_ntz_nanos, uid,
)  # fmt: skip

MIN, MAX = -(2**63), 2**63 - 1
UUID = uid("f24f9b64-81fa-49d1-b74e-8c09a6e31c56")
STAMP, NANO = 1729794114937000, 1729794114937000001
NAN = float("nan")


def column(shape, physical, logical, typed, residual, free=()):
    return shape, (physical, logical), typed, residual, list(free)


def whole(bits):
    return f"Int(bitWidth={bits}, isSigned=true)"


def stamp(utc, unit):
    return f"Timestamp(isAdjustedToUTC={utc}, timeUnit={unit}"


# name: shape, Parquet type, typed values, residual values, values that may be either
SCALARS = {
    "boolean": column("BOOLEAN", "BOOLEAN", "None", [TRUE, FALSE], [int8(1), string("true"), NULL]),
    "tinyint": column("TINYINT", "INT32", whole(8), [int8(-128), int8(127)], [int16(128), string("1")], [int64(5)]),
    "smallint": column("SMALLINT", "INT32", whole(16), [int8(1), int16(-32768)], [int32(32768), decimal("1.5")]),
    "int": column("INT", "INT32", "None", [int8(1), int16(2), int32(-(2**31))], [int64(2**31), double(1.0), NULL]),
    "bigint": column("BIGINT", "INT64", "None",
                     [int8(1), int16(2), int32(3), int64(MIN), int64(MAX), decimal("7"), decimal("-3.00")],
                     [decimal("7.5"), decimal(str(MAX + 1)), string("1"), double(1.0), float32(1.0), TRUE, array(1)]),
    "float": column("FLOAT", "FLOAT", "None", [float32(1.5), float32(NAN), float32(-0.0)], [double(1.5), int8(1)]),
    "double": column("DOUBLE", "DOUBLE", "None", [double(0.1), double(NAN), double(-0.0)],
                     [float32(1.5), int8(1), decimal("1.5")]),
    "decimal4": column("DECIMAL(9,2)", "INT32", "Decimal(precision=9, scale=2)",
                       [decimal("1.50"), decimal("1.5"), decimal("-9999999.99"), int8(5),
                        decimal("1.500", "decimal16")],
                       [decimal("1.505"), int32(10_000_000), decimal("10000000.0"), double(1.5), string("1.50")]),
    "decimal8": column("DECIMAL(18,9)", "INT64", "Decimal(precision=18, scale=9)",
                       [decimal("123456789.123456789"), int32(-999_999_999), decimal("0")], [int64(MAX)]),
    "decimal16": column("DECIMAL(38,10)", "FIXED_LEN_BYTE_ARRAY", "Decimal(precision=38, scale=10)",
                        [decimal("1234567890123456789012345678.0123456789"), int64(MIN), decimal("-0.5")],
                        [decimal("9" * 29), decimal("0.00000000001")]),
    "decimal of scale 0": column("DECIMAL(38,0)", "FIXED_LEN_BYTE_ARRAY", "Decimal(precision=38, scale=0)",
                                 [decimal("9" * 38), int64(MAX)], [decimal("0.1")]),
    "date": column("DATE", "INT32", "Date", [date(0), date(-719162)], [string("2024-10-24"), timestamp(0), int32(5)]),
    "time": column("TIME", "INT64", "Time(isAdjustedToUTC=false, timeUnit=microseconds)",
                   [time(0), time(86_399_999_999)], [int64(5), string("12:00:00")]),
    "timestamp": column("TIMESTAMP", "INT64", stamp("true", "microseconds"), [timestamp(STAMP), timestamp(-1)],
                        [timestamp_ntz(STAMP), timestamp_nanos(NANO), timestamp_nanos(1000), date(0), int64(5)]),
    "timestamp_ntz": column("TIMESTAMP_NTZ", "INT64", stamp("false", "microseconds"), [timestamp_ntz(STAMP)],
                            [timestamp(STAMP), timestamp_ntz_nanos(1000)]),
    "timestamp_nanos": column("TIMESTAMP_NANOS", "INT64", stamp("true", "nanoseconds"),
                              [timestamp_nanos(NANO), timestamp_nanos(MIN)],
                              [timestamp(STAMP), timestamp_ntz_nanos(1)]),
    "timestamp_ntz_nanos": column("TIMESTAMP_NTZ_NANOS", "INT64", stamp("false", "nanoseconds"),
                                  [timestamp_ntz_nanos(NANO)], [timestamp_ntz(STAMP), timestamp_nanos(1)]),
    "binary": column("BINARY", "BYTE_ARRAY", "None", [binary(b""), binary(b"\0\xff" * 200)], [string("x"), UUID]),
    "string": column("STRING", "BYTE_ARRAY", "String", [string(""), string("x" * 100), string("ß\U0001f600")],
                     [int8(1), binary(b"x"), NULL, obj(a=1)]),
    "uuid": column("UUID", "FIXED_LEN_BYTE_ARRAY", "UUID", [UUID], [binary(UUID.value), string("f24f9b64")]),
}  # fmt: skip

OBJECT = "a BIGINT, b STRUCT<c: STRING>"
# name: (shape, [(value, its cell), ...])
NESTED = {
    "object": (OBJECT, [
        (obj(a=1, b={"c": "x"}), (None, {"a": (None, int64(1)), "b": (None, {"c": (None, string("x"))})})),
        (obj(a="1", z=2), (obj(z=2), {"a": (string("1"), None), "b": MISSING})),
        (obj(a=None), (None, {"a": (NULL, None), "b": MISSING})),
        (obj(b={"c": 1, "d": 2}), (None, {"a": MISSING, "b": (obj(d=2), {"c": (int8(1), None)})})),
        (obj(b=7, a=[1]), (None, {"a": (array(1), None), "b": (int8(7), None)})),
        (obj(b={}), (None, {"a": MISSING, "b": (None, {"c": MISSING})})),
        (obj(), (None, {"a": MISSING, "b": MISSING})),
        (obj(z={"a": 1}), (obj(z={"a": 1}), {"a": MISSING, "b": MISSING})),
        (array({"a": 1}), (array({"a": 1}), None)),
        (NULL, (NULL, None)),
        (string("a"), (string("a"), None)),
        (None, None),
    ]),
    "object as one type": ("STRUCT<a: BIGINT>", [(obj(a=1), (None, {"a": (None, int64(1))}))]),
    "array": ("ARRAY<DOUBLE>", [
        (array(1.5, 2, None), (None, [(None, double(1.5)), (int8(2), None), (NULL, None)])),
        (array(), (None, [])),
        (obj(a=[1.5]), (obj(a=[1.5]), None)),
        (NULL, (NULL, None)),
        (None, None),
    ]),
    "array of objects": ("ARRAY<STRUCT<a: INT, t: ARRAY<STRING>>>", [
        (array({"a": 1}, {"t": ["x", 1], "z": 2}, 3),
         (None, [(None, {"a": (None, int32(1)), "t": MISSING}),
                 (obj(z=2), {"a": MISSING, "t": (None, [(None, string("x")), (int8(1), None)])}),
                 (int8(3), None)])),
    ]),
    "types that DDL lacks": ("u UUID, t TIME, l ARRAY<TIMESTAMP_NANOS>, s STRUCT<n: TIMESTAMP_NTZ_NANOS>", [
        (obj(u=UUID, t=time(5), l=[timestamp_nanos(7)], s={"n": timestamp_ntz_nanos(9)}),
         (None, {"u": (None, UUID), "t": (None, time(5)), "l": (None, [(None, timestamp_nanos(7))]),
                 "s": (None, {"n": (None, timestamp_ntz_nanos(9))})})),
    ]),
    "names to quote": ("`a.b` INT, `c d` STRING, `ß\U0001f600` INT, `type` INT, `e``f` INT", [
        (obj({"a.b": 1, "c d": "x", "ß\U0001f600": 2, "type": 3, "e`f": 4, "a": {"b": 5}}),
         (obj(a={"b": 5}), {"a.b": (None, int32(1)), "c d": (None, string("x")), "ß\U0001f600": (None, int32(2)),
                            "type": (None, int32(3)), "e`f": (None, int32(4))})),
    ]),
    "names that differ in case": ("a INT", [(obj(a=1, A=2), (obj(A=2), {"a": (None, int32(1))}))]),
}  # fmt: skip


@pytest.fixture(scope="module")
def scalars(spark, tmp_path_factory):
    """One file with a column for each case, and the values that it reads as."""
    given = {
        name.replace(" ", "_"): [*typed, *rest, *free, None] for name, (_, _, typed, rest, free) in SCALARS.items()
    }
    shapes = {f"shredding.shape.{name.replace(' ', '_')}": shape for name, (shape, *_) in SCALARS.items()}
    return written(spark, tmp_path_factory.mktemp("scalars") / "t", given, shapes)


@pytest.fixture(scope="module")
def nested(spark, tmp_path_factory):
    given = {name.replace(" ", "_"): [v for v, _ in rows] for name, (_, rows) in NESTED.items()}
    shapes = {f"shredding.shape.{name.replace(' ', '_')}": shape for name, (shape, _) in NESTED.items()}
    return written(spark, tmp_path_factory.mktemp("nested") / "t", given, shapes)


def written(spark, path, given, options):
    file = only_file(write(frame(spark, **given), path, **options))
    df = load(spark, path, schema="id INT, " + ", ".join(f"{c} VARIANT" for c in given)).cache()
    actual = {c: values(df, c) for c in given}
    df.unpersist()
    return file, given, actual


@pytest.mark.parametrize("name", SCALARS)
def test_a_scalar_is_typed_exactly_when_nothing_is_lost(scalars, name):
    file, given, actual = scalars
    _shape, (physical, logical), typed, rest, _ = SCALARS[name]
    c = name.replace(" ", "_")
    stored = cells(file, c)
    assert [v for v, _ in stored[: len(typed)]] == [None] * len(typed), "typed values leave value null"
    assert [t for _, t in stored[: len(typed)]] == typed
    assert stored[len(typed) : len(typed) + len(rest)] == [(v, None) for v in rest]
    size = len(given[c])
    assert stored[size - 1] is None
    assert [rebuilt(x) for x in stored[:size]] == given[c]
    assert actual[c][:size] == given[c]
    schema = pq.ParquetFile(file).schema
    (leaf,) = [x for x in map(schema.column, range(len(schema.names))) if x.path == f"{c}.typed_value"]
    assert leaf.physical_type == physical
    assert str(leaf.logical_type).startswith(logical)


@pytest.mark.parametrize(("name", "row"), [(n, i) for n, (_, rows) in NESTED.items() for i in range(len(rows))])
def test_an_object_or_array_is_split_along_its_shape(nested, name, row):
    file, _, actual = nested
    value, stored = NESTED[name][1][row]
    c = name.replace(" ", "_")
    assert cells(file, c)[row] == stored
    assert rebuilt(cells(file, c)[row]) == value
    assert actual[c][row] == value


def test_all_names_of_a_value_are_in_its_metadata(nested):
    file, given, _ = nested
    for c, expected in given.items():
        for v, dictionary in zip(expected, dictionaries(file, c), strict=False):
            assert v is None or set(names(v)) <= set(dictionary), f"{c}: {v}"


def test_the_schema_of_the_file_is_that_of_the_specification(nested):
    elements = parquet_footer.schema_elements(nested[0])
    repetition = {path: e.get(parquet_footer.REPETITION, (0, 0))[1] for path, e in elements.items()}
    annotated = [p for p, e in elements.items() if parquet_footer.VARIANT in e.get(parquet_footer.LOGICAL, (0, {}))[1]]
    assert annotated == [name.replace(" ", "_") for name in NESTED]
    assert repetition["object.metadata"] == parquet_footer.REQUIRED
    for path, kind in repetition.items():
        *group, last = path.split(".")
        if last == "typed_value":
            assert kind == parquet_footer.OPTIONAL
            assert repetition[".".join([*group, "value"])] == parquet_footer.OPTIONAL, "value stands beside typed_value"
    for field in ("object.typed_value.a", "object.typed_value.b", "object.typed_value.b.typed_value.c"):
        assert repetition[field] == parquet_footer.REQUIRED
    for at in ("array.typed_value", "array_of_objects.typed_value.list.element.typed_value.t.typed_value"):
        assert 3 in elements[at][parquet_footer.LOGICAL][1], "LIST"
        assert repetition[f"{at}.list"] == parquet_footer.REPEATED
        assert repetition[f"{at}.list.element"] == parquet_footer.REQUIRED
