"""Each lookup form in each plan gives what Spark gives over a plain Parquet map."""

import pytest
from map_cases import COLUMNS, EXPLODED, FILES, FORMS, PLANS, SCHEMA, form, rows
from path_queries import Pair


@pytest.fixture(scope="module")
def pair(spark, tmp_path_factory):
    pair = Pair(spark, tmp_path_factory.mktemp("map-plans"))
    pair.add("t", [(spark.createDataFrame(rows(100 * i), SCHEMA), options) for i, options in enumerate(FILES)])
    yield pair
    pair.drop("t")


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("column", COLUMNS[:1])
def test_each_form_in_each_plan_gives_what_spark_gives(pair, column, name, plan):
    difference = pair.difference(form(plan, FORMS[name], column), must_answer=True)
    assert difference is None, difference


@pytest.mark.parametrize("plan", EXPLODED)
@pytest.mark.parametrize("column", COLUMNS[:1])
def test_maps_taken_apart_give_what_spark_gives(pair, column, plan):
    difference = pair.difference(EXPLODED[plan].format(m=column), must_answer=True)
    assert difference is None, difference
