"""The command `shredded-variant`: its output, and status 2 with one sentence for each error."""

import json
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shredded_variant
from commands import COMMAND, call


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "f.parquet"
    pq.write_table(pa.table({"n": [1, 2], "s": ["x", None]}), path)
    return path


def test_jar_prints_the_path_of_the_jar():
    assert call("jar") == f"{shredded_variant.jar_path()}\n"
    assert shredded_variant.jar_path().is_file()


def test_version_is_that_of_the_package():
    assert call("--version") == f"shredded-variant {shredded_variant.__version__}\n"


def test_layout_prints_the_tree_or_json(file):
    assert call("layout", file) == f"{shredded_variant.layout(file)}\n"
    assert json.loads(call("layout", file, "--json")) == json.loads(shredded_variant.layout(file).to_json())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["layot"], "shredded-variant: No command `layot`, did you mean `layout`; see `shredded-variant --help`."),
        (["x"], "shredded-variant: No command `x`, there are `layout`, `compact`, `reshred`, `unshred`, "
                "`verify`, `demo`, `jar`; see `shredded-variant --help`."),
        ([], "shredded-variant: The following arguments are required: COMMAND; see `shredded-variant --help`."),
        (["layout"], "shredded-variant layout: The following arguments are required: PATH; "
                     "see `shredded-variant layout --help`."),
        (["layout", "/no/such"], "shredded-variant: /no/such does not exist: check the path."),
        (["demo", "/"], "shredded-variant: / exists already: give the demo a new directory."),
        (["demo", "--rows", "0"], "shredded-variant demo: Argument --rows: `0` is not a number of rows; "
                                  "see `shredded-variant demo --help`."),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_sentence_and_status_2(arguments, sentence):
    assert call(*arguments, status=2) == f"{sentence}\n"


def test_a_closed_pipe_is_not_an_error(file):
    program = f"set -o pipefail; '{COMMAND}' layout '{file}' --json | head -n 1; '{COMMAND}' jar | true"
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("{\n", "")


def test_the_demo_prints_layouts_queries_and_metrics(tmp_path):
    output = call("demo", tmp_path / "demo", "--rows", 500)
    assert "\x1b" not in output and "Exception" not in output and "WARN" not in output
    headings = [line[2:] for line in output.split("\n") if line.startswith("▸ ")]
    assert headings[0] == "A Spark session with the format `shredded_variant`"
    assert len(headings) == 7
    assert "  read 1 file, 1 row group, 3 pages, " in output
    assert "├─ kind STRING 100% 100% 0% " in " ".join(output.split())
    assert "All 500 documents equal those of the unshredded table: yes" in output
    shape = "STRUCT<amount DECIMAL(5,2), at STRING, "
    [result] = shredded_variant.layout(tmp_path / "demo/events").shapes
    assert result.columns["event"].startswith(shape)
    assert max(map(len, output.split("\n"))) <= 110
