"""The tables of the path tests: `t` has values of every kind in three files, `u` is joined with it."""

from decimal import Decimal as D

from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType, VariantType

from path_queries import Pair
from tables import to_spark
from variants import NULL, array, binary, date, double, float32, int8, int64, obj, string, timestamp, timestamp_ntz, uid

NO = object()  # the field is missing
DAY, HOUR = 86_400_000_000, 3_600_000_000
MAX = 9223372036854775807
# Row i has the value i modulo the length of each list; the lengths differ, and so do the combinations.
FIELDS = {
    "i": [1, 2, 300, None, -5, NO, 70000, 0],
    "n": [1, D("2.50"), -3, D("1.00"), None, D("12345678.25"), NO, D("0.001"), 1000000000000],
    "x": [1, 5000000000, "7", "x", double(1.5), True, None, NO, obj(d=1), [1], date(19782), D("2.0"), "true"],
    "t": ["a", "b", "c d", "", "é", "A", None, NO, "ab", "a"],
    "big": [MAX, -MAX - 1, 2147483648, 1, NO, -2147483649, 128],
    "num": ["1", "2.5", "x", " 3 ", "1e3", "99999999999", "-0", "NaN", "true", "2024-02-29", "", NO, 12],
    "d": [date(19782), date(-1), date(0), None, NO, "2024-02-29", 5, timestamp(19782 * DAY + HOUR)],
    "ts": [timestamp(19792 * DAY + 7 * HOUR), timestamp(-1), "2024-03-10 02:30:00", NO,
           timestamp_ntz(19792 * DAY), None],
    "ntz": [timestamp_ntz(19792 * DAY + 150 * 60_000_000), timestamp_ntz(0), NO, timestamp(DAY), "2024-11-03T01:30:00"],
    "b": [True, False, None, NO, "true", 1, "no"],
    "f": [double(1.5), double(-0.0), double(float("nan")), NO, 2, double(float("inf")), None, float32(0.5),
          double(1e300), D("0.25"), double(-2.25)],
    "y": [binary(b"abc"), binary(b"\x00\xff"), NO, "abc", None, 1],
    "u": [uid("f24f9b64-81fa-49d1-b74e-8c09a6e31c56"), uid("00000000-0000-0000-0000-000000000001"), "no", NO],
    "o": [obj(p=1, q="x"), obj(p="s"), obj(q=None), NO, 5, None, obj(p=2, q="y", r=obj(z=True)), obj(), obj(r=3),
          obj(extra=1, p=7, r=obj(z="t", w=[1])), [obj(p=9)]],
    "l": [[1, 2, 3], [], [10], [1, "x", None, D("2.5")], NO, None, 7, obj(k=1), [None], [[1]], [5, 6],
          [4, 5, 6, 7, 8, 9]],
    "ls": [[obj(x=1, y="a"), obj(x=2)], [obj(x="s")], [], [5, obj(x=3)], NO, [None, obj(y=None)], obj(x=1), [obj(z=4)]],
    "ll": [[[1, 2], [3]], [[]], [1], NO, [[None, "a"], 2]],
    "k.dot": [1, NO, "2"], "k space": ["s", 1, NO, None], "ünï": [3, NO, None, "ü"], "": [4, NO, "empty"],
    "it's": [5, NO], 'q"t': [6, NO], "UPPER": [1, NO, None], "upper": [2, "l", NO],
    "rare": [*[NO] * 18, 42],
}  # fmt: skip
# The rows whose value is not an object, or an empty one, by id; None is an SQL NULL.
ROOTS = {3: None, 7: NULL, 13: int8(5), 17: string("root"), 19: array(1, 2), 23: obj(), 29: array(), 33: None, 41: NULL,
         47: int64(MAX), 52: date(3), 55: None}  # fmt: skip
SIZE = 60
WIDE = """i BIGINT, n DECIMAL(14,3), x BIGINT, t STRING, big BIGINT, num STRING, d DATE, ts TIMESTAMP,
    ntz TIMESTAMP_NTZ, b BOOLEAN, f DOUBLE, y BINARY, u UUID, o STRUCT<p INT, q STRING, r STRUCT<z BOOLEAN>>,
    l ARRAY<BIGINT>, ls ARRAY<STRUCT<x INT, y STRING>>, ll ARRAY<ARRAY<INT>>,
    `k.dot` INT, `k space` STRING, `ünï` INT, `` INT,
    `it's` INT, `q"t` INT, UPPER INT, upper INT, rare INT"""
OTHER = """i INT, n BIGINT, x STRING, t STRING, big INT, num STRING, d STRING, ts STRING, b STRING, f FLOAT,
    o STRUCT<p STRING, extra INT, r VARIANT>, l ARRAY<STRING>, ls STRUCT<x INT>, ll ARRAY<VARIANT>, `k.dot` STRING,
    never STRING"""
FILES = [
    (
        range(25),
        {"shredding.shape.v": WIDE, "shredding.shape.s.v": "a BIGINT, b STRING", "shredding.shape.w": "i STRING"},
    ),
    (range(25, 45), {"shredding.shape.v": OTHER, "shredding.shape.s.v": "a STRING", "shredding.shape.w": "BIGINT"}),
    (range(45, SIZE), {"shredding": "off"}),
]
VARIANT, INT, TEXT = VariantType(), IntegerType(), StringType()
SCHEMA = StructType([
    StructField("id", INT), StructField("v", VARIANT), StructField("k", TEXT), StructField("w", VARIANT),
    StructField("s", StructType([StructField("n", INT), StructField("v", VARIANT), StructField("x", TEXT)])),
    StructField("v.i", LongType()),  # a column with the name of a path
])  # fmt: skip


def document(i):
    if i in ROOTS:
        return ROOTS[i]
    return obj({key: values[i % len(values)] for key, values in FIELDS.items() if values[i % len(values)] is not NO})


def row(i):
    inner = None if i % 11 == 4 else obj(a=i % 5, b=f"b{i % 3}") if i % 4 else obj(a=f"{i}", c=[i])
    w = to_spark(obj(i=f"w{i % 4}", t=i) if i % 3 else int8(i))
    return i, to_spark(document(i)), f"k{i % 7}", w, None if i % 13 == 6 else (i % 9, to_spark(inner), f"x{i}"), i * 10


def other_row(i):
    """A row of `u`."""
    return i, to_spark(None if i == 9 else obj(i=FIELDS["i"][i % 3] + i % 2, t="abcé"[i % 4], o=obj(p=i % 3)))


def t_and_u(spark, folder):
    """`t`: 60 rows in two files of different shapes and an unshredded one; `u`: 20 rows to join with. For a fixture."""
    pair = Pair(spark, folder)
    pair.add("t", [(spark.createDataFrame([row(i) for i in ids], SCHEMA), options) for ids, options in FILES])
    u = spark.createDataFrame([other_row(i) for i in range(20)], "id INT, v VARIANT")
    pair.add("u", [(u, {"shredding.shape.v": "i BIGINT, t STRING, o STRUCT<p INT>"})])
    yield pair
    pair.drop("t", "u")
