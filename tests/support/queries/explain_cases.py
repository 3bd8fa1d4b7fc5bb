"""For each plan form, the leaves that EXPLAIN must show, over the tables `t` and `u` of path_tables.

An entry is a path in SQL syntax, `v.a`, `v.o.p`, v.`k.dot`, with `[*]` for array elements. The entry of a plain column,
or of a variant that is read whole, is its name. A plan with several scans has a list for each.
"""

# The test whether a variant is NULL, which reads neither a path nor the whole variant.
PRESENCE = "v present"

CASES = [
    # project
    ("SELECT v:i::bigint FROM t", ["v.i"]),
    ("SELECT v:i FROM t", ["v.i"]),
    ("SELECT CAST(v:i AS INT), v:t::string FROM t", ["v.i", "v.t"]),
    ("SELECT try_cast(v:x AS INT) FROM t", ["v.x"]),
    ("SELECT variant_get(v, '$.i', 'int'), try_variant_get(v, '$.i', 'double'), v:i::string FROM t", ["v.i"]),
    ("SELECT id, k, v:o.p::string FROM t", ["id", "k", "v.o.p"]),
    ("SELECT try_variant_get(v, '$.o.r.z', 'boolean') FROM t", ["v.o.r.z"]),
    (
        "SELECT v:['k.dot']::string, v:`k space`::string, v:`ünï`::string FROM t",
        ["v.`k.dot`", "v.`k space`", "v.`ünï`"],
    ),
    ("""SELECT try_variant_get(v, '$[""]', 'int') FROM t""", ["v.``"]),
    ("SELECT try_cast(v:l[0] AS INT), try_cast(v:l[5] AS INT) FROM t", ["v.l[*]"]),
    ("SELECT try_cast(v:ls[0].x AS INT), v:ll[0][1]::string FROM t", ["v.ls[*].x", "v.ll[*][*]"]),
    ("SELECT try_cast(v:l AS ARRAY<INT>) FROM t", ["v.l"]),
    ("SELECT v:o, v:o.p FROM t", ["v.o", "v.o.p"]),
    ("SELECT is_variant_null(v:x), to_json(v:o), schema_of_variant(v:l) FROM t", ["v.x", "v.o", "v.l"]),
    ("SELECT v:never::int FROM t", ["v.never"]),
    ("SELECT x:p::string, x:r:z FROM (SELECT v:o AS x FROM t) q", ["v.o.p", "v.o.r.z"]),
    (
        "SELECT x, x:p::string, y:z FROM (SELECT x, x:r AS y FROM (SELECT v:o AS x FROM t)) q",
        ["v.o", "v.o.p", "v.o.r.z"],
    ),
    ("SELECT max(x:p::string) FROM (SELECT v:o AS x FROM t) WHERE x IS NOT NULL", ["v.o", "v.o.p"]),
    ("SELECT b:i::int FROM (SELECT v AS b, id FROM t) q", ["v.i"]),
    ("SELECT z.a:i::int, z.b FROM (SELECT struct(v AS a, id AS b) AS z FROM t) q", ["v.i", "id"]),
    ("SELECT s.v:b::string FROM t", ["s.v.b"]),
    ("SELECT s.n, s.v:b::string FROM t", ["s", "s.v.b"]),
    ("SELECT w:i::string, v:i::int FROM t", ["w.i", "v.i"]),
    ("SELECT CASE WHEN id < 3 THEN v:x::int END, COALESCE(v:t::string, k) FROM t", ["id", "k", "v.x", "v.t"]),
    # the whole variant, alone and together with paths
    ("SELECT v FROM t", ["v"]),
    ("SELECT to_json(v) FROM t", ["v"]),
    ("SELECT to_json(v:o), v:o.p::int FROM t", ["v.o", "v.o.p"]),
    ("SELECT count(to_json(v:never)) FROM t WHERE to_json(v) LIKE '%x%'", ["v.never", "v"]),
    ("SELECT v, v:i::int FROM t", ["v", "v.i"]),
    ("SELECT v FROM t WHERE v:i::int = 1", ["v", "v.i"]),
    ("SELECT schema_of_variant(v) FROM t", ["v"]),
    # presence
    ("SELECT count(v) FROM t", [PRESENCE]),
    ("SELECT v IS NULL FROM t", [PRESENCE]),
    ("SELECT id FROM t WHERE v IS NOT NULL", ["id", PRESENCE]),
    ("SELECT id FROM t WHERE v IS NOT NULL AND v:i::int > 1", ["id", "v.i"]),
    ("SELECT count(*) FROM t", []),
    # filter
    ("SELECT id FROM t WHERE v:i::int > 1", ["id", "v.i"]),
    ("SELECT v:t::string FROM t WHERE v:i::int > 1 AND v:rare IS NOT NULL", ["v.t", "v.i", "v.rare"]),
    ("SELECT id FROM t WHERE v:t::string LIKE 'a%' OR v:t::string IN ('b', 'c')", ["id", "v.t"]),
    # aggregate, group by, having
    ("SELECT sum(v:i::bigint) FROM t", ["v.i"]),
    ("SELECT count(v:i), min(v:i::int), max(v:i::int), avg(v:n::double) FROM t", ["v.i", "v.n"]),
    ("SELECT v:t::string, count(DISTINCT v:i::int) FROM t WHERE v:rare::int > 0 GROUP BY 1", ["v.t", "v.i", "v.rare"]),
    ("SELECT v:t::string t FROM t GROUP BY 1 HAVING max(v:i::int) > 1", ["v.t", "v.i"]),
    ("SELECT v:t::string, k, count(*) FROM t GROUP BY CUBE (1, 2)", ["v.t", "k"]),
    ("SELECT k, sum(v:i::int), count(w) FROM t GROUP BY ROLLUP (k, v:t::string)", ["k", "v.i", "v.t", "w present"]),
    ("SELECT DISTINCT v:t::string FROM t", ["v.t"]),
    # the variant of one row
    ("SELECT first(v):i::int FROM t", ["v.i"]),
    ("SELECT k, any_value(v):t::string, last(v):o:p, count(*) FROM t GROUP BY k", ["k", "v.t", "v.o.p"]),
    ("SELECT x:i::int, x IS NULL FROM (SELECT k, max_by(v, v:i::int) AS x FROM t GROUP BY k)", ["k", "v.i", PRESENCE]),
    # order and limit
    ("SELECT id FROM t ORDER BY v:i::int LIMIT 5", ["id", "v.i"]),
    ("SELECT v:t::string FROM t ORDER BY v:t::string, v:i::int", ["v.t", "v.i"]),
    ("SELECT v:i::int FROM t LIMIT 5 OFFSET 2", ["v.i"]),
    ("SELECT v:i::int FROM (SELECT * FROM t ORDER BY id LIMIT 10)", ["id", "v.i"]),
    # joins
    # Spark adds `v IS NOT NULL` below a join; the comparison of the join implies it.
    ("SELECT a.id FROM t a JOIN u b ON a.v:i::int = b.v:i::int", [["id", "v.i"], ["v.i"]]),
    (
        "SELECT a.k, b.v:o.p::int FROM t a LEFT JOIN u b ON a.v:t::string = b.v:t::string",
        [["k", "v.t"], ["v.t", "v.o.p"]],
    ),
    ("SELECT a.k FROM t a RIGHT JOIN u b ON a.v:t::string = b.v:t::string", [["k", "v.t"], ["v.t"]]),
    ("SELECT a.v:i::int FROM t a FULL JOIN u b ON a.v:t::string = b.v:t::string", [["v.i", "v.t"], ["v.t"]]),
    ("SELECT a.k FROM t a LEFT SEMI JOIN u b ON a.v:i::int = b.v:i::int", [["k", "v.i"], ["v.i"]]),
    ("SELECT a.k FROM t a LEFT ANTI JOIN u b ON a.v:i::int = b.v:i::int", [["k", "v.i"], ["v.i"]]),
    ("SELECT a.k, b.v:t::string FROM t a JOIN t b ON a.v:i::int = b.v:i::int", [["k", "v.i"], ["v.i", "v.t"]]),
    (
        "SELECT a.k, b.v IS NULL, b.v:i::int FROM t a LEFT JOIN u b ON a.id = b.id",
        [["k", "id"], ["id", "v.i", PRESENCE]],
    ),
    ("SELECT a.v:i::int, b.v:o.p::int FROM t a CROSS JOIN u b", [["v.i"], ["v.o.p"]]),
    (
        "SELECT a.k FROM t a CROSS JOIN u b WHERE a.v:i::int < b.v:i::int AND b.v:t::string = 'a'",
        [["k", "v.i"], ["v.i", "v.t"]],
    ),
    (
        "SELECT a.k, q.m FROM t a, LATERAL (SELECT max(b.v:i::int) m FROM u b WHERE b.id = a.id) q",
        [["k", "id"], ["id", "v.i"], ["id"]],
    ),
    ("SELECT a.k, q.x FROM t a, LATERAL (SELECT a.v:i::int + 1 AS x) q", ["k", "v.i"]),
    # window, union, generate
    ("SELECT row_number() OVER (PARTITION BY v:t::string ORDER BY v:i::int) FROM t", ["v.t", "v.i"]),
    ("SELECT v:i::int, r FROM (SELECT v, rank() OVER (ORDER BY id) r FROM t) WHERE r < 9", ["v.i", "id"]),
    ("SELECT v:i::int FROM t UNION ALL SELECT v:t::int FROM u", [["v.i"], ["v.t"]]),
    ("SELECT v:i::int FROM (SELECT v FROM t UNION ALL SELECT v FROM u)", [["v.i"], ["v.i"]]),
    (
        "SELECT sum(v:i::int), count(v) FROM (SELECT v FROM t UNION ALL SELECT v FROM u)",
        [["v.i", PRESENCE], ["v.i", PRESENCE]],
    ),
    (
        "SELECT b:t::string, max(b:i::int) FROM (SELECT v AS b FROM t UNION ALL SELECT v FROM u"
        " UNION ALL SELECT w FROM t) GROUP BY 1",
        [["v.i", "v.t"], ["v.i", "v.t"], ["w.i", "w.t"]],
    ),
    ("SELECT max(b:p::int) FROM (SELECT v:o AS b FROM t UNION ALL SELECT v FROM u)", [["v.o.p"], ["v.p"]]),
    (
        "SELECT a.id FROM t a JOIN (SELECT id, v FROM t UNION ALL SELECT id, v FROM u) b"
        " ON a.id = b.id WHERE a.v:i::int = b.v:i::int",
        [["id", "v.i"], ["id", "v.i", PRESENCE], ["id", "v.i", PRESENCE]],
    ),
    ("SELECT count(b:i::int) FROM (SELECT v AS b FROM t UNION ALL SELECT parse_json('{}'))", ["v"]),
    ("SELECT v:t::string FROM t INTERSECT SELECT v:i::string FROM u", [["v.t"], ["v.i"]]),
    ("SELECT v:t::string FROM t EXCEPT SELECT v:i::string FROM u", [["v.t"], ["v.i"]]),
    ("SELECT v:t::string FROM t EXCEPT ALL SELECT v:i::string FROM u", [["v.t"], ["v.i"]]),
    ("SELECT id, e.value FROM t, LATERAL variant_explode(v:l) e", ["id", "v.l"]),
    ("SELECT v:i::int, x FROM t LATERAL VIEW explode(array(1, 2)) AS x", ["v.i"]),
    ("SELECT explode(try_cast(v:l AS ARRAY<STRING>)) FROM t", ["v.l"]),
    (
        "SELECT * FROM (SELECT id, v:i::string a, v:t::string b FROM t) UNPIVOT (x FOR n IN (a, b))",
        ["id", "v.i", "v.t"],
    ),
    # CTEs and subqueries
    (
        "WITH q AS (SELECT id, v FROM t) SELECT a.v:i::int, b.v:t::string FROM q a JOIN q b USING (id)",
        [["id", "v.i"], ["id", "v.t"]],
    ),
    # Spark does not inline a CTE that is not deterministic.
    (
        "WITH q AS (SELECT id, v:i::int i, v:t::string t, rand() r FROM t)"
        " SELECT a.i, b.t FROM q a JOIN q b USING (id, r)",
        [["id", "v.i", "v.t"], ["id", "v.i", "v.t"]],
    ),
    ("SELECT id FROM t WHERE v:i::int = (SELECT max(v:t::int) FROM u)", [["id", "v.i"], ["v.t"]]),
    ("SELECT id FROM t WHERE v:i::int IN (SELECT v:t::int FROM u)", [["id", "v.i"], ["v.t"]]),
    (
        "SELECT k FROM t a WHERE EXISTS (SELECT 1 FROM u b WHERE b.id = a.id AND b.v:i::int > 1)",
        [["k", "id"], ["id", "v.i"]],
    ),
    ("SELECT k FROM t a WHERE EXISTS (SELECT 1 FROM u b WHERE b.v:i::int = a.v:i::int)", [["k", "v.i"], ["v.i"]]),
    ("SELECT k FROM t a WHERE NOT EXISTS (SELECT 1 FROM u b WHERE b.v:i::int = a.v:i::int)", [["k", "v.i"], ["v.i"]]),
    (
        "SELECT k FROM t a WHERE a.v:i::int IN (SELECT b.v:i::int FROM u b WHERE b.id < a.v:x::int)",
        [["k", "v.i", "v.x"], ["id", "v.i"]],
    ),
    ("SELECT k, (SELECT max(b.v:i::int) FROM u b WHERE b.id = t.id) FROM t", [["k", "id"], ["id", "v.i"]]),
    (
        "SELECT * FROM (SELECT k, v:t::string t, v:i::int i FROM t) PIVOT (sum(i) FOR t IN ('a', 'b'))",
        ["k", "v.t", "v.i"],
    ),
]

# The reasons that EXPLAIN shows for each column that is read whole.
WHOLE = [
    ("SELECT v FROM t", ["v: passed on"]),
    ("SELECT id, v AS a, w FROM t WHERE v:i::int = 1", ["v: passed on; w: passed on"]),
    ("SELECT a.v, b.v:i::int FROM t a JOIN u b ON a.id = b.id", ["v: passed on"]),
    ("SELECT x FROM (SELECT v AS x FROM t UNION ALL SELECT v FROM u)", ["v: passed on", "v: passed on"]),
    ("SELECT s FROM t", ["s: passed on"]),
    ("SELECT schema_of_variant(v), v:i::int FROM t", ["v: schema_of_variant(v) takes it whole"]),
    ("SELECT max(x) FROM (SELECT is_variant_null(v) AS x FROM t)", ["v: is_variant_null(v) takes it whole"]),
    ("SELECT first(v, true):i::int FROM t", ["v: first(v) takes it whole"]),
    ("SELECT COALESCE(v, w):i::string FROM t", ["v: coalesce(v, w) takes it whole; w: coalesce(v, w) takes it whole"]),
    ("SELECT id FROM t, LATERAL variant_explode(v)", ["v: variant_explode(v) takes it whole"]),
    ("SELECT try_variant_get(v, k, 'int') FROM t", ["v: try_variant_get(v, k) has a path that is not constant"]),
    (
        "SELECT try_variant_get(b, k) FROM (SELECT v AS b, k FROM t) WHERE b:i::int > 1",
        ["v: try_variant_get(v, k) has a path that is not constant"],
    ),
    (
        "SELECT count(b:i::int) FROM (SELECT v AS b FROM t UNION ALL SELECT parse_json('{}'))",
        ["v: CAST(variant_get(b, $.i) AS INT) is above a node that does not pass columns on"],
    ),
    (
        "SELECT count(b) FROM (SELECT v AS b FROM t UNION ALL SELECT parse_json('{}'))",
        ["v: count(b) is above a node that does not pass columns on"],
    ),
    ("SELECT v:i::int, s.n, s.v:a::string, count(*) FROM t WHERE w:t IS NOT NULL GROUP BY ALL", []),
    ("SELECT v IS NULL, v::string FROM t", []),
]
