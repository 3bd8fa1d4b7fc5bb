"""`bloom.<column>` gives paths and hot keys bloom filters: a search for a value skips row groups that lack it."""

import pyarrow.parquet as pq
import pytest

from map_cases import hot
from parquet_cells import data_files
from scan_counts import run
from tables import LAYOUTS, load, refusal, write

ROWS = 8000
SMALL = {
    "parquet.enable.dictionary": "false", "parquet.block.size": "20000",
    "parquet.block.size.row.check.min": "1000", "parquet.block.size.row.check.max": "1000",
}  # fmt: skip
# The values of all row groups have the same range, so that bounds exclude no row group.
VALUE = "id * 7 % 8000"


def filters(file):
    """The columns that have bloom filters in every row group, and their largest one in bytes."""
    metadata = pq.read_metadata(file)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    result = [
        {c.path_in_schema: c.bloom_filter_length for c in map(g.column, range(g.num_columns)) if c.bloom_filter_offset}
        for g in groups
    ]
    assert all(f.keys() == result[0].keys() for f in result)
    return {column: max(f[column] or 0 for f in result) for column in result[0]}


def test_a_bloom_filter_of_a_hot_key_skips_row_groups(spark, tmp_path):
    maps = f"map('a', concat('k', {VALUE}), 'b', concat('k', {VALUE}), 'c.d', concat('k', {VALUE})) AS m"
    rows = spark.range(0, ROWS, 1, 1).selectExpr("id", maps, f"map('x', {VALUE}) AS `n.o`")
    options = {**hot("m", ["b", "a", "c.d"], **{"`n.o`": ["x"]}), "bloom.m": "a, c.d", "bloom.`n.o`": '["x"]'}
    path = write(rows, tmp_path / "t", **SMALL, **options)
    assert filters(data_files(path)[0]).keys() == {
        "__paimon_map_shred_m_1", "__paimon_map_shred_m_2", "__paimon_map_shred_n.o_0"
    }  # fmt: skip
    table = load(spark, path, schema=None)
    for condition in ("m['a'] = 'k{}'", "element_at(m, 'c.d') IN ('k{}', 'k-1')", "`n.o`['x'] = {}"):
        result, counts = run(table.where(condition.format(4321)).select("id"))
        assert [r.id for r in result] == [r.id for r in rows.where(condition.format(4321)).select("id").collect()]
        assert len(result) == 1 and counts.groups[0] <= 2 < counts.groups[1]
        result, counts = run(table.where(condition.format("1000000")).select("id"))
        assert (result, counts.groups[0]) == ([], 0)
    # Without a filter, bounds alone decide.
    read = {key: run(table.where(f"m['{key}'] = 'k1x'").select("id"))[1].groups[0] for key in ("a", "b")}
    assert read["a"] == 0 and read["b"] > 2


# path: (shape, the field of the variant, condition)
PATHS = {
    "$.n": ("n BIGINT", "'n', {}", "v:n::int = {}"),
    "$['a.b'].c": ("`a.b` STRUCT<c STRING>", "'a.b', named_struct('c', string({}))", "v:['a.b'].c::string = '{}'"),
    "$.l[*]": ("l ARRAY<DOUBLE>", "'l', array(CAST({} AS DOUBLE), 0.5D)", "v:l[0]::double = {}"),
    "$.o.p, $.n": ("n BIGINT, o STRUCT<p DECIMAL(12,2)>", "'n', 1, 'o', named_struct('p', CAST({} AS DECIMAL(12,2)))",
                   "v:o.p::decimal(14,3) = {}"),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("paths", PATHS)
def test_a_bloom_filter_of_a_path_skips_row_groups(spark, tmp_path, paths, layout):
    shape, field, condition = PATHS[paths]
    rows = spark.range(0, ROWS, 1, 1).selectExpr(
        "id", f"to_variant_object(named_struct({field.format(VALUE)})) AS v", "parse_json('1') AS w"
    )
    options = {
        "shredding.shape.v": shape,
        "bloom.v": paths,
        "layout": layout,
        "parquet.page.write-checksum.enabled": "true",
    }
    path = write(rows, tmp_path / "t", **SMALL, **options)
    assert len(filters(data_files(path)[0])) == len(paths.split(","))
    table = load(spark, path, schema=None)
    for number, maximum in ((4321, 2), (1000000, 0)):
        result, counts = run(table.where(condition.format(number)).select("id"))
        assert [r.id for r in result] == [r.id for r in rows.where(condition.format(number)).select("id").collect()]
        assert counts.groups[0] <= maximum < counts.groups[1]
    assert table.where("v IS NOT NULL").count() == ROWS


def test_inferred_shapes_and_keys_have_filters_where_they_have_columns(spark, tmp_path):
    rows = spark.range(0, ROWS, 1, 1).selectExpr(
        "id", f"to_variant_object(named_struct('n', {VALUE}, 'b', id > 5, 'o', named_struct('p', 'x'))) AS v",
        f"map('k', {VALUE}) AS m",
    )  # fmt: skip
    infer = {"parquet.map.shredding.columns": "m", "parquet.map.shredding.m.infer": "true"}
    path = write(rows, tmp_path / "t", **infer, **{"bloom.v": "$.n, $.o, $.b, $.x", "bloom.m": "k,x"})
    assert filters(data_files(path)[0]).keys() == {"v.typed_value.n.typed_value", "__paimon_map_shred_m_0"}
    # Pinned columns have bloom filters too.
    write(rows, path, mode="append", **infer, **{"bloom.v": "$.n", "bloom.m": "k"})
    write(rows, path, mode="append", **infer)
    assert sorted(len(filters(f)) for f in data_files(path)) == [0, 2, 2]
    assert load(spark, path, schema=None).where("v:n::int = 5 AND m['k'] = 5").count() == 3


def test_the_size_of_a_bloom_filter_depends_on_the_number_of_values(spark, tmp_path):
    rows = spark.range(0, ROWS, 1, 1).selectExpr("map('a', id % 100, 'b', id) AS m")
    options = {"parquet.enable.dictionary": "false", "bloom.m": "a,b"}
    path = write(rows, tmp_path / "t", **hot("m", ["a", "b"]), **options)
    few, many = filters(data_files(path)[0]).values()
    assert 0 < few <= 1100
    assert few < many <= 66000


REFUSED = [
    ({"bloom.o": "a"}, ["NO_SUCH_COLUMN", "'o'", "did you mean 'm'"]),
    ({"bloom.id": "a"}, ["BLOOM_COLUMN", "BIGINT", "'m'", "'v'", "parquet.bloom.filter.enabled#id"]),
    ({"bloom.l.element": "a"}, ["BLOOM_COLUMN", "inside an array"]),
    ({"bloom.m": "a"}, ["MAP_NOT_LISTED", r"parquet\.map\.shredding\.columns"]),
    ({"bloom.m": "a,b", **hot("m", ["a"])}, ["BLOOM", "'b'", "not a hot key"]),
    ({"bloom.m": "", **hot("m", ["a"])}, ["MAP_KEYS", "no key"]),
    ({"bloom.s": "a", **hot("s", ["a"])}, ["BLOOM", "'a'", "STRUCT"]),
    ({"bloom.v": "$.a", "shredding.shape.v": "b INT"}, ["BLOOM", r"'\$\.a'", "not a scalar"]),
    ({"bloom.v": "$.a", "shredding.shape.v": "a STRUCT<b INT>"}, ["BLOOM", r"'\$\.a'", "not a scalar"]),
    ({"bloom.v": "$.a", "shredding": "off"}, ["BLOOM", r"'\$\.a'"]),
    ({"bloom.v": "a"}, ["PATH", "'a'", r"\$\.user\.id"]),
    ({"blom.v": "$.a"}, ["UNKNOWN_OPTION", r"bloom\.<column>"]),
]


@pytest.mark.parametrize(("options", "mentions"), REFUSED)
def test_a_bloom_filter_for_an_unsupported_column_or_path_is_refused(spark, tmp_path, options, mentions):
    df = spark.range(3).selectExpr(
        "id",
        "map('a', 'b') AS m",
        "map('a', struct(1)) AS s",
        "parse_json('{\"a\": 1}') AS v",
        "array(map('a', 1)) AS l",
    )
    refusal(lambda: write(df, tmp_path / "t", **options), *mentions)
    assert data_files(tmp_path / "t") == []
