"""Generated filters over generated Delta tables of several files and row groups: no matching row is skipped.

`make test` runs a few seeds, FUZZ=1 many; SEED=123 runs one again.
"""

import random

import pytest

from delta_tables import save
from generated_filters import SEEDS, Filters, constants_of, show
from path_documents import KEYS, Documents
from scan_counts import run
from tables import to_spark
from variants import of

pytestmark = pytest.mark.fuzz

FILTERS = 20  # of each seed
FILES = 8
ROWS = 40  # of a file
# One path of each scalar type, also if the seed picks other types.
ALWAYS = {"a": "BIGINT", "b": "DOUBLE", "c": "TIMESTAMP"}


def table(r, spark, path):
    """Files that differ in one path: some lack it, some have it with several types, some have another shape."""
    documents = Documents(r)
    documents.kind = documents.kind | ALWAYS
    stray = r.choice([0, 0.02, 0.1])
    rows = [r.choice([None, documents.row()]) if r.random() < 0.1 else of(documents.value(documents.kind, stray))
            for _ in range(FILES * ROWS)]  # fmt: skip
    key = r.choice(list(ALWAYS))
    rows.sort(key=lambda v: repr(v.value.get(key)) if v is not None and v.type == "object" else "")
    data = [(i, None if i % 50 < 10 else f"p{i // 15}", to_spark(v)) for i, v in enumerate(rows)]
    df = spark.createDataFrame(data, "id INT, plain STRING, v VARIANT")
    for start in range(0, len(data), FILES // 2 * ROWS):
        options = {
            "shredding.shape.v": documents.shape(documents.kind, r.choice([0, 0.1])),
            "shredding.pin": "none",
            "parquet.block.row.count.limit": r.choice(["7", "15", "100"]),
        }
        part = df.where(f"id >= {start} AND id < {start + FILES // 2 * ROWS}")
        save(part.repartitionByRange(FILES // 2, "id").sortWithinPartitions("id"), path, **options)
    return documents, df


@pytest.mark.parametrize("seed", SEEDS)
def test_no_skipped_file_holds_a_matching_row(spark, tmp_path, seed):
    r = random.Random(seed)
    documents, df = table(r, spark, tmp_path / "t")
    show(spark, df, tmp_path)
    filters = Filters(r, documents, constants_of(spark, [k for k in documents.kind if k in KEYS]))
    skipped = 0
    for _ in range(FILTERS):
        condition = filters.condition()
        rows, counts = run(spark.sql(f"SELECT id FROM skipped WHERE {condition}"))
        expected = spark.sql(f"SELECT id FROM unshredded WHERE {condition}").collect()
        assert sorted(rows) == sorted(expected), condition
        skipped += counts.files[1]
    assert skipped > 0
