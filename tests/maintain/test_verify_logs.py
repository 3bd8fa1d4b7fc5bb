"""verify of Delta tables: each false statement of a log is a finding, and `trust` tags the files without findings."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from delta_spark import delta_spark  # noqa: F401
from delta_tables import actions, active, commits, load, save
from maintained import findings_of, mixed_rows, remove_checksums
from shredded_variant import verify

TYPES = (
    "id, CAST(id AS STRING) s, DATE'2026-01-01' + CAST(id AS INT) d, CAST(id AS DECIMAL(20,3)) n, id / 7 f, "
    "TIMESTAMP'2026-01-01 00:00:00.123456Z' + make_interval(0, 0, 0, CAST(id AS INT)) t, id % 2 = 0 b, "
    "repeat('é', 40) l"
)


def test_delta_tables_of_ours_and_of_delta_spark_have_no_finding(spark, tmp_path, delta_spark):  # noqa: F811
    ours, theirs = str(tmp_path / "ours"), str(tmp_path / "theirs")
    query = f"SELECT {TYPES}, parse_json(concat('{{\"a\": ', id, '}}')) v, id % 3 p FROM range(100)"
    save(spark.sql(query), ours, "p")
    delta_spark.sql(
        f"CREATE TABLE {{t}} USING delta PARTITIONED BY (p) AS SELECT {TYPES}, id % 3 p FROM range(100)", t=theirs
    )
    assert findings_of(spark, ours) == [] and findings_of(spark, theirs) == []
    assert verify(spark, ours).files == len(active(ours))


def relog(path, change, version=-1):
    """Changes the statistics of the files that a commit added."""
    log = sorted((Path(path) / "_delta_log").glob("*.json"))[version]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        if "add" in line:
            stats = json.loads(line["add"]["stats"])
            change(stats)
            line["add"]["stats"] = json.dumps(stats)
    log.write_text("\n".join(map(json.dumps, lines)) + "\n")
    remove_checksums(path)


# name: (change, column, path, a part of the finding)
LOGS = {
    "rows": (lambda s: s.update(numRecords=7), "", "", "the table's log counts 7 rows and there are 2000"),
    "nulls": (lambda s: s["nullCount"].update(s=7), "s", "", "the table's log counts 7 nulls and there are 0"),
    "nulls of a variant": (lambda s: s["nullCount"].update(v=7), "v", "", "counts 7 nulls and there are 200"),
    "a lower bound": (lambda s: s["minValues"].update(id=1), "id", "", "no value is less than '1', and '0' is"),
    "an upper bound": (lambda s: s["maxValues"].update(s="5"), "s", "", "no value is greater than '5', and '6' is"),
    "bounds of paths": (lambda s: s["maxValues"].update(v=s["minValues"]["v"]), "v", "$['a']", "is greater than '1'"),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_a_false_log_is_found(spark, tmp_path, name):
    change, column, path, said = LOGS[name]
    table = str(tmp_path / "t")
    save(mixed_rows(spark), table)
    assert findings_of(spark, table) == []
    relog(table, change)
    findings = [f for f in findings_of(spark, table) if f[2] in (path, "")]
    assert findings[0][:3] == (next(iter(active(table))), column, path) and said in findings[0][3]


def test_bounds_of_a_path_with_values_of_other_types_are_a_finding(spark, tmp_path):
    """With a JSON null, a value of another type or a NaN, the path must have no bounds."""
    for i, (shape, odd) in enumerate({"a BIGINT": "null", "a INT": '"x"', "a DOUBLE": "to_json"}.items()):
        table = str(tmp_path / f"t{i}")
        value = "1.5D" if shape == "a DOUBLE" else "1"
        save(spark.sql(f"SELECT to_variant_object(named_struct('a', {value})) v"), table, shredding__shape__v=shape)
        (good,) = (json.loads(a["stats"]) for a in actions(table, "add"))
        bad = (
            "to_variant_object(named_struct('a', double('NaN')))"
            if odd == "to_json"
            else f"parse_json('{{\"a\": {odd}}}')"
        )
        save(spark.sql(f"SELECT {bad} v"), table)
        relog(table, lambda s, good=good: s.update(minValues=good["minValues"], maxValues=good["maxValues"]))
        (finding,) = findings_of(spark, table)
        assert finding[1:3] == ("v", "$['a']") and "the table's log has bounds" in finding[3]


def files_read(df):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        df.explain("formatted")
    return re.search(r"Files: \[(.*?)\]", text.getvalue())[1]


def untagged(path, version=-1):
    log = sorted((Path(path) / "_delta_log").glob("*.json"))[version]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        line.get("add", {}).pop("tags", None)
    log.write_text("\n".join(map(json.dumps, lines)) + "\n")
    remove_checksums(path)


def test_trusted_bounds_skip_files(spark, tmp_path):
    table = str(tmp_path / "t")
    for i in range(3):
        save(mixed_rows(spark).where(f"id % 3 = {i}"), table)
        untagged(table)
    relog(table, lambda s: s["nullCount"].update(s=1), version=0)
    before = active(table)
    query = lambda: files_read(load(spark, table).where("v:a::bigint = 100000").select("id"))  # noqa: E731
    assert query() == "3 of 3"
    written = len(commits(table))
    report = verify(spark, table, trust=True)
    assert report.trusted == 2 and len(report.findings) == 1
    assert len(commits(table)) == written + 1 and active(table) == before
    adds = actions(table, "add")
    assert all(a["tags"] == {"shredded_variant.bounds": "1"} and not a["dataChange"] for a in adds) and len(adds) == 2
    assert query() == "1 of 3"
    assert verify(spark, table, trust=True).trusted == 0 and len(commits(table)) == written + 1
    assert load(spark, table).count() == 2000


def test_a_column_with_a_nan_outside_its_bounds_is_not_trusted(spark, tmp_path, delta_spark):  # noqa: F811
    table = str(tmp_path / "t")
    delta_spark.sql("CREATE TABLE {t} (f DOUBLE) USING delta", t=table)
    delta_spark.sql("INSERT INTO {t} SELECT /*+ COALESCE(1) */ f FROM VALUES (1D), (double('NaN')) AS t(f)", t=table)
    relog(table, lambda s: s.update(minValues={"f": 1.0}, maxValues={"f": 1.0}))
    report = verify(spark, table, trust=True)
    assert report.ok and report.trusted == 0
