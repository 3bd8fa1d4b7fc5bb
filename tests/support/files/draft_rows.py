"""Rows in the draft layout: the values that Spark reads from cells, and the cells that it writes for values."""

from draft_fixtures import read_draft, write_draft
from parquet_cells import only_file
from tables import frame, load, values, write


def read_rows(spark, tmp_path, shape, *cells, **options):
    return values(load(spark, write_draft(tmp_path / "f.parquet", shape, list(cells), **options)))


def written(spark, path, shape, *rows):
    """The cells of a file that is written with these values and this shape."""
    return read_draft(only_file(write(frame(spark, *rows), path, shredding__shape__v=shape, layout="draft")))
