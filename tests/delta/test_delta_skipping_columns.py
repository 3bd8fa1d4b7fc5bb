"""Files of Delta tables are skipped by partitions, fields of structs, paths, and columns with odd names."""

import pytest

from delta_tables import load, save
from path_documents import literal
from scan_counts import run


def counted(spark, path, condition, explained):
    """The ids that a filter gives, how many files were read and skipped; EXPLAIN says that `explained` will be read."""
    df = load(spark, path).where(condition).select("id")
    rows, counts = run(df)
    assert f"Files: [{explained} of " in df._jdf.queryExecution().toString()
    return sorted(r[0] for r in rows), counts.files


@pytest.fixture(scope="module")
def partitioned(spark, tmp_path_factory):
    """Partitions 1, 2, 3 and NULL, each with files of 0-9, 100-109 and 200-209 as id and v:n."""
    path = tmp_path_factory.mktemp("partitioned") / "t"
    for start in (0, 100, 200):
        df = spark.range(start, start + 10, 1, 1).selectExpr(
            "id", "to_variant_object(named_struct('n', id)) AS v", "explode(array(1, 2, 3, NULL)) AS p"
        )
        save(df, path, "p", **{"shredding.shape.v": "n BIGINT"})
    return path


# filter: (the number of rows, the number of files of twelve)
OF_PARTITIONS = {
    "p = 1 AND v:n::bigint < 5": (5, 1),
    "(p = 1 AND v:n::bigint < 5) OR (p = 2 AND v:n::bigint > 100)": (24, 3),
    "(p = 1 AND id < 5) OR (p = 2 AND id > 100)": (24, 3),
    "(p = 1 OR v:n::bigint = 205) AND (p = 2 OR v:n::bigint = 105)": (2, 2),
    "p IN (1, 3) AND v:n::bigint BETWEEN 100 AND 103": (8, 2),
    "NOT (p = 1 OR v:n::bigint >= 100)": (20, 2),
    "(p IS NULL AND v:n::bigint = 7) OR (p = 3 AND v:n::bigint = 1000)": (1, 1),
    "p <=> NULL AND v:n::bigint < 0": (0, 0),
    "p + v:n::bigint = 3": (3, 9),
}


@pytest.mark.parametrize("condition", OF_PARTITIONS)
def test_partitions_and_bounds_choose_files_together(spark, partitioned, condition):
    number, files = OF_PARTITIONS[condition]
    rows, (read, skipped) = counted(spark, partitioned, condition, explained=files)
    assert (len(rows), read, skipped) == (number, files, 12 - files)


KEYS = ["a.b", "sp ace", "it's", 'q"', "back\\slash", "é😀", "", "tab\t", "line\nend", "$", "[0]", "A", "a"]


def path_to(key):
    """The path as SQL text; Spark's paths have no escapes."""
    quote = "'" if '"' in key else '"'
    text = f"$[{quote}{key}{quote}]"
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\t", "\\t").replace("\n", "\\n") + "'"


def test_paths_of_odd_names_skip_files(spark, tmp_path):
    import json

    shape = ", ".join(f"`{key}` BIGINT" for key in KEYS)
    for start in (0, 100, 200):
        rows = [(start + i, json.dumps(dict.fromkeys(KEYS, start + i))) for i in range(3)]
        df = spark.createDataFrame(rows, "id BIGINT, j STRING").coalesce(1)
        save(df.selectExpr("id", "parse_json(j) AS v"), tmp_path / "t", **{"shredding.shape.v": shape})
    for key in KEYS:
        condition = f"variant_get(v, {path_to(key)}, 'bigint') = 101"
        assert counted(spark, tmp_path / "t", condition, explained=1) == ([101], (1, 2)), key
    assert literal(["a"]) == path_to("a")


def test_columns_of_odd_names_skip_files(spark, tmp_path):
    for start in (0, 100, 200):
        df = spark.range(start, start + 3, 1, 1).selectExpr(
            "id", "id AS `a.b`", "id AS `it's`", "id AS `é`", "named_struct('x.y', id, 'Z', id) AS `s.t`",
            "to_variant_object(named_struct('n', id)) AS `v.w`", "id % 2 AS `p.q`",
        )  # fmt: skip
        save(df, tmp_path / "t", "p.q", **{"shredding.shape.`v.w`": "n BIGINT"})
    for column in ("`a.b`", "`it's`", "`É`", "`s.t`.`x.y`", "`S.T`.z", "`v.w`:n::bigint"):
        assert counted(spark, tmp_path / "t", f"{column} = 100", explained=1) == ([100], (1, 5)), column
    assert counted(spark, tmp_path / "t", "`p.q` = 1 AND `v.w`:n::bigint < 100", explained=1) == ([1], (1, 5))


def test_each_variant_has_bounds_of_its_own_in_structs_too(spark, tmp_path):
    """`v` grows, `w` falls, `s.v` is the same in all files, and `s.o.v` has another path."""
    document = "to_variant_object(named_struct('n', {}))"
    for start in (0, 100, 200):
        df = spark.range(start, start + 3, 1, 1).selectExpr(
            "id", f"{document.format('id')} AS v", f"{document.format('-id')} AS w",
            f"named_struct('v', {document.format('id % 100')}, "
            f"'o', named_struct('v', to_variant_object(named_struct('m', id)))) AS s",
        )  # fmt: skip
        shapes = {"v": "n BIGINT", "w": "n BIGINT", "s.v": "n BIGINT", "s.o.v": "m BIGINT"}
        save(df, tmp_path / "t", **{f"shredding.shape.{column}": shape for column, shape in shapes.items()})
    cases = {
        "v:n::bigint = 101": ([101], 1),
        "w:n::bigint = -101": ([101], 1),
        "w:n::bigint = 101": ([], 0),
        "v:n::bigint > 100 AND w:n::bigint > -200": ([101, 102], 1),
        "s.v:n::bigint = 1": ([1, 101, 201], 3),
        "s.v:n::bigint = 101": ([], 0),
        "s.o.v:m::bigint = 101": ([101], 1),
        "S.O.V:m::bigint < 2 OR v:n::bigint = 202": ([0, 1, 202], 2),
    }
    for condition, (expected, files) in cases.items():
        assert counted(spark, tmp_path / "t", condition, explained=files) == (expected, (files, 3 - files)), condition
