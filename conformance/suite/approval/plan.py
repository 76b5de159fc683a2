"""What is attempted on a review before it is approved: each attempt ought to be refused, and to leave the review as it was."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from conformance.runner.session import Session
from conformance.suite.approval.attempts import (
    MALFORMED,
    MISSPELT,
    NEXT,
    STALE,
    Change,
    ahead,
    changed,
    unaltered,
)
from conformance.suite.callers.forged_credentials import (
    EMPTY,
    Header,
    made_up,
    near_misses,
    without_credential,
)
from conformance.target.target import Credential

REFUSED_CREDENTIALS = (
    "expired",
    "revoked",
    "lacking.reviews:approve",
    "outsider",
    "no-review-role",
)


@dataclass(frozen=True)
class Planned:
    """An attempt to come: its kind and label, its caller, and what makes it out of a right call, its revision and its key."""

    kind: str
    label: str
    credential: Credential | None = None
    scheme: str | None = None
    change: Change = unaltered
    headers: tuple[Header, ...] = ()


def few(session: Session, primary: Credential, scheme: str) -> Iterator[Planned]:
    """The attempts whose end may depend on the kind of review: a stale revision, and a role that may not approve."""
    viewer = session.target.credentials.get("no-review-role")
    for label in NEXT:
        yield Planned(
            "stale", f"{label} by {scheme}", primary, scheme, changed(revision=STALE[label])
        )
    if viewer is not None:
        yield from (
            Planned(viewer.name, f"{viewer.name} by {each}", viewer, each)
            for each in viewer.schemes
        )


def everything(session: Session, primary: Credential) -> Iterator[Planned]:
    """Every attempt of the first trial; of each kind, what is judged for itself comes first."""
    yield Planned("missing", "missing")
    yield from (
        Planned("missing", without_credential(header), headers=(header,)) for header in EMPTY
    )
    for scheme in primary.schemes:
        impostors = (made_up(session, scheme), *islice(near_misses(session, primary, scheme), 1))
        yield from (
            Planned("unknown", f"{impostor.name} by {scheme}", impostor, scheme)
            for impostor in impostors
        )
    for label, revision in STALE.items():
        yield from (
            Planned("stale", f"{label} by {scheme}", primary, scheme, changed(revision=revision))
            for scheme in primary.schemes
        )
    for credential, scheme in _callers(session):
        refused, label = credential.name in REFUSED_CREDENTIALS, f"{credential.name} by {scheme}"
        stale = Planned("stale", f"stale, {label}", credential, scheme, changed(revision=ahead))
        yield Planned(credential.name, label, credential, scheme) if refused else stale
    yield from (
        Planned("malformed", label, primary, None, change) for label, change in MALFORMED.items()
    )
    yield from (
        Planned("misspelt", label, primary, None, change) for label, change in MISSPELT.items()
    )


def _callers(session: Session) -> Iterator[tuple[Credential, str]]:
    """Whoever may not approve, and whoever lacks a permission that approving does not need, by each of its schemes."""
    for name, credential in session.target.credentials.items():
        if name in REFUSED_CREDENTIALS or name.startswith("lacking."):
            yield from ((credential, scheme) for scheme in credential.schemes)
