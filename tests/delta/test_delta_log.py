"""The lines of a log have the actions and keys of Delta's protocol, and the statistics of the RFC."""

import json
from pathlib import Path

import pytest
from pyspark.sql.types import StructType

import shredded_variant
from delta_tables import bounds, commits, save
from tables import FORMAT

SHAPE = "a BIGINT, b STRUCT<c STRING, d DOUBLE>"
# The typed paths: their names in the bounds of the log and in a query, and their types.
PATHS = {"$['a']": ("$.a", "BIGINT"), "$['b']['c']": ("$.b.c", "STRING"), "$['b']['d']": ("$.b.d", "DOUBLE")}
DOCUMENT = """to_variant_object(named_struct('a', id, 'b', named_struct('c', 's' || id, 'd', id / 4)))"""


def rows(spark, *ids):
    """In row 5 two paths are in `value`, row 6 is NULL, row 7 lacks two paths, row 8 has a JSON null."""
    odd = """CASE id WHEN 5 THEN parse_json('{"a":"five","b":{"c":"x","d":1.5}}') WHEN 6 THEN NULL
             WHEN 7 THEN to_variant_object(named_struct('a', 7L))
             WHEN 8 THEN parse_json('{"a":8,"b":{"c":null}}') ELSE """
    df = spark.createDataFrame([(i,) for i in ids], "id BIGINT").coalesce(1)
    return df.selectExpr(
        "id", f"{odd} {DOCUMENT} END AS v", "named_struct('x', IF(id = 6, NULL, id * 1.5D), 'm', map('k', id)) AS s",
        "IF(id = 7, NULL, date_add(DATE'2026-01-01', CAST(id AS INT))) AS `d.e`", "id % 2 AS p",
    )  # fmt: skip


@pytest.fixture(scope="module")
def table(spark, tmp_path_factory):
    """A table with all kinds of commits: appends, overwrites, a stream, a new column, another shape, no rows."""
    folder = tmp_path_factory.mktemp("log")
    path, shape = folder / "t", {"shredding.shape.v": SHAPE, "shredding.pin": "none"}
    save(rows(spark, 1, 2, 3, 4), path, "p", mode="error", **shape)
    save(rows(spark, 5, 6, 7, 8), path, **shape)
    save(rows(spark, 9, 11), path, mode="overwrite", replaceWhere="p = 1", **shape)
    save(rows(spark, 10), path, mode="overwrite", partitionOverwriteMode="dynamic", **shape)
    save(rows(spark, *range(20, 30)), path, mode="overwrite", **shape)
    rows(spark, 31, 32).write.parquet(str(folder / "source"))
    stream = spark.readStream.schema(rows(spark, 1).schema).parquet(str(folder / "source")).writeStream
    stream = stream.format(FORMAT).options(**shape).option("checkpointLocation", str(folder / "checkpoint"))
    query = stream.trigger(availableNow=True).start(str(path))
    assert query.awaitTermination(120)
    save(rows(spark, 33).selectExpr("*", "1 AS n"), path, mergeSchema="true", **shape)
    shredded_variant.reshred(spark, str(path), {"v": "a BIGINT, b STRUCT<c STRING>"})
    save(rows(spark, 34).where("id < 0"), path)
    return path


COMMIT_INFO = {
    "timestamp",
    "engineInfo",
    "operation",
    "operationParameters",
    "isBlindAppend",
    "txnId",
    "operationMetrics",
}
# action: its keys; those in the second set may be missing
KEYS = {
    "commitInfo": (COMMIT_INFO, set()),
    "protocol": ({"minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures"}, set()),
    "metaData": ({"id", "format", "schemaString", "partitionColumns", "configuration", "createdTime"}, set()),
    "add": ({"path", "partitionValues", "size", "modificationTime", "dataChange", "stats", "tags"}, set()),
    "remove": (
        {"path", "deletionTimestamp", "dataChange", "extendedFileMetadata", "partitionValues", "size"},
        {"stats", "tags"},
    ),
    "txn": ({"appId", "version", "lastUpdated"}, set()),
}


def lines(path):
    """(version, action, content) of every line, which has one action."""
    for version, commit in enumerate(commits(path)):
        for line in commit:
            ((kind, content),) = line.items()
            yield version, kind, content


def contents(path, kind):
    """(version, content) of every action of a kind."""
    result = [(version, content) for version, each, content in lines(path) if each == kind]
    assert result, kind
    return result


@pytest.mark.parametrize("kind", KEYS)
def test_every_action_has_the_keys_of_the_protocol(table, kind):
    required, optional = KEYS[kind]
    for version, content in contents(table, kind):
        assert required <= content.keys() <= required | optional, version


def test_the_log_has_no_other_actions(table):
    assert {kind for _, kind, _ in lines(table)} == KEYS.keys()


def test_commits_begin_with_what_they_are_and_name_each_file_once(table):
    made = []
    for commit in commits(table):
        kinds = [next(iter(line)) for line in commit]
        assert kinds[0] == "commitInfo" and kinds.count("commitInfo") == 1
        files = [line[kind]["path"] for line in commit for kind in ("add", "remove") if kind in line]
        assert len(files) == len(set(files))
        info = commit[0]["commitInfo"]
        changes = {line[kind]["dataChange"] for line in commit for kind in ("add", "remove") if kind in line}
        assert changes <= {info["operation"] == "WRITE"}
        made.append((info["operation"], sorted(set(kinds) - {"commitInfo"})))
    assert made == [
        ("WRITE", ["add", "metaData", "protocol"]),
        ("WRITE", ["add"]),
        ("WRITE", ["add", "remove"]),
        ("WRITE", ["add", "remove"]),
        ("WRITE", ["add", "remove"]),
        ("WRITE", ["add", "txn"]),
        ("WRITE", ["add", "metaData"]),
        ("REORG", ["add", "metaData", "remove"]),
        ("WRITE", []),
    ]


def test_the_protocol_and_the_metadata_are_those_of_the_rfc(spark, table):
    ((_, protocol),) = contents(table, "protocol")
    features = ["variantShredding", "variantType"]
    assert (protocol["minReaderVersion"], protocol["minWriterVersion"]) == (3, 7)
    assert sorted(protocol["readerFeatures"]) == sorted(protocol["writerFeatures"]) == features
    for version, content in contents(table, "metaData"):
        assert content["format"] == {"provider": "parquet", "options": {}}
        assert content["partitionColumns"] == ["p"]
        configuration = {"delta.enableVariantShredding": "true"}
        # The last commit is of `reshred`, whose shape the table keeps.
        pinned = {"shredded_variant.shape.v": "STRUCT<a BIGINT, b STRUCT<c STRING>>"} if version == 7 else {}
        assert content["configuration"] == configuration | pinned, version
        schema = json.loads(content["schemaString"])
        assert schema.keys() == {"type", "fields"}
        assert [f["name"] for f in schema["fields"]] == ["id", "v", "s", "d.e", "p", *(["n"] if version > 0 else [])]
        assert {frozenset(f) for f in schema["fields"]} == {frozenset({"name", "type", "nullable", "metadata"})}
        assert [f["type"] for f in schema["fields"] if f["name"] == "v"] == ["variant"]
        # Every column may be NULL, as in Spark's own tables.
        assert {f["nullable"] for f in schema["fields"]} == {True}
        wanted = rows(spark, 1).selectExpr("*", *(["1 AS n"] if version > 0 else [])).schema
        assert StructType.fromJson(schema).simpleString() == wanted.simpleString()


def test_the_log_describes_each_file_as_it_is(table):
    for version, content in contents(table, "add"):
        file = Path(table) / content["path"]
        assert content["size"] == file.stat().st_size, version
        assert content["modificationTime"] == int(file.stat().st_mtime * 1000)
        assert content["tags"] == {"shredded_variant.bounds": "1"}
        assert content["partitionValues"].keys() == {"p"}
        assert content["path"].startswith(f"p={content['partitionValues']['p']}/")
    added = {content["path"]: content for _, content in contents(table, "add")}
    for _, remove in contents(table, "remove"):
        add = added[remove["path"]]
        assert (remove["size"], remove["partitionValues"]) == (add["size"], add["partitionValues"])
        assert remove["extendedFileMetadata"] is True


def truth(spark, table, add):
    """The counts, nulls, minima and maxima of the columns and paths of a file, from Spark's own reader."""
    file = spark.read.parquet(str(Path(table) / add["path"]))
    ends = ", ".join(
        f"min(try_variant_get(v, '{path}', '{kind}')), max(try_variant_get(v, '{path}', '{kind}'))"
        for path, kind in PATHS.values()
    )
    file.createOrReplaceTempView("file")
    counts = spark.sql("SELECT count(*), count_if(id IS NULL), count_if(v IS NULL), count_if(s.x IS NULL), "
                       "count_if(`d.e` IS NULL), min(id), max(id), min(s.x), max(s.x), "
                       "CAST(min(`d.e`) AS STRING), CAST(max(`d.e`) AS STRING) FROM file").first()  # fmt: skip
    result = spark.sql(f"SELECT {ends} FROM file").first()
    paths = {path: (result[2 * i], result[2 * i + 1]) for i, path in enumerate(PATHS)}
    return counts, paths


# row: the paths without bounds in the file of the row, because the row has a value of another type
UNBOUNDED = {5: {"$['a']", "$['b']['d']"}, 8: {"$['b']['c']"}}
RESHRED = 7


def test_statistics_are_those_of_the_rfc_and_true(spark, table):
    """Compares the statistics of each file with its rows."""
    with_paths = 0
    for version, add in contents(table, "add"):
        stats = json.loads(add["stats"])
        assert stats.keys() == {"numRecords", "minValues", "maxValues", "nullCount", "tightBounds"}
        counts, paths = truth(spark, table, add)
        assert stats["tightBounds"] is True and stats["numRecords"] == counts[0]
        # A variant has one null count, for the whole column; partition columns and maps have none.
        later = {"n"} if "n" in spark.table("file").columns else set()
        assert stats["nullCount"].keys() == {"id", "v", "s", "d.e"} | later
        assert [stats["nullCount"][c] for c in ("id", "v", "d.e")] == [counts[1], counts[2], counts[4]]
        assert stats["nullCount"]["s"] == {"x": counts[3]}
        assert isinstance(stats["nullCount"]["v"], int)
        lower, upper = stats["minValues"], stats["maxValues"]
        assert (lower["id"], upper["id"]) == (counts[5], counts[6])
        assert (lower["s"].get("x"), upper["s"].get("x")) == (counts[7], counts[8])
        assert (lower.get("d.e"), upper.get("d.e")) == (counts[9], counts[10])
        ids = {r[0] for r in spark.sql("SELECT id FROM file").collect()}
        unbounded = set().union(*(UNBOUNDED.get(i, set()) for i in ids))
        # Its shape has no column for this path.
        unbounded |= {"$['b']['d']"} if version == RESHRED else set()
        expected = {path: both for path, both in paths.items() if path not in unbounded and both[0] is not None}
        below, above = (bounds(side["v"]) if "v" in side else {} for side in (lower, upper))
        assert list(below) == list(above) == sorted(expected), "the same paths on both sides, in order"
        assert [x.type for x in below.values()] == [x.type for x in above.values()]
        assert {path: (below[path].value, above[path].value) for path in below} == expected
        with_paths += bool(expected)
    assert with_paths >= 8
