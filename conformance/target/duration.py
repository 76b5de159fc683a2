"""Durations as a profile states them: "300ms" or "1.5s"."""

import re

DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(ms|s)")
UNITS = {"ms": 0.001, "s": 1.0}


def seconds(text: str) -> float:
    """The seconds of a duration. Raises ValueError for another text."""
    found = DURATION.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return float(found[1]) * UNITS[found[2]]


def flaw(text: str) -> str | None:
    """What is wrong with a duration that has to be longer than nothing; None if all is right."""
    try:
        return None if seconds(text) > 0 else "is not above zero"
    except ValueError:
        return "is not a duration with its unit"
