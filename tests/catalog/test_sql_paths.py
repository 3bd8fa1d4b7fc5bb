"""``shredded_variant.`/path` `` in SQL reads the same rows as `load`, in every kind of session."""

import json
from pathlib import Path

import pytest

from catalog_tables import content, ids, rows, tables
from path_queries import leaves, settings
from programs import ROOT, python
from scan_counts import run
from tables import FORMAT, refusal

# {t} is a relation. EXPLAIN must show the same scans for a path as for a view of `load`.
QUERIES = [
    "SELECT v:a::bigint FROM {t}",
    "SELECT id, v FROM {t} WHERE v:a::bigint = 1500",
    "SELECT sum(v:a::bigint) FROM {t} AS e WHERE e.v:b::string > 'x2'",
    "SELECT count(*), max(v:a::bigint) FROM {t}",
    "SELECT p, count(v:b::string) FROM {t} WHERE p = 1 GROUP BY p",
    "SELECT a.v:b::string FROM {t} a JOIN {t} b ON a.id = b.v:a::bigint WHERE b.id < 3",
    "SELECT id FROM {t} WHERE id IN (SELECT v:a::bigint FROM {t} WHERE v:b::string = 'x7')",
    "SELECT id FROM {t} a WHERE EXISTS (SELECT 1 FROM {t} b WHERE b.v:a::bigint = a.v:a::bigint + 2998)",
    "WITH q AS (SELECT v:a::bigint AS a, p FROM {t}) SELECT x.a FROM q x JOIN q y ON x.a = y.a + 1 WHERE y.a < 5",
    "SELECT v:b::string FROM {t} WHERE id = 3 UNION ALL SELECT v:b::string FROM {t} WHERE id = 4",
    "SELECT id FROM {t} ORDER BY v:a::bigint DESC LIMIT 3",
]


@pytest.fixture(scope="module", params=["files", "delta"])
def path(spark, tmp_path_factory, request):
    """Three files in two partitions; the Delta table has a fourth file, which an overwrite has removed."""
    path = str(tmp_path_factory.mktemp("paths") / "t")
    writer = {"table": "delta"} if request.param == "delta" else {}
    for i, start in enumerate((0, 1000, 2000)):
        df = rows(spark, *range(start, start + 1000), p=i % 2).coalesce(1).write.format(FORMAT).mode("append")
        df.option("shredding.shape.v", "a BIGINT, b STRING").options(**writer).partitionBy("p").save(path)
    if writer:
        extra = rows(spark, 9000, p=7).write.format(FORMAT).partitionBy("p").mode("append")
        extra.save(path)
        nothing = rows(spark, 0, p=7).where("id < 0").write.format(FORMAT).mode("overwrite")
        nothing.option("replaceWhere", "p >= 7").save(path)
    return path


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_on_a_path_reads_what_it_reads_on_load(spark, path, query):
    spark.read.format(FORMAT).load(path).createOrReplaceTempView("loaded")
    by_path, by_load = (spark.sql(query.format(t=t)) for t in (f"{FORMAT}.`{path}`", "loaded"))
    assert leaves(by_path) == leaves(by_load)
    (result, counts), (expected, others) = run(by_path), run(by_load)
    assert sorted(map(str, result)) == sorted(map(str, expected))
    assert counts == others


def test_removed_files_are_never_shown(spark, path):
    removed = ids(spark.sql(f"SELECT id FROM {FORMAT}.`{path}` WHERE id >= 3000"))
    assert removed == [] and spark.table(f"{FORMAT}.`{path}`").count() == 3000
    is_delta = (Path(path) / "_delta_log").exists()
    assert len(list(Path(path).rglob("part-*.parquet"))) == (4 if is_delta else 3)


def test_metadata_columns_are_there(spark, path):
    query = spark.sql(f"SELECT _metadata.file_name, v:a::bigint FROM {FORMAT}.`{path}` WHERE id = 5")
    ((name, a),) = query.collect()
    assert name.endswith(".parquet") and a == 5 and leaves(query) == {"id", "v.a", "_metadata"}


def test_views_and_tables_are_made_of_paths(spark, path):
    with tables(spark, "copy") as copy:
        spark.sql(f"CREATE OR REPLACE VIEW of_path AS SELECT id, v:a::bigint AS a FROM {FORMAT}.`{path}`")
        assert leaves(spark.sql("SELECT a FROM of_path WHERE a = 3")) == {"v.a"}
        spark.sql(f"CREATE TABLE {copy} USING {FORMAT} AS SELECT id, v FROM {FORMAT}.`{path}` WHERE id < 5")
        assert ids(spark.table(copy)) == [0, 1, 2, 3, 4]
        spark.sql("DROP VIEW of_path")


def test_a_delta_table_is_read_at_an_older_version(spark, tmp_path):
    path = str(tmp_path / "t")
    for i in (1, 2):
        rows(spark, i).write.format(FORMAT).option("table", "delta").mode("append").save(path)
    named = f"{FORMAT}.`{path}`"
    first = json.loads(Path(path, "_delta_log", f"{0:020}.json").read_text().splitlines()[0])
    assert "commitInfo" in first
    versions = len(list(Path(path, "_delta_log").glob("*.json")))
    assert ids(spark.sql(f"SELECT * FROM {named} VERSION AS OF {versions - 2}")) == [1]
    assert ids(spark.sql(f"SELECT * FROM {named} WITH ('versionAsOf' = '{versions - 1}')")) == [1, 2]
    assert ids(spark.sql(f"SELECT * FROM {named} FOR SYSTEM_VERSION AS OF {versions - 2}")) == [1]
    refusal(lambda: spark.sql(f"SELECT * FROM {named} VERSION AS OF 99"), name="SHREDDED_VARIANT_DELTA_VERSION")
    refusal(
        lambda: spark.sql(f"SELECT * FROM {named} TIMESTAMP AS OF '2020-01-01'"),
        "2020-01-01",
        name="SHREDDED_VARIANT_DELTA_VERSION",
    )


def test_a_delta_table_of_a_catalog_is_read_at_an_older_version(spark, tmp_path):
    with tables(spark, "t", "plain") as (t, plain):
        spark.sql(f"CREATE TABLE {t} (id BIGINT, v VARIANT) USING {FORMAT} OPTIONS (table 'delta')")
        for i in (1, 2):
            rows(spark, i).write.insertInto(t)
        for name in (t, f"default.{t}", f"spark_catalog.default.{t}"):
            assert ids(spark.sql(f"SELECT * FROM {name} VERSION AS OF 0")) == [1]
            assert ids(spark.sql(f"SELECT {name}.id FROM {name} VERSION AS OF 1 WHERE {name}.id > 1")) == [2]
        old = spark.sql(f"SELECT a.id FROM {t} VERSION AS OF 0 a JOIN {t} b ON a.v:a::int = b.v:a::int")
        assert ids(old) == [1] and leaves(old) == {"id", "v.a"}
        refusal(lambda: spark.sql(f"SELECT * FROM {t} VERSION AS OF 99").collect(), "99")
        refusal(lambda: spark.sql(f"SELECT * FROM {t} TIMESTAMP AS OF '2020-01-01'").collect(), "2020-01-01")
        spark.sql(f"CREATE TABLE {plain} (id BIGINT) USING {FORMAT}")
        spark.range(1).createOrReplaceTempView("no_table")
        for name in (plain, "no_table"):
            with pytest.raises(Exception, match=r"(?i)time travel"):
                spark.sql(f"SELECT * FROM {name} VERSION AS OF 0").collect()
        with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND"):
            spark.sql("SELECT * FROM absent VERSION AS OF 0")


def test_options_and_patterns_work_and_mistakes_are_named(spark, tmp_path):
    for i in (1, 2):
        rows(spark, i).write.format(FORMAT).save(str(tmp_path / f"a b{i}"))
    assert ids(spark.sql(f"SELECT * FROM {FORMAT}.`{tmp_path}/a b*`")) == [1, 2]
    assert ids(spark.sql(f"SELECT * FROM `{FORMAT.upper()}`.`{tmp_path}/a b1`")) == [1]
    refusal(lambda: spark.sql(f"SELECT * FROM {FORMAT}.`{tmp_path}/a b1` WITH (shreding = 'off')"), "shredding")
    with pytest.raises(Exception, match="PATH_NOT_FOUND"):
        spark.sql(f"SELECT * FROM {FORMAT}.`{tmp_path}/absent`")
    with (
        settings(spark, {"spark.sql.runSQLOnFiles": "false"}),
        pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND"),
    ):
        spark.sql(f"SELECT * FROM {FORMAT}.`{tmp_path}/a b1`")


def test_tables_of_a_database_with_the_name_of_the_format_are_not_paths(spark):
    spark.sql(f"CREATE DATABASE {FORMAT}")
    try:
        spark.sql(f"CREATE TABLE {FORMAT}.named USING parquet AS SELECT 7L AS id")
        assert ids(spark.sql(f"SELECT * FROM {FORMAT}.named")) == [7]
        assert ids(spark.table(f"{FORMAT}.`named`")) == [7]
    finally:
        spark.sql(f"DROP DATABASE {FORMAT} CASCADE")


LATE = """
import shredded_variant, contextlib, io, re
builder = SparkSession.builder.master("local[2]").config("spark.sql.warehouse.dir", os.path.abspath("w"))
spark = calm(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
shredded_variant.attach(spark)

def leaves(df):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        df.explain("formatted")
    return sorted(set(", ".join(re.findall(r"Leaves: \\[(.*)\\]", text.getvalue())).split(", ")))

def asked(query):
    try:
        df = spark.sql(query)
        return [leaves(df), sorted(list(r) for r in df.collect())]
    except Exception as e:
        texts, java = [str(e)], getattr(e, "_origin", None)
        while java is not None:
            texts.append(str(java.getMessage()))
            java = java.getCause()
        return (re.search("SHREDDED_VARIANT_[A-Z_]+", " ".join(texts)) or [str(e)[:300]])[0]

document = "parse_json(to_json(named_struct('a', id, 'b', 'x')))"
spark.sql(f"SELECT id, {document} AS v, id % 2 AS p FROM range(4)").write.format("shredded_variant").partitionBy(
    "p").save("files")
spark.read.format("shredded_variant").load("files").createOrReplaceTempView("loaded")
path = "shredded_variant.`" + os.path.abspath("files") + "`"
seen = {
    "path": asked(f"SELECT sum(v:a::int) FROM {path} WHERE v:b::string = 'x' AND p = 1"),
    "metadata": asked(f"SELECT _metadata.file_name IS NULL, v:a::int FROM {path} WHERE id = 2"),
    "joined by load": asked("SELECT a.id FROM loaded a JOIN loaded b ON a.id = b.v:a::int + 2"),
    "join": asked(f"SELECT a.id FROM {path} a JOIN {path} b ON a.id = b.v:a::int + 2"),
    "exists": asked(f"SELECT a.id FROM {path} a WHERE EXISTS "
                    f"(SELECT 1 FROM {path} b WHERE b.v:a::int = a.v:a::int + 2)"),
    "wrong": asked("CREATE TABLE wrong (id BIGINT, v VARIANT) USING shredded_variant OPTIONS ('shreding' = 'off')"),
    "create": asked("CREATE TABLE t (id BIGINT, v VARIANT, p BIGINT) USING shredded_variant PARTITIONED BY (p)"),
    "insert": asked(f"INSERT INTO t SELECT * FROM {path}"),
    "overwrite": asked(f"INSERT OVERWRITE t PARTITION (p = 1) SELECT 9, {document} FROM range(5, 6)"),
    "table": asked("SELECT id, v:a::int FROM t"),
    "of itself": asked("INSERT OVERWRITE t SELECT * FROM t"),
    "of its path": asked("INSERT OVERWRITE t SELECT * FROM shredded_variant.`" + os.path.abspath("w/t") + "`"),
    "still": asked("SELECT count(*) FROM t")[1],
    "as select": asked(f"CREATE TABLE d USING shredded_variant OPTIONS (table 'delta') AS SELECT * FROM {path}"),
    "delta": asked("SELECT sum(v:a::int) FROM d"),
    "path of delta": asked("SELECT sum(v:a::int) FROM shredded_variant.`" + os.path.abspath("w/d") + "`"),
    "tables": [t.name for t in spark.catalog.listTables() if not t.isTemporary],
}
print(json.dumps(seen))
"""


def test_a_session_that_attached_late_reads_paths_and_writes_tables_as_others_do(tmp_path):
    none = [[""], []]
    assert python(tmp_path, LATE) == {
        "path": [["v.a", "v.b"], [[4]]],
        "metadata": [["id", "v.a"], [[False, 2]]],
        "joined by load": [["id", "v.a"], [[2], [3]]],
        "join": [["id", "v.a"], [[2], [3]]],
        "exists": [["id", "v.a"], [[0], [1]]],
        "wrong": "SHREDDED_VARIANT_UNKNOWN_OPTION",
        "create": none,
        "insert": [["id", "v"], []],
        "overwrite": none,
        "table": [["id", "v.a"], [[0, 0], [2, 2], [9, 5]]],
        "of itself": "SHREDDED_VARIANT_OVERWRITE_OF_INPUT",
        "of its path": "SHREDDED_VARIANT_OVERWRITE_OF_INPUT",
        "still": [[3]],
        "as select": none,
        "delta": [["v.a"], [[6]]],
        "path of delta": "SHREDDED_VARIANT_DELTA_ROUTE",
        "tables": ["d", "t"],
    }


BESIDE_DELTA = """
import shredded_variant, glob
builder = SparkSession.builder.master("local[2]").config("spark.jars", sys.argv[1]).config(
    "spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension").config(
    "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog").config(
    "spark.sql.warehouse.dir", os.path.abspath("w"))
spark = shredded_variant.attach(calm(builder)).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
document = "parse_json(to_json(named_struct('a', id, 'b', 'x')))"
seen = {}
for kind in ("files", "delta"):
    spark.sql(f"CREATE TABLE {kind} (id BIGINT, v VARIANT, p BIGINT) USING shredded_variant "
              f"OPTIONS (table '{kind}') PARTITIONED BY (p) TBLPROPERTIES ('shredding.shape.v' = 'a BIGINT')")
    spark.sql(f"INSERT INTO {kind} SELECT id, {document}, id % 2 FROM range(6)")
    spark.sql(f"INSERT OVERWRITE {kind} PARTITION (p = 1) SELECT 9, {document} FROM range(5, 6)")
    spark.sql(f"INSERT OVERWRITE {kind} PARTITION (p = NULL) SELECT 7, NULL FROM range(1)")
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    spark.sql(f"INSERT OVERWRITE {kind} PARTITION (p = NULL) SELECT 8, NULL FROM range(1)")
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    seen[kind] = [list(r) for r in spark.sql(f"SELECT id, v:a::int, p FROM {kind} ORDER BY id").collect()]
    seen[kind + " log"] = os.path.exists(f"w/{kind}/_delta_log")
print(json.dumps(seen))
"""


def test_a_session_whose_catalog_is_deltas_gives_the_same_rows(tmp_path):
    jars = ",".join(map(str, sorted((ROOT / ".tools" / "delta-spark").glob("*.jar"))))
    expected = [[0, 0, 0], [2, 2, 0], [4, 4, 0], [8, None, None], [9, 5, 1]]
    assert python(tmp_path, BESIDE_DELTA, jars) == {
        "files": expected,
        "files log": False,
        "delta": expected,
        "delta log": True,
    }


def test_content_is_that_of_load(spark, path):
    assert content(spark.sql(f"SELECT * FROM {FORMAT}.`{path}` WHERE id % 500 = 0")) == content(
        spark.read.format(FORMAT).load(path).where("id % 500 = 0")
    )
