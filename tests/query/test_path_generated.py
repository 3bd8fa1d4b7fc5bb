"""Generated queries over generated documents and shapes give the rows that Spark gives over unshredded tables.

`make test` runs a few seeds, FUZZ=1 many; SEED=123 runs one again, with the same documents, shapes and queries.
"""

import random

import pytest

from fuzz import seeds
from path_documents import NESTED, TARGETS, Documents, colon, literal
from path_queries import LATE, Pair
from tables import LAYOUTS, to_spark

pytestmark = pytest.mark.fuzz

SEEDS = seeds(4, 300)
QUERIES = 14  # of each seed
# Settings of both sides, and of our side only.
MEANINGS = [{}, {}, {"spark.sql.ansi.enabled": "false"}, {"spark.sql.session.timeZone": "America/New_York"}]
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
EXECUTIONS = [
    {},
    INTERPRETED,
    INTERPRETED | {"spark.sql.parquet.columnarReaderBatchSize": "5"},
    INTERPRETED | {"spark.sql.parquet.enableVectorizedReader": "false"},
    {"spark.sql.codegen.wholeStage": "false"},
    INTERPRETED | LATE,
    LATE | {"spark.sql.codegen.wholeStage": "false", "spark.sql.variant.pushVariantIntoScan": "false"},
    INTERPRETED | {"spark.sql.adaptive.enabled": "false", "spark.sql.autoBroadcastJoinThreshold": "-1"},
]


class Queries:
    """SQL over `t` (id, k, v, s.v) and `u` (id, v). A relation: its SQL, key, variants and scalars by type."""

    def __init__(self, random, documents):
        self.random = random
        self.documents = documents
        self.names = 0

    def name(self):
        self.names += 1
        return f"x{self.names}"

    def access(self, variant, targets=TARGETS):
        """(SQL, type) of a path as a scalar."""
        r = self.random
        steps, kind = self.documents.path()
        target = r.choice(targets) if r.random() < 0.5 or kind not in targets else kind
        # Most strict casts fail, except those to text.
        strict = target == "STRING" or r.random() < 0.04
        get = f"variant_get({variant}, {literal(steps)}, '{target}')"
        cast = f"CAST({colon(variant, steps)} AS {target})"
        if strict:
            return r.choice([get, cast, f"{colon(variant, steps)}::{target}"]), target
        return r.choice([f"try_{get}", f"try_{cast}"]), target

    def value(self, variant):
        """SQL of an expression on a variant: a path, a cast, text or a test."""
        r = self.random
        steps, _ = self.documents.path()
        at = colon(variant, steps)
        return r.choice([
            lambda: self.access(variant)[0],
            lambda: self.access(variant)[0],
            lambda: at,
            lambda: f"try_variant_get({variant}, {literal(steps)}, '{r.choice(NESTED)}')",
            lambda: f"to_json({at})",
            lambda: f"is_variant_null({at})",
            lambda: f"{at} IS NULL",
            lambda: r.choice([variant, f"to_json({variant})", f"{variant} IS NOT NULL"]),
            lambda: f"COALESCE({self.access(variant, ['STRING'])[0]}, '-')",
            lambda: f"CASE WHEN is_variant_null({at}) THEN 'null' WHEN {at} IS NOT NULL THEN {at}::string END",
            lambda: f"regexp_replace(schema_of_variant({at}), 'BIGINT|DECIMAL\\\\([0-9]+,[0-9]+\\\\)', 'NUMBER')",
        ])()  # fmt: skip

    def condition(self, variant):
        r = self.random
        steps, _ = self.documents.path()
        x, y = self.access(variant)[0], self.access(variant, ["STRING"])[0]
        return r.choice([
            lambda: f"{x} IS NOT NULL", lambda: f"{x} IS NULL", lambda: f"{y} > 'a'", lambda: f"{y} LIKE '%1%'",
            lambda: f"NOT ({y} = 'a')", lambda: f"{y} IN ('a', '12', 'true')", lambda: f"{x} <=> NULL",
            lambda: f"is_variant_null({colon(variant, steps)})", lambda: f"{variant} IS NOT NULL",
            lambda: f"{self.access(variant, ['BIGINT'])[0].replace('STRING', 'BIGINT')} > {r.randint(-9, 99)}",
            lambda: f"({self.condition(variant)} OR {self.condition(variant)})",
            lambda: f"{self.condition(variant)} AND {self.condition(variant)}",
            lambda: f"{r.randint(0, 9)} < try_cast({colon(variant, steps)} AS DOUBLE)",
        ])()  # fmt: skip

    def table(self):
        return {
            "sql": "SELECT id, k, v, s.v AS w FROM t",
            "key": ["id"],
            "variants": ["v", "w"],
            "scalars": {"k": "STRING"},
        }

    def query(self):
        """A query of one to three steps from the table `t`; mostly with a projection of many paths at its end."""
        relation = self.table()
        for _ in range(self.random.randint(1, 3)):
            steps = [self.window, self.limit] if relation["key"] else []
            steps += [
                self.filter,
                self.project,
                self.aggregate,
                self.join,
                self.union,
                self.explode,
                self.within,
                self.common,
            ]
            relation = self.random.choice(steps)(relation)
        if relation["variants"] and self.random.random() < 0.6:
            values = [self.value(self.random.choice(relation["variants"])) for _ in range(self.random.randint(1, 8))]
            columns = [*relation["key"], *relation["scalars"], *(f"{x} AS e{i}" for i, x in enumerate(values))]
            return f"SELECT {', '.join(columns)} FROM ({relation['sql']})"
        return f"SELECT * FROM ({relation['sql']})" if self.random.random() < 0.2 else relation["sql"]

    def source(self, relation):
        """(variant or None, a function that picks a scalar): a path of the variant, or else a column."""
        variant = self.random.choice(relation["variants"]) if relation["variants"] else None
        return variant, (lambda: self.access(variant)) if variant else (
            lambda: self.random.choice(list(relation["scalars"].items()))
        )

    def usable(self, relation):
        return relation["variants"] or relation["scalars"]

    def filter(self, relation):
        variant, _ = self.source(relation)
        condition = self.condition(variant) if variant else f"{next(iter(relation['scalars']), '1')} IS NOT NULL"
        return relation | {"sql": f"SELECT * FROM ({relation['sql']}) WHERE {condition}"}

    def project(self, relation):
        if not relation["variants"]:
            return relation
        added = {
            self.name(): self.access(self.random.choice(relation["variants"])) for _ in range(self.random.randint(1, 4))
        }
        steps, _ = self.documents.path()
        part, variant = self.name(), self.random.choice(relation["variants"])
        kept = [variant] if self.random.random() < 0.6 else []
        columns = [
            *relation["key"],
            *kept,
            *(f"{sql} AS {n}" for n, (sql, _) in added.items()),
            f"{colon(variant, steps)} AS {part}",
        ]
        scalars = {n: t for n, (_, t) in added.items()}
        return relation | {
            "sql": f"SELECT {', '.join(columns)} FROM ({relation['sql']})",
            "variants": [*kept, part],
            "scalars": scalars,
        }

    def aggregate(self, relation):
        if not self.usable(relation):
            return relation
        variant, pick = self.source(relation)
        group, by = self.name(), pick()[0]
        columns = [f"{by} AS {group}", "count(*) AS n"]
        for _ in range(self.random.randint(1, 4)):
            (sql, target), name = pick(), self.name()
            numeric = target in ("INT", "BIGINT", "SMALLINT", "DECIMAL(12,2)")
            kinds = ["count({})", "count(DISTINCT {})", "min({})", "max({})", "bool_or({} IS NULL)"] + (
                ["sum({})", "avg({})"] if numeric else []
            )
            columns.append(f"{self.random.choice(kinds).format(sql)} AS {name}")
        if variant and self.random.random() < 0.5:
            columns.append(f"count({variant}) AS {self.name()}")
        picked = []
        if variant and relation["key"] and self.random.random() < 0.4:
            picked = [self.name()]
            pick_one = self.random.choice(["max_by", "min_by"])
            columns.append(f"{pick_one}({variant}, struct({', '.join(relation['key'])})) AS {picked[0]}")
        having = " HAVING count(*) > 1" if self.random.random() < 0.2 else ""
        sql = f"SELECT {', '.join(columns)} FROM ({relation['sql']}) GROUP BY {by}{having}"
        return {"sql": sql, "key": [group], "variants": picked, "scalars": {"n": "BIGINT"}}

    def join(self, relation):
        if not relation["variants"] or "id" not in relation["key"]:
            return relation
        r, variant, name, other = self.random, self.random.choice(relation["variants"]), self.name(), self.name()
        kind = r.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"])
        x, _ = self.access("a." + variant, ["STRING"])
        y, _ = self.access("b.v", ["STRING"])
        on = r.choice(
            [f"{x} = {y}", "a.id = b.id", f"a.id = b.id AND {x} <=> {y}", f"a.id = b.id AND {self.condition('b.v')}"]
        )
        table = r.choice(["t", "u"])
        if "SEMI" in kind or "ANTI" in kind:
            return relation | {"sql": f"SELECT a.* FROM ({relation['sql']}) a {kind} {table} b ON {on}"}
        columns = f"a.id AS id, b.id AS {name}, a.{variant} AS {variant}, b.v AS {other}"
        sql = f"SELECT {columns} FROM ({relation['sql']}) a {kind} {table} b ON {on}"
        return {
            "sql": sql,
            "key": ["id", name] if relation["key"] == ["id"] else [],
            "variants": [variant, other],
            "scalars": {},
        }

    def union(self, relation):
        if "id" not in relation["key"] or not relation["variants"]:
            return relation
        variant, name = self.random.choice(relation["variants"]), self.name()
        left = f"SELECT id, {variant} AS {name}, 1 AS side FROM ({relation['sql']})"
        sql = f"{left} UNION ALL SELECT id, v, 2 FROM {self.random.choice(['t', 'u'])} WHERE {self.condition('v')}"
        return {
            "sql": sql,
            "key": ["id", "side"] if relation["key"] == ["id"] else [],
            "variants": [name],
            "scalars": {},
        }

    def window(self, relation):
        if not self.usable(relation):
            return relation
        _, pick = self.source(relation)
        name = self.name()
        over = f"OVER (PARTITION BY {pick()[0]} ORDER BY {pick()[0]}, {', '.join(relation['key'])})"
        what = self.random.choice(
            ["row_number()", f"lag({pick()[0]})", f"count({pick()[0]})", f"first_value({pick()[0]})"]
        )
        return relation | {"sql": f"SELECT *, {what} {over} AS {name} FROM ({relation['sql']})"}

    def limit(self, relation):
        if not self.usable(relation):
            return relation
        _, pick = self.source(relation)
        order = f"ORDER BY {pick()[0]} {self.random.choice(['', 'DESC', 'NULLS LAST'])}, {', '.join(relation['key'])}"
        return relation | {"sql": f"SELECT * FROM ({relation['sql']}) {order} LIMIT {self.random.randint(1, 20)}"}

    def explode(self, relation):
        if not relation["variants"] or relation["key"] != ["id"]:
            return relation
        variant, name, (steps, _) = self.random.choice(relation["variants"]), self.name(), self.documents.path()
        function = self.random.choice(["variant_explode", "variant_explode_outer"])
        exploded = f"LATERAL {function}({colon(variant, steps)})"
        sql = f"SELECT id, {variant}, pos, key, value AS {name} FROM ({relation['sql']}), {exploded}"
        return {"sql": sql, "key": ["id", "pos"], "variants": [variant, name], "scalars": {"key": "STRING"}}

    def within(self, relation):
        """A filter with IN, EXISTS or a scalar subquery; EXISTS has a path in its correlation."""
        if not relation["variants"]:
            return relation
        variant = self.random.choice(relation["variants"])
        x, y = self.access("a." + variant, ["STRING"])[0], self.access("b.v", ["STRING"])[0]
        condition = self.random.choice([
            f"{x} IN (SELECT {y} FROM u b)", f"{x} > (SELECT min({y}) FROM t b)",
            f"EXISTS (SELECT 1 FROM u b WHERE {x} = {y})",
            f"NOT EXISTS (SELECT 1 FROM u b WHERE {x} = {y} AND {self.condition('b.v')})",
        ])  # fmt: skip
        return relation | {"sql": f"SELECT a.* FROM ({relation['sql']}) a WHERE {condition}"}

    def common(self, relation):
        """A CTE that is used twice."""
        if relation["key"] != ["id"] or not relation["variants"]:
            return relation
        variant, other, q = self.random.choice(relation["variants"]), self.name(), self.name()
        columns = f"a.id, a.{variant}, b.{variant} AS {other}"
        sql = f"WITH {q} AS ({relation['sql']}) SELECT {columns} FROM {q} a JOIN {q} b ON a.id = b.id"
        return {"sql": sql, "key": ["id"], "variants": [variant, other], "scalars": {}}


def made(spark, folder, seed):
    """The tables `t` (a file of each layout, one unshredded) and `u` of a seed, its queries, and a description."""
    r = random.Random(seed)
    documents = Documents(r)
    pair = Pair(spark, folder)
    files, ddl = [], []
    for part in range(3):
        shapes = [documents.shape(documents.kind, (0.08, 0.35)[part]) for _ in range(2)] if part < 2 else []
        rows = [
            (i, f"k{i % 5}", to_spark(documents.row()), (i, to_spark(documents.row())))
            for i in range(part * 20, part * 20 + 20)
        ]
        options = {"shredding.shape.v": shapes[0], "shredding.shape.s.v": shapes[1]} if shapes else {"shredding": "off"}
        options["layout"] = LAYOUTS[(seed + part) % 2]
        files.append(
            (spark.createDataFrame(rows, "id INT, k STRING, v VARIANT, s STRUCT<n: INT, v: VARIANT>"), options)
        )
        ddl.append(options)
    pair.add("t", files)
    shape = documents.shape(documents.kind, 0.1)
    u = spark.createDataFrame([(i, to_spark(documents.row())) for i in range(0, 24)], "id INT, v VARIANT")
    pair.add("u", [(u, {"shredding.shape.v": shape, "layout": LAYOUTS[seed // 2 % 2]})])
    queries = Queries(r, documents)
    return pair, queries, f"seed {seed}\nfiles of t: {ddl}\nu: {shape}"


@pytest.mark.parametrize("seed", SEEDS)
def test_generated_queries_give_what_spark_gives_over_unshredded_rows(spark, tmp_path, seed):
    pair, queries, title = made(spark, tmp_path, seed)
    r, result = queries.random, []
    try:
        values = [queries.value(r.choice(["v", "s.v"])) for _ in range(40)]
        result += pair.column_differences(values, ours=INTERPRETED, meaning=r.choice(MEANINGS)).values()
        for i in range(QUERIES):
            result.append(pair.difference(queries.query(), r.choice(MEANINGS), EXECUTIONS[i % len(EXECUTIONS)]))
    finally:
        pair.drop("t", "u")
    result = [difference for difference in result if difference]
    assert not result, title + "\n\n" + "\n\n".join(result)
    assert pair.answered >= QUERIES // 2, title
