"""Generated filters over generated files of many small groups and pages: whatever is skipped, no row is lost.

`make test` runs a few seeds, FUZZ=1 many; SEED=123 runs one again.
"""

import os
import random

import pytest
from path_documents import KEYS, SCALARS, TARGETS, Documents, colon, literal
from path_queries import Pair
from scan_counts import run
from tables import FORMAT, LAYOUTS, to_spark

SEEDS = [int(os.environ["SEED"])] if "SEED" in os.environ else range(200 if os.environ.get("FUZZ") else 4)
FILTERS = 15  # of each seed
QUERIES = 20
BLOOMED = {kind for kind in SCALARS if kind != "BOOLEAN"}
ROWS = 600


class Filters:
    """SQL conditions over `id`, `plain` and paths of `v`; constants are mostly such as the rows have."""

    def __init__(self, random, documents, constants):
        self.random = random
        self.documents = documents
        self.constants = constants

    def condition(self, depth=2):
        r = self.random
        dice = r.random() if depth else 0
        if dice < 0.55:
            return self.test()
        if dice < 0.65:
            return f"NOT ({self.condition(depth - 1)})"
        return f"({self.condition(depth - 1)} {r.choice(['AND', 'OR'])} {self.condition(depth - 1)})"

    def test(self):
        r = self.random
        if r.random() < 0.2:
            return r.choice(
                [f"id {self.comparison()} {r.randint(0, ROWS)}", f"plain = 'p{r.randint(0, 40)}'", "plain IS NULL"]
            )
        steps, target = self.path()
        access = f"try_variant_get(v, {literal(steps)}, '{target}')"
        choice = r.random()
        if choice < 0.5 and target == "BOOLEAN":
            return access
        if choice < 0.15:
            return f"{access} IS {r.choice(['', 'NOT '])}NULL"
        if choice < 0.2 and target in ("DOUBLE", "FLOAT"):
            return f"isnan({access})"
        if choice < 0.3:
            return f"{access} {r.choice(['', 'NOT '])}IN ({self.constant(target)}, {self.constant(target)})"
        if choice < 0.4 and target == "STRING":
            return f"{access} LIKE '{r.choice(['a', 'é', '1', 'long', 'x y'])}%'"
        if choice < 0.5:
            return f"{self.constant(target)} {self.comparison()} {access}"
        return f"{access} {self.comparison()} {self.constant(target)}"

    def path(self):
        """The steps to a value, and the type that it is mostly of."""
        steps, kind = self.documents.path()
        is_its_own = isinstance(kind, str) and kind in TARGETS and self.random.random() < 0.7
        return steps, kind if is_its_own else self.random.choice(TARGETS)

    def query(self):
        """A filter, also of one strict cast; the first rows of an order; or aggregates, by partitions too."""
        r = self.random
        steps, target = self.path()
        access = f"try_variant_get(v, {literal(steps)}, '{target}')"
        strict = f"{colon('v', steps)}::{target}" if r.random() < 0.2 else access
        part = r.choice(["", "", "WHERE p = 1", "WHERE p > 1 OR p IS NULL"])
        kind = r.choice(["filter", "strict filter", "first rows", "aggregates", "groups"])
        if kind == "filter":
            return f"SELECT {r.choice(['id', 'id, to_json(v) AS j', 'plain'])} FROM made WHERE {self.condition()}"
        if kind == "strict filter":
            return (
                f"SELECT id FROM made WHERE {colon('v', steps)}::{target} {self.comparison()} {self.constant(target)}"
            )
        if kind == "first rows":
            order = f"{r.choice(['ASC', 'DESC'])} NULLS {r.choice(['FIRST', 'LAST'])}"
            return f"SELECT {strict} AS x, id FROM made {part} ORDER BY x {order}, id LIMIT {r.choice([1, 7, 200])}"
        told = f"count(*), count(v), count({access}), min({strict}), max({access}), min(id), max(plain)"
        return f"SELECT {told} FROM made {part}" if kind == "aggregates" else f"SELECT p, {told} FROM made GROUP BY p"

    def comparison(self):
        return self.random.choice(["=", "=", "<>", "<", "<=", ">", ">=", "<=>"])

    def constant(self, target):
        r = self.random
        if r.random() < 0.05:
            return "NULL"
        texts = self.constants.get(target) or ["0"]
        text = r.choice(texts).replace("\\", "\\\\").replace("'", "\\'")
        return f"CAST('{text}' AS {target})"


def constants_of(spark, kinds, table="unshredded"):
    """Texts that cast to each type, among them the values of the table."""
    found = {}
    for target in TARGETS:
        parts = [f"try_cast(try_variant_get(v, {literal([key])}, '{target}') AS STRING)" for key in kinds]
        rows = spark.sql(f"SELECT DISTINCT explode(array({', '.join(parts)})) AS c FROM {table}").collect()
        texts = sorted(r.c for r in rows if r.c is not None)
        defaults = {"BOOLEAN": "true", "DATE": "2000-01-01", "TIMESTAMP": "2000-01-01", "TIMESTAMP_NTZ": "2000-01-01"}
        found[target] = [*texts, defaults.get(target, "5")]
    return found


def show(spark, df, folder):
    """The table `t` of the folder as the view `skipped`, and the same rows unshredded beside it."""
    spark.read.format(FORMAT).load(str(folder / "t")).createOrReplaceTempView("skipped")
    df.write.parquet(str(folder / "plain"))
    spark.read.parquet(str(folder / "plain")).createOrReplaceTempView("unshredded")


@pytest.mark.parametrize("seed", SEEDS)
def test_generated_filters_lose_no_row(spark, tmp_path, seed):
    r = random.Random(seed)
    documents = Documents(r)
    rows = [documents.row() for _ in range(ROWS)]
    # Alike rows stand together, so that groups differ.
    key = r.choice(list(documents.kind))
    rows.sort(key=lambda v: "" if v is None else repr(v.value.get(key)) if v.type == "object" else repr(v))
    fields = "id INT, plain STRING, v VARIANT"
    data = [(i, None if i % 50 < 10 else f"p{i // 15}", to_spark(v)) for i, v in enumerate(rows)]
    df = spark.createDataFrame(data, fields).coalesce(1)
    page = r.choice(["3", "20", "100"])
    groups = r.choice(["40", "100", "300"])
    options = {
        "shredding.shape.v": documents.shape(documents.kind, r.choice([0, 0.1])),
        "parquet.page.row.count.limit": page,
        "parquet.page.size.row.check.min": page,
        "parquet.block.size": "2000",
        "parquet.block.size.row.check.min": groups,
        "parquet.block.size.row.check.max": groups,
        "parquet.enable.dictionary": r.choice(["true", "false"]),
        "parquet.writer.version": r.choice(["v1", "v2"]),
        "layout": LAYOUTS[seed % 2],
    }
    df.write.format(FORMAT).options(**options).save(str(tmp_path / "t"))
    show(spark, df, tmp_path)
    filters = Filters(r, documents, constants_of(spark, [k for k in documents.kind if k in KEYS]))
    skipped = 0
    for _ in range(FILTERS):
        condition = filters.condition()
        columns = r.choice(["id", "id, to_json(v)", "id, plain"])
        rows, counts = run(spark.sql(f"SELECT {columns} FROM skipped WHERE {condition}"))
        expected = spark.sql(f"SELECT {columns} FROM unshredded WHERE {condition}").collect()
        assert sorted(map(str, rows)) == sorted(map(str, expected)), condition
        assert len(rows) <= ROWS - counts.rows_skipped
        skipped += counts.rows_skipped
    assert skipped > 0 or options["shredding.shape.v"] == "VARIANT"


@pytest.mark.parametrize("seed", SEEDS[: 100 if len(SEEDS) > 4 else 2])
def test_generated_queries_over_files_and_partitions_have_sparks_answers(spark, tmp_path, seed):
    r = random.Random(f"queries {seed}")
    documents = Documents(r)
    rows = [documents.row() for _ in range(ROWS)]
    key = r.choice(list(documents.kind))
    rows.sort(key=lambda v: "" if v is None else repr(v.value.get(key)) if v.type == "object" else repr(v))
    data = [
        (i, None if i % 50 < 10 else f"p{i // 15}", to_spark(v), r.choice([1, 1, 2, None])) for i, v in enumerate(rows)
    ]
    # A name that needs no quotes, and has a leaf of its own.
    bloomed = [
        k for k, kind in documents.kind.items() if k in ("a", "b", "c") and isinstance(kind, str) and kind in BLOOMED
    ]

    def options(file):
        page, mutation = r.choice(["3", "20", "100"]), r.choice([0, 0.1])
        bloom = {"bloom.v": ", ".join(f"$.{key}" for key in bloomed)} if bloomed and mutation == 0 else {}
        return bloom | {
            "shredding.shape.v": documents.shape(documents.kind, mutation),
            "parquet.page.row.count.limit": page,
            "parquet.page.size.row.check.min": page,
            "parquet.block.row.count.limit": r.choice(["20", "50", "200"]),
            "parquet.enable.dictionary": r.choice(["true", "false"]),
            "layout": LAYOUTS[(seed + file) % 2],
        }

    fields = "id INT, plain STRING, v VARIANT, p INT"
    files = [(spark.createDataFrame(data[i::3], fields), options(i)) for i in range(3)]
    pair = Pair(spark, tmp_path)
    pair.add("made", files, by=["p"])
    queries = Filters(r, documents, constants_of(pair.spark, [k for k in documents.kind if k in KEYS], "made"))
    try:
        for _ in range(QUERIES):
            query, ansi = queries.query(), r.choice(["true", "false"])
            assert pair.difference(query, {"spark.sql.ansi.enabled": ansi}) is None, f"{query} with ANSI {ansi}"
    finally:
        pair.drop("made")
