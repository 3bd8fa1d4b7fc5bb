"""EXPLAIN shows just the leaves that a query needs, in every plan form."""

import pytest
from explain_cases import CASES
from path_cases import t_and_u
from path_queries import reads_only


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    yield from t_and_u(spark, tmp_path_factory.mktemp("explained"))


@pytest.mark.parametrize(("query", "wanted"), CASES)
def test_a_plan_reads_only_its_leaves(tables, query, wanted):
    reads_only(tables.ours.sql(query), wanted)
