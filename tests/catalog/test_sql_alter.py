"""ALTER TABLE: each form does what it does to a table of Spark's own Parquet, or it is refused in a sentence."""

import pytest

from catalog_tables import create, tables
from tables import ACCIDENT, FORMAT, causes, refusal

DATA = "id BIGINT, v VARIANT, n INT, c CHAR(5), d VARCHAR(9), s STRUCT<a: INT>"
SHAPES = {
    "no partitions": {"columns": f"{DATA}, p CHAR(1)"},
    "partitions": {"columns": f"{DATA}, p CHAR(1)", "PARTITIONED_BY": "(p)"},
    "partitions in front": {"columns": f"p CHAR(1), {DATA}", "PARTITIONED_BY": "(p)"},
    "partitions out of order": {"columns": f"p CHAR(1), q INT, {DATA}", "PARTITIONED_BY": "(q, p)"},
}
ROW = "SELECT {id}L AS id, parse_json('1') AS v, 2 AS n, 'c' AS c, 'd' AS d, named_struct('a', 1) AS s, 'x' AS p"

# What is done as with `parquet`, one after the other.
DONE = """ADD COLUMN z INT
ADD COLUMNS (y INT COMMENT 'why', x STRING)
ADD COLUMN w CHAR(3)
ALTER COLUMN n COMMENT 'of note'
ALTER COLUMN c COMMENT 'of note'
CHANGE COLUMN n n INT COMMENT 'once more'
CHANGE COLUMN d d VARCHAR(9) COMMENT 'of note'
CHANGE COLUMN w COMMENT 'of width'
SET TBLPROPERTIES ('k' = 'v', 'comment' = 'of a table')
UNSET TBLPROPERTIES ('k')
UNSET TBLPROPERTIES IF EXISTS ('k')"""
# What may be done or refused; the last ones leave the table without its rows.
ANSWERED = """ADD COLUMN id INT
ADD COLUMN p INT
ADD COLUMN nn INT NOT NULL
ADD COLUMN nn INT DEFAULT 5
ADD COLUMN f INT FIRST
ADD COLUMN g INT AFTER id
ADD COLUMN h INT AFTER p
ADD COLUMNS (i INT AFTER p, j INT FIRST, k INT)
ADD COLUMN s.z INT
ADD COLUMN p.z INT
DROP COLUMN n
DROP COLUMN p
DROP COLUMNS (n, c)
DROP COLUMN IF EXISTS nope
RENAME COLUMN n TO m
RENAME COLUMN p TO q
ALTER COLUMN n TYPE BIGINT
ALTER COLUMN c TYPE VARCHAR(20)
ALTER COLUMN p COMMENT 'of note'
ALTER COLUMN s.a COMMENT 'of note'
ALTER COLUMN n COMMENT 'a', c COMMENT 'b'
CHANGE COLUMN p p CHAR(1) COMMENT 'of note'
CHANGE COLUMN n m INT
ALTER COLUMN n FIRST
ALTER COLUMN n AFTER p
ALTER COLUMN p FIRST
ALTER COLUMN n SET NOT NULL
ALTER COLUMN n DROP NOT NULL
ALTER COLUMN n SET DEFAULT 3
ALTER COLUMN n DROP DEFAULT
REPLACE COLUMNS (id BIGINT, z INT)
UNSET TBLPROPERTIES ('nope')
SET SERDE 'org.apache.x'
SET SERDEPROPERTIES ('a' = 'b')
PARTITION (p = 'x') SET SERDEPROPERTIES ('a' = 'b')
CLUSTER BY (id)
CLUSTER BY NONE
ADD CONSTRAINT ck CHECK (id > 0)
DROP CONSTRAINT ck
DEFAULT COLLATION UTF8_LCASE
ADD PARTITION (p = 'w')
ADD IF NOT EXISTS PARTITION (p = 'w') LOCATION '{place}'
PARTITION (p = 'x') RENAME TO PARTITION (p = 'w')
PARTITION (p = 'x') SET LOCATION '{place}'
DROP PARTITION (p = 'x')
DROP IF EXISTS PARTITION (p = 'x') PURGE
RECOVER PARTITIONS
SET LOCATION '{place}'"""


def insert(spark, table, id, shape):
    more = ", 7 AS q" if "q INT" in SHAPES[shape]["columns"] else ""
    spark.sql(f"INSERT INTO {table} BY NAME {ROW.format(id=id)}{more}")


def columns(spark, table):
    # Spark describes texts of its own tables by their lengths, those of other tables as STRING.
    described = spark.sql(f"DESCRIBE {table}").collect()
    return [(r[0], "string" if r[1].startswith(("char", "varchar")) else r[1], r[2]) for r in described]


def seen(spark, table):
    """The columns and the rows of a table."""
    rows = spark.sql(f"SELECT * EXCEPT (v), to_json(v) FROM {table} ORDER BY id").collect()
    return columns(spark, table), rows


@pytest.mark.parametrize("shape", SHAPES)
def test_columns_and_properties_are_altered_as_with_parquet(spark, shape):
    with tables(spark, "ours", "plain") as (ours, plain):
        for name, format in ((ours, FORMAT), (plain, "parquet")):
            create(spark, name, format=format, **SHAPES[shape])
            insert(spark, name, 1, shape)
        assert seen(spark, ours) == seen(spark, plain)
        for i, change in enumerate(DONE.split("\n"), 2):
            for name in (ours, plain):
                spark.sql(f"ALTER TABLE {name} {change}")
                if change.startswith("ADD"):
                    insert(spark, name, i, shape)
            look = seen if change.startswith("ADD") else columns
            assert look(spark, ours) == look(spark, plain), change
        for name in (ours, plain):
            spark.sql(f"ALTER TABLE {name} RENAME TO {name}_new")
        try:
            assert seen(spark, f"{ours}_new") == seen(spark, f"{plain}_new")
        finally:
            for name in (ours, plain):
                spark.sql(f"DROP TABLE {name}_new")


@pytest.mark.parametrize("kind", ["files", "delta", "a delta table without rows"])
@pytest.mark.parametrize("shape", SHAPES)
def test_each_form_of_alter_table_is_done_or_refused_in_a_sentence(spark, tmp_path, shape, kind):
    options = {} if kind == "files" else {"OPTIONS": "(table 'delta')"}
    with tables(spark, "t") as t:
        create(spark, t, **SHAPES[shape], **options)
        if kind != "a delta table without rows":
            insert(spark, t, 1, shape)
        for change in f"{ANSWERED}\n{DONE}".format(place=tmp_path / "elsewhere").split("\n"):
            before = spark.table(t).schema
            try:
                spark.sql(f"ALTER TABLE {t} {change}")
            except Exception as e:
                accidents = [text for text in map(str, causes(e)) if ACCIDENT.search(text)]
                assert not accidents, (change, accidents)
                assert spark.table(t).schema == before, change
            spark.table(t).collect()


def test_comments_on_columns_of_a_delta_table_are_refused(spark):
    """Its log has them: a comment in the catalog would be seen by nobody."""
    with tables(spark, "t") as t:
        create(spark, t, OPTIONS="(table 'delta')")
        spark.sql(f"INSERT INTO {t} SELECT 1L, parse_json('1')")
        refusal(lambda: spark.sql(f"ALTER TABLE {t} ALTER COLUMN id COMMENT 'of note'"), "'id'", "overwriteSchema")


def test_a_column_that_must_have_values_is_not_added_to_rows(spark):
    with tables(spark, "t") as t:
        create(spark, t)
        refusal(lambda: spark.sql(f"ALTER TABLE {t} ADD COLUMN z INT NOT NULL"), "'z'", "NOT NULL")


def test_a_table_that_a_query_fills_has_its_partition_columns_last(spark):
    query = "SELECT 'x' AS p, id, id + 1 AS n, parse_json('1') AS v FROM range(3)"
    with tables(spark, "ours", "plain") as (ours, plain):
        for name, format in ((ours, FORMAT), (plain, "parquet")):
            spark.sql(f"CREATE TABLE {name} USING {format} PARTITIONED BY (p) AS {query}")
        assert seen(spark, ours) == seen(spark, plain)
        spark.sql(f"CREATE OR REPLACE TABLE {ours} USING {FORMAT} PARTITIONED BY (p) AS {query}")
        assert seen(spark, ours) == seen(spark, plain)
        spark.sql(query).write.format(FORMAT).partitionBy("p").mode("overwrite").saveAsTable(ours)
        assert seen(spark, ours) == seen(spark, plain)
