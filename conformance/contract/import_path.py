"""Where child processes import from: a folder that somebody works in is no place for that.

Python puts the current folder in front of everything for `-m` and `-c`, as workers of pytest and
of `multiprocessing` are started. There, a clone with an `execnet.py` would be a program.
"""

import os
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "PYTHONSAFEPATH"
"""What keeps Python from that; see `python --help-env`."""

OURS = "conformance"
"""Its value where this package has set it: any text will do."""

SAFE = {VARIABLE: OURS}

ROOT = Path(__file__).parents[2]
"""The folder that has this package."""


def protect() -> None:
    """Let no child import from the current folder, unless this package itself is there."""
    if not ROOT.samefile(os.curdir):
        os.environ.setdefault(VARIABLE, OURS)


def unprotected(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment as its user has it, for a program of the user."""
    return {name: value for name, value in environ.items() if SAFE.get(name) != value}
