"""Access: the outcome of a request follows from who asks for what (Authentication, Errors)."""

from dataclasses import dataclass
from enum import Enum

from conformance.contract import openapi
from conformance.contract.openapi import Operation
from conformance.rules.answer import TOOL

UNAUTHENTICATED = {
    "nobody": "missing",
    "expired": "expired",
    "revoked": "revoked",
    "made-up": "unknown",
    "near-miss": "unknown",
}
"""Callers without a valid credential, with the requirement of authentication about them."""
OUTSIDE = frozenset({"foreign", "ungranted"})
CALLERS = {
    "lacking": "a caller without the permission",
    "lacking another": "a caller without another permission",
    "no-review-role": "a caller without a review role",
    "nobody": "a caller without a credential",
    "expired": "an expired credential",
    "revoked": "a revoked credential",
    "made-up": "a made-up credential",
    "near-miss": "an altered credential",
}
RECORDS = {
    "own": "a record of primary",
    "foreign": "a record of another company",
    "ungranted": "a record outside the project grant",
    "absent": "a record that does not exist",
}
"""Callers and records in words."""


class Outcome(Enum):
    """What a request leads to, with the statuses over HTTP where nothing else can be wrong."""

    SERVED = (200,)
    UNAUTHENTICATED = (401,)
    FORBIDDEN = (403,)
    OUT_OF_REACH = (403, 404)
    NOTHING_OF_OTHERS = ()
    """An error, or a page without a record from outside the caller's grant."""


REJECTED_BY_CREDENTIAL = frozenset({Outcome.UNAUTHENTICATED, Outcome.FORBIDDEN})


@dataclass(frozen=True)
class Asked:
    """Who asks for what: `record` is that of primary ("own"), or one outside its grant, or none.

    `operation` is an id; `form` is what is sent beside the record.
    """

    caller: str
    record: str
    operation: str
    interface: str
    form: str

    @property
    def called(self) -> Operation:
        """The operation."""
        return openapi.load().operations[self.operation]

    @property
    def is_whole_list(self) -> bool:
        """Whether no record is named: everybody may ask, and is shown what is their own."""
        return "{" not in self.called.path


def outcome(asked: Asked) -> Outcome:
    """What the specification states (Authentication, Errors)."""
    if asked.caller in UNAUTHENTICATED:
        return Outcome.UNAUTHENTICATED
    if asked.caller in ("lacking", "no-review-role"):
        return Outcome.FORBIDDEN
    if asked.record == "absent":
        return Outcome.OUT_OF_REACH
    if asked.caller == "outsider" or asked.record in OUTSIDE:
        return Outcome.NOTHING_OF_OTHERS if asked.is_whole_list else Outcome.OUT_OF_REACH
    return Outcome.SERVED


def requirement(asked: Asked) -> str:
    """The requirement that another outcome shows violated."""
    return _by_tool(asked) if asked.interface == TOOL else _over_http(asked)


def _over_http(asked: Asked) -> str:
    if asked.caller in UNAUTHENTICATED:
        return f"authentication/{UNAUTHENTICATED[asked.caller]}"
    named = {
        "lacking": "authorization/permission",
        "no-review-role": "authorization/review-role",
        "lacking another": "authorization/no-more-than-permission",
    }
    if asked.caller in named:
        return named[asked.caller]
    if asked.record == "absent":
        return "approval/absent" if asked.called.writes else "read/absent"
    if outcome(asked) is Outcome.NOTHING_OF_OTHERS:
        of_outsider = {"cursor": "authorization/cursor"}.get(asked.form, "authorization/lists")
        return of_outsider if asked.caller == "outsider" else "authorization/filter"
    if outcome(asked) is Outcome.OUT_OF_REACH:
        # To the outsider, everything of primary's companies is another company's.
        is_project = asked.record == "ungranted" and asked.caller != "outsider"
        return f"authorization/{'project' if is_project else 'company'}"
    return "read/success"


def _by_tool(asked: Asked) -> str:
    if asked.caller in UNAUTHENTICATED:
        return "tools/authentication"
    if asked.caller == "lacking":
        return "tools/permission"
    if asked.caller == "no-review-role" or (asked.record == "absent" and asked.called.writes):
        return "tools/approval"
    is_open = outcome(asked) is Outcome.SERVED or asked.record == "absent"
    return "tools/data" if is_open else "tools/grants"
