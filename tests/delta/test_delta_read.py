"""Reads of Delta tables: removed files are not read by any route, versions are, and unsupported options are refused."""

import json
import shutil
from pathlib import Path

import pytest

from delta_logs import ids, rewrite, rows
from delta_tables import load, save
from tables import FORMAT, refusal


@pytest.fixture(scope="module")
def original(spark, tmp_path_factory):
    """Version 0 has rows 1 and 2, version 1 rows 3 and 4 in their place, version 2 row 5 beside them."""
    path = tmp_path_factory.mktemp("original") / "t"
    save(rows(spark, 1, 2), path, "p")
    save(rows(spark, 3, 4), path, mode="overwrite")
    save(rows(spark, 5), path)
    return path


@pytest.fixture
def table(original, tmp_path):
    return Path(shutil.copytree(original, tmp_path / "table"))


def in_protocol(table, readers=(), writers=(), properties=None):
    def change(action):
        if "protocol" in action:
            action["protocol"]["readerFeatures"] += list(readers)
            action["protocol"]["writerFeatures"] += [*readers, *writers]
        if "metaData" in action:
            action["metaData"]["configuration"] |= properties or {}
        return action

    rewrite(table, 0, change)


def test_removed_files_are_not_read(spark, table):
    assert ids(load(spark, table)) == [3, 4, 5]
    assert ids(load(spark, table).where("p = 1")) == [3, 5]
    assert load(spark, table).count() == 3
    assert ids(spark.read.format(FORMAT).schema("id BIGINT, v VARIANT, p BIGINT").load(str(table))) == [3, 4, 5]


def test_columns_come_in_the_order_of_the_table(spark, table):
    assert load(spark, table).columns == ["id", "v", "p"]


@pytest.mark.parametrize(("version", "expected"), [("0", [1, 2]), ("1", [3, 4]), ("2", [3, 4, 5])])
def test_a_version_is_read_as_it_was(spark, table, version, expected):
    assert ids(load(spark, table, versionAsOf=version)) == expected


def test_a_time_finds_the_version_that_was_the_newest(spark, table):
    import os

    for version, day in enumerate(["2026-01-01", "2026-01-02", "2026-01-03"]):
        log = table / "_delta_log" / f"{version:020}.json"
        seconds = spark.sql(f"SELECT unix_timestamp(TIMESTAMP'{day} 12:00:00')").first()[0]
        os.utime(log, (seconds, seconds))
    assert ids(load(spark, table, timestampAsOf="2026-01-01 12:00:00")) == [1, 2]
    assert ids(load(spark, table, timestampAsOf="2026-01-03 11:59:59")) == [3, 4]
    refusal(lambda: load(spark, table, timestampAsOf="2025-12-31").collect(), "2025-12-31")
    refusal(lambda: load(spark, table, timestampAsOf="2027-12-31").collect(), "2027-12-31")


def test_a_frame_keeps_the_version_with_which_it_was_made(spark, table):
    df = load(spark, table)
    assert ids(df) == [3, 4, 5]
    save(rows(spark, 6), table)
    assert ids(df) == [3, 4, 5]
    assert ids(load(spark, table)) == [3, 4, 5, 6]


def test_joins_prune_partitions_and_metadata_columns_work(spark, table):
    load(spark, table).createOrReplaceTempView("t")
    spark.sql("SELECT 1L AS p").createOrReplaceTempView("k")
    assert ids(spark.sql("SELECT t.id FROM t JOIN k ON t.p = k.p")) == [3, 5]
    names = {r[0] for r in load(spark, table).select("_metadata.file_path").collect()}
    assert len(names) == 3


REFUSED = {
    "a version that is not there": ({"versionAsOf": "9"}, "'9'"),
    "no version": ({"versionAsOf": "x"}, "versionAsOf"),
    "no time": ({"timestampAsOf": "soon"}, "timestampAsOf"),
    "version and time": ({"versionAsOf": "1", "timestampAsOf": "2026-01-01"}, "versionAsOf"),
    "a pattern of names": ({"pathGlobFilter": "*.x"}, "pathGlobFilter"),
    "recursive listing": ({"recursiveFileLookup": "true"}, "recursiveFileLookup"),
    "times of files": ({"modifiedAfter": "2020-01-01T00:00:00"}, "modifiedAfter"),
    "a base path": ({"basePath": "/"}, "basePath"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_options_that_cannot_be_meant_are_refused(spark, table, name):
    options, mention = REFUSED[name]
    refusal(lambda: load(spark, table, **options).collect(), mention)


def test_other_columns_than_the_table_has_are_refused(spark, table):
    refusal(lambda: spark.read.format(FORMAT).schema("id STRING").load(str(table)).collect(), r"schema\(")


def test_routes_that_list_directories_are_refused(spark, table):
    refusal(lambda: spark.read.format(FORMAT).load([str(table), str(table)]).collect(), "together")
    refusal(lambda: load(spark, table / "p=1").collect(), "inside", str(table))
    refusal(lambda: load(spark, f"{table.parent}/tab*").collect(), "Delta table")
    refusal(lambda: spark.sql(f"SELECT * FROM {FORMAT}.`{table}/p=1`").collect(), "inside")
    stream = spark.readStream.format(FORMAT).schema("id BIGINT, v VARIANT, p BIGINT")
    refusal(lambda: stream.load(str(table / "p=1")), "inside")
    refusal(lambda: save(rows(spark, 6), table / "new"), "inside")
    refusal(lambda: rows(spark, 6).write.format(FORMAT).save(str(table / "new")), "inside")
    assert ids(load(spark, table)) == [3, 4, 5]


def test_a_stream_into_a_part_of_a_table_is_refused(spark, table, tmp_path):
    rows(spark, 6).write.parquet(str(tmp_path / "source"))
    stream = spark.readStream.schema("id BIGINT, p BIGINT").parquet(str(tmp_path / "source")).selectExpr("id", "p")
    writer = stream.writeStream.format(FORMAT)
    with pytest.raises(Exception, match="inside the Delta table"):
        writer.option("checkpointLocation", str(tmp_path / "c")).start(str(table / "new")).processAllAvailable()
    assert not (table / "new").exists()
    query = writer.option("checkpointLocation", str(tmp_path / "d")).start(str(tmp_path / "new"))
    query.processAllAvailable()
    query.stop()
    assert ids(load(spark, tmp_path / "new")) == [6]


@pytest.mark.parametrize("feature", ["typeWidening", "catalogManaged", "aFeatureOfTomorrow"])
def test_an_unknown_reader_feature_is_refused_by_name(spark, table, feature):
    in_protocol(table, readers=[feature])
    refusal(lambda: load(spark, table).collect(), feature)
    refusal(lambda: save(rows(spark, 6), table), feature)


@pytest.mark.parametrize("feature", ["icebergCompatV2", "clustering", "aFeatureOfTomorrow"])
def test_an_unknown_writer_feature_is_refused_for_writes_and_accepted_for_reads(spark, table, feature):
    in_protocol(table, writers=[feature])
    assert ids(load(spark, table)) == [3, 4, 5]
    refusal(lambda: save(rows(spark, 6), table), feature)


@pytest.mark.parametrize("feature", ["variantType-preview", "variantShredding-preview", "timestampNtz", "v2Checkpoint"])
def test_features_without_an_effect_on_reads_and_writes_are_accepted(spark, table, feature):
    in_protocol(table, readers=[feature])
    save(rows(spark, 6), table)
    assert ids(load(spark, table)) == [3, 4, 5, 6]


def with_field(table, **metadata):
    def change(action):
        if "metaData" in action:
            schema = json.loads(action["metaData"]["schemaString"])
            schema["fields"][0]["metadata"] = metadata
            action["metaData"]["schemaString"] = json.dumps(schema)
        return action

    rewrite(table, 0, change)


# feature: the properties and the metadata of a column with which a table uses it
USED = {
    "checkConstraints": ({"delta.constraints.c": "id > 0"}, {}),
    "invariants": ({}, {"delta.invariants": '{"expression":{"expression":"id > 0"}}'}),
    "generatedColumns": ({}, {"delta.generationExpression": "p"}),
    "identityColumns": (
        {},
        {"delta.identity.start": 1, "delta.identity.step": 1, "delta.identity.allowExplicitInsert": False},
    ),
    "allowColumnDefaults": ({}, {"CURRENT_DEFAULT": "7"}),
}


@pytest.mark.parametrize("feature", USED)
def test_a_feature_is_refused_only_if_the_table_uses_it(spark, table, original, tmp_path, feature):
    unused = Path(shutil.copytree(original, tmp_path / "unused"))
    in_protocol(unused, writers=[feature])
    save(rows(spark, 6), unused)
    properties, metadata = USED[feature]
    in_protocol(table, writers=[feature], properties=properties)
    with_field(table, **metadata)
    refusal(lambda: save(rows(spark, 6), table), feature)
    assert ids(load(spark, table)) == [3, 4, 5]


def test_mapped_columns_are_refused(spark, table):
    in_protocol(table, readers=["columnMapping"], properties={"delta.columnMapping.mode": "name"})
    refusal(lambda: load(spark, table).collect(), "columnMapping")


def test_change_data_are_recorded_by_appends_alone(spark, table):
    in_protocol(table, writers=["changeDataFeed"], properties={"delta.enableChangeDataFeed": "true"})
    save(rows(spark, 6), table)
    refusal(lambda: save(rows(spark, 7), table, mode="overwrite"), "changeDataFeed")
    assert ids(load(spark, table)) == [3, 4, 5, 6]


def test_files_with_deleted_rows_are_refused(spark, table):
    def change(action):
        if "add" in action:
            action["add"]["deletionVector"] = {
                "storageType": "i", "pathOrInlineDv": "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L",
                "sizeInBytes": 40, "cardinality": 6,
            }  # fmt: skip
        return action

    in_protocol(table, readers=["deletionVectors"])
    save(rows(spark, 6), table)
    assert ids(load(spark, table)) == [3, 4, 5, 6]
    rewrite(table, 2, change)
    refusal(lambda: load(spark, table).collect(), "deletionVectors")


DAMAGED = {
    "no protocol": lambda log: log.write_text("{}\n"),
    "no JSON": lambda log: log.write_text("hello\n"),
    "half a line": lambda log: log.write_text(log.read_text()[:300]),
    "nothing": lambda log: log.write_text(""),
    "a schema that is none": lambda log: log.write_text(log.read_text().replace('\\"struct\\"', '\\"strukt\\"')),
    "a gap": lambda log: log.rename(log.with_name("0" * 18 + "99.json")),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_log_is_named(spark, table, name):
    for file in (table / "_delta_log").glob("*.crc"):
        file.unlink()
    DAMAGED[name](table / "_delta_log" / f"{0:020}.json")
    refusal(lambda: load(spark, table).collect(), "table")


def in_the_middle(file):
    """Damages the pages of a file, and leaves its footer as it is."""
    content = file.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    file.write_bytes(content[:4] + b"\xff" * (footer - 4) + content[footer:])


CHECKPOINTS = {
    "no Parquet": lambda file: file.write_bytes(b"PAR1" + b"x" * 100 + b"PAR1"),
    "cut off": lambda file: file.write_bytes(file.read_bytes()[:50]),
    "a few bytes": lambda file: file.write_bytes(b"PAR1"),
    "damaged pages": in_the_middle,
}


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_checkpoint_that_cannot_be_read_is_named(spark, tmp_path, name):
    path = tmp_path / "table"
    for i in range(3):
        save(rows(spark, i), path, delta__checkpointInterval="2")
    (checkpoint,) = (path / "_delta_log").glob("*.checkpoint.parquet")
    for file in (path / "_delta_log").glob(".*.crc"):
        file.unlink()
    for file in (path / "_delta_log").glob("*.crc"):
        file.unlink()
    CHECKPOINTS[name](checkpoint)
    said = refusal(lambda: load(spark, path).collect(), "table", checkpoint.name, name="SHREDDED_VARIANT_DELTA_LOG")
    assert "engine" not in said
    assert "@" not in said
