"""Rows in the draft layout, through Spark: what cells are read as, and which cells values are written as."""

from draft_fixtures import read_draft, write_draft
from parquet_cells import only_file
from tables import frame, load, values, write


def read_rows(spark, tmp_path, shape, *cells, **options):
    return values(load(spark, write_draft(tmp_path / "f.parquet", shape, list(cells), **options)))


def written(spark, path, shape, *rows):
    """The cells that are written for these values along a shape."""
    return read_draft(only_file(write(frame(spark, *rows), path, shredding__shape__v=shape, layout="draft")))
