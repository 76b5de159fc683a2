"""Approval of a review, guarded by its revision (POST /reviews/{reviewId}/approve)."""

from collections.abc import Sequence
from typing import NoReturn

from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Exchange
from conformance.http.sending import Sending
from conformance.rules.judgement import shown
from conformance.runner.scheduling import Stage
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import MALFORMED, MISSPELT, STALE, conflict
from conformance.suite.approval.plan import IN_CAPITALS, STALE_KIND
from conformance.suite.approval.preconditions import changed_by_stale, evidence
from conformance.suite.approval.result import check_shows_approved
from conformance.suite.approval.result_revision import check_revision
from conformance.suite.approval.review import (
    APPROVED,
    Record,
    in_former_state,
    record_of,
    shows_status,
)
from conformance.suite.approval.settling import Settling
from conformance.suite.approval.side_effects import SideEffects
from conformance.suite.approval.trial import Attempt, Trial, check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, status_line
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live

WIDE = 2**31
"""The first revision that 31 bits do not hold."""
OTHER_READERS = ("colleague", "no-review-role", "lacking.account:read")
"""Callers who may read what primary has approved: it is one review for all of them."""


@requirement("approval/success")
def test_an_approval_succeeds(
    scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """An approval at the current revision with a new key returns 200, by either scheme."""
    trials.require_consent()
    live.callers.credential_with("primary", scheme)
    trial = trials.by(scheme)
    if trial.approval.status == 404:  # this credential may reach less than the other one
        expect.reached(approvals.reader.read(trial.review.id, scheme))
    if trial.approval.status == 409 and approvals.reader.revised(trial.review) is not None:
        trials.require_unrevised(trial.approval)
    expect.served(trial.approval)
    if trial.rejected_key is not None:
        otherwise = defect(
            Kind.STATUS,
            "a new key that resembles a used one returned 409, and another new key 200",
            expected="200 with any new key",
            actual=trial.rejected_key.status,
        )
        where = status_line(trial.rejected_key)
        expect.violated(otherwise.at(where), trial.rejected_key, trial.approval)


@requirement("approval/result")
def test_the_result_has_its_properties(scheme: str, trials: Trials) -> None:
    """The rule on records checks every result; this is one."""
    trials.approved(scheme)


@requirement("approval/result-status")
def test_the_result_is_that_review_approved(scheme: str, trials: Trials) -> None:
    """The result has the id of the review, and the status `approved`."""
    check_shows_approved(trials.approved(scheme).approval)


@requirement("approval/result-status", stage=Stage.LOOKS_BACK)
def test_every_result_is_that_of_its_review_approved(live: Live, trials: Trials) -> None:
    """Of all reviews that this run has approved, whoever has done so."""
    for approval, _ in _made(live):
        check_shows_approved(approval)


@requirement("approval/result-revision")
def test_the_result_has_a_revision_of_that_review(
    scheme: str, approvals: Approvals, trials: Trials
) -> None:
    """`subjectRevision` of the result is the expected one, or one that a later read shows.

    Also of a review whose revision has more than 31 bits, if there is one to spare.
    """
    trial = trials.approved(scheme)
    check_revision(trial.approval, trial.review.revision, approvals, trials)
    listed = {record["id"]: _size(record) for record in approvals.reader.listed()}
    is_wide = any(listed.get(id, 0) >= WIDE for id in approvals.pool.ids)
    if scheme == trials.first().scheme and is_wide and approvals.pool.can_spare():
        wide = trials.further(scheme, _size)
        check_revision(wide.approval, wide.review.revision, approvals, trials)


@requirement("approval/result-revision", stage=Stage.LOOKS_BACK)
def test_every_result_has_a_revision_of_its_review(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Of all reviews that this run has approved: a result may depend on the review."""
    for approval, expected in _made(live):
        check_revision(approval, expected, approvals, trials)


def _made(live: Live) -> list[tuple[Exchange, int]]:
    """The first approval of each review, and the revision that it expected."""
    made = live.session.session.approvals.made()
    if not made:
        raise NotApplicable("no review was approved")
    return made


def _size(record: Record) -> int:
    revision = record.get("subjectRevision")
    return revision if isinstance(revision, int) else 0


@requirement("approval/state")
def test_the_review_reads_as_approved(
    scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """After its approval a review leaves its former state, by either scheme and in the list.

    It reads as `approved`, or has a further status already.
    """
    trial = trials.approved(scheme)
    expect.served(trial.after)
    if not shows_status(trial.after):
        raise Inconclusive("the review shows no status", exchanges=[trial.after.id])
    for each in live.callers.credential("primary").schemes:
        _check_settled(approvals.reader.settle(trial.review, each), trial, "status")
    for settling in approvals.reader.settle_pages(trial.review, scheme):
        _check_settled(settling, trial, "items")
    for name in OTHER_READERS:
        caller = live.session.target.credentials.get(name)
        if caller is not None and scheme in caller.schemes:
            others = approvals.reader.settle_as(trial.review, caller, scheme)
            if others is not None:
                _check_settled(others, trial, "status")
                listed = approvals.reader.settle_page_as(trial.review, caller, scheme)
                _check_settled(listed, trial, "items")


def _check_settled(settling: Settling, trial: Trial, name: str) -> None:
    """Raise Violation where reads repeatedly show the former state; `name` is the place of it."""
    if settling.is_settled:
        return
    former, later = settling.former[-1], settling.later[-1:]
    status = trial.review.record.get("status")
    otherwise = defect(
        Kind.DIFFERENCE if later else Kind.EFFECT,
        "reads of the approved review take turns between {status} and another status"
        if later
        else "after its approval the review still has the status {status}",
        expected=APPROVED,
        actual=status,
        status=shown(status),
    )
    places = (in_data(read, name) for read in (former, *later))
    expect.violated(otherwise.on("status").at(*places), trial.approval, *later, former)


@requirement("approval/approvable-after")
def test_an_approved_review_is_no_longer_approvable(
    scheme: str, approvals: Approvals, trials: Trials
) -> None:
    """`approvable` of a review is false after its approval."""
    trial = trials.approved(scheme)
    id = trial.review.id
    read = approvals.reader.read_until(id, lambda read: not _is_approvable(read), scheme)
    approvals.reader.require_found(read, trial.after)
    expect.served(read)
    if "approvable" not in record_of(read):
        raise Inconclusive("the review does not show approvable", exchanges=[read.id])
    if in_former_state(trial.review, read):  # approval/state reports that
        raise Inconclusive("the review is in its former state", exchanges=[read.id])
    otherwise = defect(
        Kind.VALUE, "approvable is still true after the approval", expected="false", actual=True
    )
    where = in_data(read, "approvable")
    expect.that(
        not _is_approvable(read), otherwise.on("approvable").at(where), trial.approval, read
    )


def _is_approvable(read: Exchange) -> bool:
    return record_of(read).get("approvable") is True


@requirement("approval/alone")
def test_an_approval_changes_no_other_review(
    scheme: str, approvals: Approvals, trials: Trials
) -> None:
    """Other reviews, related ones and those beside it in the list, stay as they were."""
    trial = trials.approved(scheme)
    if not any(shows_status(before) for before, _ in trial.bystanders):
        raise Inconclusive("no other review shows its status", needs=("data in the target",))
    effects = SideEffects(trial, approvals, trials)
    effects.check_approved_beside()
    effects.check_approved_afar()
    effects.check_revised()


@requirement("approval/stale-revision")
def test_a_stale_revision_is_a_conflict(
    scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """An approval that expects another revision than the current one returns 409, without effect.

    A revision far off may also count as invalid.
    """
    trials.require_consent()
    live.callers.credential_with("primary", scheme)
    for attempt in trials.taking_the_last().values():
        if attempt.kind == STALE_KIND:
            expect.status(attempt.response, *_allowed(attempt))
            check_not_approved(attempt.response, attempt.after)
    trials.entitled(scheme)
    _check_stale(scheme, trials)
    if changed := changed_by_stale(trials):
        _blame_stale(changed)
    if scheme == live.callers.credential("primary").schemes[0]:
        _check_each_kind(scheme, live, approvals)
    for label in live.session.some([*STALE]):  # raises Inconclusive for what was not attempted
        trials.attempts(f"{label} by {scheme}", scheme)


def _check_each_kind(scheme: str, live: Live, approvals: Approvals) -> None:
    """Reviews of other kinds are guarded, too: a revision may be compared for some alone.

    It is one revision behind, which no client makes again.
    """
    purpose = "one revision behind, on another kind of review"
    sending = Sending(live.callers.credential("primary"), scheme, purpose)
    for attempt in approvals.attempt_each_kind(lambda right: right - 1, sending):
        # This credential may reach less than the other one, which other checks are about.
        if attempt.response.status not in (403, 404):
            expect.status(attempt.response, *_allowed(attempt))
        check_not_approved(attempt.response, attempt.after)


def _blame_stale(changed: Sequence[Attempt]) -> NoReturn:
    names = [attempt.changed_property for attempt in changed]
    after = record_of(changed[0].after).get(names[0])
    otherwise = defect(
        Kind.EFFECT,
        "stale attempts change the review: {name} from {before} to {after}",
        expected="the review stays as it was",
        actual=after,
        name=names[0],
        before=shown(record_of(changed[0].before.read).get(names[0])),
        after=shown(after),
    )
    places = [in_data(each.after, name) for each, name in zip(changed, names, strict=True)]
    expect.violated(otherwise.on(names[0]).at(*places), *evidence(changed))


def _check_stale(scheme: str, trials: Trials) -> None:
    """Raise Violation where a stale attempt was not rejected, or had an effect."""
    concurrent = trials.first().concurrent
    names = [IN_CAPITALS, *(f"{label} by {scheme}" for label in STALE)]
    made = [name for name in names if name in trials.first().attempts]
    single = [attempt for name in made for attempt in trials.attempts(name, scheme)]
    checked = trials.not_overtaken([*single, *concurrent])
    approved_by_others = {each.after.id for each in concurrent if each not in checked}
    for attempt in checked:
        expect.status(attempt.response, *_allowed(attempt), before=attempt.first)
        if attempt.after.id not in approved_by_others:
            check_not_approved(attempt.response, attempt.after)


def _allowed(attempt: Attempt) -> frozenset[int]:
    """The statuses that are allowed for a stale attempt.

    An id in capitals may be that of no review; whether it is invalid, other checks report.
    """
    if attempt.response.call.path["reviewId"] != attempt.before.id:
        return conflict(attempt.sent_revision) | {400, 404, 422}
    distance = abs(attempt.sent_revision - attempt.before.revision)
    return conflict(attempt.sent_revision) if distance == 1 else frozenset({400, 409, 422})


@requirement("arguments/body")
def test_a_malformed_body_is_rejected(live: Live, trials: Trials) -> None:
    """A body with properties of other types, or that is not an object, is rejected."""
    trials.require_consent()
    scheme = live.callers.credential("primary").schemes[0]
    for label in live.session.some([*MALFORMED]):
        for attempt in trials.attempts(label, scheme):
            expect.status(attempt.response, 400, 422)
            check_not_approved(attempt.response, attempt.after)


@requirement("arguments/approval-id")
def test_an_approval_of_an_invalid_id_is_rejected(live: Live, trials: Trials) -> None:
    """An approval of a path id that is not a UUID is rejected.

    Lenient parsers take most of these ids for that of the review.
    """
    trials.require_consent()
    for label in live.session.some([*MISSPELT]):
        attempt = trials.attempt(label)
        expect.status(attempt.response, 400, 404, 422)
        check_not_approved(attempt.response, attempt.after)
