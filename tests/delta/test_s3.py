"""S3 through Hadoop's S3A, with a server on loopback: concurrent drivers lose no rows, and few requests are sent.

`make test` runs short series of appends, FUZZ=1 long ones.
"""

import json
import re
import subprocess
import sys
from collections import Counter

import pytest

from fuzz import FUZZ
from programs import CALM, clean_environment, script
from s3_server import S3

pytestmark = pytest.mark.fuzz


# Runs the code of each line of its input, and prints the variable `answer`.
DRIVER = """
import shredded_variant
builder = calm()
for key, value in json.loads(sys.argv[1]).items():
    builder = builder.config(key, value)
spark = shredded_variant.attach(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")

def rows(*ids):
    values = ", ".join(f"({i})" for i in ids)
    rows = spark.sql(f"SELECT id, parse_json(to_json(named_struct('a', id))) AS v FROM VALUES {values} AS t(id)")
    return rows.coalesce(1)

def save(df, path, mode="append", **options):
    df.write.format("shredded_variant").mode(mode).options(**options).save(path)

def load(path):
    return spark.read.format("shredded_variant").load(path)

def ids(path):
    return sorted(r[0] for r in load(path).select("id").collect())

def refused(write):
    try:
        write()
    except Exception as e:
        return str(e)

for line in sys.stdin:
    here = globals() | {"answer": None}
    try:
        exec(json.loads(line), here)
        print(json.dumps({"answer": here["answer"]}), flush=True)
    except Exception as e:
        print(json.dumps({"error": str(e)[:3000]}), flush=True)
"""


class Driver:
    def __init__(self, folder, settings):
        command = [sys.executable, script(folder, DRIVER), json.dumps(settings)]
        self.program = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=clean_environment(),
        )  # fmt: skip

    def begin(self, code):
        self.program.stdin.write(json.dumps(code) + "\n")
        self.program.stdin.flush()

    def end(self):
        answer = json.loads(self.program.stdout.readline() or '{"error": "the driver has ended"}')
        assert "error" not in answer, answer["error"]
        return answer["answer"]

    def run(self, code):
        self.begin(code)
        return self.end()


@pytest.fixture(scope="module")
def store():
    server = S3()
    yield server
    server.close()


@pytest.fixture(scope="module")
def drivers(store, tmp_path_factory):
    """Two drivers, each with a JVM of its own."""
    # Buckets are configured one by one: conditional writes are off for this bucket.
    settings = CALM | store.settings() | {"spark.hadoop.fs.s3a.bucket.off.create.conditional.enabled": "false"}
    both = [Driver(tmp_path_factory.mktemp("driver"), settings) for _ in range(2)]
    yield both
    for driver in both:
        driver.program.stdin.close()
        driver.program.wait(60)


@pytest.fixture
def driver(drivers):
    return drivers[0]


@pytest.fixture(autouse=True)
def usual(store):
    store.usual()


def appends(path, first, number):
    return f"""
for i in range({first}, {first + number}):
    save(rows(i), "{path}")
answer = "all acknowledged"
"""


def test_two_drivers_that_append_to_one_delta_table_lose_nothing(store, drivers):
    path, number = "s3a://both/t", 100 if FUZZ else 4
    drivers[0].run(f'save(rows(-1), "{path}", table="delta")')
    # Both drivers have read the newest version before one of them commits.
    store.meetings = 3
    for i, driver in enumerate(drivers):
        driver.begin(appends(path, 1000 * i, number))
    assert [driver.end() for driver in drivers] == ["all acknowledged"] * 2
    expected = [-1, *range(number), *range(1000, 1000 + number)]
    assert drivers[1].run(f'answer = ids("{path}")') == expected
    assert len([key for key in store.keys("both/t/_delta_log/") if key.endswith(".json")]) == len(expected)
    commits = Counter(store.asked("PUT If-None-Match", "both/t/_delta_log/0"))
    assert list(commits.values()).count(2) >= 3, "versions that both drivers wanted"


def test_a_commit_whose_response_is_lost_is_committed_once(store, driver):
    path = "s3a://lost/t"
    driver.run(f'save(rows(0), "{path}", table="delta")')
    for i in range(1, 4):
        store.to_lose = 1
        driver.run(f'save(rows({i}), "{path}")')
        assert store.to_lose == 0
    assert driver.run(f'answer = ids("{path}")') == [0, 1, 2, 3]


@pytest.mark.parametrize("bucket", ["ignores", "off"])
def test_a_store_without_conditional_writes_is_refused_unless_there_is_a_single_driver(store, driver, bucket):
    """One store ignores the conditions of writes; for the other, S3A sends none."""
    store.keeps_conditions = bucket != "ignores"
    path = f"s3a://{bucket}/t"
    for mode in ("append", "overwrite", "error"):
        refusal = driver.run(f'answer = refused(lambda: save(rows(1), "{path}", "{mode}", table="delta"))')
        assert re.search(f"SHREDDED_VARIANT_NOT_EXCLUSIVE.*'{path}'.*'singleDriver'", refusal), refusal
        assert store.keys(f"{bucket}/t") == [], "nothing is left of it"
    alone = 'table="delta", singleDriver="true"'
    driver.run(f'save(rows(1), "{path}", "error", {alone})')
    assert "NOT_EXCLUSIVE" in driver.run(f'answer = refused(lambda: save(rows(2), "{path}"))')
    driver.run(f'save(rows(2), "{path}", {alone})')
    assert driver.run(f'answer = ids("{path}")') == [1, 2]
    # For all writes of a session.
    driver.run(f"""
spark.conf.set("spark.datasource.shredded_variant.singleDriver", "true")
try:
    save(rows(3), "{path}")
    spark.sql("CREATE TABLE s3_{bucket} USING shredded_variant LOCATION '{path}'")
    spark.sql("INSERT INTO s3_{bucket} SELECT 4L, parse_json('1')")
finally:
    spark.conf.unset("spark.datasource.shredded_variant.singleDriver")
""")
    assert driver.run(f'answer = ids("{path}")') == [1, 2, 3, 4]


NOT_KNOWN = {"bad": (400, "InvalidArgument"), "not-implemented": (501, "NotImplemented")}


@pytest.mark.parametrize("bucket", NOT_KNOWN)
def test_a_store_that_refuses_conditions_works_with_a_single_driver(store, driver, bucket):
    store.refused = dict.fromkeys(("If-None-Match", "If-Match"), NOT_KNOWN[bucket])
    path, pinned = f"s3a://{bucket}/t", "**{'shredding.pinMinRows': '1'}"
    refusal = driver.run(f'answer = refused(lambda: save(rows(1), "{path}", table="delta"))')
    assert re.search(f"SHREDDED_VARIANT_NOT_EXCLUSIVE.*'{path}'.*'singleDriver'", refusal), refusal
    assert store.keys(f"{bucket}/t") == []
    for i in range(2):
        driver.run(f'save(rows({i}), "{path}", table="delta", singleDriver="true")')
        driver.run(f"save(rows({i}).selectExpr('id', 'v AS v{i}'), '{path}2', singleDriver='true', {pinned})")
        driver.run(f"save(rows({i}).selectExpr('id', 'v AS v{i}'), '{path}2', singleDriver='true', {pinned})")
    assert driver.run(f'answer = ids("{path}")') == [0, 1]
    assert set(json.loads(store.objects[f"{bucket}/t2/_shredding/shapes.json"][0])["columns"]) == {"v0", "v1"}


def test_a_store_that_knows_no_condition_for_replacements_keeps_pins(store, driver):
    store.refused = {"If-Match": (501, "NotImplemented")}
    for i in (0, 0, 1, 1):
        driver.run(f"save(rows(1).selectExpr('id', 'v AS v{i}'), 's3a://half/t', **{{'shredding.pinMinRows': '1'}})")
    assert set(json.loads(store.objects["half/t/_shredding/shapes.json"][0])["columns"]) == {"v0", "v1"}


def test_the_first_write_survives_a_lost_answer_to_its_probe(store, driver):
    store.lost, store.to_lose = r"/\.[0-9a-f-]{36}\.tmp$", 1
    driver.run('save(rows(1), "s3a://probe/t", table="delta")')
    assert store.to_lose == 0
    assert driver.run('answer = ids("s3a://probe/t")') == [1]


CONFLICT = (409, "ConditionalRequestConflict")


def test_writes_are_tried_again_where_the_store_answers_with_a_conflict(store, driver):
    path, pinned = "s3a://conflict/t", "**{'shredding.pinMinRows': '1'}"
    store.refused = dict.fromkeys(("If-None-Match", "If-Match"), CONFLICT)
    for i in (0, 0, 1, 1):
        store.times = 2
        driver.run(f'save(rows({i}), "{path}", table="delta")')
        assert store.times == 0
        store.times = 2
        driver.run(f"save(rows({i}).selectExpr('id', 'v AS v{i}'), '{path}2', {pinned})")
    assert driver.run(f'answer = ids("{path}")') == [0, 0, 1, 1]
    assert set(json.loads(store.objects["conflict/t2/_shredding/shapes.json"][0])["columns"]) == {"v0", "v1"}


def test_conflicts_that_do_not_end_are_an_error_that_says_what_to_do(store, driver):
    path, pinned = "s3a://stuck/t", "**{'shredding.pinMinRows': '1'}"
    first = f"save(rows(1), '{path}', {pinned})"
    driver.run(first)
    driver.run(f'save(rows(1), "{path}2", table="delta")')
    store.refused = dict.fromkeys(("If-None-Match", "If-Match"), CONFLICT)
    sentence = "SHREDDED_VARIANT_STORE_CONFLICT.*'s3a://stuck/t/_shredding.*write again"
    assert re.search(sentence, driver.run(f"answer = refused(lambda: {first})"))
    assert "SHREDDED_VARIANT_DELTA_COMMIT" in driver.run(f"answer = refused(lambda: save(rows(1), '{path}2'))")
    store.refused = {}
    driver.run(first)
    store.refused = {"If-Match": CONFLICT}
    second = f"save(rows(1).selectExpr('id', 'v AS w'), '{path}', {pinned})"
    driver.run(second)
    assert re.search(sentence, driver.run(f"answer = refused(lambda: {second})"))


def test_pins_of_a_directory_are_created_and_replaced_on_a_condition(store, drivers):
    path, pins = "s3a://pins/t", "pins/t/_shredding/shapes.json"
    first = f"save(rows(1), '{path}', **{{'shredding.pinMinRows': '1'}})"
    drivers[0].run(first)
    for driver in drivers:
        driver.begin(first)
    for driver in drivers:
        driver.end()
    assert store.asked("PUT If-None-Match", pins) and not store.asked("PUT", pins)
    second = "save(rows(1).selectExpr('id', 'v', 'v AS w{0}'), '" + path + "', **{{'shredding.pinMinRows': '1'}})"
    for _ in range(2):
        for i, driver in enumerate(drivers):
            driver.begin(second.format(i))
        for driver in drivers:
            driver.end()
    assert store.asked("PUT If-Match", pins) and not store.asked("PUT", pins)
    assert set(json.loads(store.objects[pins][0])["columns"]) == {"v", "w0", "w1"}
    assert [key for key in store.keys("pins/t/_shredding/") if not key.endswith("/")] == [pins]


def test_a_refused_replacement_does_not_change_the_table(driver):
    replace = (
        "spark.sql(\"CREATE OR REPLACE TABLE kept USING shredded_variant LOCATION 's3a://off/kept' "
        "OPTIONS (table 'delta') AS SELECT 2L AS id\")"
    )
    kept = "answer = (spark.catalog.tableExists('kept'), [r[0] for r in spark.table('kept').select('id').collect()])"
    driver.run("spark.sql(\"CREATE TABLE kept (id BIGINT) USING shredded_variant LOCATION 's3a://off/kept'\")")
    driver.run("spark.sql('INSERT INTO kept SELECT 1L')")
    assert "SHREDDED_VARIANT_NOT_EXCLUSIVE" in driver.run(f"answer = refused(lambda: {replace})")
    assert driver.run(kept) == [True, [1]]


def test_pins_are_refused_where_two_drivers_could_both_create_them(store, driver):
    store.keeps_conditions = False
    path, pinned = "s3a://unpinned/t", "**{'shredding.pinMinRows': '1'}"
    driver.run(f"save(rows(1), '{path}', {pinned})")
    refusal = driver.run(f"answer = refused(lambda: save(rows(2), '{path}', {pinned}))")
    assert "SHREDDED_VARIANT_NOT_EXCLUSIVE" in refusal
    driver.run(f"save(rows(2), '{path}', **{{'shredding.pin': 'none'}})")
    driver.run(f"save(rows(3), '{path}', singleDriver='true', {pinned})")
    assert driver.run(f"answer = ids('{path}')") == [1, 2, 3]


# Actions on tables below the prefix `{0}`, and the rows that they read.
BELOW = """
save(rows(1, 2), "{0}/files")
save(rows(3), "{0}/files")
in_sql = spark.sql("SELECT id FROM shredded_variant.`{0}/files`")
answer = [ids("{0}/files"), ids("{0}/f*s"), [r[0] for r in in_sql.collect()]]
save(rows(1), "{0}/t", "error", table="delta")
save(rows(2), "{0}/t")
save(rows(4), "{0}/t", "overwrite")
spark.sql("CREATE TABLE below USING shredded_variant LOCATION '{0}/t'")
spark.sql("INSERT INTO below SELECT 5L, parse_json('1')")
answer += [ids("{0}/t"), spark.table("below").count()]
query = spark.readStream.format("shredded_variant").load("{0}/t").writeStream.format("shredded_variant")
query = query.option("checkpointLocation", "{0}/c").option("table", "delta").trigger(availableNow=True).start("{0}/s")
query.awaitTermination()
answer += [ids("{0}/s")]
spark.sql("DROP TABLE below")
"""


def test_everything_works_with_permissions_for_one_prefix(store, driver):
    store.allowed = "prefix/teams/ours/"
    answer = driver.run(BELOW.format("s3a://prefix/teams/ours"))
    assert [sorted(a) if isinstance(a, list) else a for a in answer] == [[1, 2, 3]] * 3 + [[4, 5], 2, [4, 5]]


def test_a_delta_table_in_a_parent_directory_is_found_if_permissions_allow(store, driver):
    driver.run('save(rows(1), "s3a://above/t", table="delta")')
    for code in ("load('s3a://above/t/p=1/').count()", "save(rows(1), 's3a://above/t/p=1')"):
        assert "SHREDDED_VARIANT_INSIDE_DELTA_TABLE" in driver.run(f"answer = refused(lambda: {code})")


def test_a_denied_table_is_an_error_that_names_the_denial(store, driver):
    store.allowed = "denied/else/"
    assert "AccessDenied" in driver.run("answer = refused(lambda: load('s3a://denied/t').count())")


# Actions on the table of a kind, which is `a/t`: each asks once whether a directory above the table is a Delta table.
ASKING = {
    "load": "load('{0}').count()",
    "load with a filter": "load('{0}').where('v:a::int = 1').count()",
    "append": "save(rows(3), '{0}')",
    "overwrite": "save(rows(3), '{0}', 'overwrite')",
    "in SQL": "spark.sql('SELECT * FROM shredded_variant.`{0}`').count()",
    "insert": "spark.sql('INSERT INTO {1} SELECT 1L, NULL')",
}
READS = ["load", "load with a filter", "load with a schema", "a pattern"]
FILES = {
    "load with a schema": "spark.read.format('shredded_variant').schema('id BIGINT').load('{0}').count()",
    "a pattern": "load('{0}/*.parquet').count()",
    "a directory": "spark.sql(\"INSERT OVERWRITE DIRECTORY '{0}' USING shredded_variant SELECT 1L AS id, NULL AS v\")",
    "a new directory": "save(rows(3), '{0}/../new{1}', 'error')",
}


@pytest.mark.parametrize(
    ("kind", "what"),
    [*((kind, what) for kind in ("files", "delta") for what in ASKING), *(("files", w) for w in FILES)],
)
def test_a_directory_above_a_table_is_asked_once_whether_it_is_a_delta_table(store, driver, kind, what):
    name = f"asked_{kind}"
    path = f"s3a://asked-{kind}/a/t"
    code = (ASKING | FILES)[what].format(path, name)
    driver.run(f"save(rows(1, 2), '{path}', 'overwrite'{', table=' + repr(kind) if kind == 'delta' else ''})")
    driver.run(f"spark.sql(\"CREATE TABLE IF NOT EXISTS {name} USING shredded_variant LOCATION '{path}'\")")
    store.requests.clear()
    driver.run(code)
    asked = Counter(p for p in store.asked("HEAD", "_delta_log") if p.endswith("_delta_log"))
    above = {p: n for p, n in asked.items() if p in (f"asked-{kind}/_delta_log", f"asked-{kind}/a/_delta_log")}
    assert above and max(above.values()) == 1, asked
    # A write also asks the table itself in its checks and in its plan.
    limit = 1 if what in READS else 4 if what == "insert" else 3
    assert max(asked.values()) <= limit, asked
