"""Approved reviews, well after their approval and everything else that was tried on them."""

from contextlib import suppress

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, Violation, defect
from conformance.http.exchange import Call, Exchange
from conformance.rules.judgement import shown
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import (
    APPROVED,
    in_former_state,
    lists_former_state,
    place,
)
from conformance.suite.approval.trial import Trial
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import Listed
from conformance.suite.reading.list_agreement import confirm_differing, differing_names

REFERRED = (
    ("videoId", "video_get"),
    ("projectId", "project_get"),
    ("projectId", "activity_list"),
)
"""What a review refers to, by the operations that read it."""


@requirement("approval/state")
def test_the_review_stays_approved(scheme: str, approvals: Approvals, trials: Trials) -> None:
    """No read shows the former state again: one good read proves nothing."""
    trial = trials.approved(scheme)
    former = approvals.reader.unsettled(trial.review)
    former = former or approvals.reader.listed_unsettled(trial.review, scheme)
    status = trial.review.record.get("status")
    otherwise = defect(
        Kind.DIFFERENCE,
        "well after its approval the review shows the status {status} again",
        expected=APPROVED,
        actual=status,
        status=shown(status),
    ).on("status")
    where = (place(read, "status") for read in former[:1])
    expect.that(not former, otherwise.at(*where), trial.approval, *former[:1])


@requirement("read/success")
def test_the_comments_of_an_approved_review_are_served(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """A review that can be read by its id still has its comments after its approval."""
    comments = live.operation("comment_list")
    trial = _approved(trials)
    _require_baseline(comments, live)
    call = Call(comments.id, {"reviewId": trial.review.id})
    response = live.callers.send(call, scheme=trial.scheme, purpose="its comments, well after")
    if response.status == 404 and approvals.reader.read(trial.review.id).status != 200:
        return  # it was deleted
    _check_served(response, comments)


@requirement("read/success")
def test_what_an_approved_review_refers_to_is_served(live: Live, trials: Trials) -> None:
    """Its video, its project and the activity there; the rules check their data."""
    trial = _approved(trials)
    for name, id in REFERRED:
        operation, referred = live.operation(id), trial.review.record.get(name)
        if not is_uuid(referred):
            continue
        _require_baseline(operation, live)
        call = Call(id, {name: str(referred)})
        purpose = f"the {name.removesuffix('Id')} of an approved review"
        response = live.callers.send(call, scheme=trial.scheme, purpose=purpose)
        if response.status != 404:  # it may be gone
            _check_served(response, operation)


@requirement("read/agreement")
def test_an_approved_review_agrees_with_its_list(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Well after its approval a review is the same in its list and by its id.

    A place that shows its former state is reported by the checks of approvals.
    """
    trial, operation = _approved(trials), live.operation("review_get")
    listed = _listed(trial, approvals)
    page = live.callers.send(listed.call, scheme=trial.scheme, purpose="the list, well after")
    call = Call(operation.id, {"reviewId": trial.review.id})
    read = live.callers.send(call, scheme=page.scheme, purpose="the review, well after")
    own = [item for item in page.items if str(item.get("id")).lower() == trial.review.id.lower()]
    is_former = lists_former_state(trial.review, page) or in_former_state(trial.review, read)
    if not own or read.status != 200 or is_former:
        raise NotApplicable("only one of the two shows the approved review")
    if differing_names(live, operation, own[0], read.data):
        try:
            confirm_differing(live, operation, [(Listed(own[0], listed.call), read)])
        except Violation as found:
            raise _of(operation, found) from found


def _approved(trials: Trials) -> Trial:
    """An approved review; NotApplicable without one: other checks need no approval."""
    try:
        return trials.approved(trials.first().scheme)
    except Inconclusive as reason:
        raise NotApplicable("no review was approved") from reason


def _listed(trial: Trial, approvals: Approvals) -> Listed:
    """The review as it was listed before; NotApplicable where it was not."""
    with suppress(Inconclusive):
        listed = approvals.reader.find_listed(trial.review.id)
        if listed is not None:
            return listed
    raise NotApplicable("the review was not listed")


def _require_baseline(operation: Operation, live: Live) -> None:
    try:
        live.callers.require_baseline(live.call(operation))
    except Inconclusive as reason:
        raise NotApplicable(f"{operation.id} is not served") from reason


def _check_served(response: Exchange, operation: Operation) -> None:
    try:
        expect.served(response)
    except Violation as found:
        raise _of(operation, found) from found


def _of(operation: Operation, found: Violation) -> Violation:
    """The same violation of an operation: the check has none of its own."""
    return Violation(found.defect, exchanges=found.exchanges, operation=operation.id)
