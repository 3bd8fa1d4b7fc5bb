"""Files with few or unusual statistics, or of other writers: no matching row is skipped."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from parquet_fixtures import MISSING, UTC, cell, write_file
from path_queries import settings
from scan_counts import run
from tables import FORMAT, frame, load, write
from variants import NULL, array, double, int8, int64, obj, of, string

GROUP = 10  # rows
NAN = float("nan")


def of_a(*typed):
    """Rows whose field `a` is a cell."""
    return [(None, {"a": t}) for t in typed]


def typed(*values):
    return of_a(*((None, v) for v in values))


def table(spark, path, shape, rows, **options):
    write_file(path, shape, rows, row_group_size=GROUP, annotated=True, **options)
    return spark.read.format(FORMAT).load(str(path))


def ids(df, condition):
    """(ids, row groups read, rows skipped)"""
    rows, counts = run(df.where(condition).select("id"))
    return sorted(r.id for r in rows), counts.groups[0], counts.rows_skipped


NUMBERS = cell({"a": cell(pa.int64())})
DOUBLES = cell({"a": cell(pa.float64())})
TEXTS = cell({"a": cell(pa.string())})
LOW, HIGH = typed(*range(10)), typed(*range(100, 110))


@pytest.mark.parametrize(
    ("options", "groups"), [({}, 1), ({"write_page_index": True}, 1), ({"write_statistics": False}, 2)]
)
def test_bounds_are_used_if_the_file_has_them(spark, tmp_path, options, groups):
    df = table(spark, tmp_path / "f.parquet", NUMBERS, LOW + HIGH, **{"use_dictionary": False, **options})
    assert ids(df, "v:a::bigint = 105") == ([15], groups, 10 * (2 - groups))


def test_a_dictionary_has_all_values_of_a_row_group(spark, tmp_path):
    rows = typed(*([0, 100] * 5)) + typed(*([0, 50, 100] * 3), 7)
    df = table(spark, tmp_path / "f.parquet", NUMBERS, rows)
    assert ids(df, "v:a::bigint = 50") == ([11, 14, 17], 1, 10)
    assert ids(df, "v:a::int = 7") == ([19], 1, 10)
    assert ids(df, "v:a::bigint IN (3, 4)") == ([], 0, 20)
    assert ids(df, "v:a::bigint NOT IN (0, 100)") == ([11, 14, 17, 19], 1, 10)


@pytest.mark.parametrize("dictionary", [True, False])
def test_a_row_group_of_one_value_is_skipped_by_filters_for_other_values(spark, tmp_path, dictionary):
    rows = typed(*[5] * 9) + of_a(MISSING) + LOW + typed(*[5] * 9) + of_a((int64(7), None))
    df = table(spark, tmp_path / "f.parquet", NUMBERS, rows, use_dictionary=dictionary)
    others = [*range(10, 15), *range(16, 20), 29]
    assert ids(df, "v:a::bigint <> 5") == (others, 2, 10)
    assert ids(df, "v:a::bigint NOT IN (5, 8)") == ([i for i in others if i != 18], 2, 10)
    assert ids(df, "NOT v:a::bigint BETWEEN 5 AND 6") == ([i for i in others if i != 16], 2, 10)
    # `<=>` takes NULL as a value, which is not 5.
    assert ids(df, "NOT v:a::bigint <=> 5") == ([9, *others], 3, 0)
    texts = typed(*["x"] * 10) + typed(*["x"] * 9, "y")
    df = table(spark, tmp_path / "g.parquet", TEXTS, texts, use_dictionary=dictionary)
    assert ids(df, "v:a::string <> 'x'") == ([19], 1, 10)
    assert ids(df, "NOT startswith(v:a::string, 'x')") == ([19], 1, 10)


@pytest.mark.parametrize("stray", [string("105"), int8(105), obj(b=1)])
def test_a_group_with_a_residual_value_is_read(spark, tmp_path, stray):
    rows = of_a(*((None, i) for i in range(9)), (stray, None)) + HIGH
    df = table(spark, tmp_path / "f.parquet", NUMBERS, rows)
    result = [9] if stray.type != "object" else []
    assert ids(df, "try_variant_get(v, '$.a', 'bigint') = 105") == (sorted([*result, 15]), 2, 0)
    assert ids(df, "try_variant_get(v, '$.a', 'bigint') = 200") == ([], 1, 10)


def test_variant_nulls_and_missing_fields_are_not_values(spark, tmp_path):
    rows = of_a(*((None, i) for i in range(8)), (NULL, None), MISSING) + HIGH
    df = table(spark, tmp_path / "f.parquet", NUMBERS, rows)
    assert ids(df, "v:a::bigint = 105") == ([15], 1, 10)
    assert ids(df, "v:a::bigint IS NULL") == ([8, 9], 1, 10)
    assert ids(df, "v:a IS NULL") == ([9], 1, 10)
    assert ids(df, "v:a::bigint <=> NULL") == ([8, 9], 1, 10)
    only = of_a(*[(NULL, None)] * 10) + HIGH
    df = table(spark, tmp_path / "g.parquet", NUMBERS, only)
    assert ids(df, "v:a::bigint IS NOT NULL") == (list(range(10, 20)), 1, 10)
    assert ids(df, "v:a IS NOT NULL") == (list(range(20)), 2, 0)


@pytest.mark.parametrize("dictionary", [True, False])
def test_a_nan_that_is_not_in_the_bounds_is_found(spark, tmp_path, dictionary):
    rows = typed(*map(float, range(9)), NAN) + typed(*map(float, range(100, 110)))
    df = table(spark, tmp_path / "f.parquet", DOUBLES, rows, use_dictionary=dictionary)
    both = 1 if dictionary else 2
    assert ids(df, "v:a::double > 200") == ([9], both, 20 - 10 * both)
    assert ids(df, "isnan(v:a::double)") == ([9], both, 20 - 10 * both)
    assert ids(df, "v:a::double = double('NaN')") == ([9], both, 20 - 10 * both)
    assert ids(df, "v:a::double < 5")[:2] == ([0, 1, 2, 3, 4], 1)
    assert ids(df, "NOT v:a::double <= 108")[0] == [9, 19]


def test_pages_of_nulls_have_no_nan(spark, tmp_path):
    rows = typed(1.0, 2.0, 3.0, NAN, 4.0) + of_a(*[MISSING] * 5)
    pages = {"write_page_index": True, "data_page_size": 1, "write_batch_size": GROUP // 2, "use_dictionary": False}
    df = table(spark, tmp_path / "f.parquet", DOUBLES, rows, **pages)
    assert ids(df, "isnan(v:a::double)") == ([3], 1, 5)
    assert ids(df, "NOT isnan(v:a::double)") == ([0, 1, 2, *range(4, 10)], 1, 0)


def test_our_bounds_exclude_nan(spark, tmp_path):
    numbers = [of({"a": double(float(i))}) for i in range(20)]
    path = write(
        frame(spark, *numbers), tmp_path / "t", shredding__shape__v="a DOUBLE", parquet__enable__dictionary="false"
    )
    assert ids(load(spark, path), "v:a::double > 200") == ([], 0, 20)
    with_nan = [*numbers, of({"a": double(NAN)})]
    options = {"shredding.shape.v": "a DOUBLE", "parquet.enable.dictionary": "false"}
    for rows, skipped in ((1000, 0), (GROUP, 20)):
        path = write(frame(spark, *with_nan), tmp_path / f"{rows}", **options, parquet__block__row__count__limit=rows)
        assert ids(load(spark, path), "v:a::double > 200") == ([20], 1, skipped)
        assert ids(load(spark, path), "isnan(v:a::double)") == ([20], 1, skipped)


def test_zero_and_negative_zero_are_equal(spark, tmp_path):
    for dictionary in (True, False):
        rows = typed(*[-0.0] * 10) + typed(*[0.0] * 10) + typed(*[3.5] * 10)
        df = table(spark, tmp_path / f"{dictionary}.parquet", DOUBLES, rows, use_dictionary=dictionary)
        for zero in ("0D", "-0D"):
            assert ids(df, f"v:a::double = {zero}") == (list(range(20)), 2, 10)
            assert ids(df, f"v:a::double < {zero}")[0] == []


def test_strings_beyond_ascii_and_beyond_the_length_of_bounds(spark, tmp_path):
    texts = ["é" * 3, "z", "\U0001f600", "\ue000", "x" * 70 + "a", "x" * 70 + "b", "x" * 5000, "", "ab", "Ab"]
    rows = typed(*sorted(texts, key=str.encode)) + typed(*[f"k{i}" for i in range(10)])
    df = table(spark, tmp_path / "f.parquet", TEXTS, rows, write_page_index=True)
    order = sorted(texts, key=str.encode)
    for i, text in enumerate(order):
        assert ids(df, f"v:a::string = '{text}'")[0] == [i]
        assert ids(df, f"v:a::string LIKE '{text}%' AND id < 10")[0] == [
            j for j, other in enumerate(order) if other.startswith(text)
        ]
        assert ids(df, f"v:a::string > '{text}' AND id < 10")[0] == list(range(i + 1, 10))
    assert ids(df, "v:a::string = 'k5'")[0] == [15]


def test_a_cast_that_fails_is_null_and_null_is_found(spark, tmp_path):
    rows = typed(*range(9), 2**40) + HIGH
    df = table(spark, tmp_path / "f.parquet", NUMBERS, rows)
    assert ids(df, "try_variant_get(v, '$.a', 'int') IS NULL") == ([9], 1, 10)
    assert ids(df, "try_variant_get(v, '$.a', 'int') <=> NULL") == ([9], 1, 10)
    assert ids(df, "NOT try_variant_get(v, '$.a', 'int') <=> 3")[0] == [i for i in range(20) if i != 3]
    assert ids(df, "try_variant_get(v, '$.a', 'int') > 500") == ([], 1, 10)
    with pytest.raises(Exception, match="INVALID_VARIANT_CAST"):
        df.where("v:a::int < 0").collect()
    assert ids(df.where("id >= 10"), "v:a::int < 0")[0] == []


def test_elements_of_lists(spark, tmp_path):
    shape = cell({"a": cell([cell(pa.int64())])})

    def lists(*rows):
        return of_a(*(r if isinstance(r, tuple) else (None, [(None, e) for e in r]) for r in rows))

    rows = lists(*[[i, i + 1] for i in range(8)], [], (string("no list"), None))
    rows += lists(*[[i] for i in range(100, 110)])
    df = table(spark, tmp_path / "f.parquet", shape, rows, use_dictionary=False)
    assert ids(df, "v:a[1]::bigint = 3") == ([2], 1, 10)
    assert ids(df, "v:a[0]::bigint > 200") == ([], 0, 20)
    assert ids(df, "v:a[1]::bigint IS NULL") == ([8, 9, *range(10, 20)], 2, 0)
    assert ids(df, "v:a[0]::bigint = 105 AND v:a[1]::bigint IS NULL") == ([15], 1, 10)
    stray = lists(*[[i] for i in range(9)], (None, [(string("105"), None)])) + rows[10:]
    df = table(spark, tmp_path / "g.parquet", shape, stray, use_dictionary=False)
    assert ids(df, "try_variant_get(v, '$.a[0]', 'bigint') = 105") == ([9, 15], 2, 0)


def test_unshredded_files_and_files_without_a_path(spark, tmp_path):
    df = table(spark, tmp_path / "f.parquet", cell(), [(of({"a": i}), None) for i in range(20)])
    assert ids(df, "v:a::int = 3") == ([3], 2, 0)
    assert ids(df, "id = 3 AND v:a::int = 3") == ([3], 1, 10)
    folder = tmp_path / "both"
    folder.mkdir()
    write_file(folder / "1.parquet", NUMBERS, LOW, annotated=True)
    write_file(
        folder / "2.parquet", cell({"b": cell(pa.int64())}, value=False), [(None, {"b": (None, 1)})] * 5, annotated=True
    )
    write_file(folder / "3.parquet", TEXTS, typed("105", "x"), annotated=True)
    df = spark.read.format(FORMAT).schema("id INT, v VARIANT").load(str(folder))
    rows, counts = run(df.where("try_variant_get(v, '$.a', 'int') = 105"))
    assert (len(rows), counts.files) == (1, (1, 2))


def test_plain_columns_of_other_writers(spark, tmp_path):
    count = 20
    columns = {
        "tiny": pa.array([i % 100 for i in range(count)], pa.int8()),
        "unsigned": pa.array([2**32 - 1 - i for i in range(count)], pa.uint32()),
        "money": pa.array([None] * count, pa.decimal128(20, 2)),
        "day": pa.array(range(count), pa.date32()),
        "at": pa.array([i * 1_000_000 for i in range(count)], pa.timestamp("us", UTC)),
        "milli": pa.array([i * 1000 for i in range(count)], pa.timestamp("ms", UTC)),
        "f": pa.array([float(i) for i in range(count - 1)] + [NAN], pa.float32()),
        "t": pa.array([f"{i:02}" for i in range(count)]),
    }
    path = tmp_path / "f.parquet"
    pq.write_table(
        pa.table({"id": pa.array(range(count), pa.int32()), **columns}), path, row_group_size=10, use_dictionary=False
    )
    df = spark.read.format(FORMAT).load(str(path))
    assert ids(df, "tiny = 3") == ([3], 1, 10)
    assert ids(df, "unsigned = 4294967292") == ([3], 2, 0)
    assert ids(df, "money IS NOT NULL") == ([], 0, 20)
    assert ids(df, "day < DATE'1970-01-03'") == ([0, 1], 1, 10)
    assert ids(df, "at = TIMESTAMP'1970-01-01 00:00:15'") == ([15], 1, 10)
    assert ids(df, "milli = TIMESTAMP'1970-01-01 00:00:15'") == ([15], 2, 0)
    assert ids(df, "f > 100") == ([19], 2, 0)
    assert ids(df, "f < 5")[:2] == ([0, 1, 2, 3, 4], 1)
    assert ids(df, "t LIKE '1%'") == (list(range(10, 20)), 1, 10)


@pytest.mark.parametrize(("mode", "groups"), [("CORRECTED", 0), ("LEGACY", 1)])
def test_days_and_times_that_are_shifted_between_calendars_are_not_those_of_the_bounds(spark, tmp_path, mode, groups):
    """If no dates are rebased, a filter that no row matches reads nothing."""
    rows = spark.range(0, 5, 1, 1).selectExpr(
        "CAST(id AS INT) AS id", "date_add(DATE'1500-03-01', CAST(id AS INT)) AS d",
        "TIMESTAMP'1500-03-01 00:00:00' + make_dt_interval(CAST(id AS INT)) AS t",
    )  # fmt: skip
    written = {"datetimeRebaseModeInWrite": mode, "outputTimestampType": "TIMESTAMP_MICROS"}
    with settings(spark, {f"spark.sql.parquet.{key}": value for key, value in written.items()}):
        rows.write.parquet(str(tmp_path / "t"))
    df = spark.read.format(FORMAT).load(str(tmp_path / "t"))
    for day in range(5):
        assert ids(df, f"d = DATE'1500-03-0{1 + day}'")[0] == [day]
        assert ids(df, f"t = TIMESTAMP'1500-03-0{1 + day} 00:00:00'")[0] == [day]
    assert ids(df, "d <= DATE'1500-03-02' AND t < TIMESTAMP'1500-03-02 00:00:00'")[0] == [0]
    for beside in ("d < DATE'1500-03-01'", "d > DATE'1500-03-20'", "t > TIMESTAMP'1500-03-20 00:00:00'"):
        assert ids(df, beside)[:2] == ([], groups)


def test_whole_rows_of_unusual_files_are_read(spark, tmp_path):
    shape = cell({"a": cell(pa.int64()), "l": cell([cell({"x": cell(pa.string())})])})
    rows = [
        (
            of({"rest": i}) if i % 3 else None,
            {"a": (None, i) if i % 7 else (int64(i), None),
             "l": (None, [(None, {"x": (None, f"{i}-{j}")}) for j in range(i % 4)]) if i % 5 else (array(1), None)},
        )
        for i in range(3000)
    ]  # fmt: skip
    path = tmp_path / "f.parquet"
    write_file(path, shape, rows, row_group_size=1000, data_page_size=256, write_batch_size=16, write_page_index=True,
               annotated=True, use_dictionary=False)  # fmt: skip
    df = spark.read.format(FORMAT).load(str(path))
    whole = {r.id: r.j for r in df.selectExpr("id", "to_json(v) j").collect()}
    some, counts = run(
        df.where("id BETWEEN 1990 AND 2010 OR id IN (5, 700)").selectExpr("id", "to_json(v) j", "v:l[1].x::string x")
    )
    assert {r.id: r.j for r in some} == {i: whole[i] for i in [5, 700, *range(1990, 2011)]}
    assert all(r.x == (f"{r.id}-1" if r.id % 4 > 1 and r.id % 5 else None) for r in some)
    assert counts.rows_skipped > 2000
