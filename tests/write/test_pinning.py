"""A column keeps its first shape: later writes, streams and concurrent writers make files of one Parquet schema."""

import time
from pathlib import Path

import pytest

from parquet_cells import data_files
from pinned_tables import ROWS, append, documents, pins, schemas
from tables import FORMAT, load, refusal, write
from threads import at_once


@pytest.fixture
def pinned(spark, tmp_path):
    """A table whose first write has enough rows, so that the second write pins its shape."""
    return write(documents(spark, "n", "s"), tmp_path / "t")


def test_drifting_batches_a_stream_and_concurrent_writers_make_files_of_one_schema(spark, pinned, tmp_path):
    first = data_files(pinned)
    drift = [("n",), ("s", "n"), ("d",), ("o",), ("l", "o"), ("n", "d"), ("s",), ("o", "n"), ("l",), ("d", "s", "o")]
    for i, fields in enumerate(drift):
        write(documents(spark, *fields, start=(i + 1) * ROWS), pinned, mode="append")

    source = tmp_path / "source"
    documents(spark, "l", "d", start=11 * ROWS).write.parquet(str(source))
    rows = spark.readStream.schema("id INT, v VARIANT").parquet(str(source))
    stream = rows.writeStream.format(FORMAT).option("checkpointLocation", str(tmp_path / "checkpoint"))
    # A file sink writes a log of its files into the table, so the stream has its own table with the same first write.
    streamed = write(documents(spark, "n", "s"), tmp_path / "streamed")
    at_start = data_files(streamed)
    stream.trigger(availableNow=True).start(streamed).awaitTermination()

    batches = [documents(spark, f, start=s * ROWS) for f, s in (("o", 12), ("d", 13))]
    at_once(lambda df: write(df, pinned, mode="append"), batches)

    assert len(schemas(pinned, first) | schemas(streamed, at_start)) == 1
    assert pins(pinned) == pins(streamed) == {"v": "STRUCT<n BIGINT, s STRING>"}
    assert [r.id for r in load(spark, pinned).orderBy("id").select("id").collect()] == [
        *range(11 * ROWS),
        *range(12 * ROWS, 14 * ROWS),
    ]


def test_concurrent_first_writers_pin_one_shape(spark, pinned):
    first = data_files(pinned)
    batches = [documents(spark, f, start=i * ROWS) for i, f in enumerate(("n", "d", "s", "o"), 1)]
    at_once(lambda df: write(df, pinned, mode="append"), batches)
    assert len(schemas(pinned, first)) == 1
    assert load(spark, pinned).select("id").distinct().count() == 5 * ROWS
    assert not (Path(pinned) / "_temporary").exists()


def test_without_a_pin_each_file_has_its_own_shape(spark, tmp_path):
    table = write(documents(spark, "n"), tmp_path / "t", shredding__pin="none")
    for fields in ("s", "o"):
        append(documents(spark, fields), table, shredding__pin="none")
    assert len(schemas(table)) == 3
    assert pins(table) is None


def test_nothing_is_pinned_before_there_are_enough_rows(spark, tmp_path):
    table = write(documents(spark, "n", rows=600), tmp_path / "t")
    append(documents(spark, "s", "d", rows=600), table)
    assert pins(table) is None
    append(documents(spark, "o"), table)
    # 1,200 rows: half have n, half s and d.
    assert pins(table) == {"v": "STRUCT<d DECIMAL(5,3), n BIGINT, s STRING>"}


def test_the_number_of_rows_before_a_pin_is_an_option(spark, tmp_path):
    table = write(documents(spark, "n", rows=10), tmp_path / "t")
    append(documents(spark, "s", rows=10), table, shredding__pinMinRows="11")
    assert pins(table) is None
    append(documents(spark, "s", rows=10), table, shredding__pinMinRows="11")
    assert pins(table) == {"v": "STRUCT<n BIGINT, s STRING>"}


def test_rows_without_a_value_do_not_count(spark, tmp_path):
    nothing = spark.range(ROWS).selectExpr("CAST(id AS INT) AS id", "CAST(NULL AS VARIANT) AS v")
    table = write(nothing, tmp_path / "t")
    append(documents(spark, "n"), table)
    assert pins(table) is None
    append(documents(spark, "s"), table)
    assert pins(table) == {"v": "STRUCT<n BIGINT>"}


def test_the_next_write_uses_a_shape_that_a_user_has_edited(spark, pinned):
    append(documents(spark, "n"), pinned)
    file = Path(pinned) / "_shredding" / "shapes.json"
    file.write_text(file.read_text().replace("STRUCT<n BIGINT, s STRING>", "n INT, o STRUCT<p INT>"))
    schema = append(documents(spark, "n", "s"), pinned)
    assert "group field_id=-1 o {" in schema
    assert pins(pinned) == {"v": "n INT, o STRUCT<p INT>"}


def test_the_explicit_shape_of_the_first_write_is_pinned(spark, tmp_path):
    table = write(documents(spark, "n", "s", rows=3), tmp_path / "t", shredding__shape__v="s STRING")
    append(documents(spark, "n", "s"), table)
    assert pins(table) == {"v": "STRUCT<s STRING>"}
    assert len(schemas(table)) == 1


def test_an_explicit_shape_of_a_later_write_is_used_for_that_write_only(spark, pinned):
    usual = append(documents(spark, "n", "s"), pinned)
    named = append(documents(spark, "n", "s"), pinned, shredding__shape__v="n STRING")
    off = append(documents(spark, "n", "s"), pinned, shredding="off")
    assert append(documents(spark, "o"), pinned) == usual
    assert len({usual, named, off}) == 3
    assert pins(pinned) == {"v": "STRUCT<n BIGINT, s STRING>"}


def test_columns_are_pinned_one_by_one(spark, pinned):
    append(documents(spark, "n"), pinned)
    both = documents(spark, "o").selectExpr("id", "v", "named_struct('v w', v) AS s")
    write(both, pinned, mode="append")
    write(both, pinned, mode="append")
    assert pins(pinned) == {"v": "STRUCT<n BIGINT, s STRING>", "s.`v w`": "STRUCT<o STRUCT<p BIGINT>>"}


def test_an_overwrite_removes_the_pin_and_its_explicit_shape_is_the_new_one(spark, pinned):
    append(documents(spark, "n"), pinned)
    write(documents(spark, "o"), pinned, mode="overwrite")
    assert pins(pinned) is None
    append(documents(spark, "s"), pinned)
    assert pins(pinned) == {"v": "STRUCT<o STRUCT<p BIGINT>>"}
    write(documents(spark, "o"), pinned, mode="overwrite", shredding__shape__v="l ARRAY<INT>")
    assert pins(pinned) is None
    append(documents(spark, "n"), pinned)
    assert pins(pinned) == {"v": "STRUCT<l ARRAY<INT>>"}


def test_overwritten_partitions_have_the_pinned_shape(spark, tmp_path):
    rows = documents(spark, "n", "s").selectExpr("*", "id % 2 AS part")
    table = write(rows, tmp_path / "t", by=["part"])
    first = data_files(table)
    other = documents(spark, "o").selectExpr("*", "1 AS part")
    write(other, table, by=["part"], mode="overwrite", partitionOverwriteMode="dynamic")
    assert pins(table) == {"v": "STRUCT<n BIGINT, s STRING>"}
    assert len(schemas(table, first)) == 1


def test_files_of_other_writers_pin_no_shape(spark, tmp_path):
    path = str(tmp_path / "t")
    documents(spark, "n").write.parquet(path)
    append(documents(spark, "s"), path)
    assert pins(path) is None
    (Path(path) / "broken.parquet").write_bytes(b"PAR1 and no more")
    append(documents(spark, "s"), path)
    assert pins(path) == {"v": "STRUCT<s STRING>"}


def test_a_new_column_is_pinned_after_many_files_without_it(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.range(200).selectExpr("CAST(id AS INT) AS id").repartition(140).write.parquet(path)
    write(documents(spark, "n"), path, mode="append", shredding="off")
    append(documents(spark, "s"), path)
    usual = append(documents(spark, "o"), path)
    assert pins(path) == {"v": "STRUCT<s STRING>"}
    assert append(documents(spark, "d"), path) == usual


def test_a_column_with_more_paths_than_a_footer_may_have_is_pinned(spark, tmp_path):
    body = "concat('{\"id\":', id, ',\"kind\":\"x\",\"', repeat('k', 60), id, '\":1}')"
    many = spark.range(0, 30_000, 1, 1).selectExpr("CAST(id AS INT) AS id", f"parse_json({body}) AS v")
    table = write(many, tmp_path / "t")
    usual = append(documents(spark, "n", "s"), table)
    assert pins(table) == {"v": "STRUCT<id BIGINT, kind STRING>"}
    assert append(many, table) == usual


def test_concurrent_writers_of_different_new_columns_pin_all_of_them(spark, pinned):
    append(documents(spark, "n"), pinned)
    columns = {name: documents(spark, "o").selectExpr("id", "v", f"v AS {name}") for name in ("a", "b", "c")}
    for df in columns.values():
        write(df, pinned, mode="append")
    at_once(lambda df: write(df, pinned, mode="append"), list(columns.values()))
    assert pins(pinned) == {"v": "STRUCT<n BIGINT, s STRING>"} | dict.fromkeys("abc", "STRUCT<o STRUCT<p BIGINT>>")


def test_later_batches_of_a_stream_use_the_pin_of_its_first_batch(spark, tmp_path):
    source = tmp_path / "source"
    for i, fields in enumerate([("n", "s"), ("o",), ("d", "l"), ("s",)]):
        documents(spark, *fields, start=i * ROWS).write.mode("append").parquet(str(source))
        # A stream reads files by their age.
        time.sleep(0.02)
    rows = spark.readStream.schema("id INT, v VARIANT").option("maxFilesPerTrigger", 1).parquet(str(source))
    stream = rows.writeStream.format(FORMAT).option("checkpointLocation", str(tmp_path / "checkpoint"))
    table = str(tmp_path / "t")
    query = stream.trigger(availableNow=True).start(table)
    query.awaitTermination()
    by_age = sorted(data_files(table), key=lambda f: Path(f).stat().st_mtime)
    assert [p["numInputRows"] for p in query.recentProgress if p["numInputRows"]] == [ROWS] * 4
    # The first batch infers its shape, and the later batches use the pin of it.
    assert pins(table) == {"v": "STRUCT<n BIGINT, s STRING>"}
    assert len(schemas(table, by_age[:1])) == 1
    assert len(by_age) == 4
    assert sorted(r.id for r in load(spark, table).select("id").collect()) == list(range(4 * ROWS))


@pytest.mark.parametrize("table_properties", ["", "PARTITIONED BY (part)"])
def test_concurrent_writers_of_a_sql_table_pin_one_shape(spark, tmp_path, table_properties):
    name = f"pinned_{'parts' if table_properties else 'flat'}"
    location = tmp_path / name
    spark.sql(
        f"CREATE TABLE {name} (id INT, v VARIANT, part INT) USING {FORMAT} {table_properties} LOCATION '{location}'"
    )
    try:
        for i, fields in enumerate([("n", "s"), ("o",), ("d",), ("l",), ("s",)]):
            rows = documents(spark, *fields, start=i * ROWS).selectExpr("*", "1 AS part")
            rows.createOrReplaceTempView(f"{name}_{i}")
        spark.sql(f"INSERT INTO {name} SELECT * FROM {name}_0")
        first = data_files(location)
        at_once(lambda i: spark.sql(f"INSERT INTO {name} SELECT * FROM {name}_{i}"), range(1, 5))
        assert pins(location) == {"v": "STRUCT<n BIGINT, s STRING>"}
        assert len(schemas(location, first)) == 1
        assert spark.table(name).select("id").distinct().count() == 5 * ROWS
    finally:
        spark.sql(f"DROP TABLE {name}")


def test_temporary_pin_files_of_a_crash_change_nothing(spark, pinned):
    append(documents(spark, "n"), pinned)
    (Path(pinned) / "_shredding" / ".shapes.crashed.tmp").write_text('{"version": 1, "columns": {"v": {"sha')
    usual = append(documents(spark, "n"), pinned)
    assert append(documents(spark, "o"), pinned) == usual
    assert load(spark, pinned).count() == 4 * ROWS


def test_shapes_that_cannot_be_used_are_refused_before_a_file_is_written(spark, pinned):
    append(documents(spark, "n"), pinned)
    file = Path(pinned) / "_shredding" / "shapes.json"
    file.write_text(file.read_text().replace("STRUCT<n BIGINT, s STRING>", "n NUMBER"))
    before = data_files(pinned)
    refusal(
        lambda: write(documents(spark, "n"), pinned, mode="append"),
        "shapes.json",
        "'NUMBER' is not a type",
        "mend the file",
    )
    assert data_files(pinned) == before
    assert load(spark, pinned).count() == 2 * ROWS
