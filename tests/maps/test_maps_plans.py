"""Each form of lookup gives the rows of a plain Parquet map, in each plan, for each map and for each odd key."""

import pytest

from map_cases import COLUMNS, EXPLODED, FILES, FORMS, ODD_KEYS, PLANS, SCHEMA, form, quoted, rows
from path_queries import Pair

KEY_FORMS = ["{{m}}[{k}]", "element_at({{m}}, {k})", "try_element_at({{m}}, {k})", "map_contains_key({{m}}, {k})"]


@pytest.fixture(scope="module")
def pair(spark, tmp_path_factory):
    pair = Pair(spark, tmp_path_factory.mktemp("map-plans"))
    pair.add("t", [(spark.createDataFrame(rows(100 * i), SCHEMA), options) for i, options in enumerate(FILES)])
    yield pair
    pair.drop("t")


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("column", COLUMNS)
def test_each_form_in_each_plan_gives_what_spark_gives(pair, column, name, plan):
    difference = pair.difference(form(plan, FORMS[name], column), must_answer=True)
    assert difference is None, difference


@pytest.mark.parametrize("plan", EXPLODED)
@pytest.mark.parametrize("column", COLUMNS)
def test_maps_taken_apart_give_what_spark_gives(pair, column, plan):
    difference = pair.difference(EXPLODED[plan].format(m=column), must_answer=True)
    assert difference is None, difference


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("key", ODD_KEYS, ids=ascii)
def test_an_odd_key_in_each_plan_gives_what_spark_gives(pair, key, plan):
    """A filter with another form for each key, and all forms in the projection."""
    forms = [f.format(k=quoted(key)) for f in KEY_FORMS]
    if plan == "projection":
        result = pair.column_differences([f.format(m=m) for m in ("m", "s.m") for f in forms])
        assert not result, "\n".join(result.values())
    else:
        chosen = forms[ODD_KEYS.index(key) % len(forms)]
        difference = pair.difference(form(plan, chosen), must_answer=True)
        assert difference is None, difference
