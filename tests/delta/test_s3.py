"""Commits and pins on S3 through Hadoop's S3A, with a server on loopback: concurrent drivers lose no rows.

`make test` runs short series of appends, FUZZ=1 long ones.
"""

import json
import re
from collections import Counter

import pytest

from fuzz import FUZZ

pytestmark = [pytest.mark.fuzz, pytest.mark.usefixtures("usual")]


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
