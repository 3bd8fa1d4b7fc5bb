"""Creates, fills and drops tables in a catalog, and reads their rows and locations."""

import contextlib
import itertools

from tables import FORMAT

DOCUMENT = "parse_json(to_json(named_struct('a', id, 'b', concat('x', id))))"
NUMBERS = itertools.count()


def rows(spark, *ids, **columns):
    """Rows of `id`, the document `v` and constant columns."""
    more = "".join(f", {value} AS {name}" for name, value in columns.items())
    return spark.sql(f"SELECT id, {DOCUMENT} AS v{more} FROM VALUES {', '.join(f'({i}L)' for i in ids)} AS t(id)")


def ids(df):
    return sorted(r[0] for r in df.select("id").collect())


def content(df):
    """All rows as texts, sorted."""
    texts = [f"to_json({c})" if t == "variant" else c for c, t in df.dtypes]
    return sorted(tuple(map(str, r)) for r in df.selectExpr(*texts).collect())


@contextlib.contextmanager
def tables(spark, *names):
    """Unused table names; their tables are dropped at the end."""
    number = next(NUMBERS)
    made = [f"{name}_{number}" for name in names]
    try:
        yield made if len(made) > 1 else made[0]
    finally:
        for name in made:
            spark.sql(f"DROP TABLE IF EXISTS {name}")


def location(spark, name):
    """The directory of a table."""
    described = spark.sql(f"DESCRIBE EXTENDED {name}").collect()
    return next(r[1] for r in described if r[0] == "Location").removeprefix("file:")


def create(spark, name, columns="id BIGINT, v VARIANT", format=FORMAT, **clauses):
    """Runs CREATE TABLE; a clause is an argument such as `PARTITIONED_BY="(p)"`."""
    tail = " ".join(f"{key.replace('_', ' ')} {value}" for key, value in clauses.items())
    spark.sql(f"CREATE TABLE {name} ({columns}) USING {format} {tail}")
    return name


def listed(options):
    """Options in SQL syntax."""
    return "(" + ", ".join(f"'{key}' = '{value}'" for key, value in options.items()) + ")"
