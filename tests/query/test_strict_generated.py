"""Generated queries with strict casts that fail in some rows give the rows, or the error, that Spark gives.

`make test` runs a few seeds, FUZZ=1 many; SEED=123 runs one again.
"""

import random

import pytest

from fuzz import seeds
from path_queries import LATE, Failure, Pair, outcome, settings
from tables import to_spark
from variants import obj

pytestmark = pytest.mark.fuzz

SEEDS = seeds(2, 200)
QUERIES = 14  # of each seed
COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
SORTED = {"spark.sql.adaptive.enabled": "false", "spark.sql.autoBroadcastJoinThreshold": "-1"}
SESSIONS = [{}, LATE, INTERPRETED, LATE | INTERPRETED, SORTED, LATE | SORTED]
SHAPES = [
    {"shredding.shape.v": "a INT, b BIGINT, s STRING, l ARRAY<INT>, o STRUCT<n INT, m STRING>"},
    {"shredding.shape.v": "a STRING, b DECIMAL(9,2), l ARRAY<STRING>, o STRUCT<n BIGINT>", "layout": "draft"},
    {"shredding": "off"},
]
KINDS = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"]


def document(r, bad):
    """A value whose casts all succeed; if `bad`, most of them fail."""
    n = r.choice([0, 1, 2, 5, 7, 40, -3, None])
    if not bad:
        return obj(a=n, b=r.choice([1, 2, 300]), s=str(r.randint(0, 9)), l=[n, r.randint(0, 5)], o=obj(n=n, m="1"))
    return obj(
        a=r.choice(["x", 2**40, n, obj(), True]),
        b=r.choice(["y", 2**62, 4]),
        s=r.choice(["z", "", "1.5"]),
        l=r.choice([[1, "x"], "x", [2**40], [[1]]]),
        o=r.choice([obj(n="x"), 7, obj(n=2**40, m="m"), [obj(n=1)]]),
    )


class Queries:
    """SQL over `t` and `u` (id, k, ok, v): `ok` is false and `k` is NULL where casts fail."""

    def __init__(self, random):
        self.random = random

    def strict(self, q=""):
        """A strict cast to a number, in one of its spellings; `q` is the qualifier of the columns."""
        r = self.random
        name, target = r.choice(["a", "a", "a", "b", "s"]), r.choice(["int", "int", "bigint", "smallint"])
        return r.choice([
            f"{q}v:{name}::{target}", f"variant_get({q}v, '$.{name}', '{target}')",
            f"variant_get({q}v:{name}, '$', '{target}')", f"variant_get({q}v, '$[\"{name}\"]', '{target}')",
            f"{q}v:l[0]::{target}", f"{q}v:o.n::{target}", f"size({q}v:l::array<{target}>)",
            f"variant_get({q}v, '$.o', 'struct<n: {target}>').n", f"variant_get({q}v, '$.l', 'array<int>')[0]",
        ])  # fmt: skip

    def lax(self, q=""):
        name = self.random.choice("ab")
        return self.random.choice([f"try_variant_get({q}v, '$.{name}', 'int')", f"{q}k", f"{q}id"])

    def value(self, q=""):
        """A number; a strict cast in it is mostly not evaluated where it fails."""
        r, x, y = self.random, self.strict(q), self.strict(q)
        return r.choice([
            f"if({q}ok, {x}, -1)", f"CASE WHEN {q}ok THEN {x} END", f"CASE WHEN NOT {q}ok THEN 0 ELSE {x} + {y} END",
            f"coalesce(if({q}ok, NULL, 7), {x})", f"{q}k + {x}", f"{q}k - {x} + ({q}k * {y})", f"nvl2({q}k, {x}, {y})",
            f"if({q}ok AND {x} > 1, {y}, 0)", f"nvl2({q}k, {x}, 3)", f"if({self.condition(q)}, {self.lax(q)}, 2)",
            f"CASE {q}ok WHEN true THEN {x} ELSE {self.lax(q)} END", self.lax(q), f"{x} % nullif({q}k, 0)",
            f"exists(array({q}k), x -> x > {x})::int", f"size(filter(array({q}id), x -> {q}ok AND x < {x}))",
            f"aggregate(if({q}ok, array(1, 2), array()), 0L, (m, x) -> m + x + {x})",
            f"greatest({q}k, if({q}ok, {x}, 1))",
            f"if({q}ok, {x} + {x}, {q}id)", f"if(NOT {q}ok, 1, {x}) * if({q}ok, {x}, 1)", f"ifnull({q}id, {x})",
            x if r.random() < 0.1 else f"if({q}ok, {x}, {self.lax(q)})",
        ])  # fmt: skip

    def condition(self, q="", depth=1):
        r, x = self.random, self.strict(q)
        return r.choice([
            f"({q}ok AND {x} > 1)", f"(NOT {q}ok OR {x} <= 5)", f"{q}k > {x}", f"{self.lax(q)} IN (1, 2, 5)",
            f"CASE WHEN {q}ok THEN {x} > 0 ELSE false END", f"({self.lax(q)} IS NOT NULL AND {q}ok AND {x} < 9)",
            f"if({q}ok, {x}, NULL) IS NULL", f"{q}k + {x} > {q}k - {self.strict(q)}", f"{q}ok",
            f"({self.condition(q, 0)} OR {self.condition(q, 0)})" if depth else f"{q}id > 3",
            f"{x} > 2" if r.random() < 0.2 else f"({q}k IS NOT NULL AND {x} = {self.strict(q)})",
        ])  # fmt: skip

    def table(self):
        """A relation with the columns of `t`, unique by id."""
        r = self.random
        return r.choice([
            "t", "t", "t", "u", f"(SELECT * FROM t WHERE {self.condition()})",
            f"(SELECT id, k, ok, v FROM t ORDER BY {self.value()}, id LIMIT {r.randint(1, 20)})",
            f"(SELECT * FROM t WHERE ok UNION ALL SELECT id + 100, k, ok, v FROM u WHERE {self.condition()})",
            f"(SELECT id, max(k) k, first(ok) ok, max_by(v, id) v FROM t WHERE {self.condition()} GROUP BY id)",
            f"(SELECT id, {self.value()} AS k, ok, v FROM t)",
            f"(SELECT x.id, y.k, y.ok, y.v FROM t x LEFT JOIN u y ON x.id = y.id AND {self.condition('y.')})",
            "(SELECT id, k, ok, v FROM t QUALIFY row_number() OVER (PARTITION BY k ORDER BY id) < 3)",
        ])  # fmt: skip

    def aggregate(self):
        function = self.random.choice(["sum(", "max(", "min(", "count(", "avg(", "count(DISTINCT ", "bit_and("])
        filtered = f" FILTER (WHERE {self.condition()})" if self.random.random() < 0.6 else ""
        strict = filtered or self.random.random() < 0.1
        return f"{function}{self.strict() if strict and self.random.random() < 0.6 else self.value()}){filtered}"

    def query(self):
        r, t = self.random, self.table()
        kind = r.choice(KINDS)
        both = "x.id" if "SEMI" in kind or "ANTI" in kind else f"x.id, y.id, {self.value('x.')}, {self.value('y.')}"
        on = r.choice([
            "x.id = y.id", f"x.id = y.id AND {self.condition('x.')}", f"x.k = y.k AND {self.condition('y.')}",
            f"{self.value('x.')} = {self.value('y.')} AND x.id = y.id", f"x.id = y.id AND {self.strict('x.')} < y.id",
            f"x.id < y.id AND x.ok AND y.ok AND {self.strict('x.')} > {self.strict('y.')}",
        ])  # fmt: skip
        c, over = self.condition("y."), f"OVER (PARTITION BY {self.value()} ORDER BY {self.value()}, id)"
        return r.choice([
            lambda: f"SELECT id, {self.value()}, {self.value()}, {self.value()} FROM {t}",
            lambda: f"SELECT id, {self.value()} FROM {t} WHERE {self.condition()} AND {self.condition()}",
            lambda: f"SELECT {self.aggregate()}, {self.aggregate()}, {self.aggregate()} FROM {t}",
            lambda: f"SELECT {self.value()} AS g, {self.aggregate()}, {self.aggregate()} FROM {t} GROUP BY 1",
            lambda: f"SELECT k, {self.aggregate()} FROM {t} GROUP BY k HAVING {self.aggregate()} > 1",
            lambda: f"SELECT {both} FROM {t} x {kind} u y ON {on}",
            lambda: f"SELECT {both} FROM {t} x {kind} {self.table()} y ON {on}",
            lambda: f"SELECT sum({self.value('x.')}), count({self.value('y.')}) FROM {t} x JOIN u y ON {on}",
            lambda: f"SELECT id, sum({self.value()}) {over}, lag({self.value()}) {over} FROM {t}",
            lambda: f"SELECT id, max({self.value()}) OVER (ORDER BY id ROWS 2 PRECEDING) FROM {t} WHERE ok",
            lambda: f"SELECT n, m FROM (SELECT ok, k, {self.strict()} AS n, {self.value()} AS m FROM {t}) WHERE ok",
            lambda: f"SELECT n + 1 FROM (SELECT k, ok, {self.strict()} AS n FROM {t}) WHERE ok AND n > 1 OR k > n",
            lambda: f"SELECT k, ok, {self.aggregate()} FROM {t} GROUP BY k, ok WITH ROLLUP",
            lambda: f"SELECT id, q.m FROM {t} x, LATERAL (SELECT {self.value('x.')} AS m WHERE x.ok) q",
            lambda: f"SELECT id, (SELECT count(*) FROM u y WHERE y.id = x.id AND {c}) FROM {t} x",
            lambda: f"SELECT id, {self.value()} FROM {t} INTERSECT SELECT id, {self.value()} FROM u WHERE ok",
            lambda: f"SELECT x.id, z.id FROM {t} x LEFT JOIN u y ON {on} JOIN t z ON y.id = z.id AND {c}",
            lambda: f"SELECT id, k FROM {t} ORDER BY {self.value()}, {self.value()}, id LIMIT {r.randint(2, 30)}",
            lambda: f"SELECT id FROM {t} x WHERE EXISTS (SELECT * FROM u y WHERE x.id = y.id AND {c})",
            lambda: f"SELECT id FROM {t} x WHERE {self.value('x.')} IN (SELECT {self.value()} FROM u)",
            lambda: f"SELECT id FROM {t} WHERE {self.value()} > (SELECT min({self.value()}) FROM u WHERE k > 1)",
            lambda: f"SELECT id, e FROM {t} LATERAL VIEW explode(if(ok, v:l::array<int>, array(-1))) AS e",
            lambda: f"SELECT id, e FROM {t} LATERAL VIEW OUTER explode(array({self.value()}, {self.value()})) AS e",
            lambda: f"WITH q AS (SELECT id, ok, {self.value()} AS n, {self.strict()} AS m FROM {t} WHERE ok)"
                    " SELECT a.id, a.n, b.m FROM q a JOIN q b ON a.id = b.id AND a.n >= b.n",
            lambda: f"SELECT if(ok, n, 0), n FROM (SELECT ok, {self.value()} AS n FROM {t})",
            lambda: f"SELECT DISTINCT {self.value()} FROM {t} UNION SELECT {self.value()} FROM u",
            lambda: f"SELECT id, {self.value()} FROM {t} EXCEPT SELECT id, {self.value()} FROM u",
            lambda: f"SELECT * FROM (SELECT k, ok, {self.value()} n FROM {t}) PIVOT (sum(n) FOR ok IN (true, false))",
        ])()  # fmt: skip


def made(spark, folder, seed):
    r = random.Random(seed)
    pair = Pair(spark, folder)
    for name, size in (("t", 30), ("u", 20)):
        files = []
        for part, options in enumerate(SHAPES):
            rows = []
            for i in range(part * size // 3, (part + 1) * size // 3):
                bad = r.random() < 0.3
                variant = None if r.random() < 0.05 else to_spark(document(r, bad))
                rows.append((i, None if bad else r.randint(0, 6), not bad, variant))
            files.append((spark.createDataFrame(rows, "id INT, k INT, ok BOOLEAN, v VARIANT"), options))
        pair.add(name, files)
    return pair, Queries(r)


def difference(pair, query, ours):
    """None, or both answers. Our side may have the answer of Spark's interpreter or of Spark's generated code."""
    with settings(pair.ours, ours):
        got = outcome(pair.ours, query)
    wanted = outcome(pair.spark, query)
    pair.answered += isinstance(wanted, type(got)) and not isinstance(got, Failure)
    if got == wanted:
        return None
    if isinstance(got, Failure) or isinstance(wanted, Failure):
        with settings(pair.spark, COMPILED):
            if got == outcome(pair.spark, query):
                return None
    return f"{query}\n  with {ours}\nours: {got.unlike(wanted)}\nSpark: {wanted.unlike(got)}"


@pytest.mark.parametrize("seed", SEEDS)
def test_generated_strict_casts_raise_only_where_spark_raises(spark, tmp_path, seed):
    pair, queries = made(spark, tmp_path, seed)
    try:
        asked = [queries.query() for _ in range(QUERIES)]
        found = [difference(pair, query, SESSIONS[(seed + i) % len(SESSIONS)]) for i, query in enumerate(asked)]
    finally:
        pair.drop("t", "u")
    found = [each for each in found if each]
    assert not found, f"seed {seed}\n\n" + "\n\n".join(found)
    assert pair.answered >= QUERIES // 3
