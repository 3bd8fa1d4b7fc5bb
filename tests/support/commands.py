"""Runs the command `shredded-variant` and checks its exit status."""

import subprocess
import sys
from pathlib import Path

from programs import clean_environment

COMMAND = Path(sys.executable).parent / "shredded-variant"


def call(*arguments, status=0, output=None):
    done = subprocess.run(
        [COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=280, env=clean_environment()
    )
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 or output == "stdout" else done.stderr
