"""The attempts on a review before its approval: all have to be rejected, without effect."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from conformance.runner.context import Context
from conformance.suite.approval.attempts import (
    MALFORMED,
    MISSPELT,
    NEXT,
    STALE,
    Change,
    ahead,
    ahead_in_capitals,
    changed,
    reordered,
    twice_stale,
    unaltered,
)
from conformance.suite.callers.forged_credentials import (
    Header,
    made_up,
    near_misses,
    other_headers,
    without_credential,
)
from conformance.target.forged import EMPTY
from conformance.target.target import Credential

FORBIDDEN = ("expired", "revoked", "lacking.reviews:approve", "outsider", "no-review-role")
"""The credentials of a profile that may not approve."""
STALE_KIND, AMBIGUOUS = "stale", "ambiguous"
GUARDED = "approval/guarded-replay"
PURPOSES = {
    "missing": ("authentication/missing", "authentication/challenge", GUARDED),
    "unknown": ("authentication/unknown", "authentication/challenge"),
    "expired": ("authentication/expired", GUARDED),
    "revoked": ("authentication/revoked", GUARDED),
    "lacking.reviews:approve": ("authorization/permission", GUARDED),
    "outsider": ("authorization/company", "authorization/project", GUARDED),
    "no-review-role": ("authorization/review-role", GUARDED),
    STALE_KIND: ("approval/stale-revision", "authorization/no-more-than-permission"),
    "malformed": ("arguments/body",),
    "misspelt": ("arguments/approval-id",),
    AMBIGUOUS: ("arguments/ambiguous",),
}
"""The requirements for which the attempts of each kind are made."""
TWICE_STALE, BESIDE_OUTSIDER = "two stale revisions in one body", ", beside outsider"
WITHOUT_REVISION = "a revision that is null"
BY_EACH = " by each scheme at once"
IN_CAPITALS = "one revision ahead, at the id in capitals"


@dataclass(frozen=True)
class Planned:
    """A planned attempt: its kind, label and caller, and how it differs from a right approval."""

    kind: str
    label: str
    credential: Credential | None = None
    scheme: str | None = None
    change: Change = unaltered
    headers: tuple[Header, ...] = ()


def few(session: Context, primary: Credential, scheme: str) -> Iterator[Planned]:
    """The attempts whose response may depend on the kind of review, or on its revision.

    They are stale, without a revision, which may be one to parsers, and without the role.
    """
    for label in NEXT:
        change = changed(revision=STALE[label])
        yield Planned(STALE_KIND, f"{label} by {scheme}", primary, scheme, change)
    yield Planned("malformed", WITHOUT_REVISION, primary, None, MALFORMED[WITHOUT_REVISION])
    viewer = session.target.credentials.get("no-review-role")
    if viewer is not None:
        for each in viewer.schemes:
            yield Planned(viewer.name, f"{viewer.name} by {each}", viewer, each)


def asked_for(session: Context, primary: Credential) -> Iterator[Planned]:
    """Every attempt of the first trial that the run wants.

    A narrowed run wants those that its checks look at; a stale one is the baseline of others.
    """
    nearest = {f"{label} by {scheme}" for label in NEXT for scheme in primary.schemes}
    for planned in _everything(session, primary):
        is_wanted = session.focus is None or session.focus.wants(PURPOSES[planned.kind])
        if is_wanted or planned.label in nearest:
            yield planned


def _everything(session: Context, primary: Credential) -> Iterator[Planned]:
    """Every attempt; those that have checks of their own come first in each kind.

    A kind may end early.
    """
    yield from _without_credential(session)
    yield from _forged(session, primary)
    for number, (label, revision) in enumerate(session.some([*STALE.items()])):
        for turn, scheme in enumerate(primary.schemes, number):
            change = changed(revision=revision)
            # A target may read one property only where the other comes first.
            change = reordered(change) if turn % 2 else change
            yield Planned(STALE_KIND, f"{label} by {scheme}", primary, scheme, change)
    yield Planned(STALE_KIND, IN_CAPITALS, primary, None, ahead_in_capitals)
    yield from _forbidden(session)
    yield from session.some([*_entitled(session)])
    for label, change in session.some([*MALFORMED.items()]):
        yield Planned("malformed", label, primary, None, change)
    for label, change in session.some([*MISSPELT.items()]):
        yield Planned("misspelt", label, primary, None, change)
    yield Planned(AMBIGUOUS, TWICE_STALE, primary, None, twice_stale)
    yield from session.some([*_beside_outsider(session)])
    yield from session.some([*_by_each_scheme(session)])


def plain_of(label: str, schemes: Sequence[str]) -> list[str]:
    """The labels of the attempts that an ambiguous one is, each when it is read in one way."""
    if label == TWICE_STALE:
        stale = ("one revision ahead", "two revisions ahead")
        return [f"{each} by {scheme}" for each in stale for scheme in schemes]
    first = label.removesuffix(BESIDE_OUTSIDER)
    return [first, *(f"outsider by {scheme}" for scheme in schemes)]


def _schemes(session: Context, credential: Credential) -> Sequence[str]:
    """The schemes by which a credential attempts; of a narrow run, the first one."""
    return credential.schemes if session.depth.few is None else credential.schemes[:1]


def _without_credential(session: Context) -> Iterator[Planned]:
    yield Planned("missing", "missing")
    for header in session.some(EMPTY):
        yield Planned("missing", without_credential(header), headers=(header,))


def _forged(session: Context, primary: Credential) -> Iterator[Planned]:
    for scheme in _schemes(session, primary):
        closest = islice(near_misses(session, primary, scheme), 1)
        for credential in (made_up(session, scheme), *closest):
            yield Planned("unknown", f"{credential.name} by {scheme}", credential, scheme)


def _beside_outsider(session: Context) -> Iterator[Planned]:
    """A right approval by those who may not approve, with the credential of the outsider as well.

    The outsider may approve, and does not reach the review.
    """
    outsider = session.target.credentials.get("outsider")
    for name in FORBIDDEN:
        credential = session.target.credentials.get(name)
        if outsider is None or credential is None or credential is outsider:
            continue
        for scheme in _schemes(session, credential):
            if headers := other_headers(outsider, scheme):
                label = f"{name} by {scheme}{BESIDE_OUTSIDER}"
                yield Planned(AMBIGUOUS, label, credential, scheme, headers=headers)


def _by_each_scheme(session: Context) -> Iterator[Planned]:
    """A right approval by those who lack the permission or the role, with both credentials."""
    for name in ("lacking.reviews:approve", "no-review-role"):
        credential = session.target.credentials.get(name)
        if credential is not None and len(credential.schemes) > 1:
            first = credential.schemes[0]
            headers = other_headers(credential, first)
            yield Planned(name, f"{name}{BY_EACH}", credential, first, headers=headers)


def _forbidden(session: Context) -> Iterator[Planned]:
    """A right approval by those who may not approve."""
    for name in FORBIDDEN:
        credential = session.target.credentials.get(name)
        for scheme in _schemes(session, credential) if credential else ():
            yield Planned(name, f"{name} by {scheme}", credential, scheme)


def _entitled(session: Context) -> Iterator[Planned]:
    """A stale one by those who may: another account, or who lack what an approval does not need."""
    for name, credential in session.target.credentials.items():
        if name == "colleague" or (name.startswith("lacking.") and name not in FORBIDDEN):
            for scheme in _schemes(session, credential):
                label = f"stale, {name} by {scheme}"
                yield Planned(STALE_KIND, label, credential, scheme, changed(revision=ahead))
