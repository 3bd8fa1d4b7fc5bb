"""Queries of the path tests, with plans of every form: SQL over the tables `t` and `u` of path_tables."""

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
        "SELECT sum(CASE WHEN id = 0 THEN v:x::int END) FROM"
        " (SELECT id, v FROM u UNION ALL SELECT id, v FROM u WHERE v:x::int IS NULL UNION ALL SELECT id, v FROM t)",
        "SELECT sum(CASE WHEN id = 0 THEN b:x::int END) FROM"
        " (SELECT id, v AS b FROM u WHERE v:x::int IS NULL UNION ALL SELECT id, v FROM t)",
        # Spark moves an expression of one projection to its only use in the next.
        "SELECT CASE WHEN id = 0 THEN x END, r + r < 3 FROM (SELECT v:x::int AS x, id, rand(1) AS r FROM t)",
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

# query: the condition of the error that Spark raises for it
REFUSED = {
    "SELECT id FROM t WHERE v:i = 1": "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
    "SELECT sum(v:x::int) FROM t": "INVALID_VARIANT_CAST",
    "SELECT v, count(*) FROM t GROUP BY v": "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE",
    "SELECT v:i, count(*) FROM t GROUP BY v:i": "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE",
    "SELECT v FROM t ORDER BY v": "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
    "SELECT a.id, q.m FROM t a, LATERAL (SELECT max(b.v:i::int) m FROM u b WHERE b.v:t::string = a.v:t::string) q":
        "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_REFERENCE_DATA_TYPE",
    "SELECT id, (SELECT max(b.v:i::int) FROM u b WHERE b.v:t::string = a.v:t::string) FROM t a":
        "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_REFERENCE_DATA_TYPE",
}  # fmt: skip

# Queries over `p`, the rows of `t` partitioned by `k`. The scan has pushed filters and columns when the late rule
# builds it again.
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
