"""A query on maps gives the rows of a plain Parquet map, in any plan, and reads only the keys that it needs."""

import pytest

from map_cases import FILES, LOOKUPS, QUERIES, SCHEMA, WHOLE, rows
from path_queries import LATE, Pair, leaves, settings

SETTINGS = {
    "without ANSI": ({"spark.sql.ansi.enabled": "false"}, {}),
    "without whole-stage code": ({}, {"spark.sql.codegen.wholeStage": "false"}),
    "interpreted": ({}, {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}),
    "in batches of three": ({}, {"spark.sql.parquet.columnarReaderBatchSize": "3"}),
    "off heap": ({}, {"spark.sql.columnVector.offheap.enabled": "true"}),
    "attached late": ({}, LATE),
    "case sensitive": ({"spark.sql.caseSensitive": "true"}, {}),
}


@pytest.fixture(scope="module")
def pair(spark, tmp_path_factory):
    pair = Pair(spark, tmp_path_factory.mktemp("maps"))
    frames = [(spark.createDataFrame(rows(100 * i), SCHEMA), options) for i, options in enumerate(FILES)]
    pair.add("t", frames)
    yield pair
    pair.drop("t")


@pytest.fixture(scope="module")
def differences(pair):
    """The differences of all expressions: from two queries, or one by one if these differ."""
    return {**pair.column_differences(LOOKUPS), **pair.column_differences(WHOLE)}


@pytest.mark.parametrize("expression", LOOKUPS)
def test_a_lookup_gives_what_spark_gives(differences, expression):
    assert differences.get(expression) is None, differences.get(expression)


@pytest.mark.parametrize("expression", WHOLE)
def test_a_whole_map_has_the_entries_that_were_written(differences, expression):
    assert differences.get(expression) is None, differences.get(expression)


@pytest.mark.parametrize("query", [query for query, _ in QUERIES])
def test_a_plan_gives_what_spark_gives(pair, query):
    difference = pair.difference(query, must_answer=True)
    assert difference is None, difference


@pytest.mark.parametrize(("query", "expected"), QUERIES)
def test_a_plan_reads_only_the_leaves_that_it_needs(pair, query, expected):
    assert leaves(pair.ours.sql(query)) == set(expected)
    with settings(pair.ours, LATE):
        assert leaves(pair.ours.sql(query)) == set(expected)


@pytest.mark.parametrize("setting", SETTINGS)
def test_session_settings_change_the_answers_as_they_change_sparks(pair, setting):
    meaning, ours = SETTINGS[setting]
    result = [pair.difference(query, meaning, ours) for query, _ in QUERIES[::3]]
    result += pair.column_differences(LOOKUPS[::2] + WHOLE[::3], meaning=meaning, ours=ours).values()
    result = [difference for difference in result if difference]
    assert not result, "\n\n".join(result)
