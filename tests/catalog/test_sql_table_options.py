"""Options of tables in a catalog apply to every write, unless the write has the option too; wrong ones are refused."""

import itertools
import json
from pathlib import Path

import pytest

import shredded_variant
from catalog_tables import DOCUMENT, create, ids, location, rows, tables
from delta_spark import delta_spark  # noqa: F401
from delta_tables import actions
from parquet_cells import data_files
from path_queries import settings
from pinned_tables import ROWS, documents, pins, schemas
from tables import FORMAT, refusal

SESSION = "spark.datasource.shredded_variant."


def typed(spark, name):
    """The paths that are typed columns in the files of a table."""
    result = shredded_variant.layout(location(spark, name)).entries
    return {e.path for e in result if e.column == "v" and e.path != "$" and e.typed}


def test_ten_inserts_of_drifting_data_make_files_of_one_schema(spark):
    with tables(spark, "t") as t:
        create(spark, t, "id INT, v VARIANT")
        documents(spark, "n", "s").write.insertInto(t)
        path = location(spark, t)
        first = data_files(path)
        drift = [
            ("n",),
            ("s", "n"),
            ("d",),
            ("o",),
            ("l", "o"),
            ("n", "d"),
            ("s",),
            ("o", "n"),
            ("l",),
            ("d", "s", "o"),
        ]
        for i, fields in enumerate(drift):
            documents(spark, *fields, start=(i + 1) * ROWS).createOrReplaceTempView("batch")
            spark.sql(f"INSERT INTO {t} SELECT * FROM batch")
        assert len(data_files(path)) == len(first) + 10
        assert len(schemas(path, first)) == 1
        assert pins(path) == {"v": "STRUCT<n BIGINT, s STRING>"}
        spark.sql(f"INSERT OVERWRITE {t} SELECT * FROM batch")
        assert pins(path) is None and len(schemas(path)) == 1


def test_inserts_of_drifting_data_keep_the_shape_of_a_delta_table(spark):
    with tables(spark, "t") as t:
        create(spark, t, "id INT, v VARIANT", OPTIONS="(table 'delta', 'shredding.shape.v' 'n BIGINT')")
        for i, fields in enumerate((("n", "s"), ("d",), ("o", "n"))):
            documents(spark, *fields, start=i * ROWS).write.insertInto(t)
        assert len(schemas(location(spark, t))) == 1
        assert spark.table(t).count() == 3 * ROWS


@pytest.mark.parametrize("clause", ["TBLPROPERTIES", "OPTIONS"])
def test_a_shape_of_the_table_is_that_of_every_write(spark, clause):
    with tables(spark, "t", "made") as (t, made):
        create(spark, t, **{clause: "('shredding.shape.v' = 'a BIGINT')"})
        rows(spark, 1).write.insertInto(t)
        rows(spark, 2).write.format(FORMAT).mode("append").saveAsTable(t)
        rows(spark, 3).writeTo(t).append()
        spark.sql(f"INSERT INTO {t} SELECT 4, {DOCUMENT} FROM range(1) AS t(id)")
        assert typed(spark, t) == {"$.a"}
        assert len(schemas(location(spark, t))) == 1
        spark.sql(
            f"CREATE TABLE {made} USING {FORMAT} {clause} ('shredding.shape.v' = 'b STRING') AS SELECT * FROM {t}"
        )
        assert typed(spark, made) == {"$.b"}


def test_options_of_save_as_table_stay_with_the_table_as_with_parquet(spark):
    with tables(spark, "t") as t:
        writer = (
            rows(spark, 1).write.format(FORMAT).option("shredding", "off").option("partitionOverwriteMode", "static")
        )
        for mode in ("error", "overwrite"):
            writer.mode(mode).saveAsTable(t)
            rows(spark, 2).write.insertInto(t)
            assert typed(spark, t) == set()
        shown = {r[0] for r in spark.sql(f"SHOW TBLPROPERTIES {t}").collect()}
        assert "shredding" in shown and "partitionOverwriteMode" not in shown


def test_properties_of_a_delta_table_are_given_once_and_then_the_logs(spark):
    with tables(spark, "t", "again") as (t, again):
        create(spark, t, TBLPROPERTIES="('table' = 'delta', 'delta.checkpointInterval' = '7')")
        for i in (1, 2):
            rows(spark, i).write.insertInto(t)
        path = location(spark, t)
        assert "'delta.checkpointInterval': '7'" in str(actions(path, "metaData", 0))
        tail = f"LOCATION '{path}' TBLPROPERTIES"
        refusal(
            lambda: spark.sql(f"CREATE TABLE {again} USING {FORMAT} {tail} ('delta.checkpointInterval' = '8')"),
            "checkpointInterval",
            name="SHREDDED_VARIANT_DELTA_OPTION",
        )
        spark.sql(f"CREATE TABLE {again} USING {FORMAT} {tail} ('delta.checkpointInterval' = '7')")
        rows(spark, 3).write.insertInto(again)
        assert ids(spark.table(t)) == [1, 2, 3]


def test_options_of_a_write_go_before_the_tables_and_these_before_the_sessions(spark):
    def written(table, session, **options):
        conf = {SESSION + "shredding.shape.v": session[0]} if session else {}
        with tables(spark, "t") as t, settings(spark, conf):
            create(spark, t, **({"TBLPROPERTIES": f"({table})"} if table else {}))
            rows(spark, 1).writeTo(t).options(**{k.replace("__", "."): v for k, v in options.items()}).append()
            return typed(spark, t)

    ours = "'shredding.shape.v' = 'a BIGINT'"
    assert written("", ["b STRING"]) == {"$.b"}
    assert written(ours, ["b STRING"]) == {"$.a"}
    assert written(ours, ["b STRING"], shredding__shape__v="b STRING, a BIGINT") == {"$.a", "$.b"}
    assert written(ours, [], shredding="off") == set()
    assert written("'shredding' = 'off'", ["b STRING"]) == set()


WRONG = [
    ("'shreding' = 'off'", "UNKNOWN_OPTION", "did you mean 'shredding'"),
    ("'shredding.shap.v' = 'INT'", "UNKNOWN_OPTION", "shredding.shap.v"),
    ("'shredding.shape.w' = 'INT'", "NO_SUCH_COLUMN", "did you mean 'v'"),
    ("'shredding.shape.id' = 'INT'", "NOT_A_VARIANT", "'id'"),
    ("'shredding.shape.v' = 'NOTHING'", "SHAPE", "NOTHING"),
    ("'shredding' = 'maybe'", "OPTION_VALUE", "infer or off"),
    ("'table' = 'iceberg'", "OPTION_VALUE", "files or delta"),
    ("'table' = 'delta', 'layout' = 'draft'", "DELTA_OPTION", "'layout'"),
]


@pytest.mark.parametrize(("options", "name", "said"), WRONG)
@pytest.mark.parametrize("clause", ["TBLPROPERTIES", "OPTIONS"])
def test_a_wrong_option_is_refused_when_the_table_is_created(spark, tmp_path, clause, options, name, said):
    path = tmp_path / "t"
    with tables(spark, "wrong", "right") as (wrong, right):
        tail = f"LOCATION '{path}' {clause} ({options})"
        create(spark, right)
        for statement in (
            f"CREATE TABLE {wrong} (id BIGINT, v VARIANT) USING {FORMAT} {tail}",
            f"CREATE TABLE {wrong} USING {FORMAT} {tail} AS SELECT * FROM {right}",
            f"CREATE OR REPLACE TABLE {right} USING {FORMAT} {tail} AS SELECT 1L AS id, parse_json('1') AS v",
        ):
            refusal(lambda s=statement: spark.sql(s), said, name=f"SHREDDED_VARIANT_{name}")
        assert not spark.catalog.tableExists(wrong) and not path.exists()
        assert spark.catalog.tableExists(right)


WRITES = {
    "insert into": lambda spark, t: rows(spark, 2).write.format(FORMAT).option("shreding", "off").insertInto(t),
    "overwrite": lambda spark, t: (
        rows(spark, 2).write.format(FORMAT).option("shreding", "off").insertInto(t, overwrite=True)
    ),
    "append": lambda spark, t: rows(spark, 2).writeTo(t).option("shreding", "off").append(),
    "replace": lambda spark, t: (
        rows(spark, 2).write.format(FORMAT).option("shreding", "off").mode("overwrite").saveAsTable(t)
    ),
    "SQL": lambda spark, t: spark.sql(f"INSERT INTO {t} WITH ('shreding' = 'off') VALUES (2, NULL)"),
    "read": lambda spark, t: spark.read.option("shreding", "off").table(t).collect(),
}


@pytest.mark.parametrize("write", list(WRITES))
def test_a_wrong_option_of_a_write_or_read_is_refused_and_nothing_is_written(spark, write):
    with tables(spark, "t") as t:
        create(spark, t)
        rows(spark, 1).write.insertInto(t)
        refusal(lambda: WRITES[write](spark, t), "shredding", name="SHREDDED_VARIANT_UNKNOWN_OPTION")
        assert ids(spark.table(t)) == [1]


def test_properties_can_be_changed_to_right_ones(spark):
    with tables(spark, "t") as t:
        create(spark, t, TBLPROPERTIES="('shredding.shape.v' = 'a BIGINT')")
        refusal(
            lambda: spark.sql(f"ALTER TABLE {t} SET TBLPROPERTIES ('shredding.shape.v' = 'NOTHING')"),
            name="SHREDDED_VARIANT_SHAPE",
        )
        spark.sql(f"ALTER TABLE {t} SET TBLPROPERTIES ('shredding.shape.v' = 'b STRING', 'layer' = 'bronze')")
        rows(spark, 1).write.insertInto(t)
        assert typed(spark, t) == {"$.b"}
        spark.sql(f"ALTER TABLE {t} UNSET TBLPROPERTIES ('shredding.shape.v')")
        spark.sql(f"INSERT OVERWRITE {t} SELECT 1, {DOCUMENT} FROM range(1) AS t(id)")
        assert typed(spark, t) == {"$.a", "$.b"}


def test_column_defaults_and_buckets_are_refused_by_name(spark, tmp_path):
    with tables(spark, "t") as t:
        refusal(lambda: create(spark, t, "id INT DEFAULT 5, v VARIANT"), "'id'", name="SHREDDED_VARIANT_TABLE_COLUMN")
        refusal(
            lambda: create(spark, t, CLUSTERED_BY="(id) INTO 4 BUCKETS"), name="SHREDDED_VARIANT_TABLE_PARTITIONING"
        )
        assert not spark.catalog.tableExists(t)


def test_a_table_over_a_delta_table_has_the_columns_of_its_log(spark, tmp_path):
    path = str(tmp_path / "t")
    rows(spark, 1, p="'x'").write.format(FORMAT).option("table", "delta").partitionBy("p").save(path)
    with tables(spark, "t", "wrong") as (t, wrong):
        refusal(
            lambda: create(spark, wrong, "id BIGINT, w VARIANT", LOCATION=f"'{path}'"),
            name="SHREDDED_VARIANT_DELTA_TABLE_COLUMNS",
        )
        columns = "id BIGINT, v VARIANT, p STRING"
        refusal(
            lambda: create(spark, wrong, columns, PARTITIONED_BY="(id)", LOCATION=f"'{path}'"),
            name="SHREDDED_VARIANT_DELTA_PARTITIONING",
        )
        refusal(lambda: create(spark, wrong, LOCATION=f"'{path}/p=x'"), name="SHREDDED_VARIANT_INSIDE_DELTA_TABLE")
        spark.sql(f"CREATE TABLE {t} USING {FORMAT} LOCATION '{path}'")
        more = rows(spark, 2, p="'x'", n=7).write.format(FORMAT).option("mergeSchema", "true").mode("append")
        more.save(path)
        assert spark.table(t).columns == ["id", "v", "p", "n"]
        rows(spark, 3, p="'y'", n=8).write.insertInto(t)
        assert [tuple(r) for r in spark.sql(f"SELECT id, p, n FROM {t} ORDER BY id").collect()] == [
            (1, "x", None),
            (2, "x", 7),
            (3, "y", 8),
        ]
        refusal(lambda: spark.sql(f"ALTER TABLE {t} ADD COLUMN z INT"), "mergeSchema")
        refusal(
            lambda: rows(spark, 4).write.format(FORMAT).option("path", path).mode("overwrite").saveAsTable(t),
            name="SHREDDED_VARIANT_DELTA_TABLE_COLUMNS",
        )
        assert ids(spark.table(t)) == [1, 2, 3]


def test_each_write_of_a_delta_table_is_one_commit_that_others_read(spark, delta_spark):  # noqa: F811
    with tables(spark, "t") as t:
        create(spark, t, "id BIGINT, v VARIANT, p STRING", PARTITIONED_BY="(p)", TBLPROPERTIES="('table' = 'delta')")
        statements = [
            f"INSERT INTO {t} SELECT id, {DOCUMENT}, 'x' FROM range(4)",
            f"INSERT INTO {t} SELECT id, {DOCUMENT}, 'y' FROM range(4, 8)",
            f"INSERT OVERWRITE {t} PARTITION (p = 'x') SELECT id, {DOCUMENT} FROM range(8, 10)",
            f"INSERT INTO {t} REPLACE WHERE p = 'y' SELECT id, {DOCUMENT}, 'y' FROM range(10, 11)",
        ]
        path = location(spark, t)
        logs = []
        for statement in statements:
            spark.sql(statement)
            logs.append(len(list(Path(path, "_delta_log").glob("*.json"))))
        assert [b - a for a, b in itertools.pairwise(logs)] == [1, 1, 1]
        query = "SELECT id, to_json(v), p FROM {t} ORDER BY id"
        answer = [list(r) for r in spark.sql(query.format(t=t)).collect()]
        assert [r[0] for r in answer] == [8, 9, 10]
        assert delta_spark.sql(query, t=path) == answer
        files = Path(path, "_delta_log").glob("*.json")
        features = [json.loads(line) for f in sorted(files) for line in f.read_text().splitlines()]
        assert any("variantShredding" in str(a.get("protocol")) for a in features)
