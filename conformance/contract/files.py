"""The contract files: next to the package in a checkout, inside it in an installed wheel."""

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import orjson
import yaml

# The C loader is ten times faster, but not every build has it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def folder() -> Traversable:
    """The folder of openapi.yaml and the other contract files."""
    package = resources.files("conformance")
    shipped = package / "spec"
    return shipped if shipped.is_dir() else Path(str(package)).parent / "spec"


def text(name: str) -> str:
    """The text of a contract file, read as UTF-8. Raises FileNotFoundError."""
    return folder().joinpath(name).read_text(encoding="utf-8")


def document(name: str) -> Any:
    """A new copy of the values in a contract file of YAML or JSON. Raises FileNotFoundError."""
    return orjson.loads(_json(name))


@cache
def _json(name: str) -> bytes:
    # Reading YAML takes fifty times as long as reading JSON.
    return orjson.dumps(yaml.load(text(name), _LOADER))
