"""Maps of any value type, whole, by a hot key and by a cold key, give the rows of a plain Parquet map."""

import pytest

from map_cases import hot
from path_queries import Pair

# SQL of a value of each type; maps have the value by a hot key, by a cold key, or NULL in its place.
TYPES = {
    "BOOLEAN": "id % 2 = 0",
    "TINYINT": "CAST(id AS TINYINT)",
    "SMALLINT": "CAST(id * 1000 AS SMALLINT)",
    "INT": "CAST(-id AS INT)",
    "BIGINT": "id * 10000000000",
    "FLOAT": "CAST(id / 3 AS FLOAT)",
    "DOUBLE": "IF(id = 2, double('NaN'), id / 7)",
    "DECIMAL(5,2)": "CAST(id + 0.25 AS DECIMAL(5,2))",
    "DECIMAL(38,10)": "CAST(id * 12345678901234567890 + 0.5 AS DECIMAL(38,10))",
    "STRING": "concat('é', id)",
    "STRING COLLATE UTF8_LCASE": "CAST(concat('É', id) AS STRING COLLATE UTF8_LCASE)",
    "BINARY": "unhex('00ff')",
    "DATE": "date_add(DATE'0999-12-31', CAST(id * 100000 AS INT))",
    "TIMESTAMP": "timestampadd(DAY, id * 99999, TIMESTAMP'1001-01-01 01:02:03.456789')",
    "TIMESTAMP_NTZ": "timestampadd(DAY, id, TIMESTAMP_NTZ'2020-01-01 01:02:03.456789')",
    "INTERVAL DAY TO SECOND": "make_dt_interval(id, 1, 2, 3.5)",
    "INTERVAL YEAR TO MONTH": "make_ym_interval(id, 5)",
    "ARRAY<INT>": "IF(id = 1, array(), array(CAST(id AS INT), NULL))",
    "ARRAY<ARRAY<STRING>>": "array(array('x', CAST(id AS STRING)), NULL, array())",
    "STRUCT<x: INT, y: STRUCT<z: STRING>>": "named_struct('x', CAST(id AS INT), 'y', named_struct('z', 'é'))",
    "MAP<STRING, BIGINT>": "map('i', id, 'j', NULL)",
    "MAP<INT, ARRAY<DATE>>": "map(1, array(DATE'2020-01-01'))",
    "VARIANT": """parse_json(concat('{"a":', id, ',"b":[1,"x",null]}'))""",
    "STRUCT<v: VARIANT, w: ARRAY<VARIANT>>": (
        "named_struct('v', parse_json('[1]'), 'w', array(parse_json('null'), NULL))"
    ),
}
# Parts of values that are structs or maps.
PARTS = {
    "ARRAY<INT>": ["m['hot'][0]", "size(m['cold'])"],
    "STRUCT<x: INT, y: STRUCT<z: STRING>>": ["m['hot'].x", "m['cold'].y.z", "map_values(m).x"],
    "MAP<STRING, BIGINT>": ["m['hot']['i']", "m['cold'].j", "map_keys(m['hot'])"],
    "VARIANT": ["m['hot']:a::int", "m['cold']:b[1]::string", "to_json(m['hot'])"],
    "STRUCT<v: VARIANT, w: ARRAY<VARIANT>>": ["m['hot'].v[0]::int", "to_json(m['cold'].v)", "size(m['hot'].w)"],
}


@pytest.fixture(scope="module")
def pair(spark, tmp_path_factory):
    pair = Pair(spark, tmp_path_factory.mktemp("map-values"))
    names = {ddl: f"t{i}" for i, ddl in enumerate(TYPES)}
    for ddl, value in TYPES.items():
        of = f"CAST({value} AS {ddl})" if "VARIANT" not in ddl else value
        maps = (
            f"CASE WHEN id < 4 THEN map('hot', {of}, 'cold', {of}) WHEN id = 4 THEN map('cold', {of})"
            f" WHEN id = 5 THEN map('hot', CAST(NULL AS {ddl})) WHEN id = 6 THEN NULL ELSE map('hot', {of}) END"
        )
        rows = spark.range(0, 8, 1, 1).selectExpr("CAST(id AS INT) AS id", f"{maps} AS m")
        pair.add(names[ddl], [(rows, hot("m", ["hot", "other"])), (rows, {})])
    yield pair, names
    pair.drop(*names.values())


@pytest.mark.parametrize("ddl", TYPES)
def test_values_of_a_type_come_back(pair, ddl):
    pair, names = pair
    # The presence of a key comes first in the query; its levels must not decide how the values are read.
    first = pair.column_differences(["map_contains_key(m, 'hot')", "size(m)", "m['hot']"], source=names[ddl])
    assert not first, "\n".join(first.values())
    asked = ["m", "m['hot']", "element_at(m, 'cold')", "map_contains_key(m, 'hot')", *PARTS.get(ddl, [])]
    result = pair.column_differences(asked, source=names[ddl])
    assert not result, "\n".join(result.values())
    for query in ("SELECT id FROM {} WHERE m['hot'] IS NOT NULL", "SELECT count(m['hot']), count(m['cold']) FROM {}"):
        difference = pair.difference(query.format(names[ddl]), must_answer=True)
        assert difference is None, difference


@pytest.mark.parametrize("ddl", [d for d in TYPES if not d.startswith(("MAP", "STRUCT", "VARIANT"))])
def test_values_of_a_type_are_compared_as_spark_does(pair, ddl):
    """Without `max` of other collations: Spark's interpreted `max` returns a value that the next row overwrites."""
    pair, names = pair
    for query in (
        "SELECT id FROM {} WHERE m['hot'] >= (SELECT max(m['hot']) FROM {} WHERE id < 2)",
        "SELECT CAST(min(m['hot']) AS STRING), CAST(max(m['cold']) AS STRING) FROM {}",
        "SELECT a.id FROM {} a JOIN {} b ON a.m['hot'] = b.m['cold']",
        "SELECT id FROM {0} WHERE m['hot'] IN (SELECT m['cold'] FROM {0} WHERE id IN (1, 2))",
        "SELECT CAST(m['hot'] AS STRING), count(*), max(id) FROM {} GROUP BY m['hot']",
        "SELECT CAST(x AS STRING) FROM (SELECT DISTINCT m['cold'] AS x FROM {})",
    ):
        if "COLLATE" in ddl and "max(m['cold'])" in query:
            continue
        difference = pair.difference(query.format(names[ddl], names[ddl]), must_answer=True)
        assert difference is None, difference


def test_dates_and_times_of_the_julian_calendar_are_read(spark, tmp_path):
    """Columns of hot keys use the calendar of the file, like the residual."""
    rows = spark.range(0, 3, 1, 1).selectExpr("map('hot', date_add(DATE'0999-12-31', CAST(id AS INT))) AS m")
    expected = [r[0]["hot"] for r in rows.collect()]
    key = "spark.sql.parquet.datetimeRebaseModeInWrite"
    spark.conf.set(key, "LEGACY")
    try:
        rows.write.format("shredded_variant").options(**hot("m", ["hot"])).save(str(tmp_path / "t"))
    finally:
        spark.conf.unset(key)
    table = spark.read.format("shredded_variant").load(str(tmp_path / "t"))
    assert [r[0]["hot"] for r in table.select("m").collect()] == expected
    assert [r[0] for r in table.selectExpr("m['hot']").collect()] == expected
    assert table.where("m['hot'] = DATE'0999-12-31'").count() == 1
