"""The contract files: beside the package in a checkout, inside it once it is installed from a wheel."""

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import orjson
import yaml

_LOADER = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # the C one is ten times faster, and not in every build


@cache
def folder() -> Traversable:
    """The folder that holds openapi.yaml and its neighbours."""
    package = resources.files("conformance")
    shipped = package / "spec"
    return shipped if shipped.is_dir() else Path(str(package)).parent / "spec"


def text(name: str) -> str:
    """The contract file `name`, decoded as UTF-8. FileNotFoundError where the contract has no such file."""
    return folder().joinpath(name).read_text(encoding="utf-8")


def document(name: str) -> Any:
    """What the contract file `name` states; whoever asks may do with it as they like. FileNotFoundError as for `text`."""
    return orjson.loads(_json(name))


@cache
def _json(name: str) -> bytes:
    # YAML takes fifty times as long to read as JSON.
    return orjson.dumps(yaml.load(text(name), _LOADER))
