"""A program for a session of Spark Connect: it writes, reads, streams and maintains tables, and prints what it read."""

# `spark` is the session; all tables are in the working directory. Each part uses tables of its own.
ROUND = '''
import shredded_variant as sv
from pyspark.sql.types import VariantVal

F = "shredded_variant"
path = os.path.abspath
# The second write pins the shape of a column with this many values.
ROWS = 1200
DOCUMENT = "parse_json(to_json(named_struct('a', id, 'b', concat('x', id % 3))))"
MAP = "map('hot', id, concat('k', id), id)"
KEYS = "transform(sequence(0, 99), i -> concat('key', id * 100 + i))"
NEW_KEYS = f"parse_json(to_json(map_from_arrays({KEYS}, sequence(0, 99))))"

def rows(spark, n=ROWS, **columns):
    columns = columns or {"v": DOCUMENT}
    return spark.range(0, n, 1, 2).selectExpr("id", *(f"{e} AS {c}" for c, e in columns.items()))

def save(df, name, mode="append", by=(), **options):
    options = {k.replace("__", "."): v for k, v in options.items()}
    df.write.format(F).options(**options).mode(mode).partitionBy(*by).save(path(name))

def load(spark, name, schema=None):
    reader = spark.read.format(F)
    return (reader.schema(schema) if schema else reader).load(path(name))

def seen(df):
    return list(df.selectExpr("count(*)", "sum(id)", "sum(v:a::bigint)", "count(DISTINCT v:b::string)").first())

def readme(spark):
    with open("events.json", "w") as file:
        file.write('{"user": {"name": "Ann"}, "n": 1}\\n{"user": {"name": "Bob"}, "n": 2}\\n')
    df = spark.read.text(path("events.json")).selectExpr("parse_json(value) AS event")
    df.write.format(F).save(path("events"))
    found = load(spark, "events").where("event:user.name::string = 'Ann'").selectExpr("to_json(event)").collect()
    return [[r[0] for r in found], sv.infer_shape(df, "event").ddl()]

def writes(spark):
    for _ in range(2):
        save(rows(spark), "inferred")
    save(rows(spark), "given", shredding__shape__v="a BIGINT")
    save(rows(spark), "off", shredding="off")
    maps = {"parquet__map__shredding__columns": "m", "parquet__map__shredding__m__infer": "true"}
    for _ in range(2):
        save(rows(spark, m=MAP), "maps", **maps)
    found = list(load(spark, "maps").selectExpr("sum(m['hot'])", "sum(size(m))").first())
    pinned = [os.path.exists(f"{name}/_shredding/shapes.json") for name in ("inferred", "maps")]
    return [*(seen(load(spark, name)) for name in ("inferred", "given", "off")), found, pinned]

def cut(spark):
    """A column with more paths than inference counts."""
    save(rows(spark, 1500, v=NEW_KEYS), "cut")
    return load(spark, "cut").count()

def sql(spark):
    found = []
    rows(spark).createOrReplaceTempView("new")
    for kind in ("files", "delta"):
        at = f"USING {F} OPTIONS (table '{kind}') LOCATION '{path('sql_' + kind)}'"
        spark.sql(f"CREATE TABLE made_{kind} {at} AS SELECT * FROM new")
        spark.sql(f"INSERT INTO made_{kind} SELECT * FROM new")
        found.append(seen(spark.table(f"made_{kind}")))
        spark.sql(f"INSERT OVERWRITE made_{kind} SELECT * FROM new WHERE id < 10")
        found.append(seen(spark.table(f"made_{kind}")))
    return found

def delta(spark):
    new = rows(spark).selectExpr("*", "id % 2 AS p")
    for mode in ("append", "overwrite", "append"):
        save(new, "delta", mode, by=["p"], table="delta")
    return seen(load(spark, "delta").where("p = 1"))

def streams(spark):
    """Each query runs twice: the second time it continues from its checkpoint."""
    found = []
    for source, sink in (("files", "delta"), ("delta", "files")):
        at, to = "from_" + source, "to_" + sink
        for _ in range(2):
            save(rows(spark), at, table=source)
            reader = spark.readStream.format(F)
            reader = reader.schema("id BIGINT, v VARIANT") if source == "files" else reader
            writer = reader.load(path(at)).writeStream.format(F).option("table", sink).trigger(availableNow=True)
            query = writer.option("checkpointLocation", path("checkpoint_" + to)).start(path(to))
            query.awaitTermination(120)
            if query.exception() is not None:
                raise query.exception()
        found.append(seen(load(spark, to)))
    return found

def maintenance(spark):
    for kind in ("files", "delta"):
        for _ in range(2):
            save(rows(spark), "maintained_" + kind, table=kind)
    table, files, to = (path(name) for name in ("maintained_delta", "maintained_files", "compacted"))
    made = [sv.compact(spark, table, cluster_by=["$.a"]), sv.reshred(spark, table, {"v": "infer"}),
            sv.unshred(spark, table), sv.compact(spark, files, to)]
    checked = [sv.verify(spark, at).ok for at in (table, to)]
    return [[m.files_after for m in made], checked, [seen(load(spark, at)) for at in (table, to)]]

def failures(spark):
    """What a task refuses: a file that is not Parquet, and a malformed value."""
    import glob
    save(rows(spark, 10), "broken", shredding__shape__v="a BIGINT")
    file = sorted(glob.glob("broken/part-*.parquet"))[0]
    with open(file, "wb") as broken:
        broken.write(b"no Parquet" * 10)
    for checksum in glob.glob("broken/.*.crc"):
        os.remove(checksum)
    unreadable = load(spark, "broken", "id BIGINT, v VARIANT")
    malformed = spark.createDataFrame([(1, VariantVal(bytes([2]), bytes([1, 0, 0])))], "id BIGINT, v VARIANT")
    found = []
    for action in (lambda: unreadable.selectExpr("sum(v:a::bigint)").collect(), lambda: save(unreadable, "copy"),
                   lambda: save(malformed, "malformed"), lambda: save(malformed, "malformed_delta", table="delta"),
                   lambda: sv.infer_shape(malformed, "v")):
        try:
            action()
            found.append("done")
        except Exception as e:
            found.append((__import__("re").findall("SHREDDED_VARIANT_[A-Z_]+", str(e)) or [str(e)[:1000]])[0])
    return found

def run(spark, *parts):
    results = {}
    for part in parts:
        try:
            results[part.__name__] = part(spark)
        except Exception as e:
            results[part.__name__] = [type(e).__name__, " ".join(str(e).split())[:500]]
    return results
'''
ONCE, TWICE, TEN = [[n * 1200, n * 719400, n * 719400, 3] for n in (1, 2)] + [[10, 45, 45, 3]]
SEEN = {
    "readme": [['{"n":1,"user":{"name":"Ann"}}'], "STRUCT<n BIGINT, user STRUCT<name STRING>>"],
    "writes": [TWICE, ONCE, ONCE, [2 * 719400, 4800], [True, True]],
    "cut": 1500,
    "sql": [TWICE, TEN] * 2,
    "delta": [1200, 720000, 720000, 3],
    "streams": [TWICE, TWICE],
    "maintenance": [[1, 1, 1, 1], [True, True], [TWICE, TWICE]],
    "failures": ["SHREDDED_VARIANT_NOT_PARQUET"] * 2 + ["SHREDDED_VARIANT_MALFORMED_VALUE"] * 3,
}
