"""Columns of a Delta table keep their first shape in table properties: all later files have one Parquet schema."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from delta_races import meanwhile
from delta_spark import delta_spark  # noqa: F401
from delta_tables import actions, active, commits, load, save
from pinned_tables import ROWS, documents
from tables import FORMAT, refusal
from threads import at_once

SHAPE = "STRUCT<n BIGINT, s STRING>"


def pins(path):
    """The shapes that the table's newest properties hold, by column."""
    metadata = [a["metaData"] for commit in commits(path) for a in commit if "metaData" in a][-1]
    prefix = "shredded_variant.shape."
    return {k[len(prefix) :]: v for k, v in metadata["configuration"].items() if k.startswith(prefix)}


def schemas(path, since=()):
    return {str(pq.ParquetFile(f"{path}/{f}").schema).split("\n", 1)[1] for f in active(path) - set(since)}


def append(df, path, **options):
    """Appends and gives the schema of what was written."""
    before = active(path)
    save(df, path, **options)
    (schema,) = schemas(path, before)
    return schema


@pytest.fixture
def pinned(spark, table):
    """A table whose first write has enough rows, so that the second write pins its shape."""
    return save(documents(spark, "n", "s"), table)


def test_drifting_batches_a_stream_and_concurrent_writers_make_files_of_one_schema(spark, pinned, tmp_path):
    first = active(pinned)
    drift = [("n",), ("s", "n"), ("d",), ("o",), ("l", "o"), ("n", "d"), ("s",), ("o", "n"), ("l",), ("d", "s", "o")]
    for i, fields in enumerate(drift):
        save(documents(spark, *fields, start=(i + 1) * ROWS), pinned)
    documents(spark, "l", "d", start=11 * ROWS).write.parquet(str(tmp_path / "source"))
    rows = spark.readStream.schema("id INT, v VARIANT").parquet(str(tmp_path / "source"))
    stream = rows.writeStream.format(FORMAT).option("checkpointLocation", str(tmp_path / "checkpoint"))
    stream.trigger(availableNow=True).start(pinned).awaitTermination()
    batches = [documents(spark, "o", start=12 * ROWS), documents(spark, "d", start=13 * ROWS)]
    at_once(lambda df: save(df, pinned), batches)

    assert len(schemas(pinned, first)) == 1
    assert pins(pinned) == {"v": SHAPE}
    assert sorted(r.id for r in load(spark, pinned).select("id").collect()) == list(range(14 * ROWS))
    changes = [i for i, commit in enumerate(commits(pinned)) if any("metaData" in a for a in commit)]
    assert changes == [0, 1], "the table's beginning and the pin, in a commit of its own"
    assert not actions(pinned, "add", 1)


def test_concurrent_first_writers_pin_one_shape(spark, pinned):
    first = active(pinned)
    batches = [documents(spark, f, start=i * ROWS) for i, f in enumerate(("n", "d", "s", "o"), 1)]
    at_once(lambda df: save(df, pinned), batches)
    assert len(schemas(pinned, first)) == 1
    assert pins(pinned) == {"v": SHAPE}
    assert load(spark, pinned).select("id").distinct().count() == 5 * ROWS


def test_a_pin_does_not_conflict_with_writes_that_began_before_it(spark, table):
    for mode in ("append", "overwrite"):
        path = f"{table}.{mode}"
        save(documents(spark, "n").selectExpr("CAST(id AS BIGINT) AS id", "v"), path)
        more = documents(spark, "s").selectExpr("CAST(id AS BIGINT) AS id", "v")
        assert meanwhile(spark, path, lambda path=path, df=more: save(df, path), mode=mode) == []
        ids = {r[0] for r in load(spark, path).select("id").collect()}
        assert 100 in ids
        assert len(ids) == ROWS


def test_without_a_pin_each_file_has_its_own_shape(spark, table):
    for fields in ("n", "s", "o"):
        save(documents(spark, fields), table, shredding__pin="none")
    assert len(schemas(table)) == 3
    assert pins(table) == {}


def test_nothing_is_pinned_before_there_are_enough_rows(spark, table):
    save(documents(spark, "n", rows=600), table)
    save(documents(spark, "s", "d", rows=600), table)
    assert pins(table) == {}
    save(documents(spark, "o"), table)
    assert pins(table) == {"v": "STRUCT<d DECIMAL(5,3), n BIGINT, s STRING>"}


def test_removed_files_pin_no_shape(spark, table):
    save(documents(spark, "n"), table)
    save(documents(spark, "s"), table, mode="overwrite")
    save(documents(spark, "o"), table)
    assert pins(table) == {"v": "STRUCT<s STRING>"}


def test_a_shape_that_a_write_names_is_kept_and_one_that_is_named_later_is_its_own(spark, table):
    save(documents(spark, "n", "s", rows=3), table, shredding__shape__v="s STRING")
    usual = append(documents(spark, "n", "s"), table)
    assert pins(table) == {"v": "STRUCT<s STRING>"}
    assert append(documents(spark, "n", "s"), table, shredding__shape__v="n STRING") != usual
    assert append(documents(spark, "o"), table) == usual
    assert pins(table) == {"v": "STRUCT<s STRING>"}


def test_columns_are_pinned_one_by_one(spark, pinned):
    save(documents(spark, "n"), pinned)
    both = documents(spark, "o").selectExpr("id", "v", "named_struct('v-w', v) AS s")
    save(both, pinned, mergeSchema="true")
    save(both, pinned)
    assert pins(pinned) == {"v": SHAPE, "s.`v-w`": "STRUCT<o STRUCT<p BIGINT>>"}


def test_an_overwrite_removes_the_pin(spark, pinned):
    append(documents(spark, "n"), pinned)
    assert pins(pinned) == {"v": SHAPE}
    save(documents(spark, "o"), pinned, mode="overwrite")
    assert pins(pinned) == {}
    assert actions(pinned, "add")
    append(documents(spark, "s"), pinned)
    assert pins(pinned) == {"v": "STRUCT<o STRUCT<p BIGINT>>"}


def test_overwritten_partitions_have_the_pinned_shape(spark, table):
    save(documents(spark, "n", "s").selectExpr("*", "id % 2 AS part"), table, "part")
    first = active(table)
    other = documents(spark, "o").selectExpr("*", "1 AS part")
    save(other, table, mode="overwrite", partitionOverwriteMode="dynamic")
    save(other, table, mode="overwrite", replaceWhere="part = 1")
    assert pins(table) == {"v": SHAPE}
    assert len(schemas(table, first)) == 1


def set_property(path, column, shape):
    """Sets or unsets a property of the table, as another program does."""
    metadata = [a for commit in commits(path) for a in commit if "metaData" in a][-1]
    metadata["metaData"]["configuration"].pop(f"shredded_variant.shape.{column}", None)
    if shape:
        metadata["metaData"]["configuration"][f"shredded_variant.shape.{column}"] = shape
    info = {"commitInfo": {"timestamp": 0, "operation": "SET TBLPROPERTIES", "operationParameters": {}}}
    log = Path(path) / "_delta_log" / f"{len(commits(path)):020}.json"
    log.write_text("".join(json.dumps(action) + "\n" for action in (info, metadata)))


def test_the_next_write_uses_a_shape_that_a_user_has_set(spark, pinned, delta_spark):  # noqa: F811
    append(documents(spark, "n"), pinned)
    set_property(pinned, "v", "n INT, o STRUCT<p INT>")
    assert "group field_id=-1 o {" in append(documents(spark, "n", "s"), pinned)
    set_property(pinned, "v", None)
    append(documents(spark, "n", "s"), pinned)
    assert pins(pinned) == {"v": SHAPE}
    assert delta_spark.sql("SELECT count(*) FROM {t}", t=pinned) == [[4 * ROWS]]


@pytest.mark.parametrize(("column", "shape"), [("v", "n NUMBER"), ("`v", "n INT")])
def test_a_property_that_is_not_a_shape_is_refused_before_a_file_is_written(spark, pinned, column, shape):
    set_property(pinned, column, shape)
    before = active(pinned)
    refusal(lambda: save(documents(spark, "n"), pinned), "DELTA_PIN", "shredded_variant.shape", "unset the property")
    assert active(pinned) == before
