"""EXPLAIN names each predicate that is used to skip, and each other predicate with the reason."""

import pytest

from path_queries import skipping_shown
from tables import FORMAT, write

SHAPE = "n BIGINT, i INT, s STRING, l ARRAY<INT>, `sp ace` STRING, o STRUCT<p: BIGINT>"


@pytest.fixture(scope="module")
def table(spark, tmp_path_factory):
    rows = spark.range(0, 3, 1, 1).selectExpr(
        "id", "map('k', id) AS m", "named_struct('x', id) AS plain", "make_dt_interval(id) AS span",
        """parse_json('{"n":1,"i":1,"s":"x","l":[1],"sp ace":"y","o":{"p":1}}') AS v""",
    )  # fmt: skip
    options = {"parquet.map.shredding.columns": "m", "parquet.map.shredding.m.keys": "k"}
    return spark.read.format(FORMAT).load(
        write(rows, tmp_path_factory.mktemp("explained") / "t", shredding__shape__v=SHAPE, **options)
    )


@pytest.mark.parametrize(
    ("condition", "used", "unused"),
    [
        ("v:n::bigint > 5", "[v.n > 5]", "[]"),
        ("5 > v:n::bigint", "[v.n < 5]", "[]"),
        ("v:l[2]::int = 5 OR v:`sp ace`::string = 'x'", "[(v.l[2] = 5 OR v.`sp ace` = 'x')]", "[]"),
        ("NOT v:n::int <=> 5", "[NOT v.n <=> 5]", "[]"),
        ("v:n::bigint NOT IN (1, 2)", "[v.n NOT IN (1, 2)]", "[]"),
        ("v:s::string LIKE '%x'", "[]", "[endswith(v.s, 'x'): statistics cannot judge endswith]"),
        (
            "v:n::int > 5 AND length(v:s::string) = 3",
            "[v.n > 5]",
            "[(length(v.s) = 3): length is no column]",
        ),
        ("v:n::int > 5 OR length(v:s::string) = 3", "[]", "[(length(v.s) = 3): length is no column]"),
        (
            "v:s::string LIKE 'a_c%'",
            "[startswith(v.s, 'a')]",
            "[v.s LIKE 'a_c%': only the start of its pattern is judged]",
        ),
        (
            "v:s::string COLLATE UTF8_LCASE = ('x' COLLATE UTF8_LCASE)",
            "[]",
            "[(v.s = 'x' collate UTF8_LCASE): its collation has another order than bytes]",
        ),
        (
            "v:n::bigint = v:i::bigint",
            "[]",
            "[(v.n = coalesce(v.i, variant_get(v.i, '$'))): it compares with no constant]",
        ),
        ("v:s::string LIKE '_x%y'", "[]", "[v.s LIKE '_x%y': its pattern begins with a wildcard]"),
        (
            "CAST(id AS STRING) = '5'",
            "[id IS NOT NULL]",
            "[(CAST(id AS STRING) = '5'): it is cast to STRING]",
        ),
        (
            "_metadata.file_name = 'x'",
            "[]",
            "[(_metadata.`file_name` = 'x'): files have no statistics of _metadata.file_name]",
        ),
        ("to_json(v:o) = '{}'", "[]", "[(v.o = '{}'): it is JSON text, for which files have no statistics]"),
        (
            "map_contains_key(m, 'k')",
            "[]",
            "[map_contains_key(m, 'k'): it tests for a key, not for its value]",
        ),
        ("m IS NULL", "[]", "[(m IS NULL): files have no statistics of whole maps]"),
        ("span = INTERVAL '1' DAY", "[span IS NOT NULL, span = INTERVAL '1 00:00:00' DAY TO SECOND]", "[]"),
        (
            "plain = named_struct('x', 1L)",
            "[plain IS NOT NULL]",
            "[(plain = NAMED_STRUCT('x', 1L)): STRUCT<x: BIGINT> is not judged]",
        ),
        ("plain.x > 1 AND rand(5) < 2", "[plain.x IS NOT NULL, plain.x > 1]", "[]"),
        ("id IN (1, 2) OR v:s::string > 'a'", "[(id IN (1, 2) OR v.s > 'a')]", "[]"),
    ],
)
def test_explain_shows_used_predicates_and_unused_ones_with_the_reason(table, condition, used, unused):
    assert skipping_shown(table.where(condition).select("id")) == (used, unused)
