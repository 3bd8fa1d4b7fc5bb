"""The commands compact, reshred, unshred and verify: what they print, and their exit status."""

import json
import struct
from pathlib import Path

import pytest

from commands import call
from delta_tables import active, save
from parquet_footer import BINARY, edit_chunk
from tables import FORMAT


@pytest.fixture
def small(spark, tmp_path):
    """A Delta table and a directory of two small files each."""
    table, files = str(tmp_path / "table"), str(tmp_path / "files")
    for i in range(2):
        df = spark.sql(f"SELECT id, parse_json(to_json(named_struct('a', id + {i}))) AS v FROM range(9)").coalesce(1)
        save(df, table)
        df.write.format(FORMAT).mode("append").save(files)
    return table, files


def test_tables_are_maintained_from_the_command_line(small, tmp_path):
    table, files = small
    assert call("compact", table, "--dry-run").startswith(f"compact {table}: would rewrite 2 of 2 files (")
    assert (
        json.loads(call("compact", table, "--cluster-by", "$.a", "--target-bytes", "64m", "--json"))["files_after"] == 1
    )
    assert "rewrote 1 of 1 file (" in call("reshred", table, "--shape", "v=a INT", "--option", "compression=snappy")
    assert ".snappy." in next(iter(active(table)))
    to = str(tmp_path / "to")
    assert json.loads(call("unshred", files, "--to", to, "--json"))["written_files"] == 2
    assert call("compact", files, status=2) == (
        f"shredded-variant: {files} is a directory of files, which compact leaves alone: "
        "give the new path for the result as `to`.\n"
    )


def test_verify_has_status_1_for_a_finding(small):
    table, files = small
    assert call("verify", table, "--trust").endswith(
        "2 files, 18 rows, all is as it is told; 0 files trusted from now on\n"
    )
    file = sorted(Path(files).glob("*.parquet"))[0]
    (Path(files) / f".{file.name}.crc").unlink()

    def edit(chunk):
        chunk[12][1][5] = (BINARY, struct.pack("<q", 3))

    edit_chunk(file, "id", edit)
    output = call("verify", files, status=1, output="stdout")
    assert "1 finding" in output and file.name[:20] in output and "no value is greater than '3', and '8' is" in output
    (finding,) = json.loads(call("verify", files, "--json", status=1, output="stdout"))["findings"]
    assert (finding["file"], finding["column"]) == (file.name, "id")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["compact", "/no/such"], "Path does not exist: file:/no/such"),
        (["reshred", "/no/such"], "The following arguments are required: --shape; see"),
        (
            ["reshred", "t", "--shape", "v"],
            "Argument --shape: `v` is not a name and a value with `=` between them; see",
        ),
        (["compact", "t", "--target-bytes", "0"], "Argument --target-bytes: `0` is not a size such as 128m; see"),
    ],
)
def test_wrong_input_is_one_sentence_and_status_2(arguments, sentence):
    output = call(*arguments, status=2)
    assert sentence in output and output.startswith("shredded-variant") and output.count("\n") == 1
