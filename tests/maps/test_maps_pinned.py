"""A map keeps its first hot keys in later writes, streams and concurrent writes."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from map_cases import ODD_KEYS
from map_files import footer, named_keys
from parquet_cells import data_files
from tables import FORMAT, load, refusal, write
from threads import at_once

ROWS = 2000
INFER = {"parquet.map.shredding.columns": "m", "parquet.map.shredding.m.infer": "true"}


def maps(spark, *keys, rows=ROWS, start=0, cold=0):
    """Rows whose maps have all of these keys, and some that no other row has."""
    entries = [f"'{key}', concat('{key * 3}', id)" for key in keys]
    entries += [f"concat('cold', id, '-{i}'), repeat('x', 40)" for i in range(cold)]
    return spark.range(start, start + rows, 1, 1).selectExpr("CAST(id AS INT) AS id", f"map({', '.join(entries)}) AS m")


def append(df, table, **options):
    """Appends by inference and gives the hot keys of what was written."""
    before = data_files(table)
    write(df, table, mode="append", **(INFER | options))
    (file,) = set(data_files(table)) - set(before)
    return named_keys(file)


def pins(table):
    file = Path(table) / "_shredding" / "shapes.json"
    return json.loads(file.read_text())["columns"] if file.exists() else None


@pytest.fixture
def pinned(spark, tmp_path):
    """A table whose first write has enough rows, so that the second write pins its hot keys."""
    return write(maps(spark, "bb", "a"), tmp_path / "t", **INFER)


def test_later_writes_have_the_keys_that_were_chosen_first(spark, pinned):
    for i, keys in enumerate([("c",), ("a",), ("d", "bb"), ("c", "d", "e")]):
        assert append(maps(spark, *keys, start=ROWS * (i + 1)), pinned) == ["bb", "a"]
    assert pins(pinned) == {"m": {"hotKeys": ["bb", "a"], "rows": ROWS}}
    assert len({str(pq.ParquetFile(f).schema).split("\n", 1)[1] for f in data_files(pinned)}) == 1
    table = load(spark, pinned, schema=None)
    assert table.selectExpr("count(m['c'])", "count(m['bb'])", "max(m['e'])").first()[:] == (
        2 * ROWS, 2 * ROWS, f"eee{5 * ROWS - 1}"
    )  # fmt: skip


def test_concurrent_first_writers_and_a_stream_pin_one_shape(spark, pinned, tmp_path):
    first = data_files(pinned)
    batches = [maps(spark, key, start=ROWS * i) for i, key in enumerate("acd", 1)]
    at_once(lambda df: write(df, pinned, mode="append", **INFER), batches)
    assert [named_keys(f) for f in set(data_files(pinned)) - set(first)] == [["bb", "a"]] * 3
    maps(spark, "c", start=9 * ROWS).write.parquet(str(tmp_path / "source"))
    streamed = write(maps(spark, "bb", "a"), tmp_path / "streamed", **INFER)
    before = data_files(streamed)
    rows = spark.readStream.schema("id INT, m MAP<STRING, STRING>").parquet(str(tmp_path / "source"))
    stream = rows.writeStream.format(FORMAT).options(**INFER).option("checkpointLocation", str(tmp_path / "check"))
    stream.trigger(availableNow=True).start(streamed).awaitTermination()
    assert [named_keys(f) for f in set(data_files(streamed)) - set(before)] == [["bb", "a"]]
    assert load(spark, pinned, schema=None).select("id").distinct().count() == 4 * ROWS


def test_nothing_is_pinned_before_there_are_enough_rows(spark, tmp_path):
    table = write(maps(spark, "a", rows=400), tmp_path / "t", **INFER)
    assert append(maps(spark, "b", rows=700), table) == ["b"]
    assert pins(table) is None
    # 1,100 maps: 400 have the key a, 700 the key b.
    assert append(maps(spark, "c"), table) == ["b", "a"]
    assert pins(table) == {"m": {"hotKeys": ["b", "a"], "rows": 1100}}


def test_the_floor_and_the_number_of_keys_are_those_of_the_write_that_pins(spark, tmp_path):
    table = write(maps(spark, "a", rows=100), tmp_path / "t", **INFER)
    append(maps(spark, "bb", "c", rows=1900), table)
    limits = {"parquet.map.shredding.m.maxKeys": "1", "parquet.map.shredding.m.minFrequency": "0.5"}
    assert append(maps(spark, "a"), table, **limits) == ["bb"]


def test_maps_that_are_null_do_not_count(spark, tmp_path):
    table = write(maps(spark, "a").selectExpr("id", "IF(id < 999, m, NULL) AS m"), tmp_path / "t", **INFER)
    append(maps(spark, "b", rows=1), table)
    assert pins(table) is None
    append(maps(spark, "b"), table)
    assert pins(table)["m"] == {"hotKeys": ["a"], "rows": 1000}


def test_frequent_keys_are_found_among_many_keys_of_single_rows(spark, tmp_path):
    """Footers count only the keys that can become hot."""
    table = write(maps(spark, "a", "bb", cold=50), tmp_path / "t", **INFER)
    counts = pq.read_metadata(data_files(table)[0]).metadata[b"shredded_variant.keyCounts.m"]
    assert len(counts) < 50_000
    assert append(maps(spark, "c"), table) == ["bb", "a"]


def test_the_next_write_uses_hot_keys_that_a_user_has_edited(spark, pinned):
    append(maps(spark, "c"), pinned)
    file = Path(pinned) / "_shredding" / "shapes.json"
    file.write_text(json.dumps({"version": 1, "columns": {"m": {"hotKeys": ["c", "d"]}}}))
    assert append(maps(spark, "a"), pinned) == ["c", "d"]
    file.write_text(json.dumps({"version": 1, "columns": {"m": {"hotKeys": []}}}))
    assert append(maps(spark, "a"), pinned) == []


def test_odd_keys_are_kept(spark, tmp_path):
    def rows(key):
        return spark.createDataFrame([(i, {key: f"v{i}"}) for i in range(ROWS)], "id INT, m MAP<STRING, STRING>")

    named = {"parquet.map.shredding.columns": "m", "parquet.map.shredding.m.keys": json.dumps(ODD_KEYS)}
    table = write(rows("\0").coalesce(1), tmp_path / "t", **named)
    for _ in range(2):
        write(rows(",").coalesce(1), table, mode="append", **INFER)
    assert pins(table) == {"m": {"hotKeys": ODD_KEYS}}
    assert [json.loads(footer(f)["paimon.map.shredding.m.keys"]) for f in data_files(table)] == [ODD_KEYS] * 3
    assert load(spark, table, schema=None).where("m['\0'] = 'v7'").count() == 1


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ('["a", "a"]', "'a' twice"),
        (r'["\ud800"]', "no text in UTF-8"),
        ('"a,b"', "no list of texts"),
        ("[1]", "no list of texts"),
        ("[", "no JSON"),
    ],
)
def test_keys_that_cannot_be_used_are_refused_before_a_file_is_written(spark, pinned, keys, reason):
    file = Path(pinned) / "_shredding" / "shapes.json"
    file.parent.mkdir()
    file.write_text('{"version": 1, "columns": {"m": {"hotKeys": ' + keys + "}}}")
    before = data_files(pinned)
    refusal(lambda: append(maps(spark, "a"), pinned), "shapes.json", reason, "mend the file")
    assert data_files(pinned) == before


def test_keys_that_the_first_write_names_are_kept(spark, tmp_path):
    named = {"parquet.map.shredding.columns": "m", "parquet.map.shredding.m.keys": "b,a"}
    table = write(maps(spark, "a", "b", "ccc", rows=3), tmp_path / "t", **named)
    assert append(maps(spark, "a", "ccc"), table) == ["b", "a"]
    assert pins(table) == {"m": {"hotKeys": ["b", "a"]}}


def test_keys_that_a_write_names_are_hot_in_it_and_the_pin_stays(spark, pinned):
    append(maps(spark, "c"), pinned)
    assert append(maps(spark, "c"), pinned, **{"parquet.map.shredding.m.keys": "c,a"}) == ["bb", "a", "c"]
    write(maps(spark, "c"), pinned, mode="append",
          **{"parquet.map.shredding.columns": "m", "parquet.map.shredding.m.keys": "c"})  # fmt: skip
    assert append(maps(spark, "c"), pinned) == ["bb", "a"]
    assert sorted(map(named_keys, data_files(pinned))) == [["bb", "a"]] * 3 + [["bb", "a", "c"], ["c"]]


def test_without_a_pin_each_file_has_its_own_shape(spark, pinned):
    assert append(maps(spark, "c"), pinned, shredding__pin="none") == ["c"]
    assert pins(pinned) is None


def test_an_overwrite_removes_the_pin(spark, pinned):
    append(maps(spark, "c"), pinned)
    write(maps(spark, "d"), pinned, mode="overwrite", **INFER)
    assert pins(pinned) is None
    assert append(maps(spark, "a"), pinned) == ["d"]


def test_a_table_may_have_variants_and_maps(spark, pinned):
    append(maps(spark, "c"), pinned)
    both = maps(spark, "c").selectExpr(
        "id", "m", "parse_json(concat('{\"x\":', id, '}')) AS v", "named_struct('m', m) AS `s t`"
    )
    inside = INFER | {
        "parquet.map.shredding.columns": "m, `s t`.m",
        "parquet.map.shredding.`s t`.m.infer": "true",
        "shredding.exclude.v": "$.y",
    }
    for _ in range(3):
        append(both, pinned, **inside)
    assert pins(pinned) == {
        "m": {"hotKeys": ["bb", "a"], "rows": ROWS},
        "`s t`.m": {"hotKeys": ["c"], "rows": ROWS},
        "v": {"shape": "STRUCT<x BIGINT>", "rows": ROWS},
    }
    result = load(
        spark, pinned, schema="id INT, m MAP<STRING, STRING>, v VARIANT, `s t` STRUCT<m: MAP<STRING, STRING>>"
    )
    assert result.selectExpr("count(m['c'])", "sum(v:x::int)", "count(`s t`.m.c)").first()[:] == (
        4 * ROWS, 3 * ROWS * (ROWS - 1) // 2, 3 * ROWS
    )  # fmt: skip
