"""Documents name only files, folders and types that the repository has."""

import re

import pytest

from programs import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Folders of the repository whose contents documents name.
TOP = ("jvm", "python", "tests", "docs", "project", "benchmarks")
# Folders that documents name paths from: `shred/Shredder.scala` is in the first one, `jobs/verify.py` in the second.
BASES = (
    ROOT / "jvm/src/main/scala/shreddedvariant",
    ROOT / "python/src/shredded_variant",
    ROOT / "jvm/src/test/scala/shreddedvariant",
    ROOT,
)
SUFFIXES = (".scala", ".java", ".py", ".md", ".sbt")
# Names of files that users create.
MADE = {"job.py"}

FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[([^\]\n]*)\]\(([^)\s]+)\)")
NAME = re.compile(r"[\w./-]+")
LINES = 250


def files():
    """Every file that documents may name, by its path in the repository."""
    result = [path for path in ROOT.iterdir() if path.is_file()]
    result += [path for top in TOP for path in (ROOT / top).rglob("*") if path.is_file()]
    return {path.relative_to(ROOT).as_posix() for path in result}


def names_a_file(token):
    """Whether a text in backticks is the name of a file or folder of the repository."""
    if token in MADE or not NAME.fullmatch(token):
        return False
    return token.endswith(SUFFIXES) or ("/" in token and token.split("/")[0] in TOP)


def exists(token, all_files):
    path = token.rstrip("/")
    if any((base / path).exists() for base in BASES):
        return True
    return any(file.endswith(f"/{path}") for file in all_files)


def defines(text, name):
    """Whether a source file has a type, or a function or constant of Python, with this name."""
    word = re.escape(name)
    return bool(re.search(rf"\b(class|object|trait|interface|enum|def)\s+{word}\b|^{word}\s*[:=]", text, re.MULTILINE))


def links(document):
    """The relative links of a document: their texts, their files, and the anchors in these."""
    for text, target in LINK.findall(document.read_text()):
        if "://" not in target and not target.startswith("#"):
            path, _, anchor = target.partition("#")
            yield text, document.parent / path, anchor


def anchors(document):
    """The anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ +(.*)$", FENCE.sub("", document.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def by_path(document):
    return document.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", DOCUMENTS, ids=by_path)
def test_each_file_in_backticks_exists(document):
    all_files = files()
    tokens = {token.strip() for token in CODE.findall(FENCE.sub("", document.read_text()))}
    assert [token for token in sorted(tokens) if names_a_file(token) and not exists(token, all_files)] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=by_path)
def test_each_link_leads_to_a_file_and_a_heading(document):
    result = list(links(document))
    assert [str(path) for _, path, _ in result if not path.exists()] == []
    missing = [anchor for _, path, anchor in result if anchor and anchor not in anchors(path)]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=by_path)
def test_each_linked_type_is_defined_in_its_file(document):
    """A link such as [`Shredder`](…/Shredder.scala) leads to the file that has the type."""
    wrong = []
    for text, path, _ in links(document):
        name = re.fullmatch(r"`(\w+)`", text)
        if name and path.suffix in (".scala", ".java", ".py") and not defines(path.read_text(), name[1]):
            wrong.append(f"{name[1]} is not in {path.name}")
    assert wrong == []


@pytest.mark.parametrize("document", [path for path in DOCUMENTS if path.parent != ROOT], ids=by_path)
def test_documents_are_short(document):
    assert len(document.read_text().splitlines()) <= LINES


def test_the_checks_find_what_is_wrong():
    all_files = files()
    assert names_a_file("shred/Shredder.scala") and exists("shred/Shredder.scala", all_files)
    assert names_a_file("tests/skipping/") and exists("tests/skipping/", all_files)
    assert names_a_file("NoSuchFile.scala") and not exists("NoSuchFile.scala", all_files)
    assert names_a_file("tests/nothing") and not exists("tests/nothing", all_files)
    assert not names_a_file("SELECT a/b") and not names_a_file("_shredding/shapes.json") and not names_a_file("job.py")
    assert defines("private[x] final class Found(a: Int)", "Found") and not defines("new Found(1)", "Found")
