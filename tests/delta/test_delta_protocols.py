"""Protocols of Delta tables of other writers: older versions, preview features, features that are not supported."""

import json
import shutil
from pathlib import Path

import pytest

from catalog_tables import tables
from delta_logs import ids, rewrite
from delta_spark import delta_spark  # noqa: F401
from delta_tables import actions, commits, load, save
from shredded_variant import layout
from tables import FORMAT, refusal

PLAIN = ("id", "id % 2 AS p")
DOCUMENT = "parse_json(concat('{\"a\":', id, '}')) AS v"


def rows(spark, *ids, columns=PLAIN):
    return spark.createDataFrame([(i,) for i in ids], "id BIGINT").coalesce(1).selectExpr(*columns)


def with_protocol(table, readers, writers, features=None, properties=None, field=None):
    """Gives the first commit of a table this protocol, these properties and this metadata of the first column."""

    def change(action):
        if "protocol" in action:
            named = {"readerFeatures": features[0], "writerFeatures": features[1]} if features else {}
            action["protocol"] = {"minReaderVersion": readers, "minWriterVersion": writers, **named}
        if "metaData" in action:
            action["metaData"]["configuration"] = properties or {}
            if field:
                schema = json.loads(action["metaData"]["schemaString"])
                schema["fields"][0]["metadata"] = field
                action["metaData"]["schemaString"] = json.dumps(schema)
        return action

    rewrite(table, 0, change)


@pytest.fixture(scope="module")
def plain(spark, tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "t"
    save(rows(spark, 1, 2), path)
    return path


@pytest.fixture(scope="module")
def variants(spark, tmp_path_factory):
    path = tmp_path_factory.mktemp("variants") / "t"
    save(rows(spark, 1, 2, columns=("id", DOCUMENT)), path, **{"shredding.shape.v": "a BIGINT"})
    return path


@pytest.fixture
def table(plain, tmp_path):
    return Path(shutil.copytree(plain, tmp_path / "table"))


LEGACY = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 5), (2, 6)]


@pytest.mark.parametrize(("readers", "writers"), LEGACY)
def test_tables_of_older_versions_are_read_and_written_and_keep_them(spark, table, readers, writers):
    with_protocol(table, readers, writers)
    assert ids(load(spark, table)) == [1, 2]
    save(rows(spark, 3), table)
    save(rows(spark, 4), table, mode="overwrite", partitionOverwriteMode="dynamic")
    save(rows(spark, 5), table)
    assert ids(load(spark, table)) == [4, 5]
    assert not [a for commit in commits(table)[1:] for a in commit if "protocol" in a or "metaData" in a]


# name: (versions, properties, metadata of a column): features that an older version has without naming them
IN_USE = {
    "invariants": (1, 2, {}, {"delta.invariants": '{"expression":{"expression":"id > 0"}}'}),
    "checkConstraints": (1, 3, {"delta.constraints.c": "id > 0"}, None),
    "generatedColumns": (1, 4, {}, {"delta.generationExpression": "p"}),
    "identityColumns": (
        2,
        6,
        {},
        {"delta.identity.start": 1, "delta.identity.step": 1, "delta.identity.allowExplicitInsert": False},
    ),
}


@pytest.mark.parametrize("feature", IN_USE)
def test_what_an_older_version_brings_is_refused_by_name_where_it_is_used(spark, table, feature):
    readers, writers, properties, field = IN_USE[feature]
    with_protocol(table, readers, writers, properties=properties, field=field)
    assert ids(load(spark, table)) == [1, 2]
    for mode in ("append", "overwrite"):
        refusal(lambda m=mode: save(rows(spark, 3), table, mode=m), feature)
    assert len(commits(table)) == 1


def test_an_older_table_may_be_for_appends_alone_or_record_changes(spark, plain, tmp_path):
    for name, versions, properties, mention in (
        ("appends", (1, 2), {"delta.appendOnly": "true"}, r"delta\.appendOnly"),
        ("changes", (1, 4), {"delta.enableChangeDataFeed": "true"}, "changeDataFeed"),
    ):
        table = Path(shutil.copytree(plain, tmp_path / name))
        with_protocol(table, *versions, properties=properties)
        save(rows(spark, 3), table)
        refusal(lambda t=table: save(rows(spark, 4), t, mode="overwrite"), mention)
        assert ids(load(spark, table)) == [1, 2, 3]


@pytest.mark.parametrize("mode", ["name", "id"])
def test_mapped_columns_of_an_older_version_are_refused(spark, table, mode):
    with_protocol(table, 2, 5, properties={"delta.columnMapping.mode": mode})
    refusal(lambda: load(spark, table).collect(), "columnMapping")
    refusal(lambda: save(rows(spark, 3), table), "columnMapping")


def test_a_column_mapping_feature_without_mapped_columns_is_accepted(spark, table):
    with_protocol(table, 2, 5, properties={"delta.columnMapping.mode": "none"})
    save(rows(spark, 3), table)
    assert ids(load(spark, table)) == [1, 2, 3]


def test_versions_beyond_ours_are_refused(spark, plain, tmp_path):
    features = (["variantType"], ["variantType"])
    readers, writers = (Path(shutil.copytree(plain, tmp_path / name)) for name in ("readers", "writers"))
    with_protocol(readers, 4, 7, features)
    refusal(lambda: load(spark, readers).collect(), "reader version 4")
    refusal(lambda: save(rows(spark, 3), readers), "reader version 4")
    with_protocol(writers, 3, 8, features)
    refusal(lambda: save(rows(spark, 3), writers), "writer version 8")
    assert len(commits(readers)) == len(commits(writers)) == 1


@pytest.mark.parametrize(("readers", "writers"), LEGACY)
def test_a_variant_that_is_added_to_an_older_table_names_all_its_features(
    spark, table, readers, writers, delta_spark  # noqa: F811
):  # fmt: skip
    with_protocol(table, readers, writers)
    save(rows(spark, 3, columns=(*PLAIN, DOCUMENT)), table, mergeSchema="true")
    (protocol,) = actions(table, "protocol", 1)
    assert (protocol["minReaderVersion"], protocol["minWriterVersion"]) == (3, 7)
    implied = {2: {"appendOnly", "invariants"}, 3: {"checkConstraints"}, 4: {"changeDataFeed", "generatedColumns"},
               5: {"columnMapping"}, 6: {"identityColumns"}}  # fmt: skip
    expected = set().union(*(names for version, names in implied.items() if version <= writers))
    assert set(protocol["writerFeatures"]) == expected | {"variantType"}
    assert set(protocol["readerFeatures"]) == {"variantType"} | ({"columnMapping"} if readers > 1 else set())
    assert {shape.kind for shape in layout(table).shapes} == {"unshredded"}
    asked = "SELECT id, p, to_json(v) FROM {t} ORDER BY id"
    expected = [[1, 1, None], [2, 0, None], [3, 1, '{"a":3}']]
    assert delta_spark.sql(asked, t=table) == expected
    load(spark, table).createOrReplaceTempView("t")
    assert [list(r) for r in spark.sql(asked.format(t="t")).collect()] == expected


def test_tables_with_the_names_of_the_preview_alone_are_read_and_written(spark, variants, tmp_path):
    table = Path(shutil.copytree(variants, tmp_path / "t"))
    names = ["variantShredding-preview", "variantType-preview"]
    with_protocol(table, 3, 7, (names, names), {"delta.enableVariantShredding": "true"})
    assert ids(load(spark, table).where("v:a::bigint = 2")) == [2]
    save(rows(spark, 3, columns=("id", DOCUMENT)), table, **{"shredding.shape.v": "a BIGINT"})
    assert {shape.kind for shape in layout(table).shapes} == {"parquet"}
    save(rows(spark, 4, columns=("id", DOCUMENT, "1 AS n")), table, mergeSchema="true")
    assert ids(load(spark, table)) == [1, 2, 3, 4]
    save(rows(spark, 5, columns=("id", DOCUMENT)), table, mode="overwrite")
    assert ids(load(spark, table)) == [5]
    protocols = [a["protocol"] for commit in commits(table) for a in commit if "protocol" in a]
    assert protocols and all(set(names) <= set(p["readerFeatures"]) for p in protocols)
    assert ids(load(spark, table, versionAsOf="1")) == [1, 2, 3]


def test_without_shredding_among_the_features_the_property_allows_nothing(spark, variants, tmp_path):
    table = Path(shutil.copytree(variants, tmp_path / "t"))
    with_protocol(table, 3, 7, (["variantType"], ["variantType"]), {"delta.enableVariantShredding": "true"})
    shape = {"shredding.shape.v": "a BIGINT"}
    refusal(lambda: save(rows(spark, 3, columns=("id", DOCUMENT)), table, **shape), "enableVariantShredding")
    save(rows(spark, 3, columns=("id", DOCUMENT)), table, mode="overwrite")
    assert {shape.kind for shape in layout(table).shapes} == {"unshredded"}


TRACKED = {"delta.enableRowTracking": "true", "delta.rowTracking.materializedRowIdColumnName": "_row-id-1",
           "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-commit-version-1"}  # fmt: skip


def test_rows_of_tracked_tables_have_unique_ids(spark, tmp_path, delta_spark):  # noqa: F811
    """`baseRowId` of each new file is above all former row ids, and the domain has the highest id."""
    table = tmp_path / "t"
    delta_spark.sql(
        "CREATE TABLE {t} (id BIGINT, p BIGINT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
        t=table,
    )
    delta_spark.sql("INSERT INTO {t} VALUES (1, 1), (2, 0)", t=table)
    save(rows(spark, 3, 4, 5), table)
    save(rows(spark, 6), table)
    asked = "SELECT id, _metadata.row_id, _metadata.row_commit_version FROM {t} ORDER BY id"
    result = delta_spark.sql(asked, t=table)
    assert [r[0] for r in result] == [1, 2, 3, 4, 5, 6] == [r[0] + 1 for r in sorted([[x[1]] for x in result])]
    assert [r[2] for r in result][2:] == [2, 2, 2, 3]
    delta_spark.sql("INSERT INTO {t} VALUES (7, 1)", t=table)
    save(rows(spark, 8), table, mode="overwrite")
    result = delta_spark.sql(asked, t=table)
    assert [r[0] for r in result] == [8] and result[0][1] > 6
    assert ids(load(spark, table)) == [8]


def test_times_in_commits_rise_and_are_those_of_versions(spark, tmp_path, delta_spark):  # noqa: F811
    table = tmp_path / "t"
    properties = "TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')"
    delta_spark.sql(f"CREATE TABLE {{t}} (id BIGINT, p BIGINT) USING delta {properties}", t=table)
    # A wrong clock: the first commit is a day ahead of the next one.
    ahead = []

    def change(action):
        if "commitInfo" in action:
            action["commitInfo"]["inCommitTimestamp"] += 86_400_000
            ahead.append(action["commitInfo"]["inCommitTimestamp"])
        return action

    rewrite(table, 0, change)
    save(rows(spark, 1), table)
    save(rows(spark, 2), table, mode="overwrite")
    times = [commit[0]["commitInfo"]["inCommitTimestamp"] for commit in commits(table)]
    assert times == sorted(set(times)) and times[0] == ahead[0]
    save(rows(spark, 3), table)
    delta_spark.sql("INSERT INTO {t} VALUES (4, 0)", t=table)
    assert ids(load(spark, table)) == [2, 3, 4] == sorted(r[0] for r in delta_spark.sql("SELECT id FROM {t}", t=table))


KEYS = {"parquet.map.shredding.columns": "m", "parquet.map.shredding.m.keys": "k"}


def mapped(spark, *ids):
    return rows(spark, *ids, columns=("id", "map('k', id, 'other', id) AS m"))


def test_hot_keys_of_maps_are_refused_with_the_reason(spark, tmp_path):
    reason = "other readers of the table would see maps without their hot keys"
    path = str(tmp_path / "t")
    refusal(lambda: save(mapped(spark, 1), path, **KEYS), reason)
    assert not Path(path).exists()
    save(mapped(spark, 1), path)
    for mode in ("append", "overwrite"):
        refusal(lambda m=mode: save(mapped(spark, 2), path, mode=m, **KEYS), reason)
    options = ", ".join(f"'{k}' '{v}'" for k, v in KEYS.items())
    with tables(spark, "t") as t:
        create = f"CREATE TABLE {t} (id BIGINT, m MAP<STRING, BIGINT>) USING {FORMAT} OPTIONS"
        refusal(lambda: spark.sql(f"{create} (table 'delta', {options})"), reason)
        refusal(lambda: spark.sql(f"CREATE TABLE {t} USING {FORMAT} OPTIONS ({options}) LOCATION '{path}'"), reason)
    mapped(spark, 2).write.parquet(str(tmp_path / "source"))
    source = spark.readStream.schema("id BIGINT, m MAP<STRING, BIGINT>").parquet(str(tmp_path / "source"))
    for target in (path, str(tmp_path / "new")):
        writer = source.writeStream.format(FORMAT).options(table="delta", **KEYS).trigger(availableNow=True)
        writer = writer.option("checkpointLocation", f"{target}.checkpoint")
        with pytest.raises(Exception, match=reason):
            writer.start(target).awaitTermination()
    assert not list((tmp_path / "new").glob("*.parquet"))
    assert (len(commits(path)), ids(load(spark, path))) == (1, [1])
