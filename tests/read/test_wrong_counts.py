"""Pages, footers and offset indexes that count other values, rows and bytes than there are: one sentence, no value."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hand_made import (
    BYTE_ARRAY,
    DELTA_BINARY_PACKED,
    DELTA_BYTE_ARRAY,
    DELTA_LENGTH,
    INT32,
    RLE,
    differences,
    index_page,
    levels,
    page,
    page_v2,
    run,
    texts_by_length,
    write_pages,
)
from parquet_footer import I32, I64, STRUCT, edit_meta_data, edit_offset_index
from path_queries import settings
from shredded_variant import verify
from tables import FORMAT, refusal

STRING = {6: (I32, 0)}
TEXTS = [b"aa", b"bbb", b"c"]
PAGES = {
    1: lambda body, count, encoding: page(levels(count) + body, count, encoding),
    2: lambda body, count, encoding: page_v2(run(1, count), body, count, encoding),
}
DAMAGED = "SHREDDED_VARIANT_DAMAGED_PAGES"


def read(spark, path):
    return spark.read.format(FORMAT).load(str(path))


def file(tmp_path, version, encoding, body, count=3, first_rows=None):
    kind, element = (INT32, {}) if encoding == DELTA_BINARY_PACKED else (BYTE_ARRAY, STRING)
    pages = [PAGES[version](body, count, encoding)]
    return write_pages(
        tmp_path / "f.parquet", kind, pages, rows=count, encodings=(encoding, RLE), element=element,
        first_rows=first_rows,
    )  # fmt: skip


def refused(spark, path, *said):
    for off_heap in ("false", "true"):
        with settings(spark, {"spark.sql.columnVector.offheap.enabled": off_heap}):
            refusal(read(spark, path).collect, "'x'", "f.parquet", *said, name=DAMAGED)
    assert [f for f in verify(spark, str(path)).findings if f.column == "x"]


@pytest.mark.parametrize("version", PAGES)
@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        (DELTA_LENGTH, texts_by_length(TEXTS[:2])),
        (DELTA_BYTE_ARRAY, differences([0, 0]) + texts_by_length(TEXTS[:2])),
        (DELTA_BINARY_PACKED, differences([5, 7])),
    ],
)
def test_a_page_with_fewer_differences_than_values_is_refused(spark, tmp_path, version, encoding, body):
    refused(spark, file(tmp_path, version, encoding, body))


@pytest.mark.parametrize("version", PAGES)
@pytest.mark.parametrize("lengths", [[2, -3, 3], [-1, 0, 0], [3, -1, 4], [2, 2**31 - 1, 1]])
def test_a_text_of_a_length_that_the_page_does_not_have_is_refused(spark, tmp_path, version, lengths):
    refused(spark, file(tmp_path, version, DELTA_LENGTH, differences(lengths) + b"aabbbc"))


@pytest.mark.parametrize("version", PAGES)
@pytest.mark.parametrize("encoding", [DELTA_BINARY_PACKED, DELTA_LENGTH, DELTA_BYTE_ARRAY])
@pytest.mark.parametrize(
    "promised",
    [{"block": 2**31 - 8, "miniblocks": 1}, {"block": 2**31 - 2**28, "miniblocks": 2**28}, {"count": 2**31 - 1}],
)
def test_differences_do_not_promise_more_than_their_page_has(spark, tmp_path, version, encoding, promised):
    path = file(tmp_path, version, encoding, differences([0, 1, 2], **promised) + bytes(100))
    refused(spark, path, "differences in blocks of")


def test_differences_of_single_rows_do_not_promise_more_than_their_page_has(spark, tmp_path):
    body = differences([0, 1, 2], block=2**31 - 8, miniblocks=1) + bytes(100)
    pages = [page(levels(3) + body, 3, DELTA_LENGTH)] * 3
    path = write_pages(
        tmp_path / "f.parquet", BYTE_ARRAY, pages, rows=9, encodings=(DELTA_LENGTH, RLE), element=STRING,
        first_rows=[0, 3, 6],
    )  # fmt: skip
    refusal(read(spark, path).where("x = 'a'").collect, "'x'", "f.parquet", name=DAMAGED)


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_a_row_group_has_as_many_rows_as_its_columns_have_values(spark, tmp_path, rows):
    pages, chunk = [page(levels(3) + bytes(12), 3)], {12: (STRUCT, {3: (I64, 0)})}
    path = write_pages(tmp_path / "f.parquet", INT32, pages, rows=3, group_rows=rows, chunk=chunk)
    refused(spark, path, f"3 values for {rows} rows")
    refusal(read(spark, path).selectExpr("count(x)").collect, f"3 values for {rows} rows", "f.parquet", name=DAMAGED)


@pytest.fixture
def pages_of_three(tmp_path):
    """A file of `id` and `x`, both from 0 to 8, in pages of three rows."""
    path = tmp_path / "f.parquet"
    numbers = pa.array(range(9), pa.int32())
    pq.write_table(
        pa.table({"id": numbers, "x": numbers}), path, write_page_index=True, use_dictionary=False, compression="none",
        write_batch_size=3, data_page_size=1,
    )  # fmt: skip
    return path


def edited(numbers, values):
    """Gives the pages of an OffsetIndex other numbers: 1 is the offset, 2 the size, 3 the first row."""
    field, kind = numbers

    def edit(index):
        for place, value in zip(index[1][1][1], values, strict=True):
            place[field] = place[field] if value is None else (kind, value)

    return edit


@pytest.mark.parametrize(
    ("numbers", "values"),
    [
        ((2, I32), [None, 2**31 - 1, None]),
        ((2, I32), [None, -1, None]),
        ((2, I32), [2**30, 2**30, 2**30]),
        ((1, I64), [None, 2**40, None]),
        ((1, I64), [None, -5, None]),
        ((3, I64), [0, 6, 3]),
        ((3, I64), [0, 3, 10]),
        ((3, I64), [1, 3, 6]),
    ],
)
def test_an_offset_index_has_the_pages_of_its_column_in_the_order_of_rows(spark, pages_of_three, numbers, values):
    def query():
        return [r.x for r in read(spark, pages_of_three).where("id = 4").collect()]

    assert query() == [4]
    edit_offset_index(pages_of_three, "x", edited(numbers, values))
    refusal(query, "its offset index has a page of", "f.parquet", name=DAMAGED)


def test_an_offset_index_that_is_damaged_skips_no_pages(spark, pages_of_three):
    edit_offset_index(pages_of_three, "id", edited((3, I64), [0, 6, 3]))
    assert [r.id for r in read(spark, pages_of_three).select("id").where("id = 4").collect()] == [4]


NUMBERS = levels(3) + bytes(12)


@pytest.mark.parametrize(
    "first", [lambda: index_page(-len(index_page(-10))), lambda: page(b"", 0, stored=-len(page(b"", 0, stored=-10)))]
)
def test_a_page_does_not_lead_back_to_its_own_header(spark, tmp_path, first):
    path = write_pages(tmp_path / "f.parquet", INT32, [first(), page(NUMBERS, 3)], rows=3)
    refusal(read(spark, path).collect, "size must not be negative", "f.parquet", name=DAMAGED)
    assert [f for f in verify(spark, str(path)).findings if f.column == "x"]


@pytest.mark.parametrize("start", [4, 5])
def test_columns_do_not_share_bytes(spark, pages_of_three, start):
    def overlapping(meta):
        first, second = (chunk[3][1] for chunk in meta[4][1][1][0][1][1][1])
        second[9], second[7] = (I64, start), first[7]

    edit_meta_data(pages_of_three, overlapping)
    refusal(
        spark.read.format(FORMAT).schema("id INT, x INT").load(str(pages_of_three)).collect,
        "f.parquet", name="SHREDDED_VARIANT_NOT_PARQUET",
    )  # fmt: skip


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "zstd"])
def test_verify_compares_pages_with_their_checksums(spark, tmp_path, version, compression):
    path = tmp_path / "f.parquet"
    table = pa.table({"x": pa.array(range(1000), pa.int32())})
    pq.write_table(
        table, path, compression=compression, use_dictionary=False, write_page_checksum=True, data_page_version=version
    )
    assert verify(spark, str(path)).ok
    raw = bytearray(path.read_bytes())
    raw[1500 if compression == "none" else 100] ^= 1
    path.write_bytes(raw)
    (finding,) = verify(spark, str(path)).findings
    assert finding.column == "x" and "checksum" in finding.wrong
