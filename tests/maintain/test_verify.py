"""verify: true files have no finding; each false fact of a footer or log is a finding with its file and place."""

import json
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from delta_tables import active, save
from draft_fixtures import draft, untyped, write_draft
from maintained import findings_of, mixed_rows, remove_checksums
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


@pytest.fixture
def table(spark, tmp_path):
    """One file of several row groups and pages, without a checksum file, so that tests can change its bytes."""
    path = str(tmp_path / "t")
    small = {"block.size": "20000", "page.row.count.limit": "100"}
    small |= {"block.size.row.check.min": "100", "page.size.row.check.min": "100"}
    mixed_rows(spark).write.format(FORMAT).options(**{f"parquet.{k}": v for k, v in small.items()}).save(path)
    remove_checksums(path)
    return path


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
def test_files_of_this_source_with_options_have_no_finding(spark, tmp_path, name):
    path = str(tmp_path / "t")
    df = mixed_rows(spark).selectExpr(
        "*", "map('k', id, s, 1) AS m", "named_struct('w', v, 'x', array(v)) AS n", "CAST(id / 3 AS DOUBLE) AS f",
        "id % 2 AS p", "make_date(2026, 1, CAST(id % 28 + 1 AS INT)) AS day", "CAST(id AS DECIMAL(20,2)) AS dec",
    )  # fmt: skip
    df.write.format(FORMAT).partitionBy("p").options(**OPTIONS[name]).save(path)
    assert findings_of(spark, path) == []


def test_files_of_other_writers_have_no_finding(spark, tmp_path):
    mixed_rows(spark).write.parquet(str(tmp_path / "spark"))
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
    assert findings_of(spark, tmp_path / "spark") == [] and findings_of(spark, folder) == []


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
    (a, b) = findings_of(spark, table)
    assert a[1] == "id" and "the index of its page 0 says that no value is less than '7', and '0' is" in a[3]
    assert b[1] == "s" and "the index of its page 1 counts 1 nulls and there are 0" in b[3]


def test_false_counts_for_inference_are_found(spark, tmp_path):
    files = []
    for name, text in (("a", '{"x": 1}'), ("b", '{"x": "1"}')):
        path = str(tmp_path / name)
        spark.sql(f"SELECT parse_json('{text}') AS v FROM range(10)").coalesce(1).write.format(FORMAT).save(path)
        remove_checksums(path)
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
    findings = findings_of(spark, tmp_path / "b")
    assert {(f[1], f[2]) for f in findings} == {("v", "$['x']")}
    assert any("counts 10 values of kind number for inference and there are 0" in f[3] for f in findings)


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


def test_bytes_that_readers_only_copy_are_checked(spark, tmp_path):
    """Keys out of order and invalid UTF-8, which a reader that copies bytes does not notice."""
    unordered = bytes([2, 2, 1, 0, 0, 2, 4]) + bytes([3 << 2, 1, 3 << 2, 2])
    text = bytes([1 | 2 << 2]) + b"\xc3\x28"
    write_file(tmp_path / "f.parquet", cell(), [(unordered, None), (text, None)], keys=["a", "b"], annotated=True)
    wrong = [f.wrong for f in verify(spark, tmp_path).findings]
    assert ["the keys of an object are not in order" in w for w in wrong] == [True, False]
    assert "a string is no UTF-8" in wrong[1]


def test_rows_in_the_draft_layout_are_checked(spark, tmp_path):
    shape = draft(pa.int64())
    write_draft(tmp_path / "f.parquet", shape, [{"typed_value": 1}, untyped("x", typed_value=1)])
    (finding,) = verify(spark, tmp_path).findings
    assert finding.wrong.startswith("in row 1, ") and "are both set" in finding.wrong


def test_files_that_cannot_be_read_are_findings(spark, tmp_path, table):
    path = str(tmp_path / "d")
    for i in range(3):
        save(mixed_rows(spark).where(f"id > {i}"), path)
    gone, cut, _ = sorted(active(path))
    remove_checksums(path)
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


def test_only_delta_tables_are_trusted(spark, table):
    with pytest.raises(WrongArgument, match="is no Delta table"):
        verify(spark, table, trust=True)
