"""Objects of up to a hundred fields, with keys from all planes of Unicode: every route finds what Spark finds.

The specification orders keys by UTF-8; Spark searches objects of 32 fields or more in the order of UTF-16.
`make test` reads a few keys, FUZZ=1 all of them; SEED=123 generates the same objects again.
"""

import os
import random

import pytest
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, IntegerType, MapType, StringType, StructField, StructType, VariantType

from fuzz import FUZZ
from parquet_cells import cells, data_files, only_file, rebuilt
from path_documents import literal
from path_queries import LATE, Pair, settings
from tables import load, to_spark, write
from variant_bytes import utf8, utf16
from variants import obj

pytestmark = pytest.mark.fuzz

SEED = int(os.environ.get("SEED", 5))
PLANES = ("abcde", "\ue000\uf8ff\uff21\uff41\uff5e", "\U00010000\U0001f600\U0001f4a9\U00020000\U0010fffd")
SUFFIXES = ("", "1", "2", "3", "4", "\uff22", "\U0001f601")
KEYS = [letters[i] + suffix for i in range(5) for suffix in SUFFIXES for letters in PLANES]  # of each plane in turn
ASKED = KEYS if FUZZ else [random.Random(SEED).choice(KEYS[i::3]) for i in range(3)]
TYPED = f"`{KEYS[0]}` INT, `{KEYS[-1]}` INT, o STRUCT<`{KEYS[40]}` INT>"
FILES = [
    {"shredding.shape.v": "none INT", "shredding.shape.w": "none INT"},
    {"shredding": "off"},
    {"shredding.shape.v": TYPED, "shredding.shape.w": TYPED, "shredding.shape.s.v": TYPED},
    {"shredding.shape.v": TYPED, "layout": "draft"},
]
VARIANT = VariantType()
SCHEMA = StructType([
    StructField("id", IntegerType()), StructField("v", VARIANT), StructField("w", VARIANT),
    StructField("s", StructType([StructField("v", VARIANT)])),
    StructField("a", ArrayType(VARIANT)), StructField("m", MapType(StringType(), VARIANT)),
])  # fmt: skip


def objects(r, size):
    """`w` is an object of this many fields; `v` has two fields more, with the same objects in them."""
    w = obj({key: r.randrange(100) for key in r.sample(KEYS, size)})
    return obj({**w.value, "o": w, "l": [w]}), w


def row(r, i, size):
    v, w = (to_spark(each, order=utf16) for each in objects(r, size))
    return i, v, w, (v,), [v], {"x": w}


def frame(spark, first):
    r = random.Random(SEED + first)
    return spark.createDataFrame([row(r, first + size, size) for size in range(1, 101)], SCHEMA)


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    pair = Pair(spark, tmp_path_factory.mktemp("wide"))
    pair.add("t", [(frame(spark, 1000 * i), options) for i, options in enumerate(FILES)])
    yield pair
    pair.drop("t")


def accesses(key):
    root, inner, element = (literal([*steps, key]) for steps in ([], ["o"], ["l", 0]))
    return [
        *(f"try_variant_get({variant}, {root}, 'int')" for variant in ("v", "w", "s.v", "a[0]", "m['x']")),
        *(f"try_variant_get(v, {path}, 'int')" for path in (inner, element)),
        # These variants are read whole.
        *(f"try_variant_get(coalesce(v, s.v), {path}, 'int')" for path in (root, inner, element)),
        f"try_variant_get(coalesce(w, s.v), {root}, 'int')",
        f"try_variant_get(variant_get(v, '$.o'), {root}, 'int')",
        f"try_variant_get(coalesce(variant_get(v, '$.o'), w), {root}, 'int')",
        f"try_variant_get(coalesce(variant_get(v, '$.l'), w), {literal([0, key])}, 'int')",
        f"variant_get(v, '$.o', 'map<string, int>')[{literal([key])[3:-2]!r}]".replace("['", "['").replace('\\"', '"'),
    ]


@pytest.mark.parametrize("session", [{}, LATE, {"spark.sql.parquet.enableVectorizedReader": "false"}], ids=str)
def test_a_key_is_found_in_objects_of_any_size_at_any_place(tables, session):
    for key in ASKED:
        assert not tables.column_differences(accesses(key), ours=session)


def test_filters_and_aggregates_find_keys(tables):
    for key in ASKED:
        path = literal([key])
        for query in (
            f"SELECT id FROM t WHERE try_variant_get(v, {path}, 'int') >= 50",
            f"SELECT id FROM t WHERE try_variant_get(coalesce(w, v), {path}, 'int') IS NOT NULL",
            f"SELECT max(try_variant_get(w, {path}, 'int')), count(try_variant_get(w, {path}, 'int')) FROM t",
            f"SELECT try_variant_get(first(w), {path}, 'int') FROM t GROUP BY id",
            f"SELECT try_variant_get(x, {path}, 'int') FROM (SELECT v:o AS x FROM t UNION ALL SELECT w FROM t)",
        ):
            assert not tables.difference(query, must_answer=True)


def test_whole_variants_are_the_same(tables):
    for query in (
        "SELECT id, v, w, s, a, m FROM t",
        "SELECT id, v:o, v:l FROM t",
        "SELECT id, key, value FROM t, LATERAL variant_explode(v)",
        "SELECT id, schema_of_variant(w) FROM t WHERE id % 1000 >= 32",
        "SELECT id, schema_of_variant(v:o) FROM t WHERE id % 1000 >= 32",
        "SELECT id, from_json(to_json(w), 'map<string, string>') FROM t",
        "SELECT id, from_json(to_json(coalesce(w, v)), 'map<string, string>') FROM t",
    ):
        assert not tables.difference(query, must_answer=True)


def test_python_reads_the_same_dictionaries(tables):
    ours, spark = (session.table("t").orderBy("id").select("w").collect() for session in (tables.ours, tables.spark))
    assert [r.w.toPython() for r in ours] == [r.w.toPython() for r in spark]


def test_rows_that_are_read_and_written_again_have_keys_in_the_order_of_the_specification(tables, tmp_path):
    spark = tables.ours
    once = spark.table("t").where("id < 1000").select("id", "v")
    for name, options in {"off": {"shredding": "off"}, "shape": {"shredding__shape__v": TYPED}}.items():
        table = write(once.coalesce(1), tmp_path / name, **options)
        expected = [objects_of(size)[0] for size in range(1, 101)]
        assert [rebuilt(cell) for cell in cells(only_file(table))] == expected  # strictly by UTF-8
        again = load(spark, table)
        for key in ASKED:
            get = F.expr(f"try_variant_get(coalesce(v, v), {literal([key])}, 'int')")
            assert again.orderBy("id").select(get).collect() == once.orderBy("id").select(get).collect()
    with settings(spark, {"spark.sql.variant.writeShredding.enabled": "false"}):
        once.coalesce(1).write.parquet(str(tmp_path / "spark"))
    spark.read.parquet(str(tmp_path / "spark")).createOrReplaceTempView("copied")
    for key in ASKED:
        get = f"try_variant_get(v, {literal([key])}, 'int')"
        query = "SELECT id, " + get + " AS x FROM {} WHERE id < 1000 ORDER BY id"
        assert spark.sql(query.format("copied")).collect() == tables.spark.sql(query.format("t")).collect()
    assert data_files(tmp_path / "spark")


def objects_of(size):
    r = random.Random(SEED)
    for before in range(1, size):
        objects(r, before)
    return objects(r, size)


def test_the_keys_have_two_orders():
    assert sorted(KEYS, key=utf8) != sorted(KEYS, key=utf16)
    assert len(set(KEYS)) > 100
