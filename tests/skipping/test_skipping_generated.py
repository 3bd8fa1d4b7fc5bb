"""Generated filters over generated files of many small row groups and pages: no matching row is skipped.

`make test` runs a few seeds, FUZZ=1 many; SEED=123 runs one again.
"""

import random

import pytest

from generated_filters import ROWS, SEEDS, Filters, constants_of, show
from path_documents import KEYS, SCALARS, Documents
from path_queries import Pair
from scan_counts import run
from tables import FORMAT, LAYOUTS, to_spark

pytestmark = pytest.mark.fuzz

FILTERS = 15  # of each seed
QUERIES = 20
BLOOMED = {kind for kind in SCALARS if kind != "BOOLEAN"}


@pytest.mark.parametrize("seed", SEEDS)
def test_generated_filters_find_all_rows(spark, tmp_path, seed):
    r = random.Random(seed)
    documents = Documents(r)
    rows = [documents.row() for _ in range(ROWS)]
    # Similar rows are together, so that row groups differ.
    key = r.choice(list(documents.kind))
    rows.sort(key=lambda v: "" if v is None else repr(v.value.get(key)) if v.type == "object" else repr(v))
    fields = "id INT, plain STRING, v VARIANT"
    data = [(i, None if i % 50 < 10 else f"p{i // 15}", to_spark(v)) for i, v in enumerate(rows)]
    df = spark.createDataFrame(data, fields).coalesce(1)
    page = r.choice(["3", "20", "100"])
    groups = r.choice(["40", "100", "300"])
    options = {
        "shredding.shape.v": documents.shape(documents.kind, r.choice([0, 0.1])),
        "parquet.page.row.count.limit": page,
        "parquet.page.size.row.check.min": page,
        "parquet.block.size": "2000",
        "parquet.block.size.row.check.min": groups,
        "parquet.block.size.row.check.max": groups,
        "parquet.enable.dictionary": r.choice(["true", "false"]),
        "parquet.writer.version": r.choice(["v1", "v2"]),
        "layout": LAYOUTS[seed % 2],
    }
    df.write.format(FORMAT).options(**options).save(str(tmp_path / "t"))
    show(spark, df, tmp_path)
    filters = Filters(r, documents, constants_of(spark, [k for k in documents.kind if k in KEYS]))
    skipped = 0
    for _ in range(FILTERS):
        condition = filters.condition()
        columns = r.choice(["id", "id, to_json(v)", "id, plain"])
        rows, counts = run(spark.sql(f"SELECT {columns} FROM skipped WHERE {condition}"))
        expected = spark.sql(f"SELECT {columns} FROM unshredded WHERE {condition}").collect()
        assert sorted(map(str, rows)) == sorted(map(str, expected)), condition
        assert len(rows) <= ROWS - counts.rows_skipped
        skipped += counts.rows_skipped
    assert skipped > 0 or options["shredding.shape.v"] == "VARIANT"


@pytest.mark.parametrize("seed", SEEDS[: 100 if len(SEEDS) > 4 else 2])
def test_generated_queries_over_files_and_partitions_have_the_results_of_spark(spark, tmp_path, seed):
    r = random.Random(f"queries {seed}")
    documents = Documents(r)
    rows = [documents.row() for _ in range(ROWS)]
    key = r.choice(list(documents.kind))
    rows.sort(key=lambda v: "" if v is None else repr(v.value.get(key)) if v.type == "object" else repr(v))
    data = [
        (i, None if i % 50 < 10 else f"p{i // 15}", to_spark(v), r.choice([1, 1, 2, None])) for i, v in enumerate(rows)
    ]
    # A name that needs no quotes, and has a leaf of its own.
    bloomed = [
        k for k, kind in documents.kind.items() if k in ("a", "b", "c") and isinstance(kind, str) and kind in BLOOMED
    ]

    def options(file):
        page, mutation = r.choice(["3", "20", "100"]), r.choice([0, 0.1])
        bloom = {"bloom.v": ", ".join(f"$.{key}" for key in bloomed)} if bloomed and mutation == 0 else {}
        return bloom | {
            "shredding.shape.v": documents.shape(documents.kind, mutation),
            "parquet.page.row.count.limit": page,
            "parquet.page.size.row.check.min": page,
            "parquet.block.row.count.limit": r.choice(["20", "50", "200"]),
            "parquet.enable.dictionary": r.choice(["true", "false"]),
            "layout": LAYOUTS[(seed + file) % 2],
        }

    fields = "id INT, plain STRING, v VARIANT, p INT"
    files = [(spark.createDataFrame(data[i::3], fields), options(i)) for i in range(3)]
    pair = Pair(spark, tmp_path)
    pair.add("made", files, by=["p"])
    queries = Filters(r, documents, constants_of(pair.spark, [k for k in documents.kind if k in KEYS], "made"))
    try:
        for _ in range(QUERIES):
            query, ansi = queries.query(), r.choice(["true", "false"])
            assert pair.difference(query, {"spark.sql.ansi.enabled": ansi}) is None, f"{query} with ANSI {ansi}"
    finally:
        pair.drop("made")
