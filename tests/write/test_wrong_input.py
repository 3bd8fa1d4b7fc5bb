"""Wrong options, shapes, columns, paths and files are refused in one clear sentence, and nothing is written or lost."""

import re
import shutil
from pathlib import Path

import pytest

from parquet_cells import data_files
from tables import FORMAT, frame, load, refusal, values, write
from variants import obj

ROWS = [obj(a=1), None]


# option: (value, the nearest right name in the sentence)
OPTIONS = {
    "shredding.shap.v": ("a INT", r"shredding\.shape\.<column>"),
    "shredding.shape": ("a INT", r"shredding\.shape\.<column>"),
    "shredding.anything": ("1", "shredding"),
    "shredding.": ("1", "shredding"),
    "parquet.map.shredding.column": ("m", r"parquet\.map"),
    "parquet.map.else": ("m", r"parquet\.map"),
    "bloom": ("$.a", r"bloom\.<column>"),
    "shreding": ("off", "'shredding'"),
    "compresion": ("zstd", "'compression'"),
    "comression": ("zstd", "'compression'"),
    "layuot": ("parquet", "'layout'"),
    "tabel": ("files", "'table'"),
}
# (option, wrong value): parts of the sentence
VALUES = {
    ("shredding", "on"): ("'on'", "infer", "off"),
    ("layout", "iceberg"): ("iceberg", "parquet"),
    ("table", "hudi"): ("hudi", "files"),
    ("shredding.sampleRows", "0"): ("'0'", "from 1 on"),
    ("shredding.sampleBytes", "3g"): ("3g", "2g"),
    ("shredding.pin", "file"): ("'file'", "table", "none"),
    ("shredding.pinMinRows", "0"): ("'0'", "from 1 on"),
    ("shredding.policy", "most"): ("'most'", "equivalence", "majority"),
    ("shredding.minFieldFrequency", "10%"): ("10%", "from 0 to 1"),
    ("shredding.minFieldFrequency", "1.01"): (r"1\.01", "from 0 to 1"),
    ("shredding.maxFields", "0"): ("'0'", "from 1 to"),
    ("shredding.maxDepth", "101"): ("'101'", "from 1 to 100"),
    ("shredding.maxIntermediateFields", "-1"): ("'-1'", "from 1 to"),
    ("shredding.include.v", "user.id"): (r"'user\.id'", r"\$\.user\.id"),
    ("shredding.include.v", "$.a,"): ("''", r"\$\.user\.id"),
    ("shredding.exclude.v", "$['a'"): (r"\$\['a'", r"\$\.user\.id"),
    ("maxVariantDepth", "deep"): ("deep",),
    ("maxVariantDepth", "-1"): ("-1",),
    ("maxVariantBytes", "1.5"): (r"1\.5",),
}
SHAPES = [
    "a BIGINT,", "a BIGNT", "STRUCT<a: INT", "ARRAY<>", "DECIMAL(39,2)", "DECIMAL(5,6)", "MAP<STRING, INT>",
    "a INTERVAL DAY", "a INT, a STRING", "UUIDS", "a b c d", "STRUCT<>", "", "VOID",
]  # fmt: skip


@pytest.fixture(scope="module")
def original(spark, tmp_path_factory):
    return write(frame(spark, *ROWS), tmp_path_factory.mktemp("original") / "t", shredding__shape__v="a BIGINT")


@pytest.fixture
def table(original, tmp_path):
    """A table whose bytes no refused write may change."""
    path = shutil.copytree(original, tmp_path / "t")
    before = contents(path)
    yield path
    assert contents(path) == before


def contents(path):
    return {str(f): f.read_bytes() for f in Path(path).rglob("*") if f.is_file()}


def refuse_write(df, table, options, *mentions, modes=("append", "overwrite", "error")):
    """The write is refused in each mode on an existing table, and on a new path, where no file remains."""
    new = f"{table}-new"
    for mode in modes:
        target = new if mode == "error" else table
        refusal(lambda t=target, m=mode: write(df, t, mode=m, **options), *mentions)
    assert not data_files(new)


@pytest.mark.parametrize("option", OPTIONS)
def test_an_unknown_option_is_refused_and_the_nearest_named(spark, table, option):
    value, nearest = OPTIONS[option]
    refuse_write(frame(spark, *ROWS), table, {option: value}, re.escape(option), nearest)


@pytest.mark.parametrize(("option", "value"), VALUES)
def test_a_value_that_an_option_cannot_take_is_refused(spark, table, option, value):
    if option.startswith("max"):
        refusal(lambda: load(spark, table, **{option: value}).collect(), f"(?i){option}", *VALUES[option, value])
    else:
        refuse_write(frame(spark, *ROWS), table, {option: value}, f"(?i){option}", *VALUES[option, value])


@pytest.mark.parametrize("option", ["mergeShema", "pathGlobFiltr", "maxVariantBites", "shredding.shap.v"])
def test_a_misspelt_option_of_a_read_is_refused(spark, table, option):
    refusal(lambda: load(spark, table, **{option: "1"}).collect(), rf"(?i){re.escape(option)}")


def test_a_codec_that_does_not_exist_is_refused_before_anything_is_overwritten(spark, table):
    for mode in ("append", "overwrite"):
        action = lambda m=mode: write(frame(spark, *ROWS), table, mode=m, compression="zip")  # noqa: E731
        refusal(action, "(?i)zip", name="CODEC_NOT_AVAILABLE")


def test_wrong_options_of_the_session_are_refused(spark, table):
    key = f"spark.datasource.{FORMAT}.shredding.shap.v"
    spark.conf.set(key, "a INT")
    try:
        refuse_write(frame(spark, *ROWS), table, {}, r"shredding\.shap\.v")
    finally:
        spark.conf.unset(key)


@pytest.mark.parametrize("option", ["header", "my.own.key", "x", "maxRecordsPerFile", "parquet.page.size", "path.note"])
def test_other_options_pass_through(spark, tmp_path, option):
    write(frame(spark, *ROWS), tmp_path / "t", **{option: "100000"})
    assert values(load(spark, tmp_path / "t", **{option: "1"})) == ROWS


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_that_does_not_parse_is_refused(spark, table, shape):
    refuse_write(frame(spark, *ROWS), table, {"shredding.shape.v": shape}, r"shredding\.shape\.v", re.escape(shape))


# column in the option: a part of the sentence
COLUMNS = {
    "w": r"'v'", "id": r"'v'", "s": r"s\.v", "s.x": r"s\.v", "v.a": r"'v'", "l": r"'v'", "l.element": "array",
}  # fmt: skip


@pytest.mark.parametrize("column", COLUMNS)
def test_a_shape_for_a_column_that_is_not_a_variant_is_refused(spark, table, column):
    df = frame(spark, *ROWS).selectExpr("id", "v", "named_struct('v', v, 'n', id) AS s", "array(v) AS l")
    refuse_write(df, table, {f"shredding.shape.{column}": "a INT"}, rf"'{re.escape(column)}'", COLUMNS[column])


@pytest.mark.parametrize("option", ["include", "exclude"])
@pytest.mark.parametrize("column", COLUMNS)
def test_paths_for_a_column_that_is_not_a_variant_are_refused(spark, table, column, option):
    df = frame(spark, *ROWS).selectExpr("id", "v", "named_struct('v', v, 'n', id) AS s", "array(v) AS l")
    refuse_write(df, table, {f"shredding.{option}.{column}": "$.a"}, rf"'{re.escape(column)}'", COLUMNS[column])


def test_a_read_ignores_options_of_writes(spark, table):
    assert values(load(spark, table, **{"shredding.shape.v": "a INT", "compression": "zstd"})) == ROWS


def test_a_path_that_does_not_exist_is_named(spark, tmp_path):
    for schema in ("v VARIANT", None):
        action = lambda s=schema: load(spark, tmp_path / "nowhere", schema=s).collect()  # noqa: E731
        refusal(action, "nowhere", name="PATH_NOT_FOUND")


def test_a_directory_without_files_is_read_with_an_explicit_schema(spark, tmp_path):
    refusal(lambda: load(spark, tmp_path, schema=None), name="SHREDDED_VARIANT_NO_SCHEMA")
    assert load(spark, tmp_path).collect() == []


RUBBISH = {
    "text": b"id,v\n1,2\n" * 20,
    "short": b"PAR1",
    "html": b"<html>" + b"x" * 100,
    "lying footer size": b"PAR1" + b"\xff\xff\xff\x7f" + b"PAR1",
    "broken footer": b"PAR1" + b"\x15\x04\xff\xff\xff\xff\xff" * 3 + b"\x15\x00\x00\x00PAR1",
}


@pytest.mark.parametrize("name", RUBBISH)
def test_a_file_that_is_not_parquet_is_named(spark, tmp_path, name):
    (tmp_path / "rubbish.parquet").write_bytes(RUBBISH[name])
    for schema in ("id INT, v VARIANT", None):
        message = refusal(lambda s=schema: load(spark, tmp_path, schema=s).collect(), r"rubbish\.parquet")
        assert "Parquet" in message


def test_an_empty_file_has_no_rows_as_with_parquet(spark, tmp_path):
    (tmp_path / "empty.parquet").write_bytes(b"")
    assert load(spark, tmp_path).collect() == []


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.95, 0.999])
def test_a_truncated_file_is_named(spark, tmp_path, keep):
    (file,) = data_files(write(frame(spark, *ROWS * 50), tmp_path / "t", shredding__shape__v="a BIGINT"))
    content = Path(file).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(content[: int(len(content) * keep)])
    refusal(lambda: load(spark, tmp_path / "cut.parquet").collect(), r"cut\.parquet")


def test_damaged_pages_are_an_error(spark, tmp_path):
    (file,) = data_files(write(frame(spark, *ROWS * 50), tmp_path / "t", shredding__shape__v="a BIGINT"))
    content = bytearray(Path(file).read_bytes())
    for at in range(4, 400, 3):
        content[at] ^= 0x5A
    (tmp_path / "damaged.parquet").write_bytes(content)
    refusal(lambda: load(spark, tmp_path / "damaged.parquet").collect(), r"damaged\.parquet")


def test_a_directory_with_a_broken_delta_log_is_refused_and_not_changed(spark, table):
    log = Path(table).parent / "delta" / "_delta_log"
    log.mkdir(parents=True)
    (log / "00000000000000000000.json").write_text("{}")
    (log.parent / "part.parquet").write_bytes(Path(data_files(table)[0]).read_bytes())
    before = sorted(map(str, log.parent.rglob("*")))
    for mode in ("append", "overwrite"):
        refusal(lambda m=mode: write(frame(spark, *ROWS), log.parent, mode=m), "_delta_log|Delta", "delta")
    for schema in ("v VARIANT", None):
        refusal(lambda s=schema: load(spark, log.parent, schema=s).collect(), "_delta_log|Delta", "delta")
    refusal(lambda: spark.sql(f"SELECT * FROM {FORMAT}.`{log.parent}`").collect(), "_delta_log|Delta")
    assert sorted(map(str, log.parent.rglob("*"))) == before


def test_a_write_that_fails_in_a_task_leaves_no_table(spark, tmp_path):
    df = spark.range(5000).selectExpr("CAST(id AS INT) AS id", "CAST(1 / (4999 - id) AS VARIANT) AS v")
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        write(df, tmp_path / "t", shredding__shape__v="DOUBLE")
    assert data_files(tmp_path / "t") == []
    assert not (tmp_path / "t" / "_SUCCESS").exists()


def test_a_column_type_that_parquet_cannot_hold_is_named(spark, table):
    df = frame(spark, *ROWS).selectExpr("id", "v", "make_interval(1, 2) AS span")
    refusal(lambda: write(df, f"{table}-new"), "span", name="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE")
    by_variants = lambda: write(frame(spark, *ROWS), f"{table}-new", by=["v"])  # noqa: E731
    refusal(by_variants, "VARIANT", name="INVALID_PARTITION_COLUMN_DATA_TYPE")
    assert not Path(f"{table}-new").exists()
