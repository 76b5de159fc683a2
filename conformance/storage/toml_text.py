"""TOML files of others: of a bounded size, and not nested more deeply than can be read."""

import tomllib
from pathlib import Path
from typing import Any

from conformance.storage import regular_file

LARGEST = regular_file.MIB


def read(path: Path, *, follow: bool = False) -> str:
    """The text of a file. Raises OSError, and ValueError where it is not UTF-8."""
    return regular_file.read(path, LARGEST, follow=follow).decode("utf-8-sig")


def parse(text: str) -> dict[str, Any]:
    """The tables of a text. Raises ValueError."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
