"""EXPLAIN shows just the leaves that a query needs, in every plan form, and why a variant is read whole."""

import re

import pytest
from explain_cases import CASES, WHOLE
from path_cases import t_and_u
from path_queries import LATE, explained, reads_only, settings


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    yield from t_and_u(spark, tmp_path_factory.mktemp("explained"))


@pytest.mark.parametrize(("query", "wanted"), CASES)
def test_a_plan_reads_only_its_leaves(tables, query, wanted):
    reads_only(tables.ours.sql(query), wanted)


@pytest.mark.parametrize(("query", "wanted"), CASES)
def test_a_session_that_attached_late_reads_the_same_leaves(tables, query, wanted):
    with settings(tables.ours, LATE):
        reads_only(tables.ours.sql(query), wanted)


@pytest.mark.parametrize(("query", "reasons"), WHOLE)
def test_a_variant_that_is_read_whole_has_its_reason(tables, query, reasons):
    assert re.findall(r"^Whole: \[(.*)\]$", explained(tables.ours.sql(query)), re.MULTILINE) == reasons
