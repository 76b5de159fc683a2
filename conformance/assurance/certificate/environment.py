"""The installed packages of a run: with the same ones a certificate can be verified years later.

A lock file in the form of PEP 751 has to name an address for each package, which is not known of an
installed one (see lock_file). This list has names and versions only, so that any index, or any
folder of wheels, can provide them.
"""

import platform
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PACKAGE = "localization-api-conformance"
PYTHON = "# python "
OLDEST = (3, 11)
"""The Python that this package needs at least."""

VERSION = re.compile(r"\d{1,3}(\.\d{1,3}){2}([a-z+.][0-9a-z+.]{0,19})?", re.ASCII)
LINE = re.compile(r"[a-z0-9][a-z0-9-]*==[A-Za-z0-9.!+_-]+")


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
    python = head.removeprefix(PYTHON)
    if not VERSION.fullmatch(python):
        raise NoEnvironment(f"environment.txt has {python!r:.40} as the version of Python")
    if tuple(map(int, python.split(".")[:2])) < OLDEST:
        raise NoEnvironment(f"environment.txt has Python {python}, on which this package is not")
    packages = dict(line.split("==", 1) for line in lines)
    if len(packages) < len(lines) or PACKAGE not in packages:
        raise NoEnvironment(f"environment.txt has a package twice, or lacks {PACKAGE}")
    return python, packages


def strangers(packages: Mapping[str, str]) -> Iterator[str]:
    """The packages that this one does not need, on any system or with any of its extras."""
    for name in sorted(packages.keys() - _possible()):
        yield f"environment.txt has {name}, which {PACKAGE} does not need"


@cache
def _possible() -> frozenset[str]:
    """The names of everything that this package may need; what is not installed needs nothing."""
    found, waiting = set[str](), [PACKAGE]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        try:
            stated = metadata.distribution(name).requires or ()
        except metadata.PackageNotFoundError:
            continue
        waiting += (canonicalize_name(Requirement(each).name) for each in stated)
    return frozenset(found)
