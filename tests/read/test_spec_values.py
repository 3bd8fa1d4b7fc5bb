"""Every valid row of the tables in the shredding specification is read as its value."""

import pytest

from parquet_fixtures import File
from spec_tables import TABLES
from tables import read_files


@pytest.fixture(scope="module")
def readings(spark, tmp_path_factory):
    files = {name: File(shape, [stored for stored, _ in rows]) for name, (shape, rows) in TABLES.items()}
    return read_files(spark, tmp_path_factory.mktemp("spec") / "files", files)


@pytest.mark.parametrize(("table", "row"), [(name, i) for name, (_, rows) in TABLES.items() for i in range(len(rows))])
def test_a_row_of_the_specification_is_read_as_its_value(readings, table, row):
    stored, means = TABLES[table][1][row]
    assert readings[table][row] == means, f"stored as {stored}"
