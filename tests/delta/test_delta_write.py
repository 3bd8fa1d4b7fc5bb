"""Writes of Delta tables: the log, what an independent Delta reader reads, and what remains after failures."""

from pathlib import Path

import pytest

from delta_spark import delta_spark  # noqa: F401
from delta_tables import actions, active, commits, files_on_disk, load, save
from tables import refusal

SHAPE = {"shredding.shape.v": "a BIGINT, b STRING"}
COUNTS = "SELECT p, count(*), sum(try_variant_get(v, '$.a', 'bigint')) FROM {t} GROUP BY p ORDER BY p"


def rows(spark, *ids, by=2):
    values = ", ".join(f"({i})" for i in ids)
    return spark.sql(
        f"SELECT id, parse_json(to_json(named_struct('a', id, 'b', 'x' || id))) AS v, id % {by} AS p "
        f"FROM VALUES {values} AS t(id)"
    )


def counts(spark, path, **options):
    load(spark, path, **options).createOrReplaceTempView("t")
    return [list(r) for r in spark.sql(COUNTS.format(t="t")).collect()]


@pytest.fixture
def table(tmp_path):
    return str(tmp_path / "table")


def test_a_new_table_has_the_protocol_the_features_and_the_property_of_the_rfc(spark, table):
    save(rows(spark, 1, 2), table, **SHAPE)
    (protocol,) = actions(table, "protocol", 0)
    (metadata,) = actions(table, "metaData", 0)
    assert (protocol["minReaderVersion"], protocol["minWriterVersion"]) == (3, 7)
    for features in (protocol["readerFeatures"], protocol["writerFeatures"]):
        assert {"variantType", "variantShredding"} <= set(features)
        assert not [f for f in features if "preview" in f]
    assert metadata["configuration"]["delta.enableVariantShredding"] == "true"
    assert '"type":"variant"' in metadata["schemaString"]


def test_each_write_is_one_commit_with_its_operation(spark, table):
    save(rows(spark, 1, 2), table, "p", mode="error")
    save(rows(spark, 3), table)
    save(rows(spark, 4), table, mode="overwrite")
    infos = [a["commitInfo"] for commit in commits(table) for a in commit if "commitInfo" in a]
    assert [i["operationParameters"]["mode"] for i in infos] == ["ErrorIfExists", "Append", "Overwrite"]
    assert [i["isBlindAppend"] for i in infos] == [False, True, False]
    assert infos[0]["operationParameters"]["partitionBy"] == '["p"]'
    assert [i["operationMetrics"]["numOutputRows"] for i in infos] == ["2", "1", "1"]


def test_an_independent_delta_reader_reads_the_same_rows_in_every_mode(spark, table, delta_spark):  # noqa: F811
    def same(expected):
        assert counts(spark, table) == expected
        assert delta_spark.sql(COUNTS, t=table) == expected

    save(rows(spark, 1, 2, 3), table, "p", mode="error", **SHAPE)
    same([[0, 1, 2], [1, 2, 4]])
    save(rows(spark, 4), table, **SHAPE)
    same([[0, 2, 6], [1, 2, 4]])
    save(rows(spark, 5), table, mode="ignore")
    same([[0, 2, 6], [1, 2, 4]])
    save(rows(spark, 7), table, mode="overwrite", partitionOverwriteMode="dynamic", **SHAPE)
    same([[0, 2, 6], [1, 1, 7]])
    save(rows(spark, 8), table, mode="overwrite", replaceWhere="p = 0", **SHAPE)
    same([[0, 1, 8], [1, 1, 7]])
    save(rows(spark, 9), table, mode="overwrite", **SHAPE)
    same([[1, 1, 9]])
    assert counts(spark, table, versionAsOf="0") == [[0, 1, 2], [1, 2, 4]]


def test_a_table_of_an_independent_delta_is_read_appended_to_and_overwritten(spark, table, delta_spark):  # noqa: F811
    delta_spark.sql("CREATE TABLE {t} (id BIGINT, v VARIANT, p BIGINT) USING delta PARTITIONED BY (p)", t=table)
    delta_spark.sql("""INSERT INTO {t} SELECT id, parse_json('{{"a":1}}'), id FROM range(2)""", t=table)
    assert counts(spark, table) == [[0, 1, 1], [1, 1, 1]]
    save(rows(spark, 3), table, table="delta")
    assert delta_spark.sql(COUNTS, t=table) == counts(spark, table) == [[0, 1, 1], [1, 2, 4]]
    save(rows(spark, 5), table, mode="overwrite")
    assert delta_spark.sql(COUNTS, t=table) == counts(spark, table) == [[1, 1, 5]]


def test_columns_are_added_by_merge_schema_and_replaced_by_overwrite_schema(spark, table, delta_spark):  # noqa: F811
    save(rows(spark, 1), table, "p", **SHAPE)
    wide = rows(spark, 2).selectExpr("*", "named_struct('x', 1) AS s")
    refusal(lambda: save(wide, table), "'s'", "mergeSchema")
    save(wide, table, mergeSchema="true", **SHAPE)
    wider = rows(spark, 3).selectExpr("*", "named_struct('x', 1, 'y', 2) AS s")
    refusal(lambda: save(wider, table), r"s\.y", "mergeSchema")
    save(wider, table, mergeSchema="true")
    ours = [list(r) for r in load(spark, table).selectExpr("id", "s.x", "s.y").orderBy("id").collect()]
    assert ours == delta_spark.sql("SELECT id, s.x, s.y FROM {t} ORDER BY id", t=table)
    assert ours == [[1, None, None], [2, 1, None], [3, 1, 2]]
    save(rows(spark, 4).select("id", "v"), table, mode="overwrite", overwriteSchema="true")
    assert load(spark, table).columns == ["id", "v"]
    assert delta_spark.sql("SELECT id, to_json(v) FROM {t}", t=table) == [[4, '{"a":4,"b":"x4"}']]


def test_columns_are_found_by_name_filled_and_cast_as_inserts_do(spark, table):
    save(rows(spark, 1), table)
    save(spark.sql("SELECT 7S AS P, 2 AS ID"), table)
    actual = load(spark, table).orderBy("id").selectExpr("id", "to_json(v)", "p").collect()
    assert [tuple(r) for r in actual] == [(1, '{"a":1,"b":"x1"}', 1), (2, None, 7)]
    wrong = spark.sql("SELECT array(1) AS id")
    refusal(lambda: save(wrong, table), name="INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST")


PARTITIONS = {
    "STRING": ["'a b'", "'a/b%c=d'", "'ü\"'", "NULL", "''"],
    "DATE": ["DATE'2026-01-31'", "DATE'0001-01-01'"],
    "TIMESTAMP": ["TIMESTAMP'2026-01-31 12:00:00.000001'", "TIMESTAMP'1969-12-31 23:59:59'"],
    "BOOLEAN": ["true", "NULL"],
    "DECIMAL(10,2)": ["1.50", "-3.25"],
    "DOUBLE": ["0.1D", "1e100D"],
}


@pytest.mark.parametrize("kind", PARTITIONS)
def test_partition_values_are_read_as_written(spark, table, delta_spark, kind):  # noqa: F811
    query = " UNION ALL ".join(f"SELECT {i} AS id, CAST({v} AS {kind}) AS p" for i, v in enumerate(PARTITIONS[kind]))
    save(spark.sql(query), table, "p")
    asked = "SELECT id, CAST(p AS STRING) FROM {t} ORDER BY id"
    expected = [
        [r[0], r[1] or None] for r in spark.sql(f"SELECT id, CAST(p AS STRING) FROM ({query}) ORDER BY id").collect()
    ]
    load(spark, table).createOrReplaceTempView("t")
    assert [list(r) for r in spark.sql(asked.format(t="t")).collect()] == expected
    assert delta_spark.sql(asked, t=table) == expected
    # A dynamic overwrite replaces the same partitions.
    save(spark.sql(query), table, mode="overwrite", partitionOverwriteMode="dynamic")
    assert load(spark, table).count() == len(PARTITIONS[kind])


def test_rows_outside_of_replace_where_are_refused_and_nothing_is_left(spark, table):
    save(rows(spark, 1, 2), table, "p")
    before = files_on_disk(table)
    refusal(lambda: save(rows(spark, 1, 2), table, mode="overwrite", replaceWhere="p = 0"), "replaceWhere", "p=1")
    assert (files_on_disk(table), len(commits(table))) == (before, 1)


REFUSED = {
    "replaceWhere on columns that do not partition": ({"mode": "overwrite", "replaceWhere": "id = 1"}, "replaceWhere"),
    "replaceWhere that is no condition": ({"mode": "overwrite", "replaceWhere": "p ="}, "replaceWhere"),
    "replaceWhere of chance": ({"mode": "overwrite", "replaceWhere": "rand() < p"}, "replaceWhere"),
    "replaceWhere on an append": ({"replaceWhere": "p = 0"}, "overwrite"),
    "replaceWhere and dynamic partitions": (
        {"mode": "overwrite", "replaceWhere": "p = 0", "partitionOverwriteMode": "dynamic"}, "partitionOverwriteMode"),
    "overwriteSchema on an append": ({"overwriteSchema": "true"}, "overwrite"),
    "a version to write to": ({"versionAsOf": "0"}, "versionAsOf"),
    "files of a directory": ({"table": "files"}, "'table'"),
    "the draft layout": ({"layout": "draft"}, "'layout'.*other readers of the table"),
    "properties of a table that is there": ({"delta.appendOnly": "true"}, r"delta\.appendOnly"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_options_are_refused(spark, table, name):
    options, mention = REFUSED[name]
    save(rows(spark, 1, 2), table, "p")
    before = files_on_disk(table)
    refusal(lambda: save(rows(spark, 2), table, **options), mention)
    assert (files_on_disk(table), len(commits(table))) == (before, 1)


def test_other_partition_columns_are_refused(spark, table):
    save(rows(spark, 1, 2), table, "p")
    refusal(lambda: save(rows(spark, 1), table, "id"), "partitioned by 'p'")


def test_an_append_only_table_is_appended_to_and_never_overwritten(spark, table):
    save(rows(spark, 1), table, delta__appendOnly="true")
    save(rows(spark, 2), table)
    refusal(lambda: save(rows(spark, 3), table, mode="overwrite"), r"delta\.appendOnly")
    assert (load(spark, table).count(), files_on_disk(table)) == (2, active(table))


def test_a_directory_of_files_does_not_become_a_table(spark, table):
    rows(spark, 1).write.parquet(table)
    for mode in ("append", "overwrite"):
        refusal(lambda m=mode: save(rows(spark, 2), table, mode=m), "has files")
    with pytest.raises(Exception, match="PATH_ALREADY_EXISTS"):
        save(rows(spark, 2), table, mode="error")
    assert spark.read.parquet(table).count() == 1


def test_options_of_delta_are_refused_for_files(spark, table):
    save(rows(spark, 1, 2), table, "p", table="files")
    for option in ({"replaceWhere": "p = 0"}, {"overwriteSchema": "true"}):
        refusal(lambda o=option: save(rows(spark, 2), table, mode="overwrite", table="files", **o), *option)
    assert load(spark, table).count() == 2


def test_a_write_that_fails_in_a_task_leaves_no_files(spark, table):
    save(rows(spark, 1), table)
    before = files_on_disk(table)
    df = spark.range(0, 5000, 1, 2).selectExpr("CAST(1 / (4999 - id) AS INT) AS id", "parse_json('1') AS v", "id AS p")
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        save(df, table)
    assert (files_on_disk(table), len(commits(table))) == (before, 1)


def test_a_table_that_overwrites_itself_keeps_its_rows(spark, table):
    save(rows(spark, 1, 2, 3), table, **SHAPE)
    save(load(spark, table).where("id > 1"), table, mode="overwrite", **SHAPE)
    assert counts(spark, table) == [[0, 1, 2], [1, 1, 3]]


def test_checkpoints_and_checksums_are_written_and_read(spark, table, delta_spark):  # noqa: F811
    for i in range(11):
        save(rows(spark, i), table, **SHAPE)
    names = {f.name for f in (Path(table) / "_delta_log").iterdir()}
    assert "00000000000000000010.checkpoint.parquet" in names
    assert "00000000000000000010.crc" in names
    for log in range(10):
        (Path(table) / "_delta_log" / f"{log:020}.json").unlink()
    assert load(spark, table).count() == 11
    assert delta_spark.sql("SELECT count(*) FROM {t}", t=table) == [[11]]
    read = load(spark, table).where("v:a::bigint = 3")
    assert "Files: [1 of 11]" in read._jdf.queryExecution().toString()
