"""EXPLAIN shows just the leaves that a query needs, in every plan form."""

import pytest
from explain_cases import CASES
from path_cases import FILES, SCHEMA, other_row, row
from path_queries import Pair, reads_only


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    pair = Pair(spark, tmp_path_factory.mktemp("explained"))
    pair.add("t", [(spark.createDataFrame([row(i) for i in ids], SCHEMA), options) for ids, options in FILES])
    u = spark.createDataFrame([other_row(i) for i in range(20)], "id INT, v VARIANT")
    pair.add("u", [(u, {"shredding.shape.v": "i BIGINT, t STRING, o STRUCT<p INT>"})])
    yield pair
    pair.drop("t", "u")


@pytest.mark.parametrize(("query", "wanted"), CASES)
def test_a_plan_reads_only_its_leaves(tables, query, wanted):
    reads_only(tables.ours.sql(query), wanted)
