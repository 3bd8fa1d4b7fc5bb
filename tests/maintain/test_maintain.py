"""compact, reshred, unshred: the same rows in other files, as one commit or at a new path."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

import shredded_variant
from delta_spark import delta_spark  # noqa: F401
from delta_tables import actions, active, commits, files_on_disk, load, save
from maintained import EVENT, events, rows, shapes
from shredded_variant import Shape, compact, reshred, unshred
from shredded_variant.errors import WrongArgument
from tables import FORMAT, refusal


@pytest.fixture
def small(spark, table):
    """A Delta table of eight small files."""
    for i in range(4):
        save(events(spark, i * 100, i * 100 + 100, files=2), table)
    return table


@pytest.fixture
def directory(spark, tmp_path):
    path = str(tmp_path / "directory")
    for i in range(3):
        df = events(spark, i * 100, i * 100 + 100, columns=("id", "concat('0', id % 3) AS day"))
        df.write.format(FORMAT).mode("append").partitionBy("day").save(path)
    return path


# ---- Delta tables ----


def test_compact_is_one_commit_that_changes_no_data(spark, small):
    before, old = rows(spark, small), active(small)
    done = compact(spark, small)
    assert rows(spark, small) == before
    assert len(commits(small)) == 5 and len(active(small)) == 1
    assert (done.files, done.rewritten_files, done.written_files, done.files_after) == (8, 8, 1, 1)
    adds, removes = actions(small, "add"), actions(small, "remove")
    assert {a["path"] for a in removes} == old
    assert not any(a["dataChange"] for a in adds + removes)
    (info,) = actions(small, "commitInfo")
    assert info["operation"] == "OPTIMIZE" and info["isBlindAppend"] is False
    # The new files have complete statistics.
    assert adds[0]["tags"] == {"shredded_variant.bounds": "1"}
    assert json.loads(adds[0]["stats"])["numRecords"] == 400
    assert "nothing to do" in repr(compact(spark, small))
    assert len(commits(small)) == 5


def test_compact_makes_files_of_the_target_size_and_keeps_large_ones(spark, small):
    save(events(spark, 1000, 30000), small)
    (large,) = (a["path"] for a in actions(small, "add"))
    size = (Path(small) / large).stat().st_size
    each = max((Path(small) / f).stat().st_size for f in active(small) - {large})
    done = compact(spark, small, target_bytes=each * 3)
    assert size > each * 3 and large in active(small)
    assert done.rewritten_files == 8 and 3 <= done.files_after - 1 <= 4
    assert load(spark, small).count() == 29400


def test_a_dry_run_changes_nothing_and_returns_what_it_would_do(spark, small):
    before = files_on_disk(small)
    done = compact(spark, small, dry_run=True)
    assert (done.dry_run, done.rewritten_files, done.written_files, done.files_after) == (True, 8, 1, None)
    assert "would rewrite 8 of 8 files" in repr(done)
    for work in (reshred(spark, small, {"v": "kind STRING"}, dry_run=True), unshred(spark, small, dry_run=True)):
        assert (work.rewritten_files, work.written_files) == (8, 8)
    assert files_on_disk(small) == before and len(commits(small)) == 4


def test_partitions_are_compacted_one_by_one(spark, table):
    for i in range(3):
        save(events(spark, i * 100, i * 100 + 100), table, "day")
    save(spark.sql(f"SELECT id, CAST(NULL AS BIGINT) day, {EVENT} FROM range(9)").coalesce(1), table)
    before = rows(spark, table)
    done = compact(spark, table)
    assert rows(spark, table) == before
    assert done.rewritten_files == 9 and len(active(table)) == 4
    assert {a["partitionValues"]["day"] for a in actions(table, "add")} == {"0", "1", "2"}


def test_clustered_files_have_ranges_that_filters_skip(spark, small):
    size = sum((Path(small) / f).stat().st_size for f in active(small))
    before = rows(spark, small)
    done = compact(spark, small, target_bytes=size // 4 + 1, cluster_by=["$.user.id"])
    assert rows(spark, small) == before
    assert done.written_files == 4 and 3 <= done.files_after <= 4
    ids = [rows(spark, small, "v:user.id::bigint", "_metadata.file_name")]
    files = {}
    for number, file in ids[0]:
        files.setdefault(file, []).append(number)
    ranges = sorted((min(numbers), max(numbers)) for numbers in files.values())
    assert all(high <= low for (_, high), (low, _) in pairwise(ranges))
    # Within a file, rows are in order.
    for file in files:
        of = load(spark, small).where(f"_metadata.file_name = '{file}'")
        actual = [r[0] for r in of.selectExpr("v:user.id::bigint").collect()]
        assert actual == sorted(actual)


@pytest.mark.parametrize("by", [["id"], ["v:kind", "id"], ["v:$.user.id"]])
def test_partitioned_tables_are_clustered_within_partitions(spark, table, by):
    for i in range(2):
        save(events(spark, i * 100, i * 100 + 100), table, "day")
    before = rows(spark, table)
    compact(spark, table, cluster_by=by)
    assert rows(spark, table) == before
    assert len(active(table)) == 3
    if by == ["id"]:
        # The write of partitions keeps the order of the rows.
        for file in active(table):
            of = load(spark, table).where(f"_metadata.file_name = '{Path(file).name}'")
            ids = [row.id for row in of.select("id").collect()]
            assert ids == sorted(ids)


def test_reshred_gives_each_file_the_shape(spark, small):
    before, old = rows(spark, small), active(small)
    done = reshred(spark, small, {"v": Shape.parse("user STRUCT<id INT>")})
    assert rows(spark, small) == before
    assert len(active(small)) == done.files_after == 8 and not active(small) & old
    assert shapes(small, active(small)) == {"STRUCT<user STRUCT<id INT>>"}
    assert actions(small, "commitInfo")[0]["operation"] == "REORG"
    reshred(spark, small, {"v": "infer"})
    assert shapes(small, active(small)) == {shredded_variant.infer_shape(load(spark, small), "v").ddl()}
    assert rows(spark, small) == before


def test_later_writes_use_the_shape_of_reshred(spark, table):
    save(events(spark, 0, 1500), table)
    save(events(spark, 1500, 1510), table)
    kept = shapes(table, active(table))
    version = len(commits(table))
    reshred(spark, table, {"v": "kind STRING"})
    assert len(commits(table)) == version + 1
    save(events(spark, 1510, 1520), table)
    assert shapes(table, active(table)) == {"STRUCT<kind STRING>"} != kept
    assert len(rows(spark, table)) == 1520


def test_unshred_writes_only_metadata_and_value(spark, small):
    before = rows(spark, small)
    unshred(spark, small)
    assert rows(spark, small) == before
    assert shapes(small, active(small)) == {"VARIANT"}
    assert not any(a["dataChange"] for a in actions(small, "add") + actions(small, "remove"))


def test_delta_spark_reads_the_rewritten_tables_equal(spark, table, delta_spark):  # noqa: F811
    for i in range(3):
        save(events(spark, i * 100, i * 100 + 100), table, "day")
    query = "SELECT id, day, to_json(v) FROM {t}"
    before = sorted(map(tuple, delta_spark.sql(query, t=table)), key=str)
    for work in (
        lambda: compact(spark, table, cluster_by=["$.user.id"]),
        lambda: reshred(spark, table, {"v": "kind STRING"}),
        lambda: unshred(spark, table),
    ):
        work()
        assert sorted(map(tuple, delta_spark.sql(query, t=table)), key=str) == before


def test_an_append_only_table_may_be_compacted(spark, table):
    for i in range(2):
        save(events(spark, i * 10, i * 10 + 10), table, **({"delta__appendOnly": "true"} if not i else {}))
    before = rows(spark, table)
    compact(spark, table)
    assert rows(spark, table) == before and len(active(table)) == 1


@pytest.mark.parametrize("lost", ["corrupt", "missing"])
def test_no_file_is_left_out_in_a_session_that_ignores_missing_files(spark, small, lost):
    """A read that ignores missing files must not replace the table by what it finds."""
    file = Path(small) / sorted(active(small))[0]
    for checksum in Path(small).glob(".*.crc"):
        checksum.unlink()
    if lost == "corrupt":
        file.write_bytes(b"PAR1" + bytes(file.stat().st_size - 8) + b"PAR1")
    else:
        file.unlink()
    key = f"spark.sql.files.ignore{lost.capitalize()}Files"
    spark.conf.set(key, "true")
    try:
        assert load(spark, small).count() < 400
        for work in (lambda: compact(spark, small), lambda: unshred(spark, small)):
            with pytest.raises(Exception, match=file.name):
                work()
    finally:
        spark.conf.unset(key)
    assert len(commits(small)) == 4


def test_tables_that_track_rows_are_refused(spark, tmp_path, delta_spark):  # noqa: F811
    path = str(tmp_path / "t")
    delta_spark.sql("CREATE TABLE {t} (id BIGINT) USING delta TBLPROPERTIES ('delta.enableRowTracking'='true')", t=path)
    for i in range(2):
        delta_spark.sql(f"INSERT INTO {{t}} VALUES ({i})", t=path)
    refusal(lambda: compact(spark, path), "delta.enableRowTracking", "OPTIMIZE", name="SHREDDED_VARIANT_DELTA_FEATURE")


# ---- directories ----


def test_a_directory_is_compacted_to_a_new_path_with_its_partitions(spark, directory, tmp_path):
    to, before = str(tmp_path / "new"), files_on_disk(directory)
    done = compact(spark, directory, to)
    assert sorted(p.name for p in Path(to).glob("day=*")) == ["day=00", "day=01", "day=02"]
    assert rows(spark, to) == rows(spark, directory)
    assert (done.files, done.written_files, done.files_after) == (9, 3, 3)
    assert files_on_disk(directory) == before


def test_columns_of_single_files_are_kept(spark, directory, tmp_path):
    wide = events(spark, 5).selectExpr("id", "'02' AS day", "v", "'x' AS extra", "parse_json('[1]') AS w")
    wide.write.format(FORMAT).mode("append").partitionBy("day").save(directory)
    for work, to in ((compact, tmp_path / "a"), (unshred, tmp_path / "b")):
        work(spark, directory, to)
        actual = load(spark, to).where("extra = 'x'").selectExpr("id", "to_json(w)").collect()
        assert sorted(map(tuple, actual)) == [(i, "[1]") for i in range(5)]


def test_the_result_keeps_the_pinned_shapes_of_the_directory(spark, tmp_path):
    path, to = str(tmp_path / "t"), str(tmp_path / "to")
    df = events(spark, 100)
    df.write.format(FORMAT).option("shredding.shape.v", "kind STRING").save(path)
    df.write.format(FORMAT).mode("append").save(path)
    compact(spark, path, to)
    assert shapes(to, files_on_disk(to)) == {"STRUCT<kind STRING>"}


def test_reshred_and_unshred_rewrite_directories(spark, directory, tmp_path):
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    reshred(spark, directory, {"v": "user STRUCT<id BIGINT>"}, a, options={"compression": "snappy"})
    unshred(spark, a, b)
    assert rows(spark, a) == rows(spark, b) == rows(spark, directory)
    assert shapes(a, files_on_disk(a)) == {"STRUCT<user STRUCT<id BIGINT>>"}
    assert shapes(b, files_on_disk(b)) == {"VARIANT"}
    assert all("snappy" in f for f in files_on_disk(a)) and len(files_on_disk(a)) == 9


# ---- wrong input ----


def test_a_map_is_neither_reshred_nor_clustered_by(spark, tmp_path):
    spark.sql("SELECT map('k', 'v') AS m").write.format(FORMAT).save(str(tmp_path / "maps"))
    with pytest.raises(WrongArgument, match="'m' is a map: name its hot keys"):
        reshred(spark, tmp_path / "maps", {"m": "infer"}, to=tmp_path / "other")
    with pytest.raises(WrongArgument, match="m is a map<string,string> and no variant"):
        compact(spark, tmp_path / "maps", to=tmp_path / "other", cluster_by=["m:k"])


def test_wrong_arguments_are_refused_in_one_sentence(spark, small, directory, tmp_path):
    to = str(tmp_path / "new")
    cases = [
        (lambda: compact(spark, small, to), "is a Delta table, which compact changes by a commit: leave `to` out"),
        (lambda: compact(spark, directory), "give the new path for the result as `to`"),
        (lambda: unshred(spark, directory, f"{directory}/new"), "lies inside"),
        (lambda: unshred(spark, directory, directory), "exists already: give unshred a new path"),
        (lambda: compact(spark, small, target_bytes=0), "use a number of bytes from 1 on"),
        (lambda: compact(spark, small, cluster_by="id"), "use a list"),
        (lambda: compact(spark, small, cluster_by=["no"]), "the columns are 'id', 'day', 'v'"),
        (lambda: compact(spark, small, cluster_by=["v"]), "is VARIANT and has no order"),
        (lambda: compact(spark, small, cluster_by=["$.a[*]"]), "is no path to one value"),
        (lambda: compact(spark, small, cluster_by=[1]), "use a column or a path"),
        (lambda: reshred(spark, small, {}), "use a dict"),
        (lambda: reshred(spark, small, {"v": 1}), "use a Shape, its DDL or 'infer'"),
    ]
    for call, said in cases:
        with pytest.raises(WrongArgument) as caught:
            call()
        assert said in str(caught.value) and "\n" not in str(caught.value) and str(caught.value).endswith(".")
    refusal(lambda: reshred(spark, small, {"w": "INT"}), "'w'", name="SHREDDED_VARIANT_NO_SUCH_COLUMN")
    refusal(lambda: reshred(spark, small, {"v": "INTT"}), name="SHREDDED_VARIANT_SHAPE")
    assert not Path(to).exists() and len(commits(small)) == 4


def test_internal_options_of_maintenance_are_refused_in_queries_of_users(spark, small, directory, tmp_path):
    """Rows that are read with these options replace a table only if the query has dropped, added and changed none."""
    read = spark.read.format(FORMAT).option("maintenance", "rows").option("maintenance.targetBytes", "1000000000")
    few, every = read.option("maintenance.onlySmall", "true").load(small), read.load(small)
    other = str(tmp_path / "other")
    save(events(spark, 5), other)
    partitioned = save(events(spark, 9), tmp_path / "partitioned", "day")
    parts = read.load(partitioned)

    def replace(df, path=small, mode="overwrite", **options):
        named = {"maintenance": "replace", "maintenance.operation": "REORG"} | options
        df.write.format(FORMAT).mode(mode).options(**named).save(path)

    plain = load(spark, small)
    cases = [
        (lambda: few.collect(), "would not see all rows"),
        (lambda: few.write.parquet(f"{tmp_path}/parquet"), "would not see all rows"),
        (lambda: few.write.format(FORMAT).save(f"{tmp_path}/files"), "would not see all rows"),
        (lambda: replace(plain), "one read with maintenance=rows"),
        (lambda: replace(every.where("id > 1")), "one read with maintenance=rows"),
        (lambda: replace(parts.where("day = 1"), partitioned), "one read with maintenance=rows"),
        (lambda: replace(every.limit(5)), "one read with maintenance=rows"),
        (lambda: replace(every.union(plain)), "one read with maintenance=rows"),
        (lambda: replace(every.selectExpr("id + 1 AS id", "day", "v")), "all columns"),
        (lambda: replace(every.select("id", "v")), "all columns"),
        (lambda: replace(every, other), "not read from the Delta table"),
        (lambda: replace(every, mode="append"), 'mode\\("overwrite"\\)'),
        (lambda: replace(every, **{"maintenance.operation": "DROP"}), "OPTIMIZE or REORG"),
        (lambda: replace(every, str(tmp_path / "new")), "is no Delta table"),
        (lambda: every.write.format(FORMAT).mode("append").option("maintenance", "trust").save(small), "verification"),
        (lambda: plain.write.format(FORMAT).option("maintenance", "x").mode("append").save(small), "unknown value"),
        (lambda: spark.read.format(FORMAT).option("maintenance.x", "1").load(small), "does not exist"),
        (lambda: spark.read.format(FORMAT).option("maintenance", "trust").load(small).collect(), "for writes only"),
        (lambda: spark.read.format(FORMAT).schema("id INT").option("maintenance", "plan").load(small), "schema"),
        (lambda: read.option("maintenance.targetBytes", "0").load(small), "a number of bytes"),
        (lambda: spark.readStream.format(FORMAT).schema("id BIGINT").option("maintenance", "rows").load(directory)
         .writeStream.format("noop").option("checkpointLocation", f"{tmp_path}/c").trigger(availableNow=True).start()
         .processAllAvailable(), "compact, reshred, unshred and verify"),
    ]  # fmt: skip
    for action, said in cases:
        refusal(action, said, name="SHREDDED_VARIANT_MAINTENANCE_OPTION")
    assert len(commits(small)) == 4 and len(commits(other)) == len(commits(partitioned)) == 1
