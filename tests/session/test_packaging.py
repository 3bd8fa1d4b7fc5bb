"""The release: one wheel with one jar, and a POM, without anything that Spark provides."""

import re
import zipfile
from xml.etree import ElementTree

import pytest

import shredded_variant
from programs import ROOT

VERSION = (ROOT / "VERSION").read_text().strip()


@pytest.fixture(scope="module")
def wheel():
    wheels = list((ROOT / "dist").iterdir())
    assert [w.name for w in wheels] == [f"shredded_variant-{VERSION}-py3-none-any.whl"]
    with zipfile.ZipFile(wheels[0]) as file:
        yield file


def test_the_wheel_has_one_jar_and_type_annotations(wheel):
    names = wheel.namelist()
    assert [n for n in names if n.endswith(".jar")] == [f"shredded_variant/jars/shredded-variant_2.13-{VERSION}.jar"]
    assert "shredded_variant/py.typed" in names
    assert {n.split("/")[0] for n in names} == {"shredded_variant", f"shredded_variant-{VERSION}.dist-info"}


def test_the_wheel_requires_only_pyarrow(wheel):
    metadata = wheel.read(f"shredded_variant-{VERSION}.dist-info/METADATA").decode()
    always = [r for r in re.findall(r"^Requires-Dist: (.*)$", metadata, re.M) if "extra ==" not in r]
    assert [re.split(r"\W", r)[0] for r in always] == ["pyarrow"]
    assert "Requires-Python: >=3.10" in metadata and "License-Expression: Apache-2.0" in metadata


def test_the_jar_has_only_our_classes():
    with zipfile.ZipFile(shredded_variant.jar_path()) as jar:
        names = [n for n in jar.namelist() if not n.endswith("/")]
        assert {n.split("/")[0] for n in names} == {"META-INF", "shreddedvariant"}
        register = "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister"
        assert jar.read(register).decode().split() == ["shreddedvariant.source.ShreddedVariantSource"]
        assert jar.read("shreddedvariant/VERSION").decode() == VERSION
        assert f"Implementation-Version: {VERSION}" in jar.read("META-INF/MANIFEST.MF").decode()


def test_the_pom_has_no_dependencies():
    pom = ElementTree.parse(ROOT / f"target/scala-2.13/shredded-variant_2.13-{VERSION}.pom").getroot()
    space = {"m": "http://maven.apache.org/POM/4.0.0"}
    expected = {"groupId": "io.github.shredded-variant", "artifactId": "shredded-variant_2.13", "version": VERSION}
    assert {name: pom.findtext(f"m:{name}", None, space) for name in expected} == expected
    assert pom.findall(".//m:dependency", space) == []
    assert pom.findtext(".//m:license/m:name", None, space) == "Apache-2.0"


def test_the_version_is_the_same_everywhere():
    assert shredded_variant.__version__ == VERSION
