"""A lock file (PEP 751) inside a certificate: where each package of the run came from, with hashes.

Neither is known of an installed package, so a tool that asks an index has to write the file:
`uv pip compile environment.txt --format pylock.toml`, or `pip lock -r environment.txt`.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from packaging.pylock import Package, Pylock, PylockValidationError

from conformance.assurance.certificate.environment import PACKAGE
from conformance.storage import toml_text

FILE = "pylock.toml"
MOST_SHOWN = 3


def problems(content: bytes, packages: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with a lock file for an environment with these versions, by name."""
    try:
        stated: Mapping[str, Any] = toml_text.parse(content.decode())
        locked = {str(each.name): each for each in Pylock.from_dict(stated).packages}
    except (ValueError, PylockValidationError) as problem:
        reason = str(problem).partition("\n")[0][:200]
        yield f"{FILE} is not a lock file: {reason}"
        return
    missing = sorted(packages.keys() - locked.keys() - {PACKAGE})
    if missing:
        yield f"{FILE} lacks {', '.join(missing[:MOST_SHOWN])}"
    for name, version in packages.items():
        if name in locked and str(locked[name].version) != version:
            yield f"{FILE} has {name} {locked[name].version}, and the run had {version}"
    for name, package in locked.items():
        if any("@" in urlsplit(address).netloc for address in _addresses(package)):
            yield f"{FILE} has a credential in an address of {name}"


def _addresses(package: Package) -> Iterator[str]:
    files = [package.archive, package.sdist, *(package.wheels or ())]
    found = [package.index, *(each.url for each in files if each)]
    yield from filter(None, found)
