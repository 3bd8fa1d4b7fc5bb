"""A local file system for the session of the tests that starts no process `chmod` for each file and folder."""

import shutil
import subprocess
from pathlib import Path

import pyspark

from programs import ROOT

SOURCE = ROOT / "jvm" / "src" / "test" / "java" / "shreddedvariant" / "QuickLocalFileSystem.java"


def quick_files(folder):
    """Settings of a session with this file system; none where there is no Java compiler."""
    javac = shutil.which("javac")
    if javac is None:
        return {}
    jars = Path(pyspark.__file__).parent / "jars" / "*"
    subprocess.run([javac, "-nowarn", "-cp", str(jars), "-d", str(folder), str(SOURCE)], check=True)
    return {
        "spark.driver.extraClassPath": str(folder),
        "spark.hadoop.fs.file.impl": "shreddedvariant.QuickLocalFileSystem",
    }
