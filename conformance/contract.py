"""Where the contract files are: beside the package in a checkout, inside it once it is installed from a wheel."""

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path


@cache
def folder() -> Traversable:
    """The folder that holds openapi.yaml and its neighbours."""
    package = resources.files("conformance")
    shipped = package / "spec"
    return shipped if shipped.is_dir() else Path(str(package)).parent / "spec"


def text(name: str) -> str:
    """The contract file `name`, decoded as UTF-8. FileNotFoundError where the contract has no such file."""
    return folder().joinpath(name).read_text(encoding="utf-8")
