"""Tests that generate their cases, race or kill writers: how long they run, and which case they repeat.

FUZZ=1 makes them long, SEED=123 runs one case again. A module that imports this one has the marker `fuzz`.
"""

import os

FUZZ = bool(os.environ.get("FUZZ"))


def seeds(usual, fuzz):
    """The seeds to run: SEED alone if it is set, else so many as `make test` or FUZZ=1 wants."""
    return [int(os.environ["SEED"])] if "SEED" in os.environ else range(fuzz if FUZZ else usual)
