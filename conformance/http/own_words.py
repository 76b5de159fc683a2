"""The texts of this package: a secret, or a part of one, that is one of its words hides nothing."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain, product
from pathlib import Path

import conformance
from conformance.contract import api, files

WORD = re.compile(rb'"([a-z][a-z0-9_-]*)"')


@cache
def own_words() -> bytes:
    """All sources and contract files of this package, in lower case, and names made of them."""
    sources = [path.read_bytes() for path in Path(conformance.__file__).parent.rglob("*.py")]
    callers = (f"lacking.{permission}".encode() for permission in api.load().permissions)
    contract = (files.text(name).encode() for name in ("requirements.yaml", "openapi.yaml"))
    return b"\n".join([*sources, *callers, *contract, *_names(sources)]).lower()


def _names(sources: list[bytes]) -> Iterator[bytes]:
    """The names of facts, as far as they have a scheme in them, which a token may begin with."""
    schemes = [scheme.encode() for scheme in api.load().schemes]
    words = sorted(set(chain.from_iterable(map(WORD.findall, sources))))
    return map(b"-".join, chain(product(schemes, words), product(words, schemes)))
