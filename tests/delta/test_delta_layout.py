"""`layout` of a Delta table shows the files of its log, also with checkpoints, removed files and broken logs."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shredded_variant
from commands import call
from delta_tables import active, save
from shredded_variant.errors import UnreadableFile


def rows(spark, *ids, name="x"):
    df = spark.createDataFrame([(i,) for i in ids], "id BIGINT").coalesce(1)
    return df.selectExpr("id", f"'{name}' AS p", """parse_json(concat('{"a":', id, '}')) AS v""")


@pytest.fixture(scope="module")
def original(spark, tmp_path_factory):
    """Two files with four rows; two more files were removed. There is no checkpoint of the last commit."""
    path = tmp_path_factory.mktemp("original") / "t"
    save(rows(spark, 1, 2, 3), path, shredding__shape__v="a BIGINT")
    save(rows(spark, 4), path, mode="overwrite", shredding__shape__v="a BIGINT")
    save(rows(spark, 5), path, shredding__shape__v="a STRING")
    save(rows(spark, 6, 7, 8), path, mode="overwrite", shredding__shape__v="a BIGINT")
    save(rows(spark, 9), path, shredding__shape__v="a STRING")
    return path


@pytest.fixture
def table(original, tmp_path):
    return Path(shutil.copytree(original, tmp_path / "table"))


def counts(table):
    """The number of rows, and of the rows in which the path `a` has each type."""
    layout = shredded_variant.layout(table)
    return layout.rows, [(e.type, e.typed) for e in layout.entries if e.path == "$.a"]


def log(table, version):
    return table / "_delta_log" / f"{version:020}.json"


def live(table):
    return [{"add": {"path": name}} for name in sorted(active(table))]


def checkpoint(table, name, actions, version=4):
    """Writes a checkpoint of a version, and deletes the commits up to the version."""
    fields = [("path", pa.string()), ("size", pa.int64())]
    schema = pa.schema([(kind, pa.struct(fields)) for kind in ("add", "remove", "sidecar")])
    pq.write_table(pa.Table.from_pylist(actions, schema), table / "_delta_log" / f"{version:020}.{name}.parquet")


def drop(table, *versions):
    for version in versions:
        log(table, version).unlink()


def test_only_files_that_the_log_names_count(table, tmp_path):
    plain = shutil.copytree(table, tmp_path / "plain", ignore=shutil.ignore_patterns("_delta_log"))
    assert (counts(table)[0], counts(plain)[0]) == (4, 9)
    assert counts(f"file://{table}") == counts(table)
    assert json.loads(call("layout", table, "--json"))["rows"] == 4


def test_a_checkpoint_replaces_the_commits_before_it(spark, tmp_path):
    path = tmp_path / "t"
    save(rows(spark, 1, 2), path, delta__checkpointInterval="2")
    save(rows(spark, 3), path)
    save(rows(spark, 4), path, mode="overwrite")
    save(rows(spark, 5), path)
    assert log(path, 2).with_suffix(".checkpoint.parquet").exists()
    drop(path, 0, 1, 2)
    assert counts(path)[0] == 2


def test_checkpoints_of_several_parts_and_of_version_2(table):
    files = live(table)
    expected = counts(table)
    drop(table, 0, 1, 2, 3, 4)
    checkpoint(table, "checkpoint.0000000001.0000000002", files[:1])
    with pytest.raises(UnreadableFile, match="gap"):
        counts(table)
    checkpoint(table, "checkpoint.0000000002.0000000002", [*files[1:], {"remove": {"path": files[0]["add"]["path"]}}])
    assert counts(table) == expected

    for part in (table / "_delta_log").glob("*.checkpoint.*"):
        part.unlink()
    (table / "_delta_log" / "_sidecars").mkdir()
    checkpoint(table, "checkpoint.8c7cb8d9-d84b-4d95-a9a3-6c5b4d0a5b2e", [{"sidecar": {"path": "one.parquet"}}])
    checkpoint(table, "x", files)
    (table / "_delta_log" / f"{4:020}.x.parquet").rename(table / "_delta_log" / "_sidecars" / "one.parquet")
    assert counts(table) == expected
    for part in (table / "_delta_log").glob("*.checkpoint.*"):
        part.unlink()
    lines = [{"checkpointMetadata": {"version": 4}}, {"sidecar": {"path": "one.parquet"}}]
    name = f"{4:020}.checkpoint.8c7cb8d9-d84b-4d95-a9a3-6c5b4d0a5b2e.json"
    (table / "_delta_log" / name).write_text("\n".join(map(json.dumps, lines)))
    assert counts(table) == expected


def test_rows_that_were_deleted_leave_their_file(table):
    (one, *_) = live(table)
    vector = {"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^", "offset": 4, "cardinality": 1}
    changed = {"add": one["add"] | {"deletionVector": vector}}, {"remove": one["add"]}
    expected = counts(table)
    log(table, 5).write_text("\n".join(map(json.dumps, changed)))
    assert counts(table) == expected
    log(table, 6).write_text(json.dumps({"remove": changed[0]["add"]}))
    assert counts(table)[0] < expected[0]


def test_names_are_escaped_in_the_log(spark, tmp_path):
    save(rows(spark, 1, name="a b%/é"), tmp_path / "t", "p")
    assert counts(tmp_path / "t")[0] == 1


BROKEN = {
    "a gap": (lambda t: log(t, 2).unlink(), "gap"),
    "no commit": (lambda t: drop(t, 0, 1, 2, 3, 4), "gap"),
    "no JSON": (lambda t: log(t, 1).write_text("hello"), "damaged log"),
    "no object": (lambda t: log(t, 1).write_text("[1]"), "damaged log"),
    "no path": (lambda t: log(t, 1).write_text('{"add":{}}'), "damaged log"),
    "a path that is none": (lambda t: log(t, 1).write_text('{"add":{"path":7}}'), "damaged log"),
    "no text": (lambda t: log(t, 1).write_bytes(b"\xff\xfe"), "damaged log"),
    "a checkpoint that is none": (
        lambda t: log(t, 3).with_suffix(".checkpoint.parquet").write_text("PAR1"),
        "damaged log",
    ),
    "a file that is gone": (lambda t: (t / sorted(active(t))[0]).unlink(), "restore"),
    "a file elsewhere": (
        lambda t: log(t, 5).write_text('{"add":{"path":"s3://bucket/x.parquet"}}'),
        "another table",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_log_is_refused_in_one_sentence(table, name):
    damage, mention = BROKEN[name]
    damage(table)
    with pytest.raises(UnreadableFile, match=mention) as caught:
        shredded_variant.layout(table)
    assert "\n" not in str(caught.value)
    assert str(table) in str(caught.value)


def test_layout_refuses_a_table_without_files(spark, tmp_path):
    save(rows(spark), tmp_path / "t")
    with pytest.raises(UnreadableFile, match="no Parquet file"):
        shredded_variant.layout(tmp_path / "t")
