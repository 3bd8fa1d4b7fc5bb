"""No write shreds variants into a Delta table whose property does not allow it."""

import json
from pathlib import Path

import pytest

from catalog_tables import create, location, tables
from delta_spark import delta_spark  # noqa: F401
from delta_tables import active, commits, files_on_disk, load, save
from shredded_variant import layout
from tables import FORMAT, refusal

SHAPE = {"shredding.shape.v": "a BIGINT"}
PROPERTY = r"delta\.enableVariantShredding"


def rows(spark, *ids):
    df = spark.createDataFrame([(i,) for i in ids], "id BIGINT").coalesce(1)
    return df.selectExpr("id", "parse_json(concat('{\"a\":', id, '}')) AS v")


def kinds(path):
    """How many files of the newest version have each kind of layout."""
    return {shape.kind: shape.files for shape in layout(path).shapes}


def set_property(path, value):
    """Sets the property and its table feature, as ALTER TABLE does."""
    log = [a for commit in commits(path) for a in commit]
    metadata, protocol = ([a[kind] for a in log if kind in a][-1] for kind in ("metaData", "protocol"))
    key = "delta.enableVariantShredding"
    metadata["configuration"] = {k: v for k, v in metadata["configuration"].items() if k != key}
    if value is not None:
        metadata["configuration"][key] = value
        for features in (protocol["readerFeatures"], protocol["writerFeatures"]):
            features += [name for name in ("variantShredding",) if name not in features]
    lines = [{"commitInfo": {"operation": "SET TBLPROPERTIES"}}, {"protocol": protocol}, {"metaData": metadata}]
    new = Path(path) / "_delta_log" / f"{len(commits(path)):020}.json"
    new.write_text("".join(json.dumps(line) + "\n" for line in lines))


def absent(spark, path, delta_spark):  # noqa: F811
    delta_spark.sql("CREATE TABLE {t} (id BIGINT, v VARIANT) USING delta", t=path)


def unset(spark, path, delta_spark):  # noqa: F811
    save(rows(spark, 1), path, mode="overwrite", **SHAPE)
    set_property(path, None)
    save(rows(spark), path, mode="overwrite")


def false(spark, path, delta_spark):  # noqa: F811
    save(rows(spark), path, delta__enableVariantShredding="false")


TABLES = {"absent": absent, "unset": unset, "false": false}


@pytest.fixture(params=TABLES)
def table(request, spark, tmp_path, delta_spark):  # noqa: F811
    path = str(tmp_path / "t")
    TABLES[request.param](spark, path, delta_spark)
    return path


def stream(spark, table, folder, *ids, **options):
    rows(spark, *ids).write.mode("append").parquet(str(folder / "source"))
    source = spark.readStream.schema("id BIGINT, v VARIANT").parquet(str(folder / "source"))
    writer = source.writeStream.format(FORMAT).options(**options).trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(folder / "checkpoint")).start(table)
    try:
        assert query.awaitTermination(120)
    finally:
        query.stop()


def test_batches_are_unshredded_and_a_shape_is_refused(spark, table):
    save(rows(spark, *range(2000)), table)
    save(rows(spark, 1), table, table="delta", shredding="infer")
    assert kinds(table) == {"unshredded": 2}
    save(rows(spark, 2), table, mode="overwrite")
    assert kinds(table) == {"unshredded": 1}
    before = files_on_disk(table)
    refusal(lambda: save(rows(spark, 2), table, **SHAPE), r"shredding\.shape\.v", PROPERTY)
    assert files_on_disk(table) == before
    assert active(table) <= before


def test_streams_are_unshredded_and_a_shape_is_refused(spark, table, tmp_path):
    stream(spark, table, tmp_path / "one", *range(2000))
    assert kinds(table) == {"unshredded": 1}
    with pytest.raises(Exception, match=PROPERTY):
        stream(spark, table, tmp_path / "two", 1, **SHAPE)
    assert load(spark, table).count() == 2000


def test_tables_of_a_catalog_are_unshredded_and_a_shape_is_refused(spark, table):
    with tables(spark, "t") as t:
        spark.sql(f"CREATE TABLE {t} USING {FORMAT} LOCATION '{table}'")
        rows(spark, *range(2000)).createOrReplaceTempView("batch")
        spark.sql(f"INSERT INTO {t} SELECT * FROM batch")
        rows(spark, 1).writeTo(t).append()
        assert kinds(table) == {"unshredded": 2}
        refusal(lambda: rows(spark, 1).writeTo(t).option(*next(iter(SHAPE.items()))).append(), PROPERTY)
        assert load(spark, table).count() == 2001


@pytest.mark.parametrize("value", ["false", "False", "no"])
def test_a_table_of_a_catalog_that_is_made_without_it(spark, value):
    with tables(spark, "t") as t:
        create(spark, t, TBLPROPERTIES=f"('table' = 'delta', 'delta.enableVariantShredding' = '{value}')")
        rows(spark, *range(2000)).write.insertInto(t)
        assert kinds(location(spark, t)) == {"unshredded": 1}


def test_files_are_shredded_from_the_time_that_the_property_is_set(spark, table):
    save(rows(spark, *range(2000)), table)
    set_property(table, "true")
    save(rows(spark, 3), table, **SHAPE)
    assert kinds(table) == {"unshredded": 1, "parquet": 1}
    assert load(spark, table).where("v:a::bigint = 3").count() == 2
