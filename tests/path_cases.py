"""The table of the path tests and what is asked of it: one case a line, SQL over `t` and `u`."""

from decimal import Decimal as D

from path_queries import Pair
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType, VariantType
from tables import to_spark
from variants import NULL, array, binary, date, double, float32, int8, int64, obj, string, timestamp, timestamp_ntz, uid

NO = object()  # the field is missing
DAY, HOUR = 86_400_000_000, 3_600_000_000
MAX = 9223372036854775807
# One value of every list goes into a row; the lengths differ, so that the combinations do.
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
# Whole values that are no objects, by id; None is an SQL null.
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
    StructField("v.i", LongType()),  # a column called like a path
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


MIXED = ["x", "n", "num", "big", "d", "ts", "ntz", "b", "f", "y", "u"]
SCALARS = ["STRING", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10,2)", "DECIMAL(38,0)",
           "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "BOOLEAN", "BINARY"]  # fmt: skip
NESTED = [
    "VARIANT",
    "STRUCT<p: INT, q: STRING>",
    "STRUCT<p: STRING, r: STRUCT<z: BOOLEAN>>",
    "ARRAY<BIGINT>",
    "ARRAY<STRING>",
    "ARRAY<STRUCT<x: INT, y: STRING>>",
    "ARRAY<VARIANT>",
    "MAP<STRING, INT>",
    "MAP<STRING, VARIANT>",
    "MAP<STRING, STRING>",
]


def kinds(variant):
    """schema_of_variant without the widths within the exact-numeric class, which may differ."""
    return rf"regexp_replace(schema_of_variant({variant}), 'BIGINT|DECIMAL\\([0-9]+,[0-9]+\\)', 'NUMBER')"


def got(key, target):
    """Moments as numbers: Python has no years beyond 9999."""
    quote = "'" if '"' in key else '"'
    path = f"$[{quote}{key}{quote}]".replace("'", "\\'")
    sql = f"""try_variant_get(v, '{path}', '{target}')"""
    return f"unix_micros({sql})" if target == "TIMESTAMP" and key in ("big", "n", "num") else sql


EXPRESSIONS = {
    "try_variant_get of every field": [
        got(key, target) for key in FIELDS for target in (SCALARS if key in MIXED else ["STRING", "INT", "DOUBLE"])
    ],
    "try_variant_get of nested types": [
        got(key, target) for key in ("o", "l", "ls", "ll", "x", "i", "never") for target in NESTED
    ],
    "try_cast of colon syntax": [
        f"try_cast(v:{key} AS {target})" for key in ("i", "x", "d", "ts", "f", "o", "l") for target in SCALARS
    ],
    "the root itself": [
        *(f"try_variant_get(v, '$', '{target}')" for target in SCALARS + NESTED if target != "TIMESTAMP"),
        "unix_micros(try_variant_get(v, '$', 'timestamp'))",
        "try_cast(v AS STRING)",
        "try_cast(v AS INT)",
    ],
    "strict casts that never fail": [
        "v:i::bigint",
        "v:i::int",
        "CAST(v:i AS STRING)",
        "variant_get(v, '$.i', 'decimal(20,3)')",
        "v:t::string",
        "variant_get(v, '$.t', 'string')",
        "v:o.q::string",
        "v:o::string",
        "v:l::string",
        "v:x::string",
        "v:f::string",
        "v:ts::string",
        "v:n::decimal(20,4)",
        "v:n::double",
        "v:i::double",
        "v:rare::int",
        "v:never::int",
        "v:rare::boolean",
        "v:n::string",
        "v:i::int + v:rare::int",
        "v:i::bigint * 2 + 1",
        "upper(v:t::string)",
        "v:t::string || v:o.q::string",
        "COALESCE(v:i::int, -1)",
        "nullif(v:t::string, '')",
        "v:i::int IN (1, 2, NULL)",
        "v:i::int BETWEEN 0 AND 10",
    ],
    "nested and quoted paths": [
        "try_variant_get(v, '$.o.p', 'int')",
        "try_cast(v:o.p AS INT)",
        "v:o.r.z",
        "try_cast(v:o.r.z AS BOOLEAN)",
        "v:o.r.w[0]",
        "try_cast(v:['k.dot'] AS INT)",
        "try_cast(v:`k space` AS STRING)",
        "try_cast(v:`ünï` AS INT)",
        "v:`k.dot`",
        "v:UPPER",
        "v:upper",
        "try_cast(v:UPPER AS INT)",
        "try_cast(v:upper AS INT)",
        "try_cast(v:Upper AS INT)",
        "try_variant_get(v, '$[\"\"]', 'int')",
        "variant_get(v, '$[\"it\\'s\"]', 'int')",
        "variant_get(v, '$[\\'q\"t\\']', 'int')",
        "try_variant_get(v, '$.k space', 'string')",
        "try_variant_get(v, '$[\"o\"][\"p\"]', 'int')",
        "try_variant_get(v, '$.o[\"r\"].z', 'boolean')",
        "v:o:p",
        "v:['o']['p']",
    ],
    "array elements": [
        "try_variant_get(v, '$.l[0]', 'int')",
        "try_variant_get(v, '$.l[5]', 'int')",
        "try_cast(v:l[1] AS STRING)",
        "v:l[0]",
        "v:l[500]",
        "v:ls[0].x",
        "try_cast(v:ls[0].x AS INT)",
        "try_cast(v:ls[1].x AS INT)",
        "try_variant_get(v, '$.ls[0].y', 'string')",
        "v:ls[0]",
        "try_cast(v:ll[0][1] AS INT)",
        "v:ll[1]",
        "v:ll[0][0][0]",
        "try_variant_get(v, '$[1]', 'int')",
        "v:[0]",
        "v:l[0].x",
        "v:o[0].p",
        "try_variant_get(v, '$.ls[0]', 'struct<x: int, y: string>')",
        "try_variant_get(v, '$.ll[0]', 'array<int>')",
        "v:ls.x",
        "v:i[0]",
    ],
    "parts that stay variants": [
        "v",
        "v:i",
        "v:x",
        "v:o",
        "v:o.r",
        "v:l",
        "v:ls",
        "v:ll",
        "v:never",
        "v:rare",
        "variant_get(v, '$')",
        "variant_get(v, '$.o')",
        "try_variant_get(v, '$.o', 'variant')",
        "CAST(v:o AS VARIANT)",
        "v:o:r",
        "COALESCE(v:o, v:l)",
        "IF(id > 5, v:o, v:x)",
        "w",
        "w:i",
    ],
    "questions to a variant": [
        "v IS NULL",
        "v IS NOT NULL",
        "v:x IS NULL",
        "v:x IS NOT NULL",
        "is_variant_null(v)",
        "is_variant_null(v:x)",
        "is_variant_null(v:o.q)",
        "is_variant_null(v:never)",
        "NOT is_variant_null(v:i)",
        "v:rare IS NOT NULL",
        "v:o.p IS NULL",
        "to_json(v)",
        "to_json(v:o)",
        "to_json(v:l)",
        "to_json(v:x)",
        "to_json(v:never)",
        "to_json(v:l[1])",
        "to_json(v:ls[0].y)",
        "to_json(v:x.d)",
        "to_json(s.v), to_json(w)",
        "to_json(v, map('pretty', 'true'))",
        "to_json(named_struct('p', v:o, 'i', id))",
        kinds("v"),
        kinds("v:o"),
        kinds("v:x"),
        "length(to_json(v:o))",
        "get_json_object(to_json(v), '$.i')",
        "try_variant_get(v, '$.i', 'int') <=> NULL",
        "try_cast(v:x AS INT) IS NULL",
        "isnull(v:o.r.z)",
        "v IS NULL OR v:i::int > 1",
    ],
    "several targets of one path": [
        "named_struct('a', try_cast(v:x AS INT), 'b', v:x::string, 'c', v:x, 'd', try_cast(v:x AS DOUBLE))",
        "array(v:i::string, v:n::string, v:x::string)",
        "struct(v:i::int, v, v:o)",
        "map('i', v:i::bigint, 'r', v:rare::bigint)",
    ],
    "guarded strict casts": [
        "CASE WHEN id < 0 THEN v:x::int ELSE 0 END",
        "IF(schema_of_variant(v:x) = 'STRING', v:x::string, NULL)",
        "CASE WHEN is_variant_null(v:x) THEN v:x::int END",
        "CASE WHEN v:t::string = 'none' THEN v:x::date END",
        "COALESCE(id, v:x::int)",
        "IF(v IS NULL, v:num::int, 7)",
        "CASE WHEN try_cast(v:x AS DATE) IS NOT NULL THEN v:x::date END",
        "id < 100 OR v:x::int > 1",
        "id > 100 AND v:x::boolean",
        "transform(array(id), i -> CASE WHEN i < 0 THEN v:x::int END)",
    ],
    "variants inside structs and other columns": [
        "s.v:a",
        "try_cast(s.v:a AS INT)",
        "s.v:b::string",
        "s.v",
        "s.n",
        "s",
        "s.v IS NULL",
        "try_variant_get(s.v, '$.c[0]', 'int')",
        "w:i::string",
        "try_cast(w:t AS INT)",
        "try_cast(w AS INT)",
        "`v.i`",
        "`v.i` + v:i::int",
        "named_struct('x', s.x, 'a', s.v:a)",
    ],
    "no constant path": [
        "variant_get(v, concat('$.', 'i'), 'int')",
        "try_variant_get(v, concat('$.', left(k, 1)), 'int')",
        "try_variant_get(v, if(id < 30, '$.i', '$.n'), 'double')",
    ],
    "paths of new variants": [
        "parse_json(to_json(v)):i::int",
        "variant_get(to_variant_object(named_struct('a', id)), '$.a', 'int')",
        "variant_get(COALESCE(v, w), '$.i', 'string')",
        "IF(id > 30, v, w):i::string",
    ],
}

# Each stands alone in its query: it fails, or it is lone for another reason.
ALONE = [
    "v:x::int",
    "v:i::tinyint",
    "v:big::int",
    "v:t::int",
    "v:d::date",
    "v:ts::timestamp",
    "v:b::boolean",
    "v:o::int",
    "v:o.p::int",
    "v:l::array<int>",
    "v:ls[0].x::int",
    "v::int",
    "v:x::date",
    "variant_get(v, '$.x', 'boolean')",
    "CAST(v:num AS INT)",
    "v:n::int",
    "variant_get(v, '$.o', 'struct<p: int>')",
    "variant_get(v, '$.o', 'map<string, string>')",
    "v:y::binary",
    "v:n::decimal(3,2)",
    "variant_get(v, '$.l[*]', 'int')",
    "variant_get(v, 'i', 'int')",
    "variant_get(v, '$.l[-1]', 'int')",
    "v:i::interval day",
    "v:num::string::int",
    "try_cast(v:num::string AS INT)",
    "v:t::string::date",
    "v:i::bigint",
    "1 / v:i::int",
    "v:big::bigint + 1",
    "raise_error(v:t::string)",
    "assert_true(v:i::int < 1000)",
    "variant_get(v, NULL, 'int')",
    "v:i",
]

QUERIES = {
    "project": [
        "SELECT v:i::bigint FROM t",
        "SELECT v:i::int AS i, v:i::int AS j FROM t",
        "SELECT id, v, v:i::int, to_json(v) FROM t",
        "SELECT * FROM t",
        "SELECT *, v:i::int AS i FROM t",
        "SELECT q.i + 1 FROM (SELECT v:i::int AS i FROM t) q",
        "SELECT 1 FROM t",
        "SELECT x:p, x:r:z FROM (SELECT v:o AS x FROM t) q",
        "SELECT y:z FROM (SELECT x:r AS y FROM (SELECT v:o AS x FROM t) a) b",
        "SELECT v:i::int FROM t WHERE false",
        "SELECT v2:i::int, v2 FROM (SELECT v AS v2, id FROM t WHERE id > 5) q",
        "SELECT z.a:i::int, z.b FROM (SELECT struct(v AS a, id AS b) AS z FROM t) q",
        "SELECT v:i::int, rand(3) < 2 FROM t",
        "SELECT input_file_name() <> '', v:i::int FROM t",
        "SELECT v:i::int AS v FROM t",
        "SELECT s.n, s.x, v:i::int FROM t",
    ],
    "filter": [
        "SELECT id FROM t WHERE v:i::int > 1",
        "SELECT id FROM t WHERE 1 < v:i::int",
        "SELECT id FROM t WHERE v:t::string = 'a'",
        "SELECT id, v FROM t WHERE v:i::int = 300",
        "SELECT v FROM t WHERE v:rare IS NOT NULL",
        "SELECT count(*) FROM t WHERE v IS NULL",
        "SELECT id FROM t WHERE v:t::string LIKE 'a%'",
        "SELECT id FROM t WHERE v:t::string IN ('a', 'é')",
        "SELECT id FROM t WHERE v:i::int <=> 2",
        "SELECT id FROM t WHERE NOT (v:i::int > 1)",
        "SELECT id FROM t WHERE v:i::int IS NULL",
        "SELECT id FROM t WHERE v:never::int IS NULL",
        "SELECT id FROM t WHERE try_cast(v:x AS INT) IS NULL",
        "SELECT id FROM t WHERE v:i::int > 1 AND v:t::string < 'b' OR v:rare::int = 42",
        "SELECT id FROM t WHERE is_variant_null(v:x)",
        "SELECT id FROM t WHERE v:i::int > 1 AND id BETWEEN 10 AND 40",
        "SELECT id FROM t WHERE v:i = 1",
        "SELECT v:t::string FROM t WHERE v:i::int = 1 AND v IS NOT NULL",
        "SELECT id FROM t WHERE try_cast(v:f AS DOUBLE) = double('NaN')",
        "SELECT id FROM t WHERE try_cast(v:f AS DOUBLE) >= 0",
        "SELECT id FROM t WHERE v:n::decimal(20,4) >= 2.5",
        "SELECT id FROM t WHERE try_cast(v:big AS INT) IS NULL",
        "SELECT id FROM t WHERE try_cast(v:d AS DATE) >= DATE'2000-01-01'",
        "SELECT id FROM t WHERE length(v:t::string) > 1",
        "SELECT id FROM t WHERE s.v:b::string = 'b1' AND s.n > 2",
        "SELECT id FROM t WHERE v:l[0]::string = '1'",
        "SELECT id FROM t WHERE v:o.r.z IS NOT NULL",
        "SELECT id FROM t WHERE k = 'k1' AND v:i::int > 0",
        "SELECT id FROM t WHERE to_json(v:o) LIKE '%s%'",
    ],
    "paths beside grouping sets": [
        "SELECT k, v:t::string AS t, sum(v:i::int), count(v), count(w:t) FROM t GROUP BY CUBE (k, v:t::string)",
        "SELECT grouping(k), max(try_cast(v:x AS INT)) FROM t GROUP BY GROUPING SETS ((k), ())",
        "SELECT k, count(DISTINCT v:i::int), count(DISTINCT v:t::string), sum(v:i::int) FROM t GROUP BY k",
    ],
    "the variant of one row": [
        "SELECT k, x:i::int, x:t::string, x IS NULL, x:o FROM (SELECT k, max_by(v, id) AS x FROM t GROUP BY k)",
        "SELECT k, min_by(v, v:i::int * 100 + id):t::string, count(*) FROM t GROUP BY k",
        "SELECT max_by(v, id) FILTER (WHERE v:i::int > 0):i::bigint, sum(v:i::int) FROM t",
        "SELECT first(v):i::int, last(v):o.p::string, first(v, true):t::string FROM"
        " (SELECT /*+ COALESCE(1) */ * FROM t ORDER BY id)",
        "SELECT k || max_by(v, id):t::string, max_by(w, id):i::string FROM t GROUP BY k",
        "SELECT max_by(s, id).v:b::string, max_by(s.v, id):b::string FROM t",
        "SELECT x:x::string FROM (SELECT max_by(v, id) AS x FROM t WHERE id < 3 GROUP BY k)",
    ],
    "parts of variants with names": [
        "SELECT id, x:p::string, x:r:z, x IS NULL, is_variant_null(x) FROM (SELECT id, v:o AS x FROM t)",
        "SELECT id, x, x:p FROM (SELECT id, v:o AS x FROM t) WHERE x IS NOT NULL",
        "SELECT id, y:z, x:q::string FROM (SELECT id, x, x:r AS y FROM (SELECT id, v:o AS x FROM t))",
        "SELECT count(x), count(x:p), count(*) FROM (SELECT v:o AS x FROM t)",
        "SELECT a.id, b.x:p::string FROM t a LEFT JOIN (SELECT id, v:o AS x FROM u) b ON a.id = b.id",
        "SELECT id, variant_get(x, '$[0].x', 'string'), variant_get(x, '$[1]') FROM (SELECT id, v:ls AS x FROM t)",
    ],
    "union, with the paths above": [
        "SELECT sum(v:i::int), count(v), count(v:t) FROM (SELECT v FROM t UNION ALL SELECT v FROM u)",
        "SELECT b:t::string, max(try_cast(b:i AS INT)) FROM"
        " (SELECT v AS b FROM t UNION ALL SELECT v FROM u UNION ALL SELECT w FROM t) GROUP BY 1",
        "SELECT b:p::string, count(*) FROM (SELECT v:o AS b FROM t UNION ALL SELECT v FROM u) GROUP BY 1",
        "SELECT count(b), count(b:p) FROM"
        " (SELECT v AS b FROM t UNION ALL SELECT v:o FROM t UNION ALL SELECT s.v FROM t)",
        "SELECT count(b:i::int) FROM (SELECT v AS b FROM t UNION ALL SELECT parse_json('{\"i\": 3}'))",
        "SELECT a.id, b.v:t::string FROM t a LEFT JOIN"
        " (SELECT id, v FROM t WHERE id < 9 UNION ALL SELECT id, v FROM u) b"
        " ON a.id = b.id AND a.v:t::string = b.v:t::string",
        "SELECT count(x.v:b::string) FROM (SELECT s AS x FROM t UNION ALL SELECT s FROM t)",
        "SELECT max(v:t::string), min(w:t::string) FROM"
        " (SELECT v, w FROM t UNION ALL SELECT w, v FROM t UNION ALL SELECT v, v FROM u)",
    ],
    "a path in the correlation of a subquery": [
        "SELECT id FROM t a WHERE EXISTS (SELECT 1 FROM u b WHERE b.v:i::int = a.v:i::int)",
        "SELECT id FROM t a WHERE NOT EXISTS (SELECT 1 FROM u b WHERE b.v:t::string = a.v:t::string AND b.id < a.id)",
        "SELECT id, v:t::string FROM t a WHERE"
        " a.v:i::int IN (SELECT b.v:i::int FROM u b WHERE b.v:o.p::int < a.v:i::int)",
        "SELECT id, EXISTS (SELECT 1 FROM u b WHERE b.v:t::string = a.v:t::string) OR a.v:i::int > 1 FROM t a",
    ],
    "a strict cast that another filter guards": [
        "SELECT v:x::int FROM t WHERE id = 0",
        "SELECT v:x::int FROM t WHERE try_cast(v:x AS INT) IS NOT NULL",
        "SELECT id FROM t WHERE id < 2 AND v:x::bigint > 0",
        "SELECT id FROM t WHERE v:x::bigint > 0 AND id < 2",
        "SELECT v:x::date FROM t WHERE v:t::string = 'none'",
        "SELECT v:b::boolean FROM t WHERE id > 1000",
        "SELECT a.v:x::int FROM t a JOIN u b ON a.id = b.id AND b.id = 0",
        "SELECT v:x::int FROM t LIMIT 1",
        "SELECT sum(v:x::int) FROM t WHERE id IN (0, 26)",
        "SELECT max(v:x::int) FROM t GROUP BY k HAVING count(*) > 100",
    ],
    "aggregate": [
        "SELECT sum(v:i::bigint) FROM t",
        "SELECT sum(variant_get(v, '$.i', 'int')), sum(try_variant_get(v, '$.x', 'int')) FROM t",
        "SELECT count(*), count(v), count(v:i), count(v:i::int), count(v:never), count(1) FROM t",
        "SELECT count(v) FROM t",
        "SELECT count(*) FROM t",
        "SELECT count(DISTINCT v:t::string), count(DISTINCT v:i::int, v:t::string) FROM t",
        "SELECT min(v:i::int), max(v:i::int) FROM t",
        "SELECT min(v:t::string), max(v:t::string), min(v:n::decimal(20,4)) FROM t",
        "SELECT avg(v:i::int), avg(v:n::decimal(20,4)) FROM t",
        "SELECT max(try_cast(v:f AS DOUBLE)), min(try_cast(v:d AS DATE)), max(try_cast(v:ts AS TIMESTAMP)) FROM t",
        "SELECT sum(v:i::int) FILTER (WHERE v:t::string = 'a'), count_if(v:rare IS NOT NULL) FROM t",
        "SELECT sum(v:x::int) FROM t",
        "SELECT first(v:i::int, true) FROM t WHERE id = 6",
        "SELECT id, first(v), first(v:o) FROM t GROUP BY id",
        "SELECT sort_array(collect_list(v:i::int)), sort_array(collect_set(v:t::string)) FROM t",
        "SELECT max_by(v:t::string, id), max_by(v, id) FROM t",
        "SELECT bool_or(try_cast(v:b AS BOOLEAN)), approx_count_distinct(v:t::string) FROM t",
        "SELECT sum(v:i::int) + count(v:t) FROM t",
        "SELECT sum(CASE WHEN v:t::string = 'a' THEN v:i::int ELSE 0 END) FROM t",
        "SELECT DISTINCT v:t::string FROM t",
        "SELECT max(v:never::int), count(v:rare::int) FROM t",
        "SELECT median(v:i::int) FROM t",
        "SELECT max(struct(v:i::int, id)) FROM t",
    ],
    "group by": [
        "SELECT v:t::string, count(*) FROM t GROUP BY 1",
        "SELECT v:t::string AS t, sum(v:i::int) FROM t GROUP BY t",
        "SELECT count(*) FROM t GROUP BY v:t::string",
        "SELECT v:t::string, v:i::int, count(v) FROM t GROUP BY ALL",
        "SELECT k, max(v:i::int) FROM t GROUP BY k",
        "SELECT v:t::string t, count(*) c FROM t GROUP BY 1 HAVING max(v:i::int) > 1",
        "SELECT v:t::string t, count(*) c FROM t GROUP BY 1 HAVING c > 3 AND t IS NOT NULL",
        "SELECT upper(v:t::string), count(*) FROM t GROUP BY 1",
        "SELECT v:t::string, k, count(*) FROM t GROUP BY ROLLUP (1, 2)",
        "SELECT v:t::string, k, sum(v:i::int) FROM t GROUP BY CUBE (1, 2)",
        "SELECT v:t::string, k, grouping(k), count(*) FROM t GROUP BY GROUPING SETS ((v:t::string), (k))",
        "SELECT v, count(*) FROM t GROUP BY v",
        "SELECT try_cast(v:f AS DOUBLE), count(*) FROM t GROUP BY 1",
        "SELECT v:i::int % 2, count(DISTINCT v:t::string) FROM t GROUP BY 1",
        (
            "SELECT v:o.q::string, count(DISTINCT v:i::int), sum(v:n::decimal(20,4)) FROM t "
            "WHERE v:t::string > '' GROUP BY 1"
        ),
        "SELECT t, max(c) FROM (SELECT v:t::string t, k, count(*) c FROM t GROUP BY 1, 2) GROUP BY t",
        "SELECT v:i, count(*) FROM t GROUP BY v:i",
    ],
    "order and limit": [
        "SELECT id, v:i::int FROM t ORDER BY v:i::int, id LIMIT 7",
        "SELECT id FROM t ORDER BY v:t::string DESC NULLS LAST, id LIMIT 5",
        "SELECT id, v FROM t ORDER BY v:i::int DESC, id LIMIT 3",
        "SELECT v:t::string FROM t ORDER BY v:t::string, id",
        "SELECT v FROM t ORDER BY v",
        "SELECT id FROM t ORDER BY try_cast(v:f AS DOUBLE), id",
        "SELECT id FROM t ORDER BY v:i::int, id LIMIT 5 OFFSET 3",
        "SELECT id, v:i::int FROM t WHERE v:t::string = 'a' ORDER BY v:i::int, id",
        "SELECT sum(i) FROM (SELECT v:i::int i, id FROM t ORDER BY i, id LIMIT 9)",
        "SELECT v:i::int FROM (SELECT * FROM t ORDER BY id LIMIT 10)",
        "SELECT count(*) FROM (SELECT v:i::int FROM t LIMIT 10)",
        "SELECT v:i::int i FROM t WHERE id < 9 DISTRIBUTE BY i SORT BY i",
        "SELECT v:i::int FROM (SELECT * FROM t ORDER BY id OFFSET 55)",
    ],
    "join": [
        "SELECT a.id, b.id FROM t a JOIN u b ON a.v:i::int = b.v:i::int",
        "SELECT a.id, b.v:t::string FROM t a LEFT JOIN u b ON a.v:t::string = b.v:t::string",
        "SELECT a.v:i::int, b.v:i::int FROM t a RIGHT JOIN u b ON a.id = b.id",
        "SELECT a.v:i::int, b.v:o.p::int FROM t a FULL JOIN u b ON a.v:i::int = b.v:i::int",
        "SELECT id, v:i::int FROM t a LEFT SEMI JOIN u b ON a.v:i::int = b.v:i::int",
        "SELECT id FROM t a LEFT ANTI JOIN u b ON a.v:i::int = b.v:i::int",
        "SELECT a.id, b.id FROM t a JOIN t b ON a.v:i::int = b.v:i::int AND a.id < b.id",
        "SELECT a.v:i::int, b.v:t::string FROM t a JOIN t b ON a.id = b.id",
        "SELECT a.id FROM t a JOIN u b ON a.v:i::int > b.v:i::int AND a.v:t::string = b.v:t::string",
        "SELECT count(*) FROM t a CROSS JOIN u b WHERE a.v:i::int = b.v:i::int",
        "SELECT b.id, b.v, b.v IS NULL, b.v:i::int IS NULL FROM u a LEFT JOIN t b ON a.id + 50 = b.id",
        "SELECT a.v, b.v FROM t a FULL JOIN u b USING (id)",
        (
            "SELECT /*+ BROADCAST(b) */ a.id, b.v:i::int FROM t a LEFT JOIN u b "
            "ON a.v:t::string = b.v:t::string AND b.v:i::int > 1"
        ),
        "SELECT /*+ MERGE(b) */ a.id, b.v:i::int FROM t a FULL JOIN u b ON a.v:t::string = b.v:t::string",
        "SELECT id, a.v:i::int, b.v:i::int FROM t a JOIN u b USING (id)",
        (
            "SELECT a.id FROM t a JOIN u b ON a.v:o.p::string = b.v:o.p::string WHERE a.v:t::string = 'a' "
            "OR b.v:t::string = 'a'"
        ),
        "SELECT count(a.v), count(b.v) FROM t a LEFT JOIN u b ON a.id = b.id",
        "SELECT * FROM (SELECT id, v:i::int i FROM t) NATURAL JOIN (SELECT id, v:i::int i FROM u)",
        "SELECT is_variant_null(b.v:i), b.v:i FROM t a LEFT JOIN u b ON a.id = b.id + 1",
        "SELECT a.id, b.v:x::int FROM u a LEFT JOIN t b ON a.id = b.id AND b.id = 0",
        "SELECT a.v:i::int, c.v:t::string FROM t a JOIN u b ON a.id = b.id JOIN t c ON c.v:i::int = b.v:i::int",
        "SELECT a.id, q.m FROM t a, LATERAL (SELECT max(b.v:i::int) m FROM u b WHERE b.v:t::string = a.v:t::string) q",
        "SELECT to_json(b.v) FROM t a LEFT JOIN u b ON a.id = b.id",
    ],
    "window": [
        "SELECT id, row_number() OVER (PARTITION BY v:t::string ORDER BY v:i::int, id) FROM t",
        "SELECT id, sum(v:i::int) OVER (PARTITION BY k) FROM t",
        "SELECT id, lag(v:i::int) OVER (ORDER BY id), first_value(v:t::string) OVER (ORDER BY id) FROM t",
        "SELECT id, lead(v) OVER (ORDER BY id) FROM t",
        "SELECT * FROM (SELECT id, rank() OVER (PARTITION BY k ORDER BY v:i::int DESC) r FROM t) WHERE r <= 2",
        "SELECT v:i::int FROM t QUALIFY row_number() OVER (PARTITION BY v:t::string ORDER BY id) = 1",
        "SELECT v:i::int, r FROM (SELECT v, row_number() OVER (PARTITION BY k ORDER BY id) r FROM t) WHERE r = 1",
    ],
    "set operations": [
        "SELECT v:i::int FROM t UNION ALL SELECT v:i::int FROM u",
        "SELECT v:t::string FROM t UNION SELECT v:t::string FROM u",
        "SELECT v:t::string FROM t INTERSECT SELECT v:t::string FROM u",
        "SELECT v:i::int FROM t EXCEPT SELECT v:i::int FROM u",
        "SELECT v:i::int FROM (SELECT v FROM t UNION ALL SELECT v FROM u)",
        "SELECT sum(v:i::int), count(v) FROM (SELECT v FROM t UNION ALL SELECT v FROM u)",
        "SELECT v:i::string FROM (SELECT v FROM t UNION ALL SELECT w FROM t)",
        "SELECT v:t::string, count(*) FROM (SELECT v, id FROM t UNION ALL SELECT v, id FROM t) GROUP BY 1",
        "SELECT v:i::int FROM t EXCEPT ALL SELECT v:i::int FROM u",
        "SELECT id, v FROM (SELECT id, v FROM t UNION ALL SELECT id, v:o FROM u) WHERE v:p::string = '1'",
    ],
    "generate": [
        "SELECT id, e.value FROM t, LATERAL variant_explode(v:l) e",
        "SELECT id, e.pos, e.key, e.value FROM t, LATERAL variant_explode(v:o) e",
        "SELECT id, key FROM t, LATERAL variant_explode(v)",
        "SELECT id, e.value:x FROM t, LATERAL variant_explode_outer(v:ls) e",
        "SELECT id, explode(try_cast(v:l AS ARRAY<STRING>)) FROM t",
        "SELECT v:i::int, x FROM t LATERAL VIEW explode(array(1, 2)) AS x",
        (
            "SELECT id, x, v:t::string FROM t LATERAL VIEW OUTER explode(try_cast(v:l AS ARRAY<STRING>)) AS x "
            "WHERE v:i::int > 0"
        ),
        "SELECT x, count(*) FROM t LATERAL VIEW explode(try_cast(v:l AS ARRAY<STRING>)) AS x GROUP BY x",
        "SELECT posexplode_outer(try_variant_get(v, '$.ls', 'array<struct<x: int>>')) FROM t",
        "SELECT id, stack(2, v:i::string, v:t::string) FROM t",
        "SELECT inline(array(struct(v:i::int AS i, v:t AS t))) FROM t",
    ],
    "names": [
        "WITH q AS (SELECT id, v:i::int i, v FROM t) SELECT a.i, b.v:t::string FROM q a JOIN q b ON a.id = b.id",
        "WITH q AS (SELECT v FROM t) SELECT (SELECT max(v:i::int) FROM q), count(v:t) FROM q",
        (
            "WITH q AS (SELECT v:t::string t, sum(v:i::int) s FROM t GROUP BY 1) SELECT * FROM q UNION ALL "
            "SELECT t, s + 1 FROM q"
        ),
        "WITH a AS (SELECT v:o o, id FROM t), b AS (SELECT o:r r FROM a) SELECT r:z, r FROM b",
        (
            "WITH q AS (SELECT v, rand() r, id FROM t) SELECT a.v:i::int, b.v:t::string FROM q a JOIN q b "
            "ON a.id = b.id AND a.r = b.r"
        ),
        "FROM t |> WHERE v:i::int > 0 |> AGGREGATE count(*) GROUP BY v:t::string",
    ],
    "subqueries": [
        "SELECT id FROM t WHERE v:i::int = (SELECT max(v:i::int) FROM t)",
        "SELECT id FROM t WHERE v:i::int IN (SELECT v:i::int FROM u)",
        "SELECT id FROM t WHERE v:i::int NOT IN (SELECT v:i::int FROM u WHERE v IS NOT NULL)",
        "SELECT id FROM t a WHERE EXISTS (SELECT 1 FROM u b WHERE b.v:i::int = a.v:i::int)",
        "SELECT id FROM t a WHERE NOT EXISTS (SELECT 1 FROM u b WHERE b.v:i::int = a.v:i::int AND b.v:t::string = 'a')",
        "SELECT id, (SELECT max(b.v:i::int) FROM u b WHERE b.v:t::string = a.v:t::string) FROM t a",
        (
            "SELECT id FROM t WHERE v:i::int > (SELECT avg(v:i::int) FROM u) "
            "AND v:t::string IN (SELECT v:t::string FROM u)"
        ),
        "SELECT id, v:i::int IN (SELECT v:i::int FROM u WHERE v:i::int IS NOT NULL) FROM t",
        "SELECT (SELECT count(v) FROM t), (SELECT sum(v:i::int) FROM t)",
        "SELECT k FROM t GROUP BY k HAVING max(v:i::int) > (SELECT min(v:i::int) FROM u)",
        "SELECT id FROM t WHERE (v:i::int, v:t::string) IN (SELECT v:i::int, v:t::string FROM u)",
        "SELECT id FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.v:i::int = a.v:i::int AND b.id <> a.id)",
        "SELECT count(*) FROM t WHERE EXISTS (SELECT v:x::int FROM u WHERE v:i::int > 100)",
        "SELECT id FROM u a WHERE a.v:i::int IN (SELECT b.v:i::int FROM t b WHERE b.v:t::string = a.v:t::string)",
    ],
    "pivot": [
        "SELECT * FROM (SELECT k, v:t::string t, v:i::int i FROM t) PIVOT (sum(i) FOR t IN ('a', 'b'))",
        "SELECT * FROM (SELECT id, v:i::string a, v:t::string b FROM t) UNPIVOT (x FOR n IN (a, b))",
    ],
}

# Strict casts that fail in some rows of `t`. Here not every row meets them, and Spark answers.
SPARED = [
    "SELECT sum(v:x::int) FROM t WHERE id = 0",
    "SELECT sum(v:x::int) FILTER (WHERE id = 0) FROM t",
    "SELECT sum(CASE WHEN id = 0 THEN v:x::int END) FROM t",
    "SELECT sum(v:never::int + v:x::int) FROM t",
    "SELECT sum(coalesce(id, v:x::int)) FROM t",
    "SELECT sum(x) FROM (SELECT v:x::int AS x, id FROM t) WHERE id = 0",
    "SELECT sum(x) FROM (SELECT CASE WHEN id = 0 THEN v:x::int END AS x FROM t)",
    "SELECT sum(v:x::int) FROM (SELECT * FROM t ORDER BY id LIMIT 1)",
    "SELECT sum(a.v:x::int) FROM t a JOIN u b ON a.id = b.id AND b.id = 0",
    "SELECT count(*) FROM t WHERE id < 0 AND v:x::int > 5",
    "SELECT count(*) FROM t WHERE v IS NULL AND v:x::int > 5",
    "SELECT count(*) FROM t WHERE s.v:never::int IS NOT NULL AND v:x::int > 5",
    "SELECT count(*) FROM t WHERE id > 0 OR v:x::int > 5",
    "SELECT CASE WHEN id = 0 THEN v:x::int END FROM t",
    "SELECT id, v:x::int FROM t WHERE id = 0",
    "SELECT a.id, sum(b.x) FROM u a LEFT JOIN (SELECT id, CASE WHEN id = 0 THEN v:x::int END AS x FROM t) b"
    " ON a.id = b.id WHERE a.v:i::int IS NOT NULL GROUP BY a.id",
]
# Here they do, and Spark raises.
MET = [
    "SELECT sum(v:x::int) FROM t",
    "SELECT avg(v:num::double), count(v:i::int) FROM t",
    "SELECT sum(5 - v:x::int) FROM t",
    "SELECT count(-v:x::smallint) FROM t GROUP BY k",
    "SELECT v:x::int, count(*) FROM t GROUP BY 1",
    "SELECT max(b:x::int) FROM (SELECT v AS b FROM t)",
    "SELECT sum(x) FROM (SELECT v:x::int AS x FROM t)",
    "SELECT sum(v:l[0]::int) FROM t",
    "SELECT max(s.v:b::int) FROM t",
    "SELECT count(*) FROM t WHERE v:x::int > 5 AND coalesce(id, 0) < 0",
    "SELECT count(*) FROM t WHERE v:x::int IS NULL",
    "SELECT id FROM t WHERE v IS NOT NULL AND v:x::int > 5",
    "SELECT v:x::int FROM t",
    "SELECT v:l::array<int>, v:o::struct<p: int> FROM t ORDER BY id",
]

# Over `p`, the rows of `t` partitioned by `k`: what a scan has taken over by the time that it is taken back.
PARTITIONED = [
    "SELECT id, v:i::int FROM p WHERE k = 'k1'",
    "SELECT count(*), sum(v:i::bigint) FROM p WHERE k IN ('k1', 'k2') AND v:t::string >= 'a'",
    "SELECT k, max(v:i::int) FROM p WHERE k > 'k2' GROUP BY k",
    "SELECT max(v:i::int) FROM p WHERE k = 'none'",
    "SELECT s.v:b::string, s.n FROM p WHERE k = 'k3' AND s.v:a IS NOT NULL",
    "SELECT s.v:b::string, v:t::string FROM p WHERE upper(k) = 'K4' AND s.x LIKE 'x%' LIMIT 100",
    "SELECT a.v:t::string, b.k FROM p a JOIN p b ON a.v:i::int = b.v:i::int WHERE a.k = 'k1' AND b.k <> 'k2'",
    "SELECT id, v FROM p WHERE k = 'k5' AND EXISTS (SELECT 1 FROM u WHERE u.v:i::int = p.v:i::int)",
    "SELECT v:i::int FROM p WHERE k = (SELECT max(k) FROM p) UNION ALL SELECT v:i::int FROM p WHERE k = 'k0'",
]
