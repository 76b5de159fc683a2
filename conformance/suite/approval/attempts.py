"""What makes an attempt that ought to be refused out of a right approval: another revision, another key, another body, another id."""

from collections.abc import Callable, Mapping
from typing import Any

from conformance.http.exchange import Call

Change = Callable[[Call, int, str], Call]
"""From a right call, its revision and its key to the call that is sent."""


def ahead(right: int) -> int:
    """The revision after the right one."""
    return right + 1


ON_APPROVED = frozenset({200, 400, 403, 409, 422})
"""What a new key on a review that is approved already may be answered."""


def conflict(revision: int) -> frozenset[int]:
    """What a wrong revision may be answered: one that no subject may have, or that not every integer type holds, is malformed too."""
    return frozenset({409}) if 0 < revision < 2**31 else frozenset({400, 409, 422})


STALE: Mapping[str, Callable[[int], int]] = {
    "one revision ahead": ahead,
    "one revision behind": lambda right: right - 1,
    "two revisions behind": lambda right: right - 2,
    "two revisions ahead": lambda right: right + 2,
    "far ahead": lambda right: right + 1000,
    "ahead by a turn of 32 bits": lambda right: right + 2**32,
    "none at all": lambda right: 0 if right else -1,
    "the first": lambda right: 1 if right > 1 else right + 3,
    "less than none": lambda right: -1 if right != -1 else -3,
    "the same below zero": lambda right: -right or -1,
}
"""Revisions that are not the current one, made of it; the last ones are what a careless comparison takes for any revision."""

NEXT = ("one revision ahead", "one revision behind")
"""Those next to it, which nothing but a conflict answers."""


def unaltered(call: Call, _: int, __: str) -> Call:
    """The right approval itself, for callers who may not make it."""
    return call


def changed(revision: Any = None, key: Any = None) -> Change:
    """The same approval with a revision made of the right one, or another key."""

    def body(call: Call, right_revision: int, right_key: str) -> Call:
        return call.carrying(
            {
                "expectedSubjectRevision": right_revision
                if revision is None
                else revision(right_revision),
                "idempotencyKey": right_key if key is None else key,
            }
        )

    return body


def _raw(content: bytes) -> Change:
    def body(call: Call, _: int, __: str) -> Call:
        return Call(call.operation, call.path, call.query, content)

    return body


def _at(spelling: Callable[[str], str]) -> Change:
    def path(call: Call, _: int, __: str) -> Call:
        return call.at(reviewId=spelling(call.path["reviewId"]))

    return path


MISSPELT: Mapping[str, Change] = {
    "the id without dashes": _at(lambda id: id.replace("-", "")),
    "the id in braces": _at(lambda id: f"{{{id}}}"),
    "the id and another digit": _at(lambda id: f"{id}0"),
    "an id that is no UUID": _at(lambda _: "not-a-uuid"),
}

MALFORMED: Mapping[str, Change] = {
    "a revision that is a string": changed(revision=str),
    "a revision that is a fraction": changed(revision=lambda right: right % 1000 + 0.5),
    "a revision that is a boolean": changed(revision=lambda _: True),
    "a revision that is false": changed(revision=lambda _: False),
    "a revision that is an empty string": changed(revision=lambda _: ""),
    "a revision that is an array": changed(revision=lambda right: [right]),
    "a revision that is an object": changed(revision=lambda right: {"value": right}),
    "a key that is a number": changed(key=7),
    "a key that is a boolean": changed(key=True),
    "a key that is false": changed(key=False),
    "a key that is an array": changed(key=["key"]),
    "a key that is an object": changed(key={"key": "key"}),
    "a body that is an array": _raw(b"[]"),
    "a body that is a string": _raw(b'"approve"'),
    "a body that is a number": _raw(b"1"),
    "a body that breaks off": _raw(b'{"expectedSubjectRevision": 1,'),
    "a body that is no JSON": _raw(b"approve"),
}
