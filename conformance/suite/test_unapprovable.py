"""Approval of reviews that cannot be approved, and of other ids (Review, Errors)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Exchange
from conformance.rules.judgement import shown
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import ON_APPROVED, conflict
from conformance.suite.approval.bystanders import TIES
from conformance.suite.approval.review import (
    APPROVED,
    place,
    record_of,
    revision_or_first,
    status_line,
)
from conformance.suite.approval.trial import check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live

EXTREMES = ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")
MOST_REVIEWS = 4
NEEDS = ("fixtures.unapprovable-reviews",)


@dataclass(frozen=True)
class StatusChange:
    """A review that got another status with an attempt to approve it."""

    before: object
    response: Exchange
    read: Exchange

    @property
    def after(self) -> object:
        """Its new status."""
        return _status(self.read)


@requirement("approval/unapprovable")
def test_what_cannot_be_approved_is_not(
    scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """An approval of a review whose `approvable` is false is rejected, and leaves its status."""
    trials.require_consent()
    live.callers.credential_with("primary", scheme)
    _check_withheld(scheme, approvals)
    ids = live.session.target.fixtures.unapprovable_reviews[:MOST_REVIEWS]
    if not ids:
        raise Inconclusive("the profile names no unapprovable review", needs=NEEDS)
    trials.baseline(scheme)
    tried = [_attempted(id, scheme, live, approvals) for id in ids]
    changes = [change for change in tried if change is not None]
    if len(changes) == 1:  # it may be another client's
        raise Inconclusive(
            f"the status of a review changed from {shown(changes[0].before)} to "
            f"{shown(changes[0].after)}, by the attempt or by itself",
            needs=NEEDS,
            exchanges=[changes[0].response.id],
        )
    if changes:
        otherwise = defect(
            Kind.EFFECT,
            "attempts that were rejected change the status of reviews that cannot be approved",
            expected="the status stays",
            actual=changes[0].after,
        )
        where = (place(change.read, "status") for change in changes)
        evidence = (each for change in changes for each in (change.response, change.read))
        expect.violated(otherwise.on("status").at(*where), *evidence)


def _check_withheld(scheme: str, approvals: Approvals) -> None:
    """A review of the pool that repeatedly reads as not approvable is not approved either."""
    for review in approvals.pool.withheld()[:1]:
        again = approvals.reader.read(review.id)
        if record_of(again).get("approvable") is not False:
            continue
        key = approvals.key(review.id, f"withheld {scheme}")
        purpose = "approve a review that says it cannot be approved"
        response = approvals.approve(review, key, scheme=scheme, purpose=purpose)
        otherwise = defect(
            Kind.ACCEPTED,
            "approvable is false, and the approval returned 200",
            expected="400, 403, 409 or 422",
            actual=response.status,
        )
        where = (place(again, "approvable"), status_line(response))
        expect.that(response.status != 200, otherwise.at(*where), again, response)


def _attempted(id: str, scheme: str, live: Live, approvals: Approvals) -> StatusChange | None:
    """The change of status that an attempt left; None without one, or where it goes on changing."""
    before = _unapprovable(id, approvals)
    key = approvals.key(id, f"unapprovable {scheme}")
    call = approvals.call(id, revision_or_first(before), key)
    response = live.callers.send(
        call, scheme=scheme, purpose="approve a review that cannot be approved"
    )
    after, status = approvals.reader.read(id), _status(before)
    if status == APPROVED:
        expect.status(response, *ON_APPROVED)
        return None
    expect.status(response, 400, 403, 409, 422)
    check_not_approved(response, after)
    change = StatusChange(status, response, after)
    is_changed = None not in (status, change.after) and change.after != status
    if not is_changed or _status(approvals.reader.read(id)) != change.after:
        return None
    return change


def _unapprovable(id: str, approvals: Approvals) -> Exchange:
    """A read of a review of the profile. Raises Inconclusive where it is approvable."""
    read = approvals.reader.read(id)
    expect.clear(read)
    problem = None
    if not isinstance(read.data, dict):
        problem = f"review {id} returned {read.describe()}"
    elif read.data.get("approvable") is True:
        problem = f"review {id} is approvable"
    if problem is not None:
        raise Inconclusive(problem, needs=NEEDS, exchanges=[read.id])
    return read


def _status(read: Exchange) -> object:
    return record_of(read).get("status")


@requirement("approval/absent")
def test_an_approval_of_no_review_is_absent(
    scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """A well-formed id without a review returns 404, or 403 where a target hides what exists."""
    primary = live.callers.credential_with("primary", scheme)
    trials.baseline(scheme)
    id = live.made_up("no review")

    def send(key: str) -> Exchange:
        call = approvals.call(id, 1, key)
        return live.callers.send(
            call, primary, scheme, purpose="approve a review that does not exist"
        )

    _, response = approvals.with_new_key(id, f"absent {scheme}", send)
    expect.status(response, 403, 404)
    if scheme == primary.schemes[0]:
        _check_similar_ids(live, approvals, trials)


def _check_similar_ids(live: Live, approvals: Approvals, trials: Trials) -> None:
    """An id that a careless look-up takes for that of the trial's review is not found either."""
    review = trials.first().review
    for id in (*_similar_ids(review.id, live), *_related_ids(review.record), *EXTREMES):
        revision = review.revision + 1
        send = partial(_approve_stale, live, approvals, (id, revision))
        _, response = approvals.with_new_key(id, "near", send)
        # A revision beyond a number type, or an id of no version, may be malformed.
        may_be_malformed = id in EXTREMES or 400 in conflict(revision)
        allowed = (403, 404, 400, 422) if may_be_malformed else (403, 404)
        key_is_unusable = response.status == 409 and response.is_repeated
        if response.status in allowed or key_is_unusable:
            continue
        if approvals.reader.read(id).status != 200:
            expect.status(response, 403, 404)


def _similar_ids(id: str, live: Live) -> Iterator[str]:
    made_up = live.made_up("no review")
    yield f"{id[:-1]}{'01'[id[-1] == '0']}"
    yield f"{made_up[:14]}7{made_up[15:]}"


def _related_ids(record: dict[str, object]) -> Iterator[str]:
    """The ids of the subject, the video and the project of a review."""
    yield from (str(record[tie]) for tie in TIES if is_uuid(record.get(tie)))


def _approve_stale(live: Live, approvals: Approvals, stale: tuple[str, int], key: str) -> Exchange:
    purpose = "approve an id that resembles that of a review"
    return live.callers.send(approvals.call(*stale, key), purpose=purpose)
