"""Queries with strict casts: of the path tests over `t`, and of the tests of strict casts over `p` and `k`."""

# The cast fails for some rows of `t`, but Spark does not evaluate it for these, and raises no error.
WITHOUT_ERROR = [
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
    # One child of a union evaluates the cast for each of its rows, the other children do not.
    "SELECT sum(CASE WHEN id = 0 THEN v:x::int END) FROM"
    " (SELECT id, v FROM u WHERE v:x::int IS NULL UNION ALL SELECT id, v FROM t)",
    "SELECT sum(CASE WHEN id = 0 THEN v:x::int END) FROM (SELECT id, v FROM"
    " (SELECT id, v FROM u WHERE v:x::int IS NULL UNION ALL SELECT id, w FROM t) UNION ALL SELECT id, v FROM t)",
    "SELECT a.id, sum(CASE WHEN a.id = 0 THEN a.v:x::int END) FROM"
    " (SELECT id, v FROM u WHERE v:x::int IS NULL UNION ALL SELECT id, v FROM t) a JOIN u ON a.id = u.id GROUP BY 1",
    # Operators that evaluate their right side first, and skip the left side where the right one is NULL.
    "SELECT sum(v:x::int / w:never::int) FROM t",
    "SELECT sum(v:x::int DIV w:never::int) FROM t",
    "SELECT sum(v:x::int % w:never::int) FROM t",
    "SELECT sum(pmod(v:x::int, w:never::int)) FROM t",
    "SELECT sum(try_divide(v:x::int, w:never::int)) FROM t",
    "SELECT id FROM t ORDER BY v:x::int / w:never::int, id LIMIT 3",
    "SELECT id FROM t ORDER BY v:x::int / w:never::int, id",
    "SELECT v:x::int / w:never::int FROM t",
    "SELECT count(*) FROM t WHERE v:x::int / w:never::int > 5",
    "SELECT v:x::int / w:never::int, count(*) FROM t GROUP BY 1",
    # A sort compares rows by its second key only where their first keys are equal.
    "SELECT id FROM t ORDER BY id, v:x::int LIMIT 3",
]
# Spark evaluates the cast for all rows, and raises an error.
WITH_ERROR = [
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
    "SELECT sum(5 / v:x::int) FROM t",
    "SELECT sum(v:x::int / 5) FROM t",
    "SELECT sum(coalesce(v:x::int, id)) FROM t",
    "SELECT sum(CASE WHEN v:x::int > 5 THEN id END) FROM t",
    "SELECT max(greatest(id, v:x::int)) FROM t",
    "SELECT count(*) FROM t WHERE id <=> v:x::int",
    "SELECT id FROM t ORDER BY v:x::int, id",
    "SELECT id, v:x::int AS x FROM t ORDER BY id, x LIMIT 3",
]
# A part of each value cannot be cast, so that each query raises the error of the cast.
PARTS = [
    "SELECT count(v:a::array<int>) FROM p",
    "SELECT max(v:a::array<int>) FROM p",
    "SELECT count(*) FILTER (WHERE v:a::array<int> IS NULL) FROM p",
    "SELECT id FROM p WHERE v:a::array<int> IS NULL",
    "SELECT id FROM p WHERE v:a::array<int> IS NOT NULL",
    "SELECT id FROM p WHERE v:a::array<int>[0] > 9",
    "SELECT id FROM p WHERE variant_get(v, '$.o', 'struct<n: int>').n > 9",
    "SELECT id, explode(v:a::array<int>) FROM p",
    "SELECT id FROM p ORDER BY v:a::array<int>",
    "SELECT id FROM p ORDER BY v:a::array<int> DESC LIMIT 1",
]
# Two spellings of one path: Spark evaluates neither where k is NULL.
SPELLINGS = [
    "SELECT id, k + v:a::int, k * variant_get(v, '$.a', 'int') FROM k",
    "SELECT id FROM k WHERE k > v:a::int + variant_get(v, '$.a', 'int')",
    "SELECT id, k + variant_get(v, '$.a', 'int'), k - variant_get(v, '$[\"a\"]', 'int') FROM k",
    "SELECT id, k + variant_get(v:a, '$', 'int'), k - v:a::int, k * variant_get(v, '$.a', 'int') FROM k",
    "SELECT sum(k + v:a::int), sum(k * variant_get(v, '$.a', 'int')) FROM k",
    "SELECT x.id, x.k + x.v:a::int, x.k - variant_get(x.v, '$.a', 'int') FROM k x JOIN k y ON x.id = y.id",
]
# Spark moves a `variant_get` of a column below aggregates and joins, in sessions that attach late.
MOVED = [
    "SELECT sum(CAST(v AS STRUCT<a: INT>).a) FILTER (WHERE k IS NOT NULL) FROM k",
    "SELECT sum(variant_get(s.v, '$.a', 'int')) FILTER (WHERE k IS NOT NULL) FROM k",
    "SELECT sum(if(x.k > 0, variant_get(x.v, '$.a', 'int'), 0)), count(y.k + variant_get(y.v, '$.b', 'int')) FROM k x"
    " JOIN k y ON x.id = y.id",
    "SELECT sum(variant_get(v, '$.a', 'int')) FILTER (WHERE k IS NOT NULL) FROM k",
    "SELECT sum(variant_get(v, '$.a', 'int')) FILTER (WHERE try_variant_get(v, '$.a', 'int') IN (1, 2, 5)) FROM k",
    "SELECT k % 2, sum(if(k > 0, variant_get(v, '$.a', 'int') + variant_get(v, '$.b', 'int'), 0)) FROM k GROUP BY 1",
    "SELECT x.id, y.id FROM k x LEFT JOIN k y ON x.id = y.id AND NOT isnull(x.k)"
    " AND variant_get(x.v, '$.a', 'int') > 2",
    "SELECT x.id, y.id FROM k x LEFT JOIN k y ON x.k = y.k AND variant_get(x.v, '$.a', 'int') >="
    " variant_get(y.v, '$.a', 'int')",
    "SELECT x.id, variant_get(y.v, '$.a', 'int') FROM k x JOIN k y ON x.k = y.k",
    "SELECT sum(variant_get(y.v, '$.a', 'int')) FROM k x JOIN k y ON x.k = y.k",
    "SELECT x.id FROM k x JOIN k y ON x.k = y.k ORDER BY variant_get(y.v, '$.a', 'int'), x.id",
    "SELECT id FROM (SELECT * FROM k ORDER BY id LIMIT 3) ORDER BY variant_get(v, '$.a', 'int'), id",
    "SELECT sum(variant_get(w, '$.a', 'int')) FILTER (WHERE k IS NOT NULL) FROM (SELECT k, v AS w FROM k)",
    "SELECT x.id FROM k x LEFT SEMI JOIN k y ON x.k = y.k AND x.k > 1 AND variant_get(x.v, '$.a', 'int') > y.k - 1",
]
