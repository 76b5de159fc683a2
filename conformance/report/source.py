"""The build of this package that made a report: two builds may have one version."""

import hashlib
from functools import cache
from pathlib import Path

import conformance

SUFFIXES = frozenset({".py", ".toml", ".ini"})
"""What decides on requests and verdicts; the contract files are compared by themselves."""


@cache
def digest() -> str:
    """SHA-256 of the names and contents of all source files, in hexadecimal digits."""
    folder = Path(conformance.__file__).parent
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in SUFFIXES and path.is_file():
            content = path.read_bytes()
            whole.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
            whole.update(content)
    return whole.hexdigest()
