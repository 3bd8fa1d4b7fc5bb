"""Whole maps are read by every route, also from tables whose columns and hot keys have changed."""

import pytest

from map_cases import hot
from tables import FORMAT, load, ours_and_plain, write

ROWS = [(0, {"a": "1", "x": "2"}), (1, {"a": None, "b": "3"}), (2, {}), (3, None), (4, {"x": None, "b": "5"})]
SCHEMA = "id INT, m MAP<STRING, STRING>, s STRUCT<m: MAP<STRING, STRING>>"
ASKED = (
    "m",
    "m['a']",
    "m['x']",
    "size(m)",
    "sort_array(map_keys(m))",
    "map_contains_key(m, 'b')",
    "s.m['b']",
    "size(s.m)",
)


@pytest.fixture(scope="module")
def table(spark, tmp_path_factory):
    """Two files with other hot keys, and one without any."""
    path = tmp_path_factory.mktemp("map-routes") / "t"
    df = spark.createDataFrame([(i, m, (m,)) for i, m in ROWS], SCHEMA).coalesce(1)
    for options in (hot("m", ["a", "b"], **{"s.m": ["b"]}), hot("m", ["x"]), {}):
        write(df, path, mode="append", **options)
    return str(path)


@pytest.fixture(scope="module")
def wanted(spark):
    df = spark.createDataFrame([(i, m, (m,)) for i, m in ROWS], SCHEMA)
    return rows(df.union(df).union(df))


def rows(df):
    assert df.columns == ["id", "m", "s"]
    assert df.schema.simpleString() == "struct<id:int,m:map<string,string>,s:struct<m:map<string,string>>>"
    return sorted(map(repr, (tuple(_sorted(v) for v in r) for r in df.selectExpr("id", *ASKED).collect())))


def _sorted(value):
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def test_load_gives_whole_maps(spark, table, wanted):
    assert rows(load(spark, table, schema=None)) == wanted
    assert rows(load(spark, table, schema=None, mergeSchema="true")) == wanted
    assert rows(load(spark, table, schema=SCHEMA)) == wanted


def test_path_sql_gives_whole_maps(spark, table, wanted):
    assert rows(spark.sql(f"SELECT * FROM {FORMAT}.`{table}`")) == wanted
    result = spark.sql(f"SELECT id, m['b'] FROM {FORMAT}.`{table}` WHERE m['b'] IS NOT NULL AND size(m) > 1")
    assert sorted(map(tuple, result.collect())) == [(1, "3")] * 3 + [(4, "5")] * 3


def test_a_stream_gives_whole_maps(spark, table, wanted, tmp_path):
    stream = spark.readStream.format(FORMAT).schema(SCHEMA).load(table)
    to = stream.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "check"))
    to.trigger(availableNow=True).start(str(tmp_path / "read")).awaitTermination()
    assert rows(spark.read.parquet(str(tmp_path / "read"))) == wanted


def test_a_stream_writes_hot_keys(spark, table, wanted, tmp_path):
    load(spark, table, schema=None).write.parquet(str(tmp_path / "source"))
    rows_ = spark.readStream.schema(SCHEMA).parquet(str(tmp_path / "source"))
    to = rows_.writeStream.format(FORMAT).options(**hot("m", ["a", "x"]))
    to = to.option("checkpointLocation", str(tmp_path / "check"))
    to.trigger(availableNow=True).start(str(tmp_path / "t")).awaitTermination()
    assert rows(load(spark, tmp_path / "t", schema=None)) == wanted
    assert rows(spark.read.format(FORMAT).load(str(tmp_path / "t"))) == wanted


def test_maps_and_their_hot_keys_may_differ_from_file_to_file(spark, tmp_path):
    """A map is added, a map is left out, a struct with a map gets a field, and the columns have another order."""
    write(spark.sql("SELECT 1 AS id, map('a', 1, 'x', 2) AS m").coalesce(1), tmp_path / "t", **hot("m", ["a"]))
    later = "SELECT 2 AS id, named_struct('m', map('k', 'v', 'y', 'z')) AS s, map('x', 3) AS m"
    write(spark.sql(later), tmp_path / "t", mode="append", **hot("m", ["x"], **{"s.m": ["k"]}))
    write(spark.sql("SELECT named_struct('n', 5, 'm', map('k', 'w')) AS s, 3 AS id"), tmp_path / "t", mode="append",
          **hot("s.m", ["y"]))  # fmt: skip
    table = load(spark, tmp_path / "t", schema=None, mergeSchema="true")
    assert set(table.columns) == {"id", "m", "s"}
    result = table.selectExpr("id", "m", "m['a']", "m['x']", "s.m", "s.m['k']", "s.m['y']", "size(s.m)", "s.n")
    assert [r[:] for r in result.orderBy("id").collect()] == [
        (1, {"x": 2, "a": 1}, 1, 2, None, None, None, None, None),
        (2, {"x": 3}, None, 3, {"y": "z", "k": "v"}, "v", "z", 2, None),
        (3, None, None, None, {"k": "w"}, "w", None, 1, 5),
    ]
    assert [r.id for r in table.where("m['x'] = 3 OR s.m['k'] = 'w'").orderBy("id").collect()] == [2, 3]


def test_keys_of_another_collation_are_found_as_spark_finds_them(spark, tmp_path):
    """Files have no bounds in the order of a collation: whole maps are read, and hot keys keep their columns."""
    df = spark.range(0, 5, 1, 1).selectExpr(
        "CAST(id AS INT) AS id", "map('A', id, 'b', id + 1, concat('É', id), id) AS m"
    )
    write(df, tmp_path / "t", **hot("m", ["A", "b", "É1"]))
    write(df, tmp_path / "t", mode="append")
    df.union(df).write.parquet(str(tmp_path / "plain"))
    collated = "id INT, m MAP<STRING COLLATE UTF8_LCASE, BIGINT>"
    ours = load(spark, tmp_path / "t", schema=collated)
    plain = spark.read.schema(collated).parquet(str(tmp_path / "plain"))
    of = "COLLATE UTF8_LCASE"
    for asked in ("m['a']", f"element_at(m, 'B' {of})", "m['é1']", f"map_contains_key(m, 'é1' {of})", "m['none']",
                  "size(m)", "cast(array_sort(map_keys(m)) AS ARRAY<STRING>)", "size(map_values(m))"):  # fmt: skip
        actual, wanted = (sorted(map(repr, d.selectExpr("id", asked).collect())) for d in (ours, plain))
        assert actual == wanted, asked
    for condition in ("m['a'] > 2", "m['É3'] IS NOT NULL AND size(m) = 3", "m['A'] = m['a']"):
        assert ours.where(condition).count() == plain.where(condition).count() > 0, condition
    assert [r.m for r in ours.where("id = 3").collect()] == [{"A": 3, "b": 4, "É3": 3}] * 2


# A column with the name that Spark, or this source, gives to a lookup: the lookup, and a filter.
NAMES = {
    "size(m)": ("size(m)", "size(m) > 1"),
    "size(m)::INT": ("size(m)", "size(m) > 1"),
    "map_keys(m)": ("sort_array(map_keys(m))", "array_contains(map_keys(m), 'b')"),
    "m['a']::STRING": ("m['a']", "m['a'] = '1'"),
    "M['A']::string": ("m['a']", "m['a'] = '1'"),
    "map_contains_key(m, 'a')::BOOLEAN": ("map_contains_key(m, 'a')", "map_contains_key(m, 'a')"),
    "m present": ("m IS NULL", "m IS NULL"),
    "v.a::INT": ("v:a::int", "v:a::int > 1"),
}


@pytest.mark.parametrize("name", NAMES)
def test_columns_with_the_names_of_lookups_and_paths_are_distinguished_from_them(spark, tmp_path, name):
    asked, condition = NAMES[name]
    df = spark.createDataFrame(ROWS, "id INT, m MAP<STRING, STRING>").coalesce(1)
    df = df.selectExpr("id", "m", "to_variant_object(named_struct('a', id)) AS v", f"-id AS `{name}`")
    tables = ours_and_plain(df, tmp_path, **hot("m", ["a"]))
    for columns in (["id", asked], ["id", f"`{name}`"], ["id", f"`{name}`", asked, "m", "to_json(v)"]):
        actual, wanted = (
            [tuple(map(_sorted, r)) for r in d.where(condition).orderBy("id").selectExpr(*columns).collect()]
            for d in tables
        )
        assert actual == wanted and actual, columns


def test_keys_that_differ_in_case_alone_give_their_own_parts_of_structs(spark, tmp_path):
    """Spark prunes fields by names without regard to case, unless a setting says otherwise."""
    structs = "named_struct('x', id, 'y', -id), named_struct('x', id + 10, 'y', id + 20)"
    df = spark.range(0, 4, 1, 1).selectExpr("id", f"map_from_arrays(array('a', 'A'), array({structs})) AS m")
    df = df.selectExpr("*", "to_variant_object(m) AS v")
    table = load(spark, write(df, tmp_path / "t", **hot("m", ["a", "A"])), schema=None)
    typed = "variant_get(v, '$.{}', 'STRUCT<{}: INT, y: INT>').{}"
    asked = [
        "m['a'].x", "m['A'].y", "m.a.y", "element_at(m, 'A').x",
        typed.format("a", "x", "x"), typed.format("A", "x", "y"), typed.format("A", "X", "X"),
    ]  # fmt: skip
    for columns in ([asked[0], asked[1]], [asked[4], asked[5]], asked):
        actual, wanted = (sorted(map(tuple, d.selectExpr(*columns).collect())) for d in (table, df))
        assert actual == wanted, columns


def test_maps_in_structs_in_structs_have_hot_keys(spark, tmp_path):
    inner = "named_struct('m', IF(id = 2, NULL, map('k', id, 'x', -id)), 'id', id)"
    df = spark.range(0, 4, 1, 1).selectExpr(f"named_struct('a', IF(id = 1, NULL, {inner})) AS s")
    table = load(spark, write(df, tmp_path / "t", **hot("s.a.m", ["k"])), schema=None)
    (file,) = spark.read.parquet(str(tmp_path / "t")).selectExpr("s.a.*").columns[-1:]
    assert file == "__paimon_map_shred_m_0"
    for asked in ("s.a.m", "s.a.m['k']", "s.a.m.x", "size(s.a.m)", "map_keys(s.a.m)", "s.a.m IS NULL", "s.a.id"):
        actual, expected = (sorted(map(repr, d.selectExpr(asked).collect())) for d in (table, df))
        assert [_plain(r) for r in actual] == [_plain(r) for r in expected], asked
    assert table.where("s.a.m['k'] >= 0").count() == 2


def _plain(text):
    """The characters of a map's text, whatever the order of its entries."""
    return sorted(text)
