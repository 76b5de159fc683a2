"""The texts of this package: a secret, or a part of one, that is one of its words hides nothing."""

from functools import cache
from pathlib import Path

import conformance
from conformance.contract import api, files


@cache
def own_words() -> bytes:
    """All sources and contract files of this package, in lower case."""
    sources = (path.read_bytes() for path in Path(conformance.__file__).parent.rglob("*.py"))
    callers = (f"lacking.{permission}".encode() for permission in api.load().permissions)
    contract = (files.text(name).encode() for name in ("requirements.yaml", "openapi.yaml"))
    return b"\n".join([*sources, *callers, *contract]).lower()
