"""layout(path) of Delta tables with invalid logs: each is refused in one sentence that names the table and the file."""

import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shredded_variant import layout
from shredded_variant.errors import UnreadableFile

COMMIT = f"{0:020}.json"
JSON = f"{0:020}.checkpoint.8c7cb8d9-d84b-4d95-a9a3-6c5b4d0a5b2e.json"
PARQUET = f"{0:020}.checkpoint.parquet"
ADD = {"add": {"path": "p.parquet"}}


@pytest.fixture
def log(tmp_path):
    """The log of a table with one file."""
    log = tmp_path / "t" / "_delta_log"
    log.mkdir(parents=True)
    pq.write_table(pa.table({"x": [1]}), log.parent / "p.parquet")
    (log / COMMIT).write_text(json.dumps(ADD))
    return log


def refusal(path):
    with pytest.raises(UnreadableFile) as caught:
        layout(path)
    message = str(caught.value)
    message.encode()
    assert "\n" not in message and message.endswith(".")
    return message


def damaged(log, name):
    return refusal(log.parent) == f"{log.parent} has a damaged log ({name}): mend it with Delta's own tools."


@pytest.mark.parametrize("action", ["add", "remove"])
def test_a_path_that_utf_8_cannot_encode_is_refused(log, action):
    (log / COMMIT).write_text(json.dumps({action: {"path": "\ud800"}}))
    assert damaged(log, COMMIT)


SIDECARS = [5, "x", True, False, [], ["x"], {}, {"path": 5}, {"path": None}, {"path": ["%"]}, {"path": "\ud800"}]


@pytest.mark.parametrize("sidecar", SIDECARS)
def test_an_invalid_sidecar_is_refused(log, sidecar):
    (log / JSON).write_text(json.dumps({"sidecar": sidecar}))
    assert damaged(log, JSON)


FILES = pa.array([ADD["add"]], pa.struct([("path", pa.string())]))
NO_CHECKPOINTS = {
    "other columns": {"a": [1]},
    "a number": {"add": [1]},
    "a list": {"add": [[{"path": "p.parquet"}]]},
    "a map": {"add": pa.array([[("path", "p.parquet")]], pa.map_(pa.string(), pa.string()))},
    "no path": {"add": [{"size": 1}], "remove": FILES},
}


@pytest.mark.parametrize("name", NO_CHECKPOINTS)
def test_a_parquet_checkpoint_without_columns_of_files_is_refused(log, name):
    pq.write_table(pa.table(NO_CHECKPOINTS[name]), log / PARQUET)
    assert damaged(log, PARQUET)


def test_checkpoints_name_files_themselves_or_in_sidecars(log):
    pq.write_table(pa.table({"add": FILES}), log / PARQUET)
    assert layout(log.parent).rows == 1
    (log / "_sidecars").mkdir()
    (log / PARQUET).rename(log / "_sidecars" / "one.parquet")
    sidecar = {"sidecar": {"path": "one.parquet"}}
    pq.write_table(pa.Table.from_pylist([sidecar]), log / PARQUET)
    assert layout(log.parent).rows == 1
    (log / PARQUET).unlink()
    (log / JSON).write_text(json.dumps(sidecar))
    assert layout(log.parent).rows == 1


def test_names_that_are_not_utf_8_are_refused(tmp_path):
    inner = tmp_path / os.fsdecode(b"d=\xff")
    inner.mkdir()
    pq.write_table(pa.table({"x": [1]}), tmp_path / "x.parquet")
    (tmp_path / "x.parquet").rename(inner / "x.parquet")
    rest = "has a name that is not UTF-8, or holds one: rename that file or folder."
    assert refusal(tmp_path) == f"{tmp_path} {rest}"
    assert refusal(inner) == rf"{tmp_path}/d=\udcff {rest}"
