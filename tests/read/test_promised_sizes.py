"""Page headers that promise sizes and counts that no page has: one sentence, and no memory for what is promised."""

import gzip

import pytest

from hand_made import BYTE_ARRAY, GZIP, INT32, levels, page, page_v2, run, text, write_dictionary, write_pages
from shredded_variant import verify
from tables import FORMAT, refusal

LARGE = 1 << 28
COUNTS = [LARGE, 2**31 - 1, -1, -(2**31)]


def read(spark, path):
    return spark.read.format(FORMAT).load(str(path))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("kind", "body"), [(INT32, bytes(4)), (BYTE_ARRAY, text(b"a"))])
def test_a_dictionary_has_at_most_as_many_values_as_its_bytes_hold(spark, tmp_path, kind, body, count):
    path = write_dictionary(tmp_path / "f.parquet", kind, body, count, b"\x01" + run(0, 3), rows=3)
    said = f"a dictionary of {count} values ends too early"
    refusal(read(spark, path).collect, said, "'x'", "f.parquet", name="SHREDDED_VARIANT_DAMAGED_PAGES")
    (finding,) = [f for f in verify(spark, str(path)).findings if f.column == "x"]
    assert said in finding.wrong


@pytest.mark.parametrize("size", [LARGE, 2**31 - 1, -1])
def test_a_page_has_at_most_as_many_bytes_as_its_codec_can_hold(spark, tmp_path, size):
    body = levels(3) + bytes(12)
    pages = [page(body, 3, size=size, packed=gzip.compress(body))]
    path = write_pages(tmp_path / "f.parquet", INT32, pages, rows=3, codec=GZIP)
    said = f"cannot hold {size} bytes"
    refusal(read(spark, path).collect, said, "'x'", "f.parquet", name="SHREDDED_VARIANT_DAMAGED_PAGES")
    assert [said in f.wrong for f in verify(spark, str(path)).findings if f.column == "x"] == [True]


@pytest.mark.parametrize("lengths", [(2**31 - 1, 0), (0, 2**31 - 1), (-1, 0), (0, -5), (2**31 - 1, 2**31 - 1)])
def test_levels_that_a_page_of_version_2_does_not_have_are_refused(spark, tmp_path, lengths):
    pages = [page_v2(run(1, 3), bytes(12), 3, lengths=lengths)]
    path = write_pages(tmp_path / "f.parquet", INT32, pages, rows=3)
    refusal(read(spark, path).collect, "f.parquet")
    assert verify(spark, str(path)).findings


def test_honest_pages_are_read(spark, tmp_path):
    for name, pages in {
        "v1": [page(levels(3) + bytes(12), 3)],
        "v2": [page_v2(run(1, 3), bytes(12), 3)],
    }.items():
        path = write_pages(tmp_path / f"{name}.parquet", INT32, pages, rows=3)
        assert [r.x for r in read(spark, path).collect()] == [0, 0, 0]
        assert verify(spark, str(path)).ok
