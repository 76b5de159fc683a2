"""Approval of what cannot be approved: reviews that say so, and reviews that are none (Review, Errors)."""

from contextlib import suppress
from functools import partial

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.client import Sending
from conformance.http.exchange import Exchange
from conformance.suite.approval.approvals import TIES, Approvals
from conformance.suite.approval.attempts import ON_APPROVED, conflict
from conformance.suite.approval.review_pool import revision_to_refuse
from conformance.suite.approval.trial import Attempt, unchanged
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live

EXTREMES = ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")


@requirement("approval/unapprovable")
def test_what_cannot_be_approved_is_not(scheme: str, live: Live, approvals: Approvals) -> None:
    """A review whose `approvable` is false is refused and stays as it was."""
    approvals.consent()
    primary = live.by("primary", scheme)
    _withheld(scheme, approvals)
    ids = live.session.target.fixtures.unapprovable_reviews
    if not ids:
        raise Inconclusive(
            "no unapprovable review is known", needs=("fixtures.unapprovable-reviews",)
        )
    approvals.control(scheme)
    moved = [
        move
        for id in ids[:4]
        if (
            move := _moved(
                id, Sending(primary, scheme, "approve what cannot be approved"), live, approvals
            )
        )
    ]
    for told, answer, _ in moved[:1]:
        if len(moved) == 1:  # one change may be somebody else's
            raise Inconclusive(
                f"{told}, by the attempt or by itself",
                needs=("fixtures.unapprovable-reviews",),
                exchanges=[answer.id],
            )
        expect.violated(
            defect(Kind.UNSORTED, told, expected="the state stays"),
            *(each for _, *exchanges in moved for each in exchanges),
        )


def _withheld(scheme: str, approvals: Approvals) -> None:
    """A review that may be approved here, but goes on saying that it cannot be, is not approved either."""
    with suppress(Inconclusive):
        approvals.pending()
    for review in approvals.withheld[:1]:
        again = approvals.look(review.id)
        if not isinstance(again.data, dict) or again.data.get("approvable") is not False:
            continue
        key = approvals.key(review.id, f"withheld {scheme}")
        answer = approvals.approve(
            review, key, scheme=scheme, purpose="approve what says it cannot be"
        )
        told = "approvable is false, and the approval is answered 200"
        expect.that(
            answer.status != 200,
            defect(Kind.UNSORTED, told, expected="400, 403, 409 or 422"),
            again,
            answer,
        )


def _moved(
    id: str, sending: Sending, live: Live, approvals: Approvals
) -> tuple[str, Exchange, Exchange] | None:
    """How the status of a review turns into another one with a refused attempt; None where it stays, or goes on moving by itself."""
    before = _unapprovable(id, approvals)
    call = approvals.call(
        id, revision_to_refuse(before), approvals.key(id, f"unapprovable {sending.scheme}")
    )
    answer = live.session.client.send(call, sending)
    after, status = approvals.look(id), _status(before)
    if status == "approved":
        expect.status(answer, *ON_APPROVED)
        return None
    expect.status(answer, 400, 403, 409, 422)
    unchanged(Attempt(answer, after))
    shown = _status(after)
    if None in (status, shown) or shown == status or _status(approvals.look(id)) != shown:
        return None
    return f"its status turns from {status!r} to {shown!r}", answer, after


def _unapprovable(id: str, approvals: Approvals) -> Exchange:
    """A reading of a review that the profile calls unapprovable; Inconclusive where it shows something else."""
    read = approvals.look(id)
    expect.clear(read)
    if not isinstance(read.data, dict):
        told = f"review {id} is answered {read.describe()}"
        raise Inconclusive(told, needs=("fixtures.unapprovable-reviews",), exchanges=[read.id])
    if read.data.get("approvable") is True:
        raise Inconclusive(
            f"review {id} is approvable",
            needs=("fixtures.unapprovable-reviews",),
            exchanges=[read.id],
        )
    return read


def _status(read: Exchange) -> object:
    return read.data.get("status") if isinstance(read.data, dict) else None


@requirement("approval/absent")
def test_an_approval_of_nothing_is_absent(scheme: str, live: Live, approvals: Approvals) -> None:
    """A well-formed id of no review is answered 404, or 403 where a target does not tell what exists."""
    primary = live.by("primary", scheme)
    approvals.control(scheme)
    id = live.made_up("no review")
    purpose = "approve a review that is not"
    _, answer = approvals.keyed(
        id,
        f"absent {scheme}",
        lambda key: live.send(approvals.call(id, 1, key), primary, scheme, purpose=purpose),
    )
    expect.status(answer, 403, 404)
    if scheme == primary.schemes[0]:
        _near_reviews(live, approvals)


def _near_reviews(live: Live, approvals: Approvals) -> None:
    """What a careless look-up takes for the review of the trial, which is approved already: nothing is, whatever is found."""
    review = approvals.first().review
    own = review.read.data if isinstance(review.read.data, dict) else {}
    made_up, ties = live.made_up("no review"), [own.get(tie) for tie in TIES]
    near = (
        f"{review.id[:-1]}{'01'[review.id[-1] == '0']}",
        f"{made_up[:14]}7{made_up[15:]}",
        *(str(id) for id in ties if is_uuid(id)),
    )
    for id in (*near, *EXTREMES):
        send = partial(_approve_stale, live, approvals, (id, review.revision + 1))
        _, answer = approvals.keyed(id, "near", send)
        # The revision after the last that a number holds is malformed to some, and so are ids of no version.
        malformed = id in EXTREMES or 400 in conflict(review.revision + 1)
        refused = answer.status in (403, 404) or (malformed and answer.status in (400, 422))
        is_stuck = answer.status == 409 and answer.is_repeated
        if not refused and not is_stuck and approvals.look(id).status != 200:
            expect.status(answer, 403, 404)


def _approve_stale(live: Live, approvals: Approvals, stale: tuple[str, int], key: str) -> Exchange:
    return live.send(
        approvals.call(*stale, key), purpose="approve what resembles a review, or is beside it"
    )
