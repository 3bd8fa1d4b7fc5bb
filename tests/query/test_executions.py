"""Each execution of a plan has its own runtime filters: rounds of recursion, plans that run twice, parallel threads.

`make test` runs each way of recursion with one of the settings, FUZZ=1 with all of them.
"""

import itertools
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.sql.functions import expr

from catalog_tables import tables
from fuzz import FUZZ
from path_queries import settings
from tables import FORMAT, write

pytestmark = pytest.mark.fuzz

NODES, FANS = 130, 3  # nodes of a tree, children of each
# `part` depends on the parent, so that each level of the tree is in few partitions.
TREE = f"""SELECT id, (id - 1) div {FANS} AS parent,
    parse_json(concat('{{"id":', id, ',"up":', (id - 1) div {FANS}, ',"t":"t', id % 7, '"}}')) AS v,
    CAST((id - 1) div {FANS} % 3 AS INT) AS part FROM range(1, {NODES}, 1, 1)"""
OPTIONS = {"shredding.shape.v": "id BIGINT, up BIGINT, t STRING", "parquet.block.row.count.limit": 10}
KINDS = {"plain": None, "files": {}, "delta": {"table": "delta"}}
OURS = ["files", "delta"]


def make(df, path, kind, mode="error"):
    """Writes a partitioned table of the kind; returns the format that reads it."""
    if KINDS[kind] is None:
        df.write.mode(mode).partitionBy("part").parquet(str(path))
        return "parquet"
    write(df, path, by=["part"], mode=mode, **OPTIONS, **KINDS[kind])
    return FORMAT


@pytest.fixture(scope="module")
def trees(spark, tmp_path_factory):
    """The tree as the views `tree_plain`, `tree_files` and `tree_delta`."""
    folder = tmp_path_factory.mktemp("trees")
    for kind in KINDS:
        path = folder / kind
        spark.read.format(make(spark.sql(TREE), path, kind)).load(str(path)).createOrReplaceTempView(f"tree_{kind}")


def texts(rows):
    return sorted(map(str, rows))


def same(spark, query):
    """The rows of a query over {t}, which must be the same for all kinds of tables, and for Spark's own Parquet."""
    # Spark refuses some recursive queries over its own tables with dynamic partition pruning.
    with settings(spark, {"spark.sql.optimizer.dynamicPartitionPruning.enabled": "false"}):
        expected = texts(spark.sql(query.format(t="tree_plain")).collect())
    for kind in OURS:
        assert texts(spark.sql(query.format(t=f"tree_{kind}")).collect()) == expected, kind
    return expected


# Recursive steps: each finds the next level of the tree.
STEPS = {
    "a column": "SELECT d.id, n + 1 FROM {t} d, sub WHERE d.parent = sub.id",
    "a path": "SELECT d.id, n + 1 FROM {t} d JOIN sub ON d.v:up::bigint = sub.id",
    "partitions": "SELECT d.id, n + 1 FROM {t} d JOIN sub ON d.part = sub.id % 3 AND d.parent = sub.id WHERE n < 2",
    "two joins": """SELECT d.id, n + 1 FROM sub JOIN {t} d ON d.parent = sub.id
        JOIN {t} e ON e.id = d.id AND e.v:id::int > 2""",
    "first rows": """SELECT d.id, n + 1 FROM {t} d JOIN sub ON d.parent = sub.id
        JOIN (SELECT id FROM {t} ORDER BY id LIMIT 90) e ON e.id = d.id""",
    "footers": """SELECT d.id, n + 1 FROM {t} d JOIN sub ON d.parent = sub.id
        JOIN (SELECT part, min(id) AS least, count(v:id::int) AS size FROM {t} GROUP BY part) e ON e.part = d.part""",
    "outer": """SELECT coalesce(d.id, 1000), n + 1 FROM sub LEFT JOIN {t} d ON d.v:up::bigint = sub.id
        WHERE sub.id < 1000""",
    "a subquery": """SELECT d.id, n + 1 FROM {t} d, sub
        WHERE d.parent = sub.id AND d.part <= (SELECT max(part) FROM {t})""",
    "a recursion": """SELECT d.id, n + 1 FROM {t} d JOIN sub ON d.parent = sub.id JOIN (
        WITH RECURSIVE up(id, n) AS (SELECT id, 0 FROM {t} WHERE v:t::string = 't3' AND id > 40
            UNION ALL SELECT d.parent, n + 1 FROM {t} d JOIN up ON d.id = up.id WHERE n < 3)
        SELECT DISTINCT id FROM up) e ON e.id = d.id""",
}
SETTINGS = {
    "default": {},
    "rows are not copied": {"spark.sql.cteRecursionAnchorRowsLimitToConvertToLocalRelation": "0"},
    "not adaptive": {"spark.sql.adaptive.enabled": "false"},
    "keys by queries": {
        "spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly": "false",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    },
}
ROUNDS = list(itertools.product(STEPS, SETTINGS))
if not FUZZ:
    ROUNDS = list(zip(STEPS, itertools.cycle(SETTINGS)))


def recursion(step):
    return f"""WITH RECURSIVE sub(id, n) AS (
        SELECT id, 0 FROM {{t}} WHERE v:t::string = 't5' AND id < 13 UNION ALL {STEPS[step]}
    ) SELECT * FROM sub"""


@pytest.mark.parametrize(("step", "setting"), ROUNDS)
def test_each_round_of_a_recursive_query_reads_by_its_own_keys(spark, trees, step, setting):
    with settings(spark, SETTINGS[setting]):
        assert len(same(spark, recursion(step))) > 2


def test_threads_that_run_one_plan_do_not_share_its_keys(spark, trees):
    with settings(spark, SETTINGS["not adaptive"]), ThreadPoolExecutor(3) as pool:
        for kind in OURS:
            frame = spark.sql(recursion("a column").format(t=f"tree_{kind}"))
            expected = texts(spark.sql(recursion("a column").format(t="tree_plain")).collect())
            found = [pool.submit(frame.collect) for _ in range(3)]
            assert [texts(f.result()) for f in found] == [expected] * 3, kind


def test_a_thread_does_not_use_the_filters_of_another_thread(spark, trees):
    """Like Spark, a thread sets runtime filters on a scan and then gets its batch and partitions."""
    jvm, gateway = spark.sparkContext._jvm, spark.sparkContext._gateway

    def kinds(scan):
        return {p.getClass().getSimpleName() for p in scan.toBatch().planInputPartitions()}

    for kind in OURS:
        plan = spark.sql(f"SELECT id FROM tree_{kind} WHERE id > 5")._jdf.queryExecution().optimizedPlan()
        scan = plan.collectLeaves().head().scan()
        filters = gateway.new_array(jvm.org.apache.spark.sql.catalyst.expressions.Expression, 1)
        filters[0] = plan.expressions().head()
        scan.filter(filters)
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(kinds, scan).result() == {"FilePartition"}, kind
        assert kinds(scan) == {"FilteredPartition"}, kind
        assert kinds(scan) == {"FilePartition"}, kind


# Queries whose rows change with the keys.
ASKING = [
    "SELECT t.id FROM {t} t JOIN {keys} k ON t.id = k.key",
    "SELECT t.id, t.v:t::string FROM {t} t JOIN {keys} k ON t.v:up::bigint = k.key WHERE k.key > 0",
    "SELECT t.id FROM {t} t WHERE t.part IN (SELECT key % 3 FROM {keys})",
    "SELECT t.id FROM {t} t WHERE t.v:id::bigint >= (SELECT max(key) FROM {keys})",
    "SELECT max(id), count(*) FROM {t} WHERE part = (SELECT max(key) % 3 FROM {keys})",
    "SELECT id FROM {t} WHERE id > (SELECT max(key) FROM {keys}) ORDER BY id LIMIT 3",
    """SELECT a.id, b.id AS child FROM {t} a JOIN {t} b ON b.parent = a.id
        WHERE a.id IN (SELECT key FROM {keys}) AND b.v:id::bigint > (SELECT min(key) FROM {keys})""",
]


def test_frames_and_cached_tables_that_run_again_use_the_current_keys(spark, trees):
    with tables(spark, "keys") as keys:
        spark.sql(f"CREATE TABLE {keys} USING parquet AS SELECT 5L AS key")
        frames = {kind: [spark.sql(query.format(t=f"tree_{kind}", keys=keys)) for query in ASKING] for kind in KINDS}
        cached = {kind: [frame.where("true").cache() for frame in frames[kind][:2]] for kind in KINDS}
        for key in (7, 40):
            spark.sql(f"INSERT OVERWRITE {keys} SELECT {key}L")
            found = {
                kind: [texts(frame.where("true").collect()) for frame in frames[kind] + cached[kind]] for kind in KINDS
            }
            for kind in OURS:
                assert found[kind] == found["plain"], (kind, key)
        for frame in itertools.chain(*cached.values()):
            frame.unpersist()


def test_each_batch_of_a_stream_filters_a_static_table_by_its_own_keys(spark, trees, tmp_path):
    for i, key in enumerate((5, 7, 40)):
        spark.sql(f"SELECT {key}L AS key").coalesce(1).write.parquet(str(tmp_path / "keys" / f"batch={i}"))
    found = {}
    for kind in KINDS:
        batches = found.setdefault(kind, [])
        keys = spark.readStream.schema("key BIGINT").option("maxFilesPerTrigger", 1).parquet(f"{tmp_path}/keys/*")
        joined = spark.table(f"tree_{kind}").join(keys, expr("v:up::bigint = key")).selectExpr("id", "v:t::string")

        def take(batch, _, batches=batches):
            batches.append(texts(batch.collect() + batch.collect()))

        joined.writeStream.trigger(availableNow=True).foreachBatch(take).start().awaitTermination()
    assert len(found["plain"]) == 3 and all(found["plain"])
    assert sorted(found["files"]) == sorted(found["delta"]) == sorted(found["plain"])


def test_a_frame_that_runs_again_reads_the_current_footers(spark, tmp_path):
    """The plan keeps the list of files; a file may have other rows when the plan runs again."""
    options = {"parquet.block.row.count.limit": 100, "shredding": "off", "parquet.compression": "uncompressed"}
    options |= {"parquet.enable.dictionary": "false"}
    for name, sign in (("old", 1), ("new", -1)):
        write(spark.range(0, 1000, 1, 1).selectExpr(f"id * {sign} AS id"), tmp_path / name, **options)
    (old,), (new,) = ((tmp_path / name).glob("part-*") for name in ("old", "new"))
    with settings(spark, {"spark.sql.files.maxPartitionBytes": str(old.stat().st_size // 4)}):
        frames = [spark.read.format(f).load(str(tmp_path / "old")).where("id < 0") for f in ("parquet", FORMAT)]
        assert [frame.collect() for frame in frames] == [[], []]
        (old.parent / f".{old.name}.crc").unlink()
        shutil.copy(new, old)
        assert [len(frame.collect()) for frame in frames] == [999, 999]
