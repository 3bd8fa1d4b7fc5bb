"""The number of cases of tests that generate them, or that run concurrent or killed writers.

FUZZ=1 makes these tests longer, SEED=123 repeats one case. A module that imports this one has the marker `fuzz`.
"""

import os

FUZZ = bool(os.environ.get("FUZZ"))


def seeds(usual, fuzz):
    """The seeds to run: only SEED if it is set, else this number of seeds, for `make test` and for FUZZ=1."""
    return [int(os.environ["SEED"])] if "SEED" in os.environ else range(fuzz if FUZZ else usual)
