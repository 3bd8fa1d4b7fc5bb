"""Decimals with more digits than their column has, and decimals without a byte."""

from decimal import Decimal

import pytest

from hand_made import BYTE_ARRAY, INT32, levels, page, run, text, write_dictionary, write_pages
from java_files import write_java
from parquet_footer import I32, STRUCT
from shredded_variant import verify
from tables import FORMAT, refusal
from variant_bytes import encode_metadata

DAMAGED = "SHREDDED_VARIANT_DAMAGED_PAGES"
SHREDDED = """message m {{ required int32 id; optional group v {{ required binary metadata; optional binary value;
    optional {} typed_value (DECIMAL({},2)); }} }}"""


def decimal(precision):
    kind = {1: (I32, 2), 2: (I32, precision)}
    return {6: (I32, 5), 7: (I32, 2), 8: (I32, precision), 10: (STRUCT, {5: (STRUCT, kind)})}


def plain(tmp_path, kind, values, precision, in_dictionary=False):
    path, body, count, element = tmp_path / "f.parquet", b"".join(values), len(values), decimal(precision)
    if in_dictionary:
        ids = b"\x02" + b"".join(run(i, 1, 2) for i in range(count))
        return write_dictionary(path, kind, body, count, ids, rows=count, element=element)
    return write_pages(path, kind, [page(levels(count) + body, count)], rows=count, element=element)


def read(spark, path, schema=None):
    reader = spark.read.format(FORMAT)
    return (reader.schema(schema) if schema else reader).load(str(path))


@pytest.mark.parametrize("in_dictionary", [False, True])
@pytest.mark.parametrize(
    ("value", "said"), [((10**20).to_bytes(9, "big"), "more than 20 digits"), (b"", "has no digits")]
)
def test_a_binary_decimal_that_its_column_cannot_have_is_refused_with_its_file(
    spark, tmp_path, value, said, in_dictionary
):
    path = plain(tmp_path, BYTE_ARRAY, [text(b"\x05"), text(value)], 20, in_dictionary)
    with pytest.raises(Exception):  # noqa: B017
        spark.read.parquet(str(path)).collect()
    refusal(read(spark, path).collect, said, "'x'", "f.parquet", name=DAMAGED)
    assert [f.column for f in verify(spark, str(path)).findings] == ["x"]


@pytest.mark.parametrize("in_dictionary", [False, True])
def test_binary_decimals_of_all_digits_are_read(spark, tmp_path, in_dictionary):
    numbers = [10**20 - 1, 1 - 10**20, -1]
    values = [text(n.to_bytes(length, "big", signed=True)) for n, length in zip(numbers, (9, 12, 1), strict=True)]
    path = plain(tmp_path, BYTE_ARRAY, values, 20, in_dictionary)
    expected = [Decimal(n).scaleb(-2) for n in numbers]
    assert [r.x for r in read(spark, path).collect()] == expected
    assert [r.x for r in spark.read.parquet(str(path)).collect()] == expected
    assert verify(spark, str(path)).ok


def test_a_plain_number_with_too_many_digits_is_what_spark_reads(spark, tmp_path):
    path = plain(tmp_path, INT32, [(123456).to_bytes(4, "little")], 5)
    assert read(spark, path).selectExpr("string(x)").collect() == (
        spark.read.parquet(str(path)).selectExpr("string(x)").collect()
    )
    (finding,) = verify(spark, str(path)).findings
    assert "a decimal has more than 5 digits" in finding.wrong


@pytest.mark.parametrize(("kind", "precision"), [("int32", 5), ("int64", 12)])
def test_a_path_never_gives_a_decimal_of_too_many_digits(spark, tmp_path, kind, precision):
    rows = [
        {"id": i, "v": {"metadata": encode_metadata([]), "typed_value": n}}
        for i, n in enumerate([10**precision - 1, 10**precision])
    ]
    write_java(spark, tmp_path / "f.parquet", SHREDDED.format(kind, precision), rows)
    df = read(spark, tmp_path / "f.parquet", "id INT, v VARIANT")
    for query in f"v::decimal({precision},2)", "v::decimal(20,2)", "v::string", "v", "to_json(v)":
        refusal(df.selectExpr(query).collect, f"more than {precision} digits", "f.parquet", name=DAMAGED)
    assert verify(spark, str(tmp_path / "f.parquet")).findings
