"""verify: true files have no finding; each false fact of a footer or log is a finding with its file and place."""

import contextlib
import io
import json
import re
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from delta_spark import delta_spark  # noqa: F401
from delta_tables import actions, active, commits, load, save
from draft_fixtures import draft, untyped, write_draft
from maintained import found
from parquet_cells import only_file
from parquet_fixtures import MISSING, cell, write_file
from parquet_footer import BINARY, I64, edit_chunk, edit_meta_data, edit_page_index
from shredded_variant import verify
from shredded_variant.errors import WrongArgument
from tables import FORMAT
from variants import NULL, int8, obj, string

STATISTICS, VALUES = 12, 5
NULLS, MAX, MIN = 3, 5, 6
KEY_VALUES = 5
ROWS = """SELECT id, string(id % 7) AS s, IF(id % 10 = 0, NULL, parse_json(concat(
  '{"a": ', id, ', "t": "', id % 13, '", "d": ', id / 8, ', "l": [', id % 3, ', "x"], "o": {"p": ',
  IF(id % 5 = 0, '"odd"', string(id)), '}', IF(id % 4 = 0, ', "n": null', ''), '}'))) AS v FROM range(2000)"""


def rows(spark):
    return spark.sql(ROWS).coalesce(1)


@pytest.fixture
def table(spark, tmp_path):
    """One file of several row groups and pages, without a checksum file, so that tests can change its bytes."""
    path = str(tmp_path / "t")
    small = {"block.size": "20000", "page.row.count.limit": "100"}
    small |= {"block.size.row.check.min": "100", "page.size.row.check.min": "100"}
    rows(spark).write.format(FORMAT).options(**{f"parquet.{k}": v for k, v in small.items()}).save(path)
    free(path)
    return path


def free(path):
    for checksum in Path(path).rglob(".*.crc"):
        checksum.unlink()


# ---- what is true ----


def test_files_of_this_source_have_no_finding(spark, table):
    report = verify(spark, table)
    assert report.ok and (report.files, report.rows, report.trusted) == (1, 2000, None)
    assert repr(report) == f"{table}: 1 file, 2,000 rows, all is as it is told"
    assert pq.ParquetFile(only_file(table)).num_row_groups > 1
    assert json.loads(report.to_json())["ok"] is True


OPTIONS = {
    "unshredded": {"shredding": "off"},
    "draft": {"layout": "draft"},
    "a shape": {"shredding.shape.v": "a INT, o STRUCT<p BIGINT>, l ARRAY<BIGINT>, d DECIMAL(9,3), missing DATE"},
    "majority": {"shredding.policy": "majority"},
    "hot keys": {"parquet.map.shredding.columns": "m", "parquet.map.shredding.m.infer": "true"},
    "version 2": {"parquet.writer.version": "v2"},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_what_we_write_with_options_is_true(spark, tmp_path, name):
    path = str(tmp_path / "t")
    df = rows(spark).selectExpr(
        "*", "map('k', id, s, 1) AS m", "named_struct('w', v, 'x', array(v)) AS n", "CAST(id / 3 AS DOUBLE) AS f",
        "id % 2 AS p", "make_date(2026, 1, CAST(id % 28 + 1 AS INT)) AS day", "CAST(id AS DECIMAL(20,2)) AS dec",
    )  # fmt: skip
    df.write.format(FORMAT).partitionBy("p").options(**OPTIONS[name]).save(path)
    assert found(spark, path) == []


def test_files_of_other_writers_have_no_finding(spark, tmp_path):
    rows(spark).write.parquet(str(tmp_path / "spark"))
    folder = tmp_path / "arrow"
    folder.mkdir()
    write_file(
        folder / "a.parquet",
        cell({"a": cell(pa.int64())}),
        [(None, {"a": (None, 1)}), (int8(3), None), MISSING],
        annotated=True,
    )
    pq.write_table(
        pa.table({"f": [1.0, float("nan"), -0.0, None], "b": [b"x", b"", None, b"\xff"]}), folder / "b.parquet"
    )
    assert found(spark, tmp_path / "spark") == [] and found(spark, folder) == []


TYPES = (
    "id, CAST(id AS STRING) s, DATE'2026-01-01' + CAST(id AS INT) d, CAST(id AS DECIMAL(20,3)) n, id / 7 f, "
    "TIMESTAMP'2026-01-01 00:00:00.123456Z' + make_interval(0, 0, 0, CAST(id AS INT)) t, id % 2 = 0 b, "
    "repeat('é', 40) l"
)


def test_delta_tables_of_ours_and_of_delta_are_true(spark, tmp_path, delta_spark):  # noqa: F811
    ours, theirs = str(tmp_path / "ours"), str(tmp_path / "theirs")
    query = f"SELECT {TYPES}, parse_json(concat('{{\"a\": ', id, '}}')) v, id % 3 p FROM range(100)"
    save(spark.sql(query), ours, "p")
    delta_spark.sql(
        f"CREATE TABLE {{t}} USING delta PARTITIONED BY (p) AS SELECT {TYPES}, id % 3 p FROM range(100)", t=theirs
    )
    assert found(spark, ours) == [] and found(spark, theirs) == []
    assert verify(spark, ours).files == len(active(ours))


# ---- footers ----


def statistic(field, value):
    kind = I64 if isinstance(value, int) else BINARY

    def edit(chunk):
        chunk[STATISTICS][1][field] = (kind, value)

    return edit


def at(field, value):
    def edit(chunk):
        chunk[field] = (I64, value)

    return edit


def int64(n):
    return struct.pack("<q", n)


# name: (leaf, edit of its chunk, a part of the finding)
FOOTERS = {
    "a lower bound": ("id", statistic(MIN, int64(3)), "no value is less than '3', and '0' is"),
    "an upper bound of text": ("s", statistic(MAX, b"5"), "no value is greater than '5', and '6' is"),
    "a null count": ("s", statistic(NULLS, 1), "counts 1 nulls and there are 0"),
    "nulls of a typed path": ("v.typed_value.o.typed_value.p.value", statistic(NULLS, 9), "counts 9 nulls"),
    "a bound of a typed path": ("v.typed_value.a.typed_value", statistic(MAX, int64(1)), "no value is greater than"),
}  # fmt: skip


@pytest.mark.parametrize("name", FOOTERS)
def test_a_false_footer_is_found(spark, table, name):
    leaf, edit, said = FOOTERS[name]
    file = only_file(table)
    edit_chunk(file, leaf, edit)
    (finding,) = verify(spark, table).findings
    assert (finding.file, finding.column) == (Path(file).name, leaf)
    assert finding.wrong.startswith("in row group 0, its footer") and said in finding.wrong


def test_false_page_indexes_are_found(spark, table):
    def raised(index):
        index[2][1][1][0] = int64(7)

    def counted(index):
        index[5][1][1][1] += 1

    edit_page_index(only_file(table), "id", raised)
    edit_page_index(only_file(table), "s", counted)
    (a, b) = found(spark, table)
    assert a[1] == "id" and "the index of its page 0 says that no value is less than '7', and '0' is" in a[3]
    assert b[1] == "s" and "the index of its page 1 counts 1 nulls and there are 0" in b[3]


def test_false_counts_for_inference_are_found(spark, tmp_path):
    files = []
    for name, text in (("a", '{"x": 1}'), ("b", '{"x": "1"}')):
        path = str(tmp_path / name)
        spark.sql(f"SELECT parse_json('{text}') AS v FROM range(10)").coalesce(1).write.format(FORMAT).save(path)
        free(path)
        files.append(only_file(path))
    taken = {}

    def take(meta):
        taken.update({kv[1][1]: kv[2][1] for kv in meta[KEY_VALUES][1][1]})

    def put(meta):
        for kv in meta[KEY_VALUES][1][1]:
            if kv[1][1].startswith(b"shredded_variant.counts."):
                kv[2] = (BINARY, taken[kv[1][1]])

    edit_meta_data(files[0], take)
    edit_meta_data(files[1], put)
    findings = found(spark, tmp_path / "b")
    assert {(f[1], f[2]) for f in findings} == {("v", "$['x']")}
    assert any("counts 10 values of kind number for inference and there are 0" in f[3] for f in findings)


# ---- rows ----

EVENT = cell({"a": cell(pa.int64()), "o": cell({"b": cell(pa.string())})})
GOOD = (None, {"a": (None, 1), "o": (None, {"b": (None, "x")})})
# name: (row, path, a part of the finding)
INVALID = {
    "a value beside a typed one": ((None, {"a": (string("x"), 1)}), "v.a", "are both set"),
    "a shredded key in the residual": ((obj(a=int8(5)), {"a": (None, 1)}), "v", "both have the key 'a'"),
    "one that is missing where it is shredded": ((obj(a=int8(5)), {}), "v", "both have the key 'a'"),
    "an object that is not typed": ((obj(a=int8(5)), None), "v", "readers of its shredded keys miss them"),
    "the same inside": ((None, {"o": (obj(b=string("y")), None)}), "v.o", "readers of its shredded keys miss them"),
    "a null beside an object": ((NULL, {"a": (None, 1)}), "v", "are both set"),
    "broken bytes": ((None, {"a": (b"\x18\x01", None)}), "v.a", "ends too early"),
}  # fmt: skip


@pytest.mark.parametrize("name", INVALID)
def test_a_row_that_breaks_the_layout_is_found(spark, tmp_path, name):
    row, path, said = INVALID[name]
    write_file(tmp_path / "f.parquet", EVENT, [GOOD, row, MISSING, row], annotated=True)
    (finding,) = verify(spark, tmp_path).findings
    assert (finding.file, finding.column, finding.path) == ("f.parquet", "v", "" if path == "v" else path)
    assert finding.wrong.startswith("in row 1 (and in 1 more), ") and said in finding.wrong


def test_values_that_readers_do_not_look_through_are(spark, tmp_path):
    """Keys out of order and invalid UTF-8, which a reader that copies bytes does not notice."""
    unordered = bytes([2, 2, 1, 0, 0, 2, 4]) + bytes([3 << 2, 1, 3 << 2, 2])
    text = bytes([1 | 2 << 2]) + b"\xc3\x28"
    write_file(tmp_path / "f.parquet", cell(), [(unordered, None), (text, None)], keys=["a", "b"], annotated=True)
    wrong = [f.wrong for f in verify(spark, tmp_path).findings]
    assert ["the keys of an object are not in order" in w for w in wrong] == [True, False]
    assert "a string is no UTF-8" in wrong[1]


def test_the_draft_is_looked_through(spark, tmp_path):
    shape = draft(pa.int64())
    write_draft(tmp_path / "f.parquet", shape, [{"typed_value": 1}, untyped("x", typed_value=1)])
    (finding,) = verify(spark, tmp_path).findings
    assert finding.wrong.startswith("in row 1, ") and "are both set" in finding.wrong


def test_files_that_cannot_be_read_are_findings(spark, tmp_path, table):
    path = str(tmp_path / "d")
    for i in range(3):
        save(rows(spark).where(f"id > {i}"), path)
    gone, cut, _ = sorted(active(path))
    free(path)
    (Path(path) / gone).unlink()
    content = (Path(path) / cut).read_bytes()
    (Path(path) / cut).write_bytes(content[: len(content) // 2])
    report = verify(spark, path)
    assert report.files == 3 and {f.file for f in report.findings} == {gone, cut}
    assert "does not exist" in next(f.wrong for f in report.findings if f.file == gone)
    broken = only_file(table)
    content = bytearray(Path(broken).read_bytes())
    content[100:400] = bytes(300)
    Path(broken).write_bytes(content)
    assert any("cannot be decoded" in f.wrong for f in verify(spark, table).findings)


# ---- logs ----


def relog(path, change, version=-1):
    """Changes the statistics of the files that a commit added."""
    log = sorted((Path(path) / "_delta_log").glob("*.json"))[version]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        if "add" in line:
            stats = json.loads(line["add"]["stats"])
            change(stats)
            line["add"]["stats"] = json.dumps(stats)
    log.write_text("\n".join(map(json.dumps, lines)) + "\n")
    free(path)


# name: (change, column, path, a part of the finding)
LOGS = {
    "rows": (lambda s: s.update(numRecords=7), "", "", "the table's log counts 7 rows and there are 2000"),
    "nulls": (lambda s: s["nullCount"].update(s=7), "s", "", "the table's log counts 7 nulls and there are 0"),
    "nulls of a variant": (lambda s: s["nullCount"].update(v=7), "v", "", "counts 7 nulls and there are 200"),
    "a lower bound": (lambda s: s["minValues"].update(id=1), "id", "", "no value is less than '1', and '0' is"),
    "an upper bound": (lambda s: s["maxValues"].update(s="5"), "s", "", "no value is greater than '5', and '6' is"),
    "bounds of paths": (lambda s: s["maxValues"].update(v=s["minValues"]["v"]), "v", "$['a']", "is greater than '1'"),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_a_false_log_is_found(spark, tmp_path, name):
    change, column, path, said = LOGS[name]
    table = str(tmp_path / "t")
    save(rows(spark), table)
    assert found(spark, table) == []
    relog(table, change)
    findings = [f for f in found(spark, table) if f[2] in (path, "")]
    assert findings[0][:3] == (next(iter(active(table))), column, path) and said in findings[0][3]


def test_bounds_of_a_path_that_has_other_values_are_false(spark, tmp_path):
    """With a JSON null, a value of another type or a NaN, the path must have no bounds."""
    for i, (shape, odd) in enumerate({"a BIGINT": "null", "a INT": '"x"', "a DOUBLE": "to_json"}.items()):
        table = str(tmp_path / f"t{i}")
        value = "1.5D" if shape == "a DOUBLE" else "1"
        save(spark.sql(f"SELECT to_variant_object(named_struct('a', {value})) v"), table, shredding__shape__v=shape)
        (good,) = (json.loads(a["stats"]) for a in actions(table, "add"))
        bad = (
            "to_variant_object(named_struct('a', double('NaN')))"
            if odd == "to_json"
            else f"parse_json('{{\"a\": {odd}}}')"
        )
        save(spark.sql(f"SELECT {bad} v"), table)
        relog(table, lambda s, good=good: s.update(minValues=good["minValues"], maxValues=good["maxValues"]))
        (finding,) = found(spark, table)
        assert finding[1:3] == ("v", "$['a']") and "the table's log has bounds" in finding[3]


# ---- trust ----


def files_read(df):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        df.explain("formatted")
    return re.search(r"Files: \[(.*?)\]", text.getvalue())[1]


def untagged(path, version=-1):
    log = sorted((Path(path) / "_delta_log").glob("*.json"))[version]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        line.get("add", {}).pop("tags", None)
    log.write_text("\n".join(map(json.dumps, lines)) + "\n")
    free(path)


def test_trusted_bounds_skip_files(spark, tmp_path):
    table = str(tmp_path / "t")
    for i in range(3):
        save(rows(spark).where(f"id % 3 = {i}"), table)
        untagged(table)
    relog(table, lambda s: s["nullCount"].update(s=1), version=0)
    before = active(table)
    query = lambda: files_read(load(spark, table).where("v:a::bigint = 100000").select("id"))  # noqa: E731
    assert query() == "3 of 3"
    written = len(commits(table))
    report = verify(spark, table, trust=True)
    assert report.trusted == 2 and len(report.findings) == 1
    assert len(commits(table)) == written + 1 and active(table) == before
    adds = actions(table, "add")
    assert all(a["tags"] == {"shredded_variant.bounds": "1"} and not a["dataChange"] for a in adds) and len(adds) == 2
    assert query() == "1 of 3"
    assert verify(spark, table, trust=True).trusted == 0 and len(commits(table)) == written + 1
    assert load(spark, table).count() == 2000


def test_a_column_with_a_nan_outside_its_bounds_is_not_trusted(spark, tmp_path, delta_spark):  # noqa: F811
    table = str(tmp_path / "t")
    delta_spark.sql("CREATE TABLE {t} (f DOUBLE) USING delta", t=table)
    delta_spark.sql("INSERT INTO {t} SELECT /*+ COALESCE(1) */ f FROM VALUES (1D), (double('NaN')) AS t(f)", t=table)
    relog(table, lambda s: s.update(minValues={"f": 1.0}, maxValues={"f": 1.0}))
    report = verify(spark, table, trust=True)
    assert report.ok and report.trusted == 0


def test_only_delta_tables_are_trusted(spark, table):
    with pytest.raises(WrongArgument, match="is no Delta table"):
        verify(spark, table, trust=True)
