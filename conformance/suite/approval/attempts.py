"""How attempts that have to be rejected differ from a right approval."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from conformance.http.exchange import Call
from conformance.suite.lists.malformed_ids import lookalikes

Change = Callable[[Call, int, str], Call]
"""Makes the call that is sent from a right one, its revision and its key."""


def ahead(right: int) -> int:
    """The revision after the right one."""
    return right + 1


ON_APPROVED = frozenset({200, 400, 403, 409, 422})
"""The statuses that are allowed for a new key on a review that is approved already."""


def conflict(revision: float) -> frozenset[int]:
    """The statuses that are allowed for a revision that is not the current one.

    A revision below 1, or beyond 32 bits, may also count as malformed.
    """
    is_plausible = 0 < revision < 2**31
    return frozenset({409}) if is_plausible else frozenset({400, 409, 422})


LARGEST = 2**53 - 1
"""The largest integer that a float holds exactly, as all below it."""
STALE: Mapping[str, Callable[[int], int | float]] = {
    "one revision ahead": ahead,
    "one revision behind": lambda right: right - 1,
    "two revisions behind": lambda right: right - 2,
    "two revisions ahead": lambda right: right + 2,
    "far ahead": lambda right: right + 1000,
    "the largest": lambda right: LARGEST - (right == LARGEST),
    "ahead by a turn of 32 bits": lambda right: right + 2**32,
    "revision zero": lambda right: 0 if right else -1,
    "the first": lambda right: 1 if right > 1 else right + 3,
    "a negative revision": lambda right: -1 if right != -1 else -3,
    "the same below zero": lambda right: -right or -1,
    "its first digit": lambda right: right // 10 ** (len(str(right)) - 1) if right > 9 else 10,
    "its digits and another": lambda right: right * 10 + 1,
    # Small, so that a float holds it exactly; the remainder differs from that of the right one.
    "another one as a float": lambda right: float(right % 1000 + 1001),
}
"""Revisions that are not the current one, made of it.

A careless comparison takes each of the last seven for the current one, or for any.
"""

NEXT = ("one revision ahead", "one revision behind")
"""Those next to the current one: no status but 409 is allowed."""


def unaltered(call: Call, _: int, __: str) -> Call:
    """The right approval, for callers who may not make it."""
    return call


def changed(revision: Any = None, key: Any = None) -> Change:
    """The same approval with another revision, made of the right one, or with another key."""

    def body(call: Call, right_revision: int, right_key: str) -> Call:
        sent_revision = right_revision if revision is None else revision(right_revision)
        sent_key = right_key if key is None else key
        return call.carrying({"expectedSubjectRevision": sent_revision, "idempotencyKey": sent_key})

    return body


def reordered(change: Change) -> Change:
    """The same change, with the properties of the body in the opposite order."""

    def body(call: Call, right_revision: int, right_key: str) -> Call:
        made = change(call, right_revision, right_key)
        properties = json.loads(made.body or b"{}")
        return made.carrying(dict(reversed(properties.items())))

    return body


def _with_null_key(call: Call, revision: int, _: str) -> Call:
    return call.carrying({"expectedSubjectRevision": revision, "idempotencyKey": None})


def _raw(content: bytes) -> Change:
    def body(call: Call, _: int, __: str) -> Call:
        return Call(call.operation, call.path, call.query, content)

    return body


def _wrapped(wrap: Callable[[Any], Any]) -> Change:
    """A right body inside another JSON value: a careless parser takes it out."""

    def body(call: Call, _: int, __: str) -> Call:
        return call.carrying(wrap(json.loads(call.body or b"{}")))

    return body


def _at(spelling: Callable[[str], str]) -> Change:
    def path(call: Call, _: int, __: str) -> Call:
        return call.at(reviewId=spelling(call.path["reviewId"]))

    return path


def ahead_in_capitals(call: Call, right: int, key: str) -> Call:
    """A stale revision, and the id in upper case: the guard holds under any spelling of an id."""
    stale = changed(revision=ahead)(call, right, key)
    return stale.at(reviewId=stale.path["reviewId"].upper())


def _like(label: str) -> Change:
    """The id with what libraries read as if it were not there."""
    return _at(lambda id: lookalikes(id).get(label, f"{id}0"))


def _with_id_in_body(call: Call, revision: int, key: str) -> Call:
    """The right id stands in the body, where it is no property of the contract."""
    id = call.path["reviewId"]
    document = {"reviewId": id, "expectedSubjectRevision": revision, "idempotencyKey": key}
    return call.at(reviewId="not-a-uuid").carrying(document)


def naming_another(right: Call, id: str) -> Call:
    """The call with the id of another review in its body, where it is no property."""
    return right.carrying({**json.loads(right.body or b"{}"), "reviewId": id})


def as_record(right: Call, record: dict[str, object]) -> Call:
    """The call with the record of its review in the body, as if it could be approved.

    A target that binds bodies to records may store what is no property of the contract.
    """
    own = json.loads(right.body or b"{}")
    return right.carrying({**record, "approvable": True, **own})


def twice_stale(call: Call, right: int, key: str) -> Call:
    """A body that states two revisions, of which none is the current one."""
    name = '"expectedSubjectRevision"'
    body = f'{{{name}: {right + 1}, {name}: {right + 2}, "idempotencyKey": {json.dumps(key)}}}'
    return _raw(body.encode())(call, right, key)


MISSPELT: Mapping[str, Change] = {
    "the id without dashes": _at(lambda id: id.replace("-", "")),
    "the id in braces": _at(lambda id: f"{{{id}}}"),
    "the id and another digit": _at(lambda id: f"{id}0"),
    "the id with a digit of another script": _like("a digit of another script"),
    "the id with a full-width letter": _like("a full-width letter"),
    "an id that is no UUID": _at(lambda _: "not-a-uuid"),
    "an id that is no UUID, and the right one in the body": _with_id_in_body,
}

MALFORMED: Mapping[str, Change] = {
    "a key that is null": _with_null_key,
    "a revision that is a string": changed(revision=str),
    "a revision that is a fraction": changed(revision=lambda right: right % 1000 + 0.001),
    "a revision that is a boolean": changed(revision=lambda _: True),
    "a revision that is false": changed(revision=lambda _: False),
    "a revision that is null": changed(revision=lambda _: None),
    "a revision that is an empty string": changed(revision=lambda _: ""),
    "a revision that is an array": changed(revision=lambda right: [right]),
    "a revision that is an object": changed(revision=lambda right: {"value": right}),
    "a key that is a number": changed(key=7),
    "a key that is a boolean": changed(key=True),
    "a key that is false": changed(key=False),
    "a key that is an array": changed(key=["key"]),
    "a key that is an object": changed(key={"key": "key"}),
    "a body that is an array": _wrapped(lambda right: [right]),
    "a body that is a string": _wrapped(json.dumps),
    "a body that is a number": _raw(b"1"),
    "a body that breaks off": _raw(b'{"expectedSubjectRevision": 1,'),
    "a body that is no JSON": _raw(b"approve"),
}
