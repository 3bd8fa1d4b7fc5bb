"""Documents name only files that the repository has."""

import re

import pytest

from programs import ROOT

DOCUMENTS = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
# What a document names in backticks, if it is a file of the project.
FILE = re.compile(r"`([\w./-]+\.(?:py|scala|java|md|sbt|toml))`")
# What a reader makes with the commands of the documents.
MADE = {"job.py"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_each_file_that_a_document_names_is_there(document):
    text = document.read_text()
    linked = [document.parent / link for link in re.findall(r"\]\(([\w./-]+)\)", text)]
    assert [str(path) for path in linked if not path.exists()] == []
    files = {path.relative_to(ROOT).as_posix() for folder in ("jvm", "python", "tests", "docs", "project", "benchmarks")
             for path in (ROOT / folder).rglob("*.*")} | {path.name for path in ROOT.iterdir()}  # fmt: skip
    named = set(FILE.findall(text)) - MADE
    assert [name for name in sorted(named) if not any(f == name or f.endswith("/" + name) for f in files)] == []
