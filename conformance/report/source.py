"""The build of this package that made a report: two builds may have one version."""

import hashlib
from functools import cache
from pathlib import Path

import conformance

SUFFIXES = frozenset({".py", ".toml", ".ini"})
"""What decides on requests and verdicts; the contract files are compared by themselves."""


CONTRACT = "spec"
"""The folder of the contract files: a wheel has it inside the package, a checkout beside it."""


@cache
def digest() -> str:
    """SHA-256 of the names and contents of all source files, in hexadecimal digits."""
    return of(Path(conformance.__file__).parent)


def of(folder: Path) -> str:
    """The digest of the package in a folder; a wheel and a checkout of one commit have the same."""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        is_source = path.suffix in SUFFIXES and CONTRACT not in path.relative_to(folder).parts[:1]
        if is_source and path.is_file():
            content = path.read_bytes()
            whole.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
            whole.update(content)
    return whole.hexdigest()
