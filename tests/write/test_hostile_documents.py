"""Hostile documents: writes and `infer_shape` take bounded time, and warn of columns whose counts are cut."""

import json
import time
import warnings

import pytest

from programs import finished_in
from shredded_variant import HotKeys, Shape, infer_shape
from shredded_variant.errors import PathsLeftOut
from tables import load, write

# A hundred new keys in each row.
KEYS = "transform(sequence(0, 99), i -> concat('key', id * 100 + i))"
NEW_KEYS = f"""parse_json(concat('{{"kind": "x", "n": ', id, ', "by": ',
    to_json(map_from_arrays({KEYS}, sequence(0, 99))), '}}'))"""
# name: (rows, the shape, whether a warning names the column)
HOSTILE = {
    "new keys in every row": (NEW_KEYS, 2000, "kind STRING, n BIGINT", True),
    "few new keys": (NEW_KEYS, 50, "kind STRING, n BIGINT", False),
    "a depth bomb": ("parse_json(concat('{\"kind\": \"x\", \"d\": ', repeat('[', 900), id, repeat(']', 900), '}'))",
                     2000, "kind STRING", False),
    "objects without end": ("parse_json(concat(repeat('{\"a\":', 900), id, repeat('}', 900)))", 500, "VARIANT", False),
    "a huge array": ("parse_json(concat('{\"kind\": \"x\", \"l\": [1', repeat(',2', 1000000), ']}'))",
                     6, "kind STRING, l ARRAY<BIGINT>", False),
    "a long name": ("parse_json(concat('{\"kind\": \"x\", \"', repeat('k', 300), '\": 1}'))", 100, "kind STRING", True),
}  # fmt: skip
SECONDS = 120


def rows(spark, document, n):
    return spark.range(0, n, 1, 2).selectExpr("CAST(id AS INT) AS id", f"{document} AS v")


def with_warnings(action):
    """The result of the action and its warnings; the action must end in bounded time."""
    started = time.monotonic()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = action()
    assert time.monotonic() - started < SECONDS
    return result, [str(w.message) for w in caught if w.category is PathsLeftOut]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_documents_are_inferred_in_bounded_time_with_a_warning_of_paths_left_out(spark, name):
    document, n, shape, is_cut = HOSTILE[name]
    for policy in ("equivalence", "majority"):
        result, sentences = with_warnings(lambda p=policy: infer_shape(rows(spark, document, n), "v", policy=p))
        assert set(result.paths()) == set(Shape.parse(shape).paths())
        assert len(sentences) == is_cut
        assert all(s.startswith("'v' has more paths") and s.endswith(".") for s in sentences)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_documents_are_written_in_bounded_time_and_read_back(spark, tmp_path, name):
    document, n, _, _ = HOSTILE[name]
    df = rows(spark, document, n)
    table, _ = with_warnings(lambda: write(df, tmp_path / "t"))
    _, _ = with_warnings(lambda: write(df, tmp_path / "t", mode="append"))
    hashes = [d.selectExpr("count(*)", "sum(hash(to_json(v)))").first() for d in (df, load(spark, table))]
    assert hashes[1][0] == 2 * hashes[0][0]
    assert hashes[1][1] == 2 * hashes[0][1]


def test_maps_with_new_keys_in_every_row_keep_their_hot_keys_with_a_warning(spark):
    df = spark.range(0, 2000, 1, 2).selectExpr(f"map_from_arrays(concat(array('hot'), {KEYS}), sequence(0, 100)) AS m")
    result, sentences = with_warnings(lambda: infer_shape(df, "m"))
    assert result == HotKeys(("hot",))
    assert len(sentences) == 1
    assert sentences[0].startswith("'m' has more keys")
    assert with_warnings(lambda: infer_shape(df.limit(50), "m")) == (HotKeys(("hot",)), [])


def test_shredding_shape_reports_cut_counts_with_the_option_report(spark):
    rows(spark, NEW_KEYS, 2000).createOrReplaceTempView("hostile")
    (row,) = spark.sql(
        "SELECT shredding_shape(v, map('report', 'true')), shredding_shape(v, map('report', 'false')),"
        " shredding_shape(map('a', v), map('REPORT', 'TRUE', 'maxKeys', '1')) FROM hostile"
    ).collect()
    shape = "STRUCT<kind STRING, n BIGINT>"
    assert [json.loads(row[0]), row[1], json.loads(row[2])] == [
        {"shape": shape, "isCut": True}, shape, {"shape": "a", "isCut": False}
    ]  # fmt: skip
    with pytest.raises(Exception, match=r"'report' has the value 'perhaps': use true or false"):
        spark.sql("SELECT shredding_shape(v, map('report', 'perhaps')) FROM hostile").collect()


PROGRAM = """
    import warnings
    import shredded_variant
    remote = len(sys.argv) > 1
    spark = shredded_variant.attach(calm(SparkSession.builder.remote("local[2]") if remote else None)).getOrCreate()
    df = spark.range(0, 2000, 1, 2).selectExpr("CAST(id AS INT) AS id", DOCUMENT + " AS v")
    if not remote:
        for _ in range(2):
            df.write.format("shredded_variant").mode("append").save("t")
        df.where("id < 5").write.format("shredded_variant").save("few")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shape = shredded_variant.infer_shape(df, "v").ddl()
    print(json.dumps([type(df).__module__, shape, [f"{w.category.__name__} {w.filename}" for w in caught
                      if w.category is shredded_variant.errors.PathsLeftOut]]))
"""


@pytest.mark.parametrize("kind", ["classic", "connect"])
def test_writes_log_a_warning_in_the_driver_and_infer_shape_warns_in_each_kind_of_session(tmp_path, kind):
    done = finished_in(kind, tmp_path, f"    DOCUMENT = {NEW_KEYS!r}\n{PROGRAM}")
    module, shape, caught = json.loads(done.stdout.strip().split("\n")[-1])
    assert (".connect." in module) == (kind == "connect")
    assert shape == "STRUCT<kind STRING, n BIGINT>"
    assert caught == [f"PathsLeftOut {tmp_path / 'job.py'}"]
    if kind == "classic":
        # One warning of the first write, for both of its files, and one of the pin of the second write.
        sentences = [line for line in done.stderr.split("\n") if "SHREDDED_VARIANT_PATHS_LEFT_OUT" in line]
        by = [line.split(" WARN ")[1].split(":")[0] for line in sentences]
        assert sum("CutColumns" in b for b in by) == 1, sentences
        assert sum("Pinning" in b for b in by) == 1, sentences
