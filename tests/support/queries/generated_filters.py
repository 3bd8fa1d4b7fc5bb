"""Generated filters over the columns and paths of a table."""

from fuzz import seeds
from path_documents import TARGETS, colon, literal
from tables import FORMAT

SEEDS = seeds(4, 200)
ROWS = 600


class Filters:
    """SQL conditions over `id`, `plain` and paths of `v`; most constants are values of the rows."""

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
        """The steps to a value, and a type to cast it to: mostly the type of the path."""
        steps, kind = self.documents.path()
        is_its_own = isinstance(kind, str) and kind in TARGETS and self.random.random() < 0.7
        return steps, kind if is_its_own else self.random.choice(TARGETS)

    def query(self):
        """A query with a filter, a strict cast in a filter, ORDER BY with LIMIT, or aggregates, also by partition."""
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
        aggregates = f"count(*), count(v), count({access}), min({strict}), max({access}), min(id), max(plain)"
        by_partition = f"SELECT p, {aggregates} FROM made GROUP BY p"
        return f"SELECT {aggregates} FROM made {part}" if kind == "aggregates" else by_partition

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
    """For each type the values of the table as texts, and one that the table may lack."""
    result = {}
    for target in TARGETS:
        parts = [f"try_cast(try_variant_get(v, {literal([key])}, '{target}') AS STRING)" for key in kinds]
        rows = spark.sql(f"SELECT DISTINCT explode(array({', '.join(parts)})) AS c FROM {table}").collect()
        texts = sorted(r.c for r in rows if r.c is not None)
        defaults = {"BOOLEAN": "true", "DATE": "2000-01-01", "TIMESTAMP": "2000-01-01", "TIMESTAMP_NTZ": "2000-01-01"}
        result[target] = [*texts, defaults.get(target, "5")]
    return result


def show(spark, df, folder):
    """Creates the views `skipped`, of the table `t` in the folder, and `unshredded`, of its rows as plain Parquet."""
    spark.read.format(FORMAT).load(str(folder / "t")).createOrReplaceTempView("skipped")
    df.write.parquet(str(folder / "plain"))
    spark.read.parquet(str(folder / "plain")).createOrReplaceTempView("unshredded")
