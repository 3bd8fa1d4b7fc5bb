"""Each form of ALTER TABLE works as for a table of Spark's own Parquet format, or it is refused."""

import pytest

from catalog_tables import create, tables
from tables import ACCIDENT, FORMAT, causes, condition, refusal

DATA = "id BIGINT, v VARIANT, n INT, c CHAR(5), d VARCHAR(9), s STRUCT<a: INT>"
SHAPES = {
    "no partitions": {"columns": f"{DATA}, p CHAR(1)"},
    "partitions": {"columns": f"{DATA}, p CHAR(1)", "PARTITIONED_BY": "(p)"},
    "partitions in front": {"columns": f"p CHAR(1), {DATA}", "PARTITIONED_BY": "(p)"},
    "partitions out of order": {"columns": f"p CHAR(1), q INT, {DATA}", "PARTITIONED_BY": "(q, p)"},
}
ROW = "SELECT {id}L AS id, parse_json('1') AS v, 2 AS n, 'c' AS c, 'd' AS d, named_struct('a', 1) AS s, 'x' AS p"

# These statements run one after the other, and work as for a table of `parquet`.
DONE = [
    "ADD COLUMN z INT",
    "ADD COLUMNS (y INT COMMENT 'why', x STRING)",
    "ADD COLUMN w CHAR(3)",
    "ALTER COLUMN n COMMENT 'of note'",
    "ALTER COLUMN c COMMENT 'of note'",
    "CHANGE COLUMN n n INT COMMENT 'once more'",
    "CHANGE COLUMN d d VARCHAR(9) COMMENT 'of note'",
    "CHANGE COLUMN w COMMENT 'of width'",
    "SET TBLPROPERTIES ('k' = 'v', 'comment' = 'of a table')",
    "UNSET TBLPROPERTIES ('k')",
    "UNSET TBLPROPERTIES IF EXISTS ('k')",
]

# The kinds of tables: files, a Delta table with rows, one without rows, and one without rows whose partition columns
# are not its last columns.
COLUMN = "SHREDDED_VARIANT_TABLE_COLUMN"
V2, PARTITIONS = "NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", "INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED"
OPERATION = "UNSUPPORTED_FEATURE.TABLE_OPERATION"
# The log of a Delta table has the columns and their comments, in an order of its own.
LOGGED = {"rows": COLUMN, "turned": COLUMN}
# statement: the condition of its error in all tables, or by kind of table; None if the statement works
ANSWERS = {
    "ADD COLUMN id INT": "FIELD_ALREADY_EXISTS",
    "ADD COLUMN p INT": "FIELD_ALREADY_EXISTS",
    "ADD COLUMN nn INT NOT NULL": COLUMN,
    "ADD COLUMN nn INT DEFAULT 5": COLUMN,
    "ADD COLUMN f INT FIRST": LOGGED,
    "ADD COLUMN g INT AFTER id": LOGGED,
    "ADD COLUMN h INT AFTER p": LOGGED,
    "ADD COLUMNS (i INT AFTER p, j INT FIRST, k INT)": LOGGED,
    "ADD COLUMN s.z INT": LOGGED,
    "ADD COLUMN p.z INT": "INVALID_FIELD_NAME",
    "DROP COLUMN n": COLUMN,
    "DROP COLUMN p": COLUMN,
    "DROP COLUMNS (n, c)": COLUMN,
    "DROP COLUMN IF EXISTS nope": None,
    "RENAME COLUMN n TO m": COLUMN,
    "RENAME COLUMN p TO r": COLUMN,
    "ALTER COLUMN n TYPE BIGINT": COLUMN,
    "ALTER COLUMN c TYPE VARCHAR(20)": COLUMN,
    "ALTER COLUMN p COMMENT 'of note'": LOGGED,
    "ALTER COLUMN s.a COMMENT 'of note'": LOGGED,
    "ALTER COLUMN n COMMENT 'a', c COMMENT 'b'": LOGGED,
    "CHANGE COLUMN p p CHAR(1) COMMENT 'of note'": LOGGED,
    "CHANGE COLUMN n m INT": "_LEGACY_ERROR_TEMP_0034",
    "ALTER COLUMN n FIRST": COLUMN,
    "ALTER COLUMN n AFTER p": COLUMN,
    "ALTER COLUMN p FIRST": COLUMN,
    "ALTER COLUMN n SET NOT NULL": "_LEGACY_ERROR_TEMP_2330",
    "ALTER COLUMN n DROP NOT NULL": COLUMN,
    "ALTER COLUMN n SET DEFAULT 3": COLUMN,
    "ALTER COLUMN n DROP DEFAULT": COLUMN,
    "REPLACE COLUMNS (id BIGINT, z INT)": COLUMN,
    "UNSET TBLPROPERTIES ('nope')": None,
    "SET SERDE 'org.apache.x'": V2,
    "SET SERDEPROPERTIES ('a' = 'b')": V2,
    "PARTITION (p = 'x') SET SERDEPROPERTIES ('a' = 'b')": V2,
    "CLUSTER BY (id)": None,
    "CLUSTER BY NONE": None,
    "ADD CONSTRAINT ck CHECK (id > 0)": OPERATION,
    "DROP CONSTRAINT ck": OPERATION,
    "DEFAULT COLLATION UTF8_LCASE": None,
    "ADD PARTITION (p = 'w')": PARTITIONS,
    "ADD IF NOT EXISTS PARTITION (p = 'w') LOCATION '{place}'": PARTITIONS,
    "PARTITION (p = 'x') RENAME TO PARTITION (p = 'w')": PARTITIONS,
    "PARTITION (p = 'x') SET LOCATION '{place}'": "_LEGACY_ERROR_TEMP_1045",
    "DROP PARTITION (p = 'x')": PARTITIONS,
    "DROP IF EXISTS PARTITION (p = 'x') PURGE": PARTITIONS,
    "RECOVER PARTITIONS": V2,
    "SET LOCATION '{place}'": None,
}
# The statements from here on leave the table without rows.
ANSWERS |= {change: {"turned": COLUMN} for change in DONE if "COLUMN" in change}
ANSWERS |= {change: None for change in DONE if "COLUMN" not in change}
ANSWERS |= {"CHANGE COLUMN w COMMENT 'of width'": {"turned": "UNRESOLVED_COLUMN.WITH_SUGGESTION"}}


def insert(spark, table, id, shape):
    more = ", 7 AS q" if "q INT" in SHAPES[shape]["columns"] else ""
    spark.sql(f"INSERT INTO {table} BY NAME {ROW.format(id=id)}{more}")


def columns(spark, table):
    # Spark shows CHAR and VARCHAR for its own tables, and STRING for tables of other sources.
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
        for i, change in enumerate(DONE, 2):
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


@pytest.mark.parametrize("kind", ["files", "rows", "no rows"])
@pytest.mark.parametrize("shape", SHAPES)
def test_each_form_of_alter_table_works_or_is_refused_with_its_condition(spark, tmp_path, shape, kind):
    with tables(spark, "t") as t:
        create(spark, t, **SHAPES[shape], **({} if kind == "files" else {"OPTIONS": "(table 'delta')"}))
        if kind != "no rows":
            insert(spark, t, 1, shape)
        for change, answer in ANSWERS.items():
            if kind == "no rows" and not SHAPES[shape]["columns"].startswith("id"):
                kind = "turned"
            expected = answer.get(kind) if isinstance(answer, dict) else answer
            before = spark.table(t).schema
            assert altered(spark, t, change.format(place=tmp_path / "elsewhere")) == expected, change
            if expected is None:
                spark.table(t).collect()
            else:
                assert spark.table(t).schema == before, change
            if change.startswith("SET LOCATION") and kind == "rows":
                kind = "no rows"


def altered(spark, table, change):
    """The condition of the error, or None; an error that no check raises on purpose fails the test."""
    try:
        spark.sql(f"ALTER TABLE {table} {change}")
    except Exception as error:
        assert not [text for text in map(str, causes(error)) if ACCIDENT.search(text)], change
        return condition(error)


def test_comments_on_columns_of_a_delta_table_are_refused(spark):
    """Readers take comments from the log, not from the catalog."""
    with tables(spark, "t") as t:
        create(spark, t, OPTIONS="(table 'delta')")
        spark.sql(f"INSERT INTO {t} SELECT 1L, parse_json('1')")
        refusal(lambda: spark.sql(f"ALTER TABLE {t} ALTER COLUMN id COMMENT 'of note'"), "'id'", "overwriteSchema")


def test_char_and_varchar_columns_of_a_delta_table_are_those_of_parquet(spark):
    data = "id INT COMMENT 'a key', c CHAR(3), d VARCHAR(3), s STRUCT<x: CHAR(3)>"
    with tables(spark, "ours", "plain") as (ours, plain):
        create(spark, ours, data, OPTIONS="(table 'delta')")
        create(spark, plain, data, "parquet")
        for t in (ours, plain):
            for i in (1, 2):
                spark.sql(f"INSERT INTO {t} SELECT {i}, 'ab', 'z', named_struct('x', 'y')")
            with pytest.raises(Exception, match="EXCEED_LIMIT_LENGTH"):
                spark.sql(f"INSERT INTO {t} SELECT 3, 'abcd', 'z', NULL")
            with pytest.raises(Exception, match="EXCEED_LIMIT_LENGTH"):
                spark.sql(f"INSERT INTO {t} SELECT 3, 'a', 'wxyz', NULL")
        query = "SELECT id, concat(c, '|'), concat(s.x, '|') FROM {} WHERE c = 'ab' ORDER BY id"
        found = [spark.sql(query.format(t)).collect() for t in (ours, plain)]
        assert found[0] == found[1] and len(found[0]) == 2
        assert columns(spark, ours)[:3] == columns(spark, plain)[:3]


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


@pytest.mark.parametrize("kind", ["CHAR(3)", "VARCHAR(3)"])
def test_a_struct_with_char_fields_takes_no_field(spark, kind):
    with tables(spark, "t") as t:
        create(spark, t, f"id BIGINT, s STRUCT<a: INT, c: {kind}>, l ARRAY<STRUCT<c: {kind}>>")
        spark.sql(f"INSERT INTO {t} VALUES (1, named_struct('a', 1, 'c', 'x'), array(named_struct('c', 'y')))")
        for column in ("s.z INT", "s.y INT FIRST", "l.element.z INT"):
            with pytest.raises(Exception, match=r"SHREDDED_VARIANT_TABLE_COLUMN.*CHAR or VARCHAR"):
                spark.sql(f"ALTER TABLE {t} ADD COLUMN {column}")
        assert spark.sql(f"SELECT s.a, trim(s.c), trim(l[0].c) FROM {t}").collect() == [(1, "x", "y")]


def test_a_table_needs_a_column_beside_its_partition_columns(spark):
    with tables(spark, "t") as t:
        for statement in (f"CREATE TABLE {t} (p INT) USING {FORMAT} PARTITIONED BY (p)",
                          f"CREATE TABLE {t} USING {FORMAT} PARTITIONED BY (p) AS SELECT 1 AS p"):  # fmt: skip
            with pytest.raises(Exception, match="SHREDDED_VARIANT_ONLY_PARTITION_COLUMNS"):
                spark.sql(statement)
        assert not spark.catalog.tableExists(t)
