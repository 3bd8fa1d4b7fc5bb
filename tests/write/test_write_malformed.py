"""The writer refuses malformed variants, and writes variants of any legal form and depth."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from broken_variants import FALSE_FLAGS, METADATA, VALUES, nested_arrays
from parquet_cells import data_files, only_file
from tables import frame, load, refusal, write
from variant_bytes import Binary, encode, encode_metadata, encode_value
from variants import obj

SHAPES = ["off", "ARRAY<ARRAY<INT>>", "a STRING"]
NO_KEYS = encode_metadata([])
CASES = {
    **{f"value of {name}": Binary(NO_KEYS, value) for name, value in VALUES.items()},
    **{f"metadata: {name}": Binary(metadata, b"\x02\x01\x00\x00\x01\x00") for name, metadata in METADATA.items()},
}


@pytest.mark.parametrize("name", CASES)
def test_a_broken_variant_is_refused_and_nothing_is_written(spark, tmp_path, name):
    for i, shape in enumerate(SHAPES):
        path = tmp_path / str(i)
        refusal(lambda p=path, s=shape: write(frame(spark, CASES[name]), p, shredding__shape__v=s), r"\bv\b")
        assert not data_files(path)
        assert not (Path(path) / "_SUCCESS").exists()


@pytest.mark.parametrize("name", FALSE_FLAGS)
def test_metadata_with_a_false_flag_for_sorted_keys_is_written_without_the_flag(spark, tmp_path, name):
    metadata, value = FALSE_FLAGS[name], encode_value(obj(a=7), ["", "a"])
    for i, shape in enumerate(SHAPES):
        path = write(frame(spark, Binary(metadata, value)), tmp_path / str(i), shredding__shape__v=shape)
        (cells,) = pq.ParquetFile(only_file(path)).read().column("v").to_pylist()
        assert cells["metadata"] == b"\x01" + metadata[1:]


def test_a_field_without_a_name_is_refused_if_the_shape_needs_names(spark, tmp_path):
    nameless = Binary(NO_KEYS, encode(obj(a=1)).value)
    refusal(lambda: write(frame(spark, nameless), tmp_path / "t", shredding__shape__v="a STRING"), r"\bv\b")
    assert not data_files(tmp_path / "t")


@pytest.mark.parametrize("levels", [500, 50_000])
def test_a_value_of_hostile_depth_is_written_or_refused_where_its_keys_have_two_orders(spark, tmp_path, levels):
    for i, shape in enumerate(SHAPES):
        deep = frame(spark, Binary(encode_metadata(["😀"]), nested_arrays(levels)))
        path = tmp_path / str(i)
        if levels < 1000:
            ((v,),) = load(spark, write(deep, path, shredding__shape__v=shape)).select("v").collect()
            assert len(v.value) > levels
        else:
            refusal(
                lambda d=deep, p=path, s=shape: write(d, p, shredding__shape__v=s), r"\bv\b", "nested deeper than 1000"
            )


@pytest.mark.parametrize("levels", [500, 50_000])
def test_a_value_of_hostile_depth_is_written_as_it_is(spark, tmp_path, levels):
    for i, shape in enumerate(SHAPES):
        path = write(frame(spark, Binary(NO_KEYS, nested_arrays(levels))), tmp_path / str(i), shredding__shape__v=shape)
        if levels < 1000:
            ((v,),) = load(spark, path).select("v").collect()
            assert len(v.value) > levels
        else:
            assert load(spark, path).where("v IS NOT NULL").count() == 1
