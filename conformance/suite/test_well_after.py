"""Approved reviews, well after their approval and everything else that was tried on them."""

from collections.abc import Iterator
from contextlib import suppress

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Defect, Inconclusive, Kind, NotApplicable, Violation
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.rules.answer import HTTP
from conformance.rules.attempt import is_late
from conformance.runner.scheduling import Stage
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.colleague import approved_by_colleague
from conformance.suite.approval.filtered_approvals import check_still_filtered
from conformance.suite.approval.former_ways import require_left
from conformance.suite.approval.kept_cursors import Later, describe, first_pages, used_later
from conformance.suite.approval.result import check_replay
from conformance.suite.approval.review import (
    Record,
    in_former_state,
    keeps_status,
    lists_former_state,
)
from conformance.suite.approval.trial import Trial
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.callers.requirement import requirement
from conformance.suite.disagreements import require_agreement
from conformance.suite.lists.live import LISTS, PARENTS, Live
from conformance.suite.lists.lost_records import is_listed, require_still_listed
from conformance.suite.lists.pagination import Listed
from conformance.suite.reading.other_case import in_other_case

REFERRED = (
    ("videoId", "video_get"),
    ("projectId", "project_get"),
    ("projectId", "activity_list"),
)
"""What a review refers to, by the operations that read it."""
MOST_REFERRED = 4
"""Records of each kind that are read."""


@requirement("approval/state")
def test_the_review_stays_approved(scheme: str, approvals: Approvals, trials: Trials) -> None:
    """No read shows the former state again: one good read proves nothing."""
    trial = trials.approved(scheme)
    former = approvals.reader.unsettled(trial.review)
    former = former or approvals.reader.listed_unsettled(trial.review, trial.approval)
    former = former or _former_in_other_case(trial, approvals)
    status = trial.review.record.get("status")
    text = "well after its approval the review shows the status {status} again"
    otherwise = keeps_status(status, text)
    where = (in_data(read, "status") for read in former[:1])
    expect.that(not former, otherwise.at(*where), trial.approval, *former[:1])


def _former_in_other_case(trial: Trial, approvals: Approvals) -> list[Exchange]:
    """A read by the id in the other case that keeps showing the former state."""
    review = trial.review
    read = approvals.reader.read_until(
        in_other_case(review.id), lambda read: not in_former_state(review, read), trial.scheme
    )
    return [read] if in_former_state(review, read) else []


@requirement("approval/state", stage=Stage.LOOKS_BACK)
def test_no_earlier_way_shows_the_former_state(live: Live, trials: Trials) -> None:
    """Whatever read of a review this run has sent before its approval, to the letter."""
    _approved(trials)
    require_left(live.session, HTTP)


@requirement("approval/replay", stage=Stage.LOOKS_BACK)
def test_a_replay_well_after_repeats_the_result(
    scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """The same approval at the end of the run, when a client that was cut off tries again."""
    trial = trials.approved(scheme)
    live.session.wait_after(trial.approval, live.session.lag.patience)
    read = approvals.reader.read(trial.review.id, trial.scheme)
    if is_late(read, trial.approval):
        raise NotApplicable("the specification does not say how long a target stores a key")
    purpose = "the same approval again, well after"
    replay = approvals.approve(trial.review, trial.key, scheme=trial.scheme, purpose=purpose)
    approvals.reader.require_found(replay, trial.after)
    expect.status(replay, 200, before=trial.approval)
    check_replay(replay, trial.approval)


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
def test_what_an_approved_review_refers_to_is_served(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Its video, its project and the activity there; the rules check their data."""
    trial = _approved(trials)
    listed = [each for each in approvals.reader.listed() if _is_approved(each, live)]
    records, primary = [trial.review.record, *listed], live.callers.credential("primary")
    for name, id in REFERRED:
        operation = live.operation(id)
        _require_baseline(operation, live)
        purpose = f"the {name.removesuffix('Id')} of an approved review"
        sending = Sending(primary, trial.scheme, purpose)
        calls = [Call(id, {name: each}) for each in _referred(name, operation, records, live)]
        for response in live.callers.send_each([(call, sending) for call in calls]):
            read = _while_listed(response, name, live) if response.status == 404 else response
            if read is not None:
                _check_served(read, operation)


@requirement("read/agreement")
def test_an_approved_review_agrees_with_its_list(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Well after its approval a review is the same in its list and by its id.

    A place that shows its former state is reported by the checks of approvals.
    """
    trial = _approved(trials)
    listed = _listed(trial, approvals)
    page = live.callers.send(listed.call, scheme=trial.scheme, purpose="the list, well after")
    call = Call("review_get", {"reviewId": trial.review.id})
    read = live.callers.send(call, scheme=page.scheme, purpose="the review, well after")
    own = [item for item in page.items if str(item.get("id")).lower() == trial.review.id.lower()]
    is_former = lists_former_state(trial.review, page) or in_former_state(trial.review, read)
    if not own or read.status != 200 or is_former:
        raise NotApplicable("only one of the two shows the approved review")
    require_agreement(page, read, trial.review.id, live.session)


@requirement("pagination/filter")
def test_a_filter_still_returns_approved_reviews(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Well after their approval, reviews that the list still has pass its filters as before."""
    _approved(trials)
    operation = live.operation("review_list")
    approved = [each for each in approvals.reader.listed() if _is_approved(each, live)]
    try:
        check_still_filtered(approved, operation, live)
    except Violation as found:
        raise _of(operation, found) from found


@requirement("pagination/listed")
def test_what_was_listed_is_still_listed(live: Live, trials: Trials) -> None:
    """At the end of a run, after its approvals, no list has lost a record that is as it was."""
    with suppress(Inconclusive):  # a run that approves nothing looks once more as well
        trials.first()
    for id in LISTS.values():
        operation = live.operation(id)
        try:
            require_still_listed(operation, live)
        except Violation as found:
            raise _of(operation, found) from found
        except (Inconclusive, NotApplicable):
            continue  # a list that is not served is reported by the checks of reading


@requirement("pagination/once", stage=Stage.WAITS)
def test_a_cursor_that_is_used_later_repeats_nothing(live: Live, trials: Trials) -> None:
    """Also one behind a review that was approved since, by primary or by the colleague."""
    for later in _used_later(live, trials):
        found = describe(later, later.repeated, Kind.REPEATED)
        _require_onward(found, later.repeated, later, live)


@requirement("pagination/complete", stage=Stage.WAITS)
def test_a_cursor_that_is_used_later_leaves_nothing_out(live: Live, trials: Trials) -> None:
    """Also one behind a review that was approved since, by primary or by the colleague."""
    for later in _used_later(live, trials):
        found = describe(later, later.missing, Kind.OMITTED)
        _require_onward(found, later.missing, later, live)


def _used_later(live: Live, trials: Trials) -> Iterator[Later]:
    pages = list(first_pages(live))
    for scheme in live.callers.credential("primary").schemes:
        with suppress(Inconclusive):
            pages += trials.approved(scheme).kept
    with suppress(Inconclusive, NotApplicable):
        pages += approved_by_colleague(live, trials).kept
    if not pages:
        raise NotApplicable("no list has a second page")
    yield from filter(None, (used_later(page, live) for page in pages))


def _require_onward(found: Defect, ids: set[str], later: Later, live: Live) -> None:
    try:
        expect.that(not ids, found, later.page, later.kept, later.longer)
    except Violation as violation:
        raise _of(live.operation(later.page.operation), violation) from violation


def _is_approved(record: Record, live: Live) -> bool:
    """Whether this run has approved a listed review."""
    return record["id"].lower() in live.session.approved


def _referred(name: str, operation: Operation, records: list[Record], live: Live) -> list[str]:
    """Some ids that approved reviews have in a property: those with the most activity first."""
    ids = [record.get(name) for record in records]
    known = list(dict.fromkeys(str(id) for id in ids if is_uuid(id)))
    if operation.is_list:
        pages = live.children(operation.id)
        known.sort(key=lambda id: -len(pages[id].items) if id in pages else 0)
    return known[:MOST_REFERRED]


def _while_listed(absent: Exchange, name: str, live: Live) -> Exchange | None:
    """What was absent, read once more while its record is listed; None where that was deleted."""
    with suppress(Inconclusive):
        if is_listed(absent.call.path[name], live.listing(PARENTS[name]), live):
            purpose = "is it still absent?"
            return live.callers.send(absent.call, scheme=absent.scheme, purpose=purpose)
    return None


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
