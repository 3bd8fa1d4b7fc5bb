"""The specification of map shredding for hot keys, sentence by sentence: layout, metadata and queries.

The name of each test has the words of its sentence; the test uses the example of the document. More tests:

| section | more tests |
|---|---|
| Goals, Physical Layout, Metadata, Semantics | `test_maps_files.py`, `test_maps_cases.py`, `test_maps_values.py` |
| Metadata: table options | `test_maps_tables.py`; of a write: `test_maps_options.py`, a session: `test_maps_files.py` |
| Semantics: external readers | `test_maps_other_readers.py` |
| Query Benefits | `test_maps_answers.py`, `test_maps_plans.py`, `test_maps_skipping.py` |
| Compatibility | `test_maps_routes.py`, `test_verify_maps.py` |
| Future Work | `test_maps_cases.py` (nested), `test_maps_inferred.py`, `test_maps_pinned.py`, `test_infer_keys.py` |
"""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from map_files import entries, footer, sizes
from parquet_cells import only_file
from path_queries import leaves
from scan_counts import run
from tables import load, refusal, write

HEADERS = {"content-type": "application/json", "user-agent": "mobile-app", "x-request-id": "req-001"}
OPTIONS = {
    "parquet.map.shredding.columns": "headers",
    "parquet.map.shredding.headers.keys": "content-type,user-agent",
}
SCHEMA = "headers MAP<STRING, STRING>"
FIRST, SECOND = "__paimon_map_shred_headers_0", "__paimon_map_shred_headers_1"


@pytest.fixture(scope="module")
def file(spark, tmp_path_factory):
    """The row of the example, written as its options say."""
    rows = spark.createDataFrame([(HEADERS,)], SCHEMA).coalesce(1)
    return only_file(write(rows, tmp_path_factory.mktemp("spec") / "t", **OPTIONS))


@pytest.fixture(scope="module")
def requests(spark, tmp_path_factory):
    """Many rows of such headers: with hot keys, and as plain Parquet."""
    folder = tmp_path_factory.mktemp("requests")
    rows = spark.range(0, 5000, 1, 1).selectExpr(
        "map('content-type', concat('application/', IF(id = 4000, 'xml', 'json')), 'user-agent', 'mobile-app',"
        " 'x-request-id', concat('req-', lpad(id, 6, '0'))) AS headers"
    )
    pages = {"parquet.page.row.count.limit": "500", "parquet.enable.dictionary": "false"}
    path = write(rows, folder / "t", **OPTIONS, **pages)
    rows.write.options(**pages, compression="zstd").parquet(str(folder / "plain"))
    return path, str(folder / "plain")


# ---- Goals ----


def test_users_still_read_and_write_a_normal_map_column(spark, file):
    table = load(spark, file, schema=None)
    assert table.schema.simpleString() == "struct<headers:map<string,string>>"
    assert table.first()["headers"] == HEADERS


def test_there_is_no_custom_parquet_logical_type(file):
    columns = [pq.ParquetFile(file).schema.column(i) for i in range(4)]
    assert {c.logical_type.type for c in columns} == {"STRING"} and {c.physical_type for c in columns} == {"BYTE_ARRAY"}
    assert pa.types.is_map(pq.read_schema(file).field("headers").type)


def test_files_written_without_map_shredding_stay_readable_beside_others(spark, tmp_path):
    rows = spark.createDataFrame([(HEADERS,)], SCHEMA)
    for options in (OPTIONS, {}):
        write(rows, tmp_path / "t", mode="append", **options)
    rows.write.mode("append").parquet(str(tmp_path / "t"))
    table = load(spark, tmp_path / "t", schema=None)
    assert [r[0] for r in table.collect()] == [HEADERS] * 3
    assert table.where("headers['user-agent'] = 'mobile-app' AND headers['x-request-id'] = 'req-001'").count() == 3


# ---- Physical Layout ----


def test_the_columns_are_the_residual_map_and_one_for_each_configured_hot_key(file):
    assert pq.read_schema(file).names == ["headers", FIRST, SECOND]


def test_the_example_of_content_type_user_agent_and_x_request_id_is_written_as_the_document_has_it(file):
    (row,) = pq.read_table(file).to_pylist()
    assert entries(row["headers"]) == {"x-request-id": "req-001"}
    assert (row[FIRST], row[SECOND]) == ("application/json", "mobile-app")


def test_the_reader_reconstructs_the_logical_map_by_merging_the_residual_map_with_the_sidecar_values(spark, file):
    table = load(spark, file, schema=None)
    assert table.selectExpr("map_entries(headers)").first()[0] == [
        ("x-request-id", "req-001"), ("content-type", "application/json"), ("user-agent", "mobile-app"),
    ]  # fmt: skip


# ---- Metadata ----


def test_the_configured_keys_are_recorded_in_the_parquet_file_metadata(file):
    assert footer(file)["paimon.map.shredding.headers.keys"] == "content-type,user-agent"


def test_options_define_the_contract_of_writer_and_reader(spark, tmp_path):
    """The three keys of the document, of which the row lacks one; the options also read a file without metadata."""
    options = OPTIONS | {"parquet.map.shredding.headers.keys": "content-type,user-agent,locale"}
    written = only_file(write(spark.createDataFrame([(HEADERS,)], SCHEMA).coalesce(1), tmp_path / "t", **options))
    assert pq.read_schema(written).names == ["headers", FIRST, SECOND, "__paimon_map_shred_headers_2"]
    bare = tmp_path / "bare.parquet"
    pq.write_table(pq.read_table(written).replace_schema_metadata({}), bare)
    assert load(spark, bare, schema=None, **options).first()["headers"] == HEADERS
    refusal(lambda: load(spark, bare, schema=None).collect(), name="SHREDDED_VARIANT_UNNAMED_HOT_KEYS")


def test_a_file_that_does_not_contain_sidecar_columns_is_read_as_a_normal_parquet_map(spark, tmp_path):
    """With any metadata and options."""
    headers = pa.array([list(HEADERS.items())], pa.map_(pa.string(), pa.string()))
    table = pa.table({"headers": headers})
    pq.write_table(table, tmp_path / "a.parquet")
    named = {"paimon.map.shredding.headers.keys": "content-type,user-agent"}
    pq.write_table(table.replace_schema_metadata(named), tmp_path / "b.parquet")
    for options in ({}, OPTIONS):
        read = load(spark, tmp_path, schema=None, **options)
        assert [r[:] for r in read.selectExpr("headers", "headers['user-agent']").collect()] == [
            (HEADERS, "mobile-app")
        ] * 2


# ---- Semantics ----


def semantics(spark, folder, m):
    """The file of one map: its residual, and the values of the hot keys."""
    written = write(spark.createDataFrame([(m,)], SCHEMA).coalesce(1), folder, **OPTIONS)
    (row,) = pq.read_table(only_file(written)).to_pylist()
    return entries(row["headers"]), row[FIRST], row[SECOND]


def test_the_residual_map_is_a_valid_standard_parquet_map(spark, file):
    expected = [{"x-request-id": "req-001"}]
    assert [entries(m) for m in pq.read_table(file)["headers"].to_pylist()] == expected
    assert [r[0] for r in spark.read.parquet(file).select("headers").collect()] == expected
    assert [r[0] for r in duckdb.sql(f"SELECT headers FROM '{file}'").fetchall()] == expected


def test_promoted_non_null_hot_key_values_are_removed_from_the_residual_map(spark, tmp_path):
    assert semantics(spark, tmp_path / "some", HEADERS) == (
        {"x-request-id": "req-001"},
        "application/json",
        "mobile-app",
    )
    assert semantics(spark, tmp_path / "all", {"user-agent": "u"}) == ({}, None, "u")


def test_null_hot_key_values_remain_in_the_residual_map(spark, tmp_path):
    m = {"content-type": None, "user-agent": "u", "x": None}
    assert semantics(spark, tmp_path / "t", m) == ({"content-type": None, "x": None}, None, "u")


def test_a_null_value_and_an_absent_key_are_distinguished(spark, tmp_path):
    rows = spark.createDataFrame([({"content-type": None},), ({},), (None,)], SCHEMA).coalesce(1)
    table = load(spark, write(rows, tmp_path / "t", **OPTIONS), schema=None)
    asked = table.selectExpr("headers", "headers['content-type']", "map_contains_key(headers, 'content-type')")
    assert [r[:] for r in asked.collect()] == [({"content-type": None}, None, True), ({}, None, False), (None,) * 3]


def test_external_readers_see_only_the_residual_map_and_sidecar_columns(spark, file):
    expected = ({"x-request-id": "req-001"}, "application/json", "mobile-app")
    assert spark.read.parquet(file).first()[:] == expected
    assert duckdb.sql(f"SELECT * FROM '{file}'").fetchall() == [expected]


# ---- Query Benefits ----


def read(spark, path, query):
    """The rows of a query of `requests`, and the counts of its read."""
    load(spark, path, schema=None).createOrReplaceTempView("requests")
    try:
        rows, counts = run(spark.sql(query))
    finally:
        spark.catalog.dropTempView("requests")
    return [r[:] for r in rows], counts


def test_a_projection_of_a_hot_key_reads_only_the_sidecar_column(spark, requests):
    path, plain = requests
    query = "SELECT count(DISTINCT headers['content-type']), max(headers['content-type']) FROM {}"
    rows, counts = read(spark, path, query.format("requests"))
    assert rows == [r[:] for r in spark.sql(query.format(f"parquet.`{plain}`")).collect()]
    assert counts.bytes[0] == sizes(only_file(path))[FIRST]
    assert leaves(load(spark, path, schema=None).selectExpr("headers['content-type']")) == {"headers['content-type']"}


def test_a_filter_on_a_hot_key_skips_the_repeated_map_branch(spark, requests):
    path, plain = requests
    query = "SELECT count(*) FROM {} WHERE headers['user-agent'] LIKE '%app' AND headers['content-type'] LIKE '%n'"
    rows, counts = read(spark, path, query.format("requests"))
    assert rows == [r[:] for r in spark.sql(query.format(f"parquet.`{plain}`")).collect()]
    size = sizes(only_file(path))
    assert counts.bytes[0] == size[FIRST] + size[SECOND]


def test_column_statistics_and_page_indexes_serve_filters_on_a_hot_key(spark, requests):
    path, _ = requests
    query = "SELECT headers['x-request-id'] FROM requests WHERE headers['content-type'] = 'application/xml'"
    rows, counts = read(spark, path, query)
    assert rows == [("req-004000",)] and counts.pages[1] > 0
    assert counts.rows_skipped >= 4500
    rows, counts = read(spark, path, "SELECT * FROM requests WHERE headers['user-agent'] > 'n'")
    assert rows == [] and counts.bytes[0] == 0


# ---- Storage Benefits, Compatibility, Future Work ----


def test_the_encoding_avoids_repeating_common_key_strings_and_is_smaller(requests):
    path, plain = (sizes(only_file(p)) for p in requests)
    assert path["headers.key_value.key"] < plain["headers.key_value.key"]
    assert sum(path.values()) < sum(plain.values())


def test_only_a_table_that_explicitly_enables_the_feature_has_sidecar_columns(spark, tmp_path):
    written = write(spark.createDataFrame([(HEADERS,)], SCHEMA).coalesce(1), tmp_path / "t")
    file = only_file(written)
    assert pq.read_schema(file).names == ["headers"]
    assert not [key for key in footer(file) if key.startswith("paimon")]


def test_nested_map_columns_have_sidecars_beside_them(spark, tmp_path):
    rows = spark.createDataFrame([((HEADERS,),)], "request STRUCT<headers: MAP<STRING, STRING>>").coalesce(1)
    options = {key.replace("headers", "request.headers"): value.replace("headers", "request.headers")
               for key, value in OPTIONS.items()}  # fmt: skip
    written = write(rows, tmp_path / "t", **options)
    assert footer(only_file(written))["paimon.map.shredding.request.headers.keys"] == "content-type,user-agent"
    assert [f.name for f in pq.read_schema(only_file(written)).field("request").type] == ["headers", FIRST, SECOND]
    assert load(spark, written, schema=None).first()["request"]["headers"] == HEADERS


def test_hot_keys_are_inferred_from_buffered_rows(spark, tmp_path):
    rows = spark.range(0, 100, 1, 1).selectExpr("map('content-type', 'json', concat('x-', id), 'rare') AS headers")
    options = {"parquet.map.shredding.columns": "headers", "parquet.map.shredding.headers.infer": "true"}
    assert (
        footer(only_file(write(rows, tmp_path / "t", **options)))["paimon.map.shredding.headers.keys"] == "content-type"
    )
