"""Conventions: markers of what FUZZ=1 makes longer, helpers in tests/support, small files, patches that apply."""

import ast
import re
from collections import Counter

from programs import ROOT

MODULES = sorted((ROOT / "tests").glob("*/test_*.py"))
SUPPORT = {file.stem: file for file in (ROOT / "tests" / "support").rglob("*.py")}
SCALA = sorted((ROOT / "jvm" / "src" / "test").rglob("*.scala"))
SUITES = [file for file in SCALA if file.stem.endswith("Suite") and file.stem != "Suite"]


def imported(file):
    """The modules that a file imports."""
    nodes = list(ast.walk(ast.parse(file.read_text())))
    direct = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return direct | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


def fuzz_makes_longer(file):
    """Whether FUZZ=1 makes some test of a module longer, by the module itself or by a helper."""
    names = imported(file)
    return "fuzz" in names or any("fuzz" in imported(SUPPORT[name]) for name in names & SUPPORT.keys())


def is_marked(file):
    return bool(re.search(r"^pytestmark = .*\bpytest\.mark\.fuzz\b", file.read_text(), re.MULTILINE))


def test_the_marker_fuzz_is_on_the_modules_that_fuzz_makes_longer():
    longer = [file.name for file in MODULES if fuzz_makes_longer(file)]
    assert longer == [file.name for file in MODULES if is_marked(file)] != []


def test_one_python_file_and_one_scala_file_read_fuzz():
    python = [
        file.name for file in [*MODULES, *SUPPORT.values()] if re.search("environ" + r"\S*FUZZ", file.read_text())
    ]
    scala = [file.name for file in SCALA if re.search(r"env\S*FUZZ", file.read_text())]
    assert (python, scala) == (["fuzz.py"], ["Suite.scala"])


def test_scala_files_of_tests_are_small():
    assert SCALA and [file.name for file in SCALA if len(file.read_text().splitlines()) > 350] == []


def test_python_files_and_folders_are_small():
    files = [file for top in ("python", "tests", "benchmarks") for file in (ROOT / top).rglob("*.py")]
    assert [file.name for file in files if len(file.read_text().splitlines()) > 350] == []
    folders = Counter(file.parent for file in files)
    assert [str(folder) for folder, size in folders.items() if size > 25] == []


def test_no_module_imports_from_a_test_module():
    files = [*MODULES, *SUPPORT.values()]
    assert [file.name for file in files if any("test_" in name for name in imported(file))] == []


def test_suites_have_a_limit_of_time_and_the_tag_of_what_fuzz_makes_longer():
    without_limit, without_tag = [], []
    for file in SUITES:
        text = file.read_text()
        if not re.search(rf"class {file.stem}\s+extends (shreddedvariant\.)?(Suite|LawSuite|InferenceCases)\b", text):
            without_limit.append(file.name)
        if ("Fuzz.isLong" in text) != (".tag(Fuzz)" in text):
            without_tag.append(file.name)
    assert SUITES
    assert (without_limit, without_tag) == ([], [])


# Files of `shred` and `rules` without a suite of their own name: the suite that tests them.
TESTED_BY = {
    "CellVector": "RoundTripSuite",
    "CellWalk": "RoundTripSuite",
    "Conjuncts": "NullTestsSuite",
    "ExactNumber": "ScalarShredderSuite",
    "JsonText": "JsonWriterSuite",
    "LeafWriter": "ShredderSuite",
    "PathDemand": "PathPushdownSuite",
    "PathRewrite": "PathPushdownSuite",
    "PathTable": "LatePathPushdownSuite",
    "Rebuilder": "RoundTripSuite",
    "PulledOut": "LatePathPushdownSuite",
    "RekeyingCopy": "SelfContainedSuite",
    "ScannedTable": "LatePathPushdownSuite",
    "StoredKeys": "HeldDictionariesSuite",
    "VariantOrigins": "PathPushdownSuite",
}


def test_each_file_of_shred_and_of_the_rules_is_tested_by_a_suite():
    sources = ROOT / "jvm" / "src" / "main" / "scala" / "shreddedvariant"
    files = {file.stem for folder in ("shred", "rules") for file in (sources / folder).glob("*.scala")}
    suites = {file.stem for file in SUITES}
    own = {name for name in files if f"{name}Suite" in suites}
    assert files and files - own == TESTED_BY.keys()
    assert set(TESTED_BY.values()) <= suites


def replaced_texts(patch):
    """For each hunk of a patch the file that it changes, and the text that it replaces there."""
    for change in patch.read_text().split("\ndiff --git "):
        file = re.search(r"^--- a/(\S+)$", change, re.MULTILINE)
        for hunk in re.split(r"^@@.*@@.*\n", change, flags=re.MULTILINE)[1:] if file else []:
            yield ROOT / file[1], "".join(line[1:] for line in hunk.splitlines(keepends=True) if line[0] in " -")


def test_each_patch_of_the_ablations_applies():
    patches = sorted((ROOT / "benchmarks" / "ablations").glob("*.patch"))
    stale = [
        (patch.name, file.name)
        for patch in patches
        for file, text in replaced_texts(patch)
        if text not in file.read_text()
    ]
    assert patches and stale == []
