"""Approval of what cannot be approved: `approvable` is false, and the review stays as it was (Resources and their fields)."""

from conformance.client import Sending
from conformance.exchange import Exchange
from conformance.suite import expect
from conformance.suite.approvals import Approvals, Attempt, unchanged
from conformance.suite.attempts import ON_APPROVED
from conformance.suite.live import Live
from conformance.suite.pool import revision_of
from conformance.suite.requirement import requirement
from conformance.verdict import Inconclusive


@requirement("approval/unapprovable")
def test_what_cannot_be_approved_is_not(scheme: str, live: Live, approvals: Approvals) -> None:
    """A review whose `approvable` is false is refused and stays as it was."""
    approvals.consent()
    primary = live.by("primary", scheme)
    ids = live.session.target.fixtures.unapprovable_reviews
    if not ids:
        raise Inconclusive("no unapprovable review is known", needs=("fixtures.unapprovable-reviews",))
    approvals.control(scheme)
    moved = [move for id in ids[:4] if (move := _moved(id, Sending(primary, scheme, "approve what cannot be approved"), live, approvals))]
    for told, answer, _ in moved[:1]:
        if len(moved) == 1:  # one change may be somebody else's
            raise Inconclusive(f"{told}, by the attempt or by itself", needs=("fixtures.unapprovable-reviews",), exchanges=[answer.id])
        expect.broken(told, *(each for _, *exchanges in moved for each in exchanges), expected="the state stays")


def _moved(id: str, sending: Sending, live: Live, approvals: Approvals) -> tuple[str, Exchange, Exchange] | None:
    """How the status of a review turns into another one with a refused attempt; None where it stays, or goes on moving by itself."""
    before = _unapprovable(id, approvals)
    call = approvals.call(id, revision_of(before), approvals.key(id, f"unapprovable {sending.scheme}"))
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
        raise Inconclusive(f"review {id} is approvable", needs=("fixtures.unapprovable-reviews",), exchanges=[read.id])
    return read


def _status(read: Exchange) -> object:
    return read.data.get("status") if isinstance(read.data, dict) else None
