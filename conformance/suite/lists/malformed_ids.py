"""Values that are not UUIDs of the contract, most of them notations that parsers accept."""

import re
from collections.abc import Callable, Iterator

WORDS = ("undefined", "0", "null", "all", "not-a-uuid")
"""Values that a client may send where it has none, and that a target may ignore."""
LONG = 2
"""Ids in a row: longer than a column for one id, shorter than any limit on a path segment."""
ARABIC_ZERO, WIDE = ord("٠"), ord("０") - ord("0")
"""The first digit of another script, and the distance of ASCII from its full-width forms."""


def malformed(id: str) -> Iterator[str]:
    """Values that are no UUID, made of one; the words come first.

    They stand for all others beside further arguments.
    """
    yield from (*WORDS, id * LONG)
    yield id.replace("-", "")
    yield f"{{{id}}}"
    yield f"urn:uuid:{id}"
    yield f"{id}0"
    yield f"{id}\n"
    yield f" {id}"
    yield f"{id},{id}"
    yield id[:-1]
    yield f"g{id[1:]}"
    yield f"{id[:14]}0{id[15:]}"
    yield f"{id[:14]}9{id[15:]}"
    yield f"{id[:19]}7{id[20:]}"
    yield f"{id[:19]}c{id[20:]}"
    yield f"{id[:4]}-{id[4:8]}{id[8:]}"
    yield from lookalikes(id).values()


def lookalikes(id: str) -> dict[str, str]:
    """Values that libraries for integers and for text read as an id, by what is odd about them."""
    found = {
        "a digit of another script": _replaced(id, "[0-9]", lambda each: ARABIC_ZERO + int(each)),
        "a full-width letter": _replaced(id, "[a-fA-F]", lambda each: ord(each) + WIDE),
        "an underscore": f"{id[0]}_{id[2:]}",
        "a sign": f"+{id[1:]}",
    }
    return {label: value for label, value in found.items() if value != id}


def _replaced(id: str, pattern: str, code: Callable[[str], int]) -> str:
    """An id with the first character that matches replaced by the one with this code."""
    return re.sub(pattern, lambda found: chr(code(found[0])), id, count=1)
