"""delta-spark and this source use one table in turns: each reads what the other has written, removed and skipped."""

import json
import re

import pytest

from delta_spark import SETTINGS, delta_spark  # noqa: F401
from delta_tables import active, commits, load, save, statistics
from programs import ROOT
from scan_counts import run
from shredded_variant import layout
from tables import FORMAT

SHAPE = {"shredding.shape.v": "a BIGINT, s STRING, o STRUCT<d DATE, f DOUBLE>"}


def same(spark, delta_spark, path, query):  # noqa: F811
    """Runs a query with both; {t} is the table. Both must give the same rows, which are returned."""
    load(spark, path).createOrReplaceTempView("asked")
    ours = [list(r) for r in spark.sql(query.format(t="asked")).collect()]
    theirs = delta_spark.sql(query, t=path)
    assert json.loads(json.dumps(ours, default=str)) == theirs, query
    return theirs


def rows(spark, first, last, partition="id % 2"):
    return spark.range(first, last, 1, 1).selectExpr(
        "id", "'n' || lpad(id, 4, '0') AS name", "id * 1.5D AS x", "date_add(DATE'2026-01-01', CAST(id AS INT)) AS day",
        "to_variant_object(named_struct('a', id, 's', 'k' || lpad(id, 4, '0'), "
        "'o', named_struct('d', date_add(DATE'2026-01-01', CAST(id AS INT)), 'f', id / 4))) AS v",
        f"{partition} AS p",
    )  # fmt: skip


@pytest.fixture(scope="module")
def ours(spark, tmp_path_factory):
    """Ten files of ten rows in two partitions."""
    path = tmp_path_factory.mktemp("ours") / "t"
    for i in range(10):
        save(rows(spark, i * 10, i * 10 + 10, partition=f"{i % 2}"), path, "p", **SHAPE)
    return str(path)


CONDITIONS = [
    "id BETWEEN 33 AND 35", "name >= 'n0095'", "x < 3", "day = DATE'2026-02-10'", "id IN (1, 55)",
    "p = 1 AND id < 30", "p = 0 AND name LIKE 'n004%'", "v:a::bigint BETWEEN 33 AND 35", "v:s::string = 'k0041'",
    "v:o.d::date < DATE'2026-01-05'", "v:o.f::double > 24 AND p = 1", "variant_get(v, '$.a', 'int') = 7 OR id = 99",
    "v IS NULL", "v:absent IS NULL AND id > 97",
]  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS)
def test_delta_spark_filters_our_tables_as_we_do(spark, delta_spark, ours, condition):  # noqa: F811
    """On Spark 4.3 delta-spark skips files only by partitions: the random column keeps the filter above the scan."""
    query = f"SELECT id, p, to_json(v) FROM (SELECT *, rand() AS r FROM {{t}}) WHERE {condition} AND r >= 0 ORDER BY id"
    result = same(spark, delta_spark, ours, query)
    expected = rows(spark, 0, 100, partition="CAST(id div 10 % 2 AS INT)").where(condition).select("id")
    assert [r[0] for r in result] == sorted(r[0] for r in expected.collect())
    pushed = f"SELECT id, to_json(v) FROM {{t}} WHERE {condition} ORDER BY id"
    assert [list(r) for r in spark.sql(pushed.format(t="asked")).collect()] == [[r[0], r[2]] for r in result]


@pytest.mark.parametrize("condition", ["p = 1", "p IN (0, 7)", "p IS NULL", "p > 0 AND p < 9"])
def test_delta_spark_prunes_our_partitions(spark, delta_spark, ours, condition):  # noqa: F811
    same(spark, delta_spark, ours, f"SELECT id, p, to_json(v) FROM {{t}} WHERE {condition} ORDER BY id")


# a comparison of a BIGINT column: in how many of ten files rows can match
COMPARED = [("=", "id", 55, 1), (">", "id", 74, 3), ("<", "id", 0, 0), ("=", "id", 100, 0), (">", "id", -1, 10)]


@pytest.mark.parametrize(("operator", "column", "number", "files"), COMPARED)
def test_delta_kernel_skips_our_files_by_their_statistics(
    spark, delta_spark, ours, operator, column, number, files  # noqa: F811
):  # fmt: skip
    """Delta Kernel, with its own reader of statistics, opens only the files in which rows can match."""
    kept = delta_spark.files(ours, operator, column, number)
    holding = load(spark, ours).where(f"{column} {operator} {number}").selectExpr("_metadata.file_name").distinct()
    assert kept == sorted(r[0] for r in holding.collect())
    assert len(kept) == files


TYPES = {
    "i": "1Y", "h": "-300S", "n": "70000", "l": "-7000000000L", "c": "1.50", "e": "12345678901234567.25",
    "b": "true", "f": "CAST(1.5 AS FLOAT)", "d": "-2.25D", "s": "'é\U0001f600'", "w": "repeat('x', 100)",
    "y": "X'00FF'",
    "t": "DATE'2026-01-31'", "z": "TIMESTAMP'2026-01-31 12:00:00.123456Z'", "m": "TIMESTAMP_NTZ'1969-12-31 23:59:59.5'",
}  # fmt: skip
KINDS = {
    "i": "TINYINT", "h": "SMALLINT", "n": "INT", "l": "BIGINT", "c": "DECIMAL(9,2)", "e": "DECIMAL(20,2)",
    "b": "BOOLEAN", "f": "FLOAT", "d": "DOUBLE", "s": "STRING", "w": "STRING", "y": "BINARY",
    "t": "DATE", "z": "TIMESTAMP", "m": "TIMESTAMP_NTZ",
}  # fmt: skip
# Rows that the shape does not fit, beside rows that it fits.
ODD = [
    "CAST(NULL AS VARIANT)", "parse_json('null')", "parse_json('{}')", "parse_json('[]')", "parse_json('7')",
    "parse_json('\"text\"')", "parse_json('{\"i\":null,\"o\":{\"p\":null},\"l\":[null,1,\"x\"]}')",
    "parse_json('{\"i\":\"residual\",\"o\":5,\"a\":{\"x\":1}}')", "parse_json('{\"o\":{\"q\":1},\"a\":[]}')",
    "parse_json('{\"i\":1000,\"other\":{\"deep\":[{\"er\":1.25}]},\"a\":[1,[2,3],{\"k\":null}]}')",
    "to_variant_object(named_struct('o', named_struct('p', named_struct('r', array(1L, 2L)))))",
    "CAST(DATE'2026-01-31' AS VARIANT)", "CAST('NaN' AS DOUBLE)::VARIANT",
]  # fmt: skip


def test_all_types_residuals_nulls_and_nested_values_are_the_same(spark, delta_spark, tmp_path):  # noqa: F811
    fields = ", ".join(f"'{name}', {value}" for name, value in TYPES.items())
    typed = f"to_variant_object(named_struct({fields}, 'a', array(1L, NULL), 'o', named_struct('p', 'deep')))"
    union = " UNION ALL ".join(f"SELECT {i} AS id, {v} AS v" for i, v in enumerate([typed, *ODD, typed]))
    shape = ", ".join(f"{name} {kind}" for name, kind in KINDS.items())
    expected = spark.sql(f"SELECT id, to_json(v) FROM ({union}) ORDER BY id").collect()
    given = {"shredding.shape.v": f"{shape}, a ARRAY<BIGINT>, o STRUCT<p STRING>"}
    for name, options in (("given", given), ("inferred", {"shredding": "infer"})):
        path = tmp_path / name
        df = spark.sql(f"SELECT id, v, named_struct('v', v, 'n', id) AS s FROM ({union})").coalesce(1)
        save(df, path, **options)
        for column in ("v", "s.v"):
            result = same(spark, delta_spark, path, f"SELECT id, to_json({column}) FROM {{t}} ORDER BY id")
            assert result == [list(r) for r in expected]
            same(spark, delta_spark, path,
                 f"SELECT id, {column} IS NULL, is_variant_null({column}) FROM {{t}} ORDER BY id")  # fmt: skip
        for name, kind in KINDS.items():
            get = f"CAST(try_variant_get(v, '$.{name}', '{kind}') AS STRING)"
            if kind == "BINARY":
                get = f"hex(try_variant_get(v, '$.{name}', '{kind}'))"
            same(spark, delta_spark, path, f"SELECT id, {get} FROM {{t}} ORDER BY id")
            barred = "(SELECT *, rand() AS r FROM {t})"
            condition = f"try_variant_get(v, '$.{name}', '{kind}') = {TYPES[name]}"
            same(spark, delta_spark, path, f"SELECT id FROM {barred} WHERE {condition} AND r >= 0 ORDER BY id")


def ids(spark, path):
    return sorted(r[0] for r in load(spark, path).select("id").collect())


def test_delta_spark_and_we_insert_into_one_table_in_turns(spark, delta_spark, tmp_path):  # noqa: F811
    path = tmp_path / "t"
    save(rows(spark, 0, 10), path, "p", **SHAPE)
    query = "SELECT id, name, x, CAST(day AS STRING), to_json(v), p FROM {t} ORDER BY id"
    new = "SELECT 100L, 'n', 1.0D, DATE'2026-01-01', parse_json('{{\"a\":100}}'), 0L"
    delta_spark.sql(f"INSERT INTO {{t}} {new}", t=path)
    assert [r[0] for r in same(spark, delta_spark, path, query)] == [*range(10), 100]
    result, counts = run(load(spark, path).where("v:a::bigint >= 9").select("id"))
    # The file of delta-spark has no bounds, so that it is opened; our files are skipped by their bounds.
    assert (sorted(r[0] for r in result), counts.files) == ([9, 100], (2, 1))
    save(rows(spark, 20, 21), path, mode="overwrite", partitionOverwriteMode="dynamic", **SHAPE)
    assert [r[0] for r in same(spark, delta_spark, path, query)] == [1, 3, 5, 7, 9, 20]
    delta_spark.sql(f"INSERT INTO {{t}} {new}", t=path)
    save(rows(spark, 7, 8), path, mode="overwrite", **SHAPE)
    assert [r[0] for r in same(spark, delta_spark, path, query)] == [7]
    on_every_route(spark, str(path), [7])


@pytest.fixture
def shredded(delta_spark, tmp_path):  # noqa: F811
    """A table of two files that delta-spark has written and shredded."""
    path = str(tmp_path / "theirs")
    settings = {
        "spark.sql.variant.writeShredding.enabled": "true",
        "spark.sql.variant.forceShreddingSchemaForTest": "a BIGINT, s STRING",
    }
    for key, value in settings.items():
        delta_spark.sql(f"SET {key} = {value}")
    try:
        delta_spark.sql(
            "CREATE TABLE {t} (id BIGINT, v VARIANT, p BIGINT) USING delta PARTITIONED BY (p) "
            "TBLPROPERTIES ('delta.enableVariantShredding' = 'true')", t=path,
        )  # fmt: skip
        for first in (0, 10):
            delta_spark.sql(
                "INSERT INTO {t} SELECT id, to_variant_object(named_struct('a', id, 's', 'k' || id)), 0L "
                f"FROM range({first}, {first + 10}, 1, 1)", t=path,
            )  # fmt: skip
    finally:
        for key in settings:
            delta_spark.sql(f"RESET {key}")
    return path


def test_tables_that_delta_spark_has_shredded_are_read_and_written(spark, delta_spark, shredded):  # noqa: F811
    assert {shape.kind for shape in layout(shredded).shapes} == {"parquet"}
    query = "SELECT id, to_json(v), p FROM {t} ORDER BY id"
    assert [r[0] for r in same(spark, delta_spark, shredded, query)] == list(range(20))
    rows_, counts = run(load(spark, shredded).where("v:a::bigint = 13").select("id"))
    # The log of delta-spark has no bounds of paths, but its files have.
    assert ([r[0] for r in rows_], counts.files, counts.groups) == ([13], (1, 1), (1, 1))
    more = rows(spark, 30, 40, partition="0L").select("id", "v", "p")
    save(more, shredded, **{"shredding.shape.v": "a BIGINT, s STRING"})
    assert [r[0] for r in same(spark, delta_spark, shredded, query)] == [*range(20), *range(30, 40)]
    ours = statistics(shredded)[0]
    assert "v" in ours["minValues"]
    save(more.where("id < 33"), shredded, mode="overwrite", **{"shredding.shape.v": "a BIGINT"})
    assert [r[0] for r in same(spark, delta_spark, shredded, query)] == [30, 31, 32]
    removed = {a["remove"]["path"] for commit in commits(shredded) for a in commit if "remove" in a}
    assert len(removed) == 3 and not removed & active(shredded)
    on_every_route(spark, shredded, [30, 31, 32])


def on_every_route(spark, path, expected):
    """Removed files are not read by load, SQL, tables of a catalog, streams or footers."""
    assert ids(spark, path) == expected
    assert load(spark, path).count() == len(expected)
    assert sorted(r[0] for r in spark.sql(f"SELECT id FROM {FORMAT}.`{path}`").collect()) == expected
    spark.sql(f"CREATE TABLE theirs USING {FORMAT} LOCATION '{path}'")
    try:
        assert sorted(r[0] for r in spark.sql("SELECT id FROM theirs").collect()) == expected
        assert spark.sql("SELECT count(*), max(v:a::bigint) FROM theirs").first()[0] == len(expected)
    finally:
        spark.sql("DROP TABLE theirs")
    stream = spark.readStream.format(FORMAT).load(path).writeStream.format("parquet").trigger(availableNow=True)
    query = stream.option("checkpointLocation", f"{path}.checkpoint").start(f"{path}.rows")
    assert query.awaitTermination(120)
    assert sorted(r[0] for r in spark.read.parquet(f"{path}.rows").select("id").collect()) == expected
    assert layout(path).rows == len(expected)


def test_the_documents_say_what_deltas_own_tools_do_on_this_spark(spark, delta_spark, tmp_path):  # noqa: F811
    """Runs the settings and statements of docs/delta.md, and the statements that it says do not work."""
    text = (ROOT / "docs" / "delta.md").read_text().split("## With Delta's own tools")[1].split("\n## ")[0]
    assert dict(re.findall(r"--conf (\S+?)=(\S+)", text)) == SETTINGS
    (block,) = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    statements = [s.strip() for s in block.split(";") if s.strip()]
    assert [s.split()[0] for s in statements] == ["SELECT", "INSERT"]
    path = tmp_path / "t"
    df = spark.range(0, 8, 1, 1).selectExpr("id", "parse_json(concat('{\"kind\":', id, '}')) AS v", "id % 2 AS day")
    save(df, path, "day", **{"shredding.shape.v": "kind STRING"})
    result = []
    for statement in statements:
        asked = statement.replace("{", "{{").replace("}", "}}")
        assert "delta.`/path`" in asked
        result.append(delta_spark.sql(asked.replace("delta.`/path`", "{t}"), t=path))
    assert result == [[["1", 1], ["3", 1], ["5", 1], ["7", 1]], []]
    assert ids(spark, path) == [*range(8), 100]
    assert delta_spark.history(path) == ["WRITE", "WRITE"]
    before = commits(path)
    for statement in ("DELETE FROM {t} WHERE id = 3", "UPDATE {t} SET id = 1", "OPTIMIZE {t}", "VACUUM {t}"):
        assert f"`{statement.split()[0]}`" in text
        with pytest.raises(RuntimeError, match=r"(?i)support"):
            delta_spark.sql(statement, t=path)
    assert commits(path) == before
