"""The texts of this package: a secret, or a part of one, that is one of its words hides nothing."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain, product
from pathlib import Path

import conformance
from conformance.contract import api, files

WORD = re.compile(rb'"([a-z][a-z0-9_-]*)"')

NAME = re.compile(rb"[a-z0-9_-]{8,}")
"""What a secret mostly is a part of; a quotation mark or a blank is in none."""


@lru_cache(maxsize=4096)
def is_own(part: bytes) -> bool:
    """Whether something in lower case is written in the texts of this package."""
    # The near misses of a credential have its beginning or its end. Names are a twentieth of all.
    return part in (_own_names() if NAME.fullmatch(part) else _own_words())


@cache
def _own_names() -> bytes:
    return b"\n".join(dict.fromkeys(NAME.findall(_own_words())))


@cache
def _own_words() -> bytes:
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
