"""compact with concurrent writers of the same table: appends are kept, removals are conflicts."""

import json
import threading
import time
from pathlib import Path

import pytest

from delta_tables import actions, active, files_on_disk, load, save
from maintained import events
from shredded_variant import compact


def begun(spark, path, work, others):
    """Runs `work`, and `others` after the first file of `work`; returns the error messages of `work`."""
    failures = []

    def go():
        try:
            work()
        except Exception as e:
            failures.append(str(e))

    before = files_on_disk(path)
    worker = threading.Thread(target=go)
    worker.start()
    while files_on_disk(path) == before and worker.is_alive():
        time.sleep(0.01)
    assert worker.is_alive(), "the work is done before others could begin"
    others()
    worker.join()
    return failures


@pytest.fixture
def slow(spark, table):
    """A table whose rewrite takes several seconds."""
    for i in range(2):
        save(events(spark, i * 300_000, (i + 1) * 300_000), table)
    return table


def log(path, *lines):
    """A commit of another writer."""
    logs = sorted((Path(path) / "_delta_log").glob("*.json"))
    text = "\n".join(json.dumps(line) for line in lines) + "\n"
    (logs[-1].parent / f"{len(logs):020}.json").write_text(text)


def test_a_concurrent_append_is_kept(spark, slow):
    (add,) = actions(slow, "add")
    copy = Path(slow) / "others.parquet"
    copy.write_bytes((Path(slow) / add["path"]).read_bytes())
    others = lambda: log(slow, {"add": add | {"path": copy.name}})  # noqa: E731
    assert begun(spark, slow, lambda: compact(spark, slow), others) == []
    assert load(spark, slow).count() == 900_000
    assert len(active(slow)) == 2 and copy.name in active(slow)


def test_a_concurrent_removal_of_a_compacted_file_is_a_conflict(spark, slow):
    (add,) = actions(slow, "add")
    gone = {"path": add["path"], "deletionTimestamp": 1, "dataChange": True}
    before = active(slow)
    (failure,) = begun(spark, slow, lambda: compact(spark, slow), lambda: log(slow, {"remove": gone}))
    assert "SHREDDED_VARIANT_DELTA_CONFLICT" in failure
    assert active(slow) == before - {add["path"]} and files_on_disk(slow) == before
    assert load(spark, slow).count() == 300_000
