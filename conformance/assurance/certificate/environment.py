"""The installed packages of a run: with the same ones a certificate can be verified years later.

A lock file in the form of PEP 751 has to name an address for each package, which is not known of an
installed one (see lock_file). This list has names and versions only, so that any index, or any
folder of wheels, can provide them.
"""

import platform
import re
from collections.abc import Mapping
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PACKAGE = "localization-api-conformance"
PYTHON = "# python "
LINE = re.compile(r"[a-z0-9-]+==[A-Za-z0-9.!+_-]+")


class NoEnvironment(ValueError):
    """A text that is no list of packages."""


def text() -> str:
    """The interpreter, this package and everything that it needs, as a requirements file."""
    found = installed()
    lines = [PYTHON + platform.python_version(), *(f"{name}=={found[name]}" for name in found)]
    return "".join(f"{line}\n" for line in lines)


def installed() -> dict[str, str]:
    """The versions of this package and of everything that it needs, by name."""
    found: dict[str, str] = {}
    waiting = [(PACKAGE, frozenset[str]())]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        distribution = metadata.distribution(name)
        found[canonicalize_name(name)] = distribution.version
        for stated in map(Requirement, distribution.requires or ()):
            if _applies(stated, extras):
                waiting.append((canonicalize_name(stated.name), frozenset(stated.extras)))
    return dict(sorted(found.items()))


def _applies(stated: Requirement, extras: frozenset[str]) -> bool:
    marker = stated.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in (*extras, ""))


def read(content: bytes) -> tuple[str, Mapping[str, str]]:
    """The version of Python, and those of the packages by name. Raises NoEnvironment."""
    try:
        head, *lines = content.decode("ascii").splitlines()
    except ValueError:
        raise NoEnvironment("environment.txt is malformed") from None
    if not head.startswith(PYTHON) or not all(map(LINE.fullmatch, lines)):
        raise NoEnvironment("environment.txt has other lines than NAME==VERSION")
    return head.removeprefix(PYTHON), dict(line.split("==", 1) for line in lines)
