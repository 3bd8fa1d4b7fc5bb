"""Tables with maps and hot keys, and queries on them: each lookup in each plan, with the leaves that it may read."""

import json
import random

from pyspark.sql.types import VariantVal


def _random_key(seed):
    """A key of characters from all planes of Unicode; a seed gives the same key again."""
    chance = random.Random(seed)
    places = [chance.choice((0x20, 0x80, 0x800, 0xE000, 0x10000)) for _ in range(chance.randint(3, 9))]
    ends = {0x20: 0x7F, 0x80: 0x7FF, 0x800: 0xD7FF, 0xE000: 0xFFFD, 0x10000: 0x10FFFF}
    return "".join(chr(chance.randint(place, ends[place])) for place in places)


ODD_KEYS = [
    "", "a,b", "x.y", "it's", 'say "hi"', " padded ", "ünï \U0001f600", "back`tick", "[x", "back\\slash", "line\nbreak",
    "__paimon_map_shred_m_0", "A", " ", "end ", "\ttab", "nul\0", "\0", "\xa0", "e\u0301", "\u202ertl", "*", "null",
    "k" * 300, *map(_random_key, range(4)),
]  # fmt: skip


def hot(column, keys, **more):
    """Options that give a map hot keys."""
    columns = ",".join([column, *more])
    named = {column: keys, **more}
    return {
        "parquet.map.shredding.columns": columns,
        **{f"parquet.map.shredding.{c}.keys": json.dumps(k) for c, k in named.items()},
    }


def quoted(key):
    return "'" + key.replace("\\", "\\\\").replace("'", "\\'") + "'"


SCHEMA = (
    "id INT, k STRING, m MAP<STRING, STRING>, n MAP<STRING, INT>, s STRUCT<a: INT, m: MAP<STRING, STRING>>, "
    "`x.y` STRUCT<`d.m`: MAP<STRING, BIGINT>>, v VARIANT, l ARRAY<MAP<STRING, INT>>"
)
MAPS = {
    "a NULL map": None,
    "an empty map": {},
    "only hot keys": {"a": "1", "b": "2"},
    "only cold keys": {"cold": "1", "colder": "2"},
    "hot and cold": {"a": "1", "cold": "2", "b": "3", "c": "4"},
    "a NULL of a hot key": {"a": None, "b": "1"},
    "nothing but a NULL of a hot key": {"a": None},
    "a NULL of a cold key": {"cold": None, "a": "5"},
    "a missing key": {"b": "9"},
    "an empty text": {"a": "", "cold": ""},
    "all odd keys": {key: f"<{key}>" for key in ODD_KEYS},
    "odd keys with NULL": dict.fromkeys(ODD_KEYS) | {"a": "7"},
}


def variant(id):
    """A document with a number or text `a`, and an object or null `o`; None in every fifth row."""
    if id % 5 == 4:
        return None
    return VariantVal.parseJson(
        json.dumps({"a": str(id % 4) if id % 3 else id % 4, "o": {"b": id} if id % 2 else None})
    )


def rows(first):
    """One row for each map; `first` is the id of the first."""
    result = []
    for i, m in enumerate(MAPS.values()):
        id = first + i
        n = None if m is None else {key: None if value is None else id * 10 + len(key) for key, value in m.items()}
        s = None if i == 3 else (id, m)
        d = None if i == 4 else (n,)
        result.append((id, f"k{id % 3}", m, n, s, d, variant(id), [n, None, {}] if i % 2 else None))
    return result


# The files of the table `t`: different hot keys, in different order, none.
FILES = [
    hot("m", ["a", "b", *ODD_KEYS], **{"n": ["a", "b"], "s.m": ["b", "a"], "`x.y`.`d.m`": ["a", "x.y"]}),
    hot("m", ["c", "b"], n=["b"]),
    {},
    hot("m", ["never", "a"], **{"s.m": ["a"]}),
]

LOOKUPS = [
    "m['a']", "m.a", "element_at(m, 'a')", "try_element_at(m, 'a')", "map_contains_key(m, 'a')", "m['cold']",
    "element_at(m, 'cold')", "map_contains_key(m, 'cold')", "m['never']", "map_contains_key(m, 'never')",
    "m['nowhere']",
    "map_contains_key(m, 'nowhere')", "m[concat('a', '')]", "m[k]", "m[NULL]", "m[CAST(NULL AS STRING)]", "m[1]",
    "n['a']", "n['a'] + 1", "n.b * 2", "n['cold']", "map_contains_key(n, 'b')", "array_contains(map_keys(m), 'b')",
    "s.m['a']", "s.m.b", "element_at(s.m, 'a')", "map_contains_key(s.m, 'a')", "s.m['cold']", "s.a + 1",
    "`x.y`.`d.m`['a']", "`x.y`.`d.m`['x.y']", "map_contains_key(`x.y`.`d.m`, 'x.y')",
    "l[0]['a']", "element_at(l, 1)['b']", "coalesce(m, map('a', 'none'))['a']", "upper(m['b'])", "m['a'] || m['b']",
    "m['a'] IS NULL", "m['a'] IS NOT NULL", "m IS NULL", "m IS NOT NULL", "s.m IS NULL", "m['cold'] = n['cold']",
    "CASE WHEN id < 20 THEN m['a'] ELSE m['b'] END", "struct(m['A'], m['a'])", "m[m['nowhere']]",
    "try_cast(m['a'] AS INT)", "IF(id > 9999, m[CAST(1 DIV 0 AS STRING)], 'x')",
    "IF(id > 9999, map_contains_key(m, CAST(1 DIV 0 AS STRING)), v:a::string = '1')",
    "size(m)", "cardinality(n)", "size(s.m)", "size(`x.y`.`d.m`)", "size(map_keys(m))", "array_size(map_keys(n))",
    "size(m) IS NULL", "coalesce(size(m), -5)", "sort_array(map_keys(m))", "sort_array(map_keys(s.m))",
    "map_keys(m) IS NULL", "size(map_keys(`x.y`.`d.m`))", "array_contains(map_keys(m), k)",
    "exists(map_keys(m), x -> x = 'b')", "struct(size(s.m), s.m['a'])", "map_contains_key(n, 'a') AND n['a'] > 3",
    "struct(map_contains_key(n, 'a'), n['a'], size(n))",
    *(f"m[{quoted(key)}]" for key in ODD_KEYS), *(f"map_contains_key(m, {quoted(key)})" for key in ODD_KEYS),
]  # fmt: skip
WHOLE = [
    "m", "n", "s", "s.m", "`x.y`", "l", "struct(m, size(m))", "size(l[0])", "sort_array(map_keys(l[0]))",
    "array_sort(map_values(m))", "map_filter(m, (k, x) -> x > '1')", "transform_values(n, (k, x) -> x + 1)",
    "map_entries(m) IS NULL", "size(map_concat(n, map('z', 1)))", "str_to_map('a:1')['a']", "struct(m, m['a'])",
    "aggregate(map_values(n), 0, (a, x) -> a + coalesce(x, 0))", "from_json(to_json(n), 'MAP<STRING, INT>')",
    "from_json(to_json(s), 'a INT, m MAP<STRING, STRING>')", "from_json(to_json(struct(m)), 'm MAP<STRING, STRING>')",
]  # fmt: skip

# (query, the leaves that its scans read, or None)
QUERIES = [
    ("SELECT id, m['a'] FROM t", ["id", "m['a']"]),
    ("SELECT id FROM t WHERE m['a'] = '1'", ["id", "m['a']"]),
    ("SELECT id FROM t WHERE m.a = '1' AND n['b'] > 3", ["id", "m['a']", "n['b']"]),
    ("SELECT id FROM t WHERE element_at(m, 'a') IN ('1', '5') OR try_element_at(m, 'b') IS NULL",
     ["id", "m['a']", "m['b']"]),
    ("SELECT id FROM t WHERE m['a'] IS NOT NULL", ["id", "m['a']"]),
    ("SELECT id FROM t WHERE m['a'] IS NULL", ["id", "m['a']"]),
    ("SELECT id FROM t WHERE m['a'] IS NULL AND m IS NOT NULL", ["id", "m['a']", "m present"]),
    ("SELECT id FROM t WHERE m IS NOT NULL AND m['b'] LIKE '1%'", ["id", "m['b']"]),
    ("SELECT id FROM t WHERE map_contains_key(m, 'a')", ["id", "m has 'a'"]),
    ("SELECT id FROM t WHERE NOT map_contains_key(m, 'b')", ["id", "m has 'b'"]),
    ("SELECT id FROM t WHERE m['a'] <=> NULL", ["id", "m['a']"]),
    ("SELECT count(m['a']), count(m), count(*), max(m['b']), min(n['a']) FROM t",
     ["m['a']", "m present", "m['b']", "n['a']"]),
    ("SELECT min(n['a']), max(n['a']), count(n['a']) FROM t", ["n['a']"]),
    ("SELECT sum(n['a']), count(DISTINCT m['a']) FROM t", ["n['a']", "m['a']"]),
    ("SELECT m['a'], count(*), sum(n['b']) FROM t GROUP BY m['a']", ["m['a']", "n['b']"]),
    ("SELECT m['a'], m['b'], count(*) FROM t GROUP BY m['a'], m['b'] WITH ROLLUP", ["m['a']", "m['b']"]),
    ("SELECT k, max(m['a']) AS x FROM t GROUP BY k HAVING max(m['a']) > '0'", ["k", "m['a']"]),
    ("SELECT id, m['a'] FROM t ORDER BY m['a'], id", ["id", "m['a']"]),
    ("SELECT id FROM t ORDER BY m['a'] NULLS LAST, id LIMIT 5", ["id", "m['a']"]),
    ("SELECT a.id, b.id FROM t a JOIN t b ON a.m['a'] = b.m['b']", ["id", "m['a']", "m['b']"]),
    ("SELECT a.id, b.m['b'] FROM t a LEFT JOIN t b ON a.n['a'] = b.n['a']", ["id", "m['b']", "n['a']"]),
    ("SELECT a.id FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.m['b'] = a.m['a'])", ["id", "m['a']", "m['b']"]),
    ("SELECT id FROM t WHERE m['a'] IN (SELECT m['b'] FROM t)", ["id", "m['a']", "m['b']"]),
    ("SELECT id FROM t a LEFT ANTI JOIN (SELECT m['a'] AS x FROM t) b ON a.m['b'] = b.x", ["id", "m['a']", "m['b']"]),
    ("SELECT id, row_number() OVER (PARTITION BY m['a'] ORDER BY id) FROM t", ["id", "m['a']"]),
    ("SELECT x['a'] FROM (SELECT m AS x, id FROM t) q WHERE id > 3", ["m['a']", "id"]),
    ("SELECT q.z.a['a'] FROM (SELECT struct(m AS a, id AS b) AS z FROM t) q", ["m['a']"]),
    ("SELECT m['a'] FROM t UNION ALL SELECT m['b'] FROM t", ["m['a']", "m['b']"]),
    ("SELECT x['a'] FROM (SELECT m AS x FROM t UNION ALL SELECT s.m FROM t) q", ["m['a']", "s.m['a']"]),
    ("WITH q AS (SELECT id, m FROM t WHERE n['a'] > 5) SELECT a.m['a'] FROM q a JOIN q b ON a.id = b.id",
     ["id", "m['a']", "n['a']"]),
    ("SELECT s.m['a'], s.a FROM t WHERE s.m['b'] > '1'", ["s.m['a']", "s", "s.m['b']"]),
    ("SELECT `x.y`.`d.m`['a'] FROM t WHERE `x.y`.`d.m`['x.y'] IS NULL", ["`x.y`.`d.m`['a']", "`x.y`.`d.m`['x.y']"]),
    ("SELECT element_at(max_by(m, id), 'a') FROM t", ["id", "m['a']"]),
    ("SELECT id, m FROM t WHERE m['a'] = '1'", ["id", "m", "m['a']"]),
    ("SELECT id, key, value FROM t LATERAL VIEW explode(m) AS key, value", ["id", "m", "m present", "size(m)"]),
    ("SELECT id, m['a'], x FROM t LATERAL VIEW explode(l) AS x", ["id", "m['a']", "l"]),
    ("SELECT key, count(*), min(value) FROM (SELECT explode(n) FROM t) GROUP BY key", ["n", "n present", "size(n)"]),
    ("SELECT id, m[k], m[concat('a', '')] FROM t", ["id", "k", "m", "m['a']"]),
    ("SELECT id FROM t WHERE size(m) > 2 AND m['a'] IS NOT NULL", ["id", "size(m)", "m['a']"]),
    ("SELECT id, size(m), size(s.m) FROM t", ["id", "size(m)", "size(s.m)"]),
    ("SELECT id FROM t WHERE size(m) = 0", ["id", "size(m)"]),
    ("SELECT size(n), count(*), sum(size(m)) FROM t GROUP BY size(n)", ["size(n)", "size(m)"]),
    ("SELECT a.id, b.id FROM t a JOIN t b ON size(a.m) = size(b.n)", ["id", "size(m)", "size(n)"]),
    ("SELECT id, sort_array(map_keys(m)) FROM t WHERE exists(map_keys(m), x -> x > 'b')", ["id", "map_keys(m)"]),
    ("SELECT key, count(*) FROM (SELECT explode(map_keys(m)) AS key FROM t) GROUP BY key", ["map_keys(m)"]),
    ("SELECT size(x) FROM (SELECT m AS x FROM t UNION ALL SELECT s.m FROM t) q", ["size(m)", "size(s.m)"]),
    ("SELECT id FROM t WHERE try_cast(v:a AS INT) > 1 AND m['b'] > '1' AND n['a'] > 3",
     ["id", "v.a", "m['b']", "n['a']"]),
    ("SELECT id, m['a'], v:o.b::int, s.m['b'] FROM t WHERE n['b'] IS NOT NULL OR v:a::string = '1'",
     ["id", "m['a']", "v.o.b", "s.m['b']", "n['b']", "v.a"]),
    ("SELECT a.id, b.id FROM t a JOIN t b ON a.v:a::string = b.m['a']", ["id", "v.a", "m['a']"]),
    ("SELECT v:a::string, m['a'], size(n), count(*), max(n['b']) FROM t GROUP BY 1, 2, 3",
     ["v.a", "m['a']", "size(n)", "n['b']"]),
    ("SELECT id, v, m FROM t WHERE n['a'] > 500 AND v:o.b::int > 1", ["id", "v", "m", "n['a']", "v.o.b"]),
    ("SELECT id, m COLLATE UTF8_LCASE FROM (SELECT id, m['a'] AS m FROM t)", ["id", "m['a']"]),
    ("SELECT id, CAST(m AS MAP<STRING COLLATE UTF8_LCASE, STRING>)['A'] FROM t WHERE NOT map_contains_key(m, 'A')",
     ["id", "m", "m has 'A'"]),
]  # fmt: skip

# Expressions on a map; those that give entries sort them, because hot keys come last.
FORMS = {
    "a hot key": "{m}['a']",
    "a hot key behind a dot": "{m}.a",
    "a hot key by element_at": "element_at({m}, 'b')",
    "a cold key by element_at": "element_at({m}, 'cold')",
    "a hot key by try_element_at": "try_element_at({m}, 'b')",
    "a cold key by try_element_at": "try_element_at({m}, 'colder')",
    "map_contains_key of a hot key": "map_contains_key({m}, 'a')",
    "map_contains_key of a cold key": "map_contains_key({m}, 'cold')",
    "size": "size({m})",
    "map_keys": "sort_array(map_keys({m}))",
    "map_values": "array_sort(map_values({m}))",
    "map_filter": "array_sort(map_entries(map_filter({m}, (k, x) -> x > '1')))",
    "to_json": "array_sort(map_entries(from_json(to_json({m}), 'MAP<STRING, STRING>')))",
}
PLANS = {
    "projection": "SELECT id, {f} AS x FROM t",
    "filter": "SELECT id FROM t WHERE {f} = (SELECT max({f}) FROM t) OR {f} IS NULL",
    "join": "SELECT a.id, b.id FROM t a JOIN t b ON {a} = {b}",
    "aggregate": "SELECT min({f}), max({f}), count({f}), count(DISTINCT {f}) FROM t",
    "group by": "SELECT {f} AS x, count(*), max(id) FROM t GROUP BY {f}",
}
# Maps of strings and of other values: at the root, in a struct, in a struct with dots in its names.
COLUMNS = ["m", "n", "s.m", "`x.y`.`d.m`"]
EXPLODED = {
    "projection": "SELECT id, key, value FROM t LATERAL VIEW OUTER explode({m}) AS key, value",
    "filter": "SELECT id, key FROM t LATERAL VIEW explode({m}) AS key, value"
    " WHERE value > '1' AND {m}['a'] IS NOT NULL",
    "join": "SELECT a.id, b.id, a.key FROM (SELECT id, explode({m}) AS (key, value) FROM t) a"
    " JOIN t b ON b.{m}['a'] = a.value",
    "aggregate": "SELECT count(*), min(key), max(value), count(DISTINCT key) FROM t"
    " LATERAL VIEW explode({m}) AS key, value",
    "group by": "SELECT key, count(value), max(value) FROM t LATERAL VIEW explode({m}) AS key, value GROUP BY key",
    "positions": "SELECT id, count(*) FROM t LATERAL VIEW posexplode({m}) AS at, key, value GROUP BY id",
    "keys": "SELECT id, key FROM t LATERAL VIEW explode(map_keys({m})) AS key",
}


def form(plan, expression, column="m"):
    """A query with this plan and this expression on a map."""
    of = {"f": column, "a": f"a.{column}", "b": f"b.{column}"}
    return PLANS[plan].format(**{side: expression.format(m=path) for side, path in of.items()})
