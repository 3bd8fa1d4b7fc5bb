"""Files of maps with hot keys: their columns, what other readers see, and which files of other writers are refused."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from map_cases import ODD_KEYS, hot, quoted
from map_files import ROWS, SCHEMA, entries, footer, foreign
from parquet_cells import data_files, only_file
from path_queries import settings
from shredded_variant import layout, verify
from tables import FORMAT, load, refusal, write


@pytest.fixture(scope="module")
def file(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("map-file") / "t"
    return only_file(write(spark.createDataFrame(ROWS, SCHEMA).coalesce(1), folder, **hot("m", ["a", "b"])))


def test_the_columns_and_the_footer_are_those_of_the_specification(file):
    schema = pq.read_schema(file)
    assert schema.names == ["id", "m", "__paimon_map_shred_m_0", "__paimon_map_shred_m_1"]
    assert pa.types.is_map(schema.field("m").type)
    assert footer(file)["paimon.map.shredding.m.keys"] == "a,b"


def test_a_value_is_in_its_column_and_a_null_in_the_residual(file):
    data = pq.read_table(file)
    assert [entries(m) for m in data["m"].to_pylist()] == [{"x": "2"}, {"a": None}, {}, None, {"x": None}]
    assert data["__paimon_map_shred_m_0"].to_pylist() == ["1", None, None, None, None]
    assert data["__paimon_map_shred_m_1"].to_pylist() == [None, "3", None, None, None]


def test_sparks_own_reader_reads_a_residual_map_and_the_hot_keys(spark, file):
    rows = spark.read.parquet(str(file)).orderBy("id").collect()
    assert [r["m"] for r in rows] == [{"x": "2"}, {"a": None}, {}, None, {"x": None}]
    assert [r["__paimon_map_shred_m_0"] for r in rows] == ["1", None, None, None, None]


def test_duckdb_reads_a_residual_map_and_the_hot_keys(file):
    rows = duckdb.sql(f"SELECT m, __paimon_map_shred_m_0 FROM '{file}' ORDER BY id").fetchall()
    assert rows == [({"x": "2"}, "1"), ({"a": None}, None), ({}, None), (None, None), ({"x": None}, None)]


def test_the_table_has_no_columns_of_hot_keys(spark, file):
    for options in ({}, {"mergeSchema": "true"}):
        table = load(spark, file, schema=None, **options)
        assert table.schema.simpleString() == "struct<id:int,m:map<string,string>>"
        assert [(r.id, r.m) for r in table.orderBy("id").collect()] == ROWS
    assert spark.sql(f"SELECT * FROM {FORMAT}.`{file}`").columns == ["id", "m"]


def test_hot_keys_come_after_the_residual(spark, tmp_path):
    rows = [(0, {"b": "1", "x": "2", "a": "3", "y": "4"})]
    table = write(spark.createDataFrame(rows, SCHEMA), tmp_path / "t", **hot("m", ["a", "b"]))
    assert load(spark, table, schema=None).selectExpr("map_keys(m)").first()[0] == ["x", "y", "a", "b"]


# hot keys: the text in the footer
FOOTERS = {
    ("a", "b"): "a,b",
    ("content-type", "x.y", "it's"): "content-type,x.y,it's",
    ("",): '[""]',
    ("a,b", "c"): '["a,b","c"]',
    (" a",): '[" a"]',
    ("[a",): "[a",
    ('["a"]',): r'["[\"a\"]"]',
}


@pytest.mark.parametrize("keys", FOOTERS)
def test_the_footer_lists_keys_by_commas_unless_that_is_ambiguous(spark, tmp_path, keys):
    rows = [(0, dict.fromkeys(keys, "v"))]
    table = write(spark.createDataFrame(rows, SCHEMA), tmp_path / "t", **hot("m", list(keys)))
    text = footer(data_files(table)[0])["paimon.map.shredding.m.keys"]
    assert text == FOOTERS[keys]
    assert load(spark, table, schema=None).first()["m"] == rows[0][1]


def test_any_key_may_be_hot(spark, tmp_path):
    rows = [(0, {key: f"<{key}>" for key in ODD_KEYS})]
    table = write(spark.createDataFrame(rows, SCHEMA).coalesce(1), tmp_path / "t", **hot("m", ODD_KEYS))
    assert pq.read_table(data_files(table)[0])["m"].to_pylist() == [[]]
    assert load(spark, table, schema=None).first()["m"] == rows[0][1]


def test_footers_name_maps_in_structs_by_their_paths(spark, tmp_path):
    df = spark.sql(
        "SELECT named_struct('m', map('a', 1), 'd.m', map('a', 2)) AS s, named_struct('m', map('a', 3)) AS `x.y`"
    )
    table = write(df, tmp_path / "t", **hot("s.m", ["a"], **{"s.`d.m`": ["a"], "`x.y`.m": ["a"]}))
    result = footer(data_files(table)[0])
    assert [k for k in sorted(result) if k.startswith("paimon")] == [
        "paimon.map.shredding.`x.y`.m.keys", "paimon.map.shredding.s.`d.m`.keys", "paimon.map.shredding.s.m.keys",
    ]  # fmt: skip
    names = [f.name for f in pq.read_schema(data_files(table)[0]).field("s").type]
    assert names == ["m", "d.m", "__paimon_map_shred_m_0", "__paimon_map_shred_d.m_0"]
    assert load(spark, table, schema=None).selectExpr("s.m['a']", "s.`d.m`['a']", "`x.y`.m.a").first()[:] == (1, 2, 3)


def test_the_default_of_a_session_gives_hot_keys_to_tables_that_have_the_map(spark, tmp_path):
    options = {f"spark.datasource.{FORMAT}.{k}": v for k, v in hot("m", ["a"], other=["b"]).items()}
    for key, value in options.items():
        spark.conf.set(key, value)
    try:
        with_map = write(spark.createDataFrame(ROWS, SCHEMA), tmp_path / "m")
        without = write(spark.range(1), tmp_path / "n")
    finally:
        for key in options:
            spark.conf.unset(key)
    assert footer(data_files(with_map)[0])["paimon.map.shredding.m.keys"] == "a"
    assert not [k for k in footer(data_files(without)[0]) if k.startswith("paimon")]


# ---- files of others ----

ONE, TWO = ["1", None, None, None, None], ["2", "3", None, None, None]
RESIDUAL = [(0, {"x": "2"}), *ROWS[1:]]
# name: (columns of hot keys, text of the footer)
FOREIGN = {
    "comma list": ({0: ONE, 1: TWO}, "p,q"),
    "padded comma list": ({0: ONE, 1: TWO}, " p , q "),
    "JSON list": ({0: ONE, 1: TWO}, '["p","q"]'),
    "columns in another order": ({1: TWO, 0: ONE}, "p,q"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_another_writer_is_read(spark, tmp_path, name):
    sidecars, keys = FOREIGN[name]
    foreign(tmp_path / "f.parquet", sidecars, keys, RESIDUAL)
    table = load(spark, tmp_path, schema=None)
    assert table.orderBy("id").first()["m"] == {"x": "2", "p": "1", "q": "2"}
    assert [r[0] for r in table.orderBy("id").selectExpr("m['q']").collect()] == TWO
    assert table.schema.names == ["id", "m"]


def test_a_footer_with_keys_and_no_columns_is_that_of_a_plain_map(spark, tmp_path):
    foreign(tmp_path / "f.parquet", {}, "p,q")
    assert [r["m"] for r in load(spark, tmp_path, schema=None).orderBy("id").collect()] == [m for _, m in ROWS]


def test_a_column_of_a_hot_key_without_its_map_is_a_plain_column(spark, tmp_path):
    pq.write_table(pa.table({"__paimon_map_shred_m_0": ["1"], "m_0": [2]}), tmp_path / "f.parquet")
    assert load(spark, tmp_path, schema=None).first()[:] == ("1", 2)


def test_keys_that_no_footer_names_are_those_of_the_option(spark, tmp_path):
    foreign(tmp_path / "f.parquet", {0: ONE, 1: TWO}, None, RESIDUAL)
    option = {"parquet.map.shredding.m.keys": "p,q"}
    for schema in (None, SCHEMA):
        table = load(spark, tmp_path, schema=schema, **option).orderBy("id")
        assert table.first()["m"] == {"x": "2", "p": "1", "q": "2"}
        assert [r[0] for r in table.selectExpr("m['p']").collect()] == ONE


@pytest.fixture
def unnamed(spark, tmp_path):
    """A file of odd hot keys in two maps; its footer does not name the keys."""
    rows = [(i, None if m is None else dict.fromkeys(ODD_KEYS, str(i)) | m) for i, m in ROWS]
    df = spark.createDataFrame([(i, m, (m,)) for i, m in rows], f"{SCHEMA}, s STRUCT<`d.m`: MAP<STRING, STRING>>")
    options = hot("m", ODD_KEYS, **{"s.`d.m`": ["x", *ODD_KEYS]})
    file = only_file(write(df.coalesce(1), tmp_path / "named", **options))
    spark.read.parquet(file).coalesce(1).write.parquet(str(tmp_path / "t"))
    assert not [k for k in footer(only_file(str(tmp_path / "t"))) if k.startswith("paimon")]
    return str(tmp_path / "t"), options, sorted(rows)


def same_maps(df, rows):
    assert sorted((r.id, r.m) for r in df.collect()) == rows
    assert sorted((r.id, r.s[0]) for r in df.collect()) == rows
    asked = [f"{m}[{quoted(key)}]" for key in (*ODD_KEYS, "x", "a") for m in ("m", "s.`d.m`")]
    for row, (_, m) in zip(df.orderBy("id").selectExpr(*asked).collect(), rows, strict=True):
        assert list(row) == [(m or {}).get(key) for key in (*ODD_KEYS, "x", "a") for _ in range(2)]


def test_an_option_names_odd_keys_and_those_of_maps_in_structs_by_every_route(spark, unnamed, tmp_path):
    path, options, rows = unnamed
    keys = {key: value for key, value in options.items() if key.endswith(".keys")}
    same_maps(load(spark, path, schema=None, **keys), rows)
    stream = spark.readStream.format(FORMAT).options(**keys).schema(load(spark, path, schema=None).schema).load(path)
    to = stream.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "check"))
    to.trigger(availableNow=True).start(str(tmp_path / "read")).awaitTermination()
    same_maps(spark.read.parquet(str(tmp_path / "read")), rows)
    with settings(spark, {f"spark.datasource.{FORMAT}.{key}": value for key, value in keys.items()}):
        same_maps(load(spark, path, schema=None), rows)
        same_maps(spark.sql(f"SELECT * FROM {FORMAT}.`{path}`"), rows)


def test_a_footer_may_name_a_map_with_dots_as_the_specification_does(spark, tmp_path):
    """Paimon has no hot keys for maps in structs, and does not quote names."""
    foreign(tmp_path / "f.parquet", {0: ONE, 1: TWO}, "p,q", RESIDUAL, column="x.y")
    table = load(spark, tmp_path, schema=None)
    assert table.orderBy("id").first()["x.y"] == {"x": "2", "p": "1", "q": "2"}
    assert [entry.path for entry in layout(tmp_path).entries if entry.depth] == ["['p']", "['q']"]
    assert verify(spark, str(tmp_path)).ok


def test_the_keys_in_a_footer_replace_those_of_the_option(spark, tmp_path):
    foreign(tmp_path / "f.parquet", {0: ONE}, "p", RESIDUAL)
    table = load(spark, tmp_path, schema=None, **{"parquet.map.shredding.m.keys": "z"})
    assert table.orderBy("id").first()["m"] == {"x": "2", "p": "1"}


LOOKS = ["m", "m['p']", "m['x']", "map_contains_key(m, 'p')", "m IS NULL", "size(m)", "map_keys(m)"]
# name: (columns of hot keys, footer, options, a part of the refusal)
MALFORMED = {
    "no names": ({0: ONE}, None, {}, ["UNNAMED_HOT_KEYS", r"parquet\.map\.shredding\.m\.keys"]),
    "more names than columns": ({0: ONE}, "p,q", {}, ["MALFORMED_MAP", "2 hot keys"]),
    "more columns than names": ({0: ONE, 1: TWO}, "p", {}, ["MALFORMED_MAP", "1 hot key"]),
    "a column left out": ({0: ONE, 2: TWO}, "p,q", {}, ["MALFORMED_MAP", "0, 2"]),
    "a name twice": ({0: ONE, 1: TWO}, "p,p", {}, ["MALFORMED_MAP", "twice"]),
    "an option with too few names": (
        {0: ONE, 1: TWO}, None, {"parquet.map.shredding.m.keys": "p"}, ["MALFORMED_MAP", "1 hot key"]),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_a_part_of_a_map_is_never_read(spark, tmp_path, name):
    sidecars, keys, options, mentions = MALFORMED[name]
    foreign(tmp_path / "f.parquet", sidecars, keys, RESIDUAL)
    table = load(spark, tmp_path, schema=None, **options)
    for look in LOOKS:
        refusal(lambda e=look: table.selectExpr(e).collect(), r"f\.parquet", "'m'", *mentions)
    refusal(lambda: table.where("m['p'] = '1'").collect(), r"f\.parquet")
    assert table.selectExpr("sum(id)").first()[0] == 10


def test_a_hot_key_of_another_type_than_the_map_is_refused(spark, tmp_path):
    foreign(tmp_path / "f.parquet", {0: [1, 2, 3, 4, 5]}, "p", RESIDUAL, kind=pa.int64())
    for look in ("m", "m['p']"):
        table = load(spark, tmp_path, schema=None)
        refusal(lambda t=table, e=look: t.selectExpr(e).collect(), r"f\.parquet", r"m\['p'\]|m_0")


def test_a_list_in_the_place_of_a_hot_key_is_refused(spark, tmp_path):
    foreign(tmp_path / "f.parquet", {0: [["1"]] * 5}, "p", RESIDUAL, kind=pa.list_(pa.string()))
    for look in ("m", "m['p']"):
        refusal(lambda e=look: load(spark, tmp_path, schema=None).selectExpr(e).collect(), r"f\.parquet", r"m\['p'\]")


def test_a_hot_key_of_a_map_that_is_null_is_refused(spark, tmp_path):
    foreign(tmp_path / "f.parquet", {0: ["1"] * 5}, "p", RESIDUAL)
    table = load(spark, tmp_path, schema=None)
    for look in ("m", "size(m)", "map_keys(m)"):
        refusal(lambda e=look: table.selectExpr(e).collect(), r"f\.parquet", "NULL", "'m'")


def test_a_column_that_is_not_a_map_in_the_file_is_refused(spark, tmp_path):
    pq.write_table(pa.table({"m": [["x"]]}), tmp_path / "f.parquet")
    table = load(spark, tmp_path, schema="m MAP<STRING, STRING>")
    for look in ("m", "m['p']", "map_contains_key(m, 'p')", "size(m)", "map_keys(m)"):
        refusal(lambda e=look: table.selectExpr(e).collect(), r"f\.parquet", r"\bm\b")


def test_a_key_that_occurs_twice_is_refused_if_it_is_hot(spark, tmp_path):
    pq.write_table(
        pa.table({"m": pa.array([[("a", "1"), ("a", "2"), ("b", "3")]], pa.map_(pa.string(), pa.string()))}),
        tmp_path / "twice.parquet",
    )
    df = spark.read.parquet(str(tmp_path / "twice.parquet"))
    refusal(lambda: write(df, tmp_path / "t", **hot("m", ["a"])), "MAP_KEY_TWICE", "'m'", "'a'")
    table = write(df, tmp_path / "u", **hot("m", ["b"]))
    assert load(spark, table, schema=None).selectExpr("m['a']", "m['b']", "size(m)").first()[:] == ("1", "3", 3)
