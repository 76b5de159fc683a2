"""Approvals by a colleague of primary: another account, which may approve as well."""

from functools import partial

from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.http.exchange import Call, Exchange
from conformance.runner.facts import fact_name
from conformance.suite.approval.approvals import MOST_REVISIONS, Approvals
from conformance.suite.approval.kept_cursors import pages_up_to
from conformance.suite.approval.review import Review, in_former_state
from conformance.suite.approval.trial import Trial
from conformance.suite.approval.trials import Trials
from conformance.suite.lists.live import Live
from conformance.target.target import Credential

MOST_UNREAD = 5


def trial_of_colleague(live: Live, trials: Trials) -> Trial:
    """A review that the colleague has approved with a new key, whatever the response was.

    It is a fact of the run. NotApplicable without a colleague, or without a review for it.
    """
    trials.require_consent()
    return live.fact(fact_name("trial", "colleague"), _tried)


def approved_by_colleague(live: Live, trials: Trials) -> Trial:
    """The same where it succeeded; NotApplicable otherwise, which `approval/success` reports."""
    try:
        trial = trial_of_colleague(live, trials)
    except Inconclusive as reason:
        raise NotApplicable("the colleague could approve no review") from reason
    if trial.approval.status != 200:
        raise NotApplicable("the approval of the colleague did not succeed")
    return trial


def _tried(live: Live) -> Trial:
    approvals = Approvals(live.session, live)
    trials = Trials(live.session, live, approvals)
    trials.baseline()
    colleague = live.callers.colleague()
    review = taken(colleague, live, approvals)
    kept = pages_up_to(review, live.callers.credential("primary").schemes[0], live)
    for number in range(MOST_REVISIONS):
        send = partial(approve_as_colleague, live, approvals, review)
        key, response = approvals.with_new_key(review.id, f"colleague {number}", send)
        latest = approvals.reader.revised(review) if response.status == 409 else None
        if latest is None:
            break
        review = latest
    else:
        trials.require_unrevised(response)
    scheme = response.scheme or colleague.schemes[0]
    return Trial(review, scheme, key, response, read_after(response, review, live), kept=kept)


def read_after(approval: Exchange, review: Review, live: Live) -> Exchange:
    """A read of a review after the colleague's request to approve it.

    It is primary's; where that shows the former state after a success, and the colleague's does
    not, it is the colleague's: what primary is shown is a question of its own.
    """
    reader = Approvals(live.session, live).reader
    if approval.status != 200:
        return reader.read(review.id)
    read = reader.read_approved(review)
    if not in_former_state(review, read):
        return read
    colleague = live.callers.credential("colleague")
    own = live.callers.send(read.call, colleague, approval.scheme, purpose="as whoever approved it")
    return own if own.status == 200 and not in_former_state(review, own) else read


def approve_as_colleague(
    live: Live, approvals: Approvals, review: Review, key: str, scheme: str | None = None
) -> Exchange:
    """Approve a review as the colleague."""
    colleague = live.callers.credential("colleague")
    approvals.record(review.id, review.revision, key)
    call = approvals.call(review.id, review.revision, key)
    return live.callers.send(call, colleague, scheme, purpose="approve as the colleague")


def taken(colleague: Credential, live: Live, approvals: Approvals) -> Review:
    """A review of the pool that the colleague can read as well.

    Raises NotApplicable where there is none, or where other checks need those that are left.
    """
    unread: list[Review] = []
    try:
        while approvals.pool.can_spare() and len(unread) < MOST_UNREAD:
            review = approvals.pool.take()
            if reads(review, colleague, live):
                return review
            unread.append(review)
    finally:
        for each in unread:
            approvals.pool.give_back(each)
    raise NotApplicable("no review is left for the colleague")


def reads(review: Review, colleague: Credential, live: Live) -> bool:
    """Whether the colleague can read a review."""
    call = Call("review_get", {"reviewId": review.id})
    return live.callers.send(call, colleague, purpose="may the colleague read it?").status == 200
