"""Approval: guarded by a revision, idempotent by a key (States and transitions, POST /reviews/{reviewId}/approve)."""

from collections.abc import Iterator

from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Exchange
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import MALFORMED, MISSPELT, ON_APPROVED, STALE, conflict
from conformance.suite.approval.preconditions import moved_by_stale, transfers
from conformance.suite.approval.review_pool import NEEDS, is_approved, revision_of, shows_status
from conformance.suite.approval.trial import Attempt, Trial, shown_revision, spread, unchanged
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.suite.lists.records import alike
from conformance.target.target import Credential

READINGS = 16
"""As many as there are from before an approval until its neighbours have been read."""


@requirement("approval/success")
def test_an_approval_succeeds(scheme: str, live: Live, approvals: Approvals) -> None:
    """With the right revision and a new key, by either scheme."""
    approvals.consent()
    live.by("primary", scheme)
    trial = approvals.trial(scheme)
    expect.served(trial.approval)
    if trial.resembling is not None:
        expect.violated(
            defect(Kind.UNSORTED, "only another new key succeeds", expected="200 with any new key"),
            trial.resembling,
            trial.approval,
        )


@requirement("approval/result")
def test_the_result_has_its_members(scheme: str, live: Live, approvals: Approvals) -> None:
    """The rule on records looks at every result; here is one."""
    succeeded(approvals, live, scheme)


@requirement("approval/result-status")
def test_the_result_is_that_review_approved(scheme: str, live: Live, approvals: Approvals) -> None:
    """The result names the review and the status approved."""
    trial = succeeded(approvals, live, scheme)
    result = result_of(trial.approval)
    expect.that(
        result.get("status", "approved") == "approved",
        defect(Kind.UNSORTED, f"status {result.get('status')!r}", expected="approved"),
        trial.approval,
    )
    same = str(result.get("id", trial.review.id)).lower() == trial.review.id.lower()
    expect.that(
        same,
        defect(Kind.UNSORTED, f"the result is of {result.get('id')!r}", expected=trial.review.id),
        trial.approval,
    )


@requirement("approval/result-revision")
def test_the_result_has_a_revision_of_that_review(
    scheme: str, live: Live, approvals: Approvals
) -> None:
    """The expected revision, or the one that a reading shows afterwards."""
    trial = succeeded(approvals, live, scheme)
    told, expected = result_of(trial.approval).get("subjectRevision"), trial.review.revision
    if isinstance(told, bool) or not isinstance(told, int | float) or told == expected:
        return  # another type is no revision, and no member of the result
    shown = revision_of(
        approvals.look_until(trial.review.id, lambda read: shown_revision(read) == told)
    )
    expect.that(
        told == shown,
        defect(Kind.UNSORTED, f"subjectRevision {told!r}", expected=f"{expected} or {shown}"),
        trial.approval,
    )


@requirement("approval/state")
def test_the_review_reads_as_approved(scheme: str, live: Live, approvals: Approvals) -> None:
    """The state that the approval leaves."""
    trial = succeeded(approvals, live, scheme)
    assert trial.after is not None
    expect.served(trial.after)
    if not isinstance(trial.after.data, dict) or "status" not in trial.after.data:
        raise Inconclusive("the review shows no status", exchanges=[trial.after.id])
    others = (each for each in live.credential("primary").schemes if each != trial.after.scheme)
    for after in (
        trial.after,
        *(approvals.look_approved(trial.review.id, each) for each in others),
    ):
        told = after.data.get("status", "approved") if isinstance(after.data, dict) else "approved"
        expect.that(
            told == "approved",
            defect(Kind.UNSORTED, f"the review reads as {told!r}", expected="approved"),
            trial.approval,
            after,
        )
    page = approvals.look_listed(trial.review.id, scheme)
    expect.that(
        page is None,
        defect(Kind.UNSORTED, "the list still shows another status", expected="approved"),
        trial.approval,
        *([page] if page else []),
    )


@requirement("approval/alone")
def test_an_approval_changes_no_other_review(scheme: str, live: Live, approvals: Approvals) -> None:
    """Neighbours in the list and in the profile stay as they were."""
    trial = succeeded(approvals, live, scheme)
    if not any(shows_status(before) for before, _ in trial.neighbours):
        raise Inconclusive(
            "there is no other review that shows its status", needs=("data in the target",)
        )
    found = spread(trial)
    if len(found) == 1 and _is_by_somebody_else(found[0].call.path["reviewId"], scheme, approvals):
        return
    expect.that(
        not found,
        defect(
            Kind.UNSORTED, "another review was approved as well", expected="one review approved"
        ),
        trial.approval,
        *found,
    )


def _is_by_somebody_else(id: str, scheme: str, approvals: Approvals) -> bool:
    """Whether one review may have been approved by somebody else, which one approval more does not repeat.

    It cannot repeat it where the review stands at an end of the list: who always approves that one has done so. Two have repeated it.
    """
    listed = [record["id"] for record in approvals.shown()]
    is_end = id.lower() in map(str.lower, (*listed[:1], *listed[-1:]))
    if is_end or (id in listed and any(map(spread, approvals.trials_but(scheme)))):
        return approvals.others_approve(
            next(one for one in listed if one.lower() == id.lower()), READINGS
        )
    try:
        return not spread(approvals.once_more(scheme))
    except Inconclusive:  # none is left
        return False


@requirement("approval/stale-revision")
def test_a_stale_revision_is_a_conflict(scheme: str, live: Live, approvals: Approvals) -> None:
    """Next to the current revision 409 alone will do; far off a target may call it invalid."""
    approvals.consent()
    live.by("primary", scheme)
    approvals.control(scheme)
    _refused_as_stale(scheme, approvals)
    for attempt in approvals.first().crowd:
        assert attempt.before is not None
        expect.status(attempt.answer, *conflict(attempt.before.revision + 1))
        unchanged(attempt)
    changed = moved_by_stale(approvals)
    expect.that(
        not changed,
        defect(
            Kind.UNSORTED, "stale attempts change the review", expected="the review stays as it was"
        ),
        *changed,
    )
    for label in STALE:  # what was not tried, since too many reviews were taken, is not judged
        approvals.refusals(f"{label} by {scheme}", scheme)


@requirement("arguments/body")
def test_a_malformed_body_is_refused(approvals: Approvals) -> None:
    """Members of other types, and bodies that are no object."""
    approvals.consent()
    for label in MALFORMED:
        attempt = approvals.refusal(label)
        expect.status(attempt.answer, 400, 422)
        unchanged(attempt)


@requirement("arguments/approval-id")
def test_an_approval_of_an_id_that_is_no_uuid_is_refused(approvals: Approvals) -> None:
    """Most of them are spellings that lenient parsers take for the id of the review."""
    approvals.consent()
    for label in MISSPELT:
        attempt = approvals.refusal(label)
        expect.status(attempt.answer, 400, 404, 422)
        unchanged(attempt)


@requirement("approval/replay")
def test_a_replay_is_answered_as_the_first_time(
    scheme: str, live: Live, approvals: Approvals
) -> None:
    """The same key with the same body, several times, and after attempts that conflict."""
    trial = succeeded(approvals, live, scheme)
    for number in range(3):
        if number == 1:  # whatever it is answered
            other = approvals.call(trial.review.id, trial.review.revision + 1, trial.key)
            live.send(
                other, scheme=scheme, purpose="the key with another revision, between the replays"
            )
        answer = approvals.approve(
            trial.review, trial.key, scheme=scheme, purpose="the same approval again"
        )
        expect.status(answer, 200)
        told, first = result_of(answer), result_of(trial.approval)
        expect.that(
            alike(told, first),
            defect(Kind.UNSORTED, f"the replay says {told}", expected=str(first)),
            trial.approval,
            answer,
        )
    after = _still_approved(trial, approvals)
    _made_once(trial, after, approvals)


@requirement("approval/guarded-replay")
def test_a_replay_is_guarded_like_the_approval(live: Live, approvals: Approvals) -> None:
    """Who could not have approved is not served from the record of the approval either."""
    trial = succeeded(approvals, live, approvals.first().scheme)
    call = approvals.call(trial.review.id, trial.review.revision, trial.key)
    refused = list(_refused_to_approve(live, approvals))
    if not refused:
        raise Inconclusive(
            "nobody was refused the approval itself",
            needs=tuple(f"credentials.{name}" for name in GUARDED),
        )
    for credential, scheme in refused:
        expect.rejected(
            live.send(
                call,
                credential,
                scheme,
                purpose=f"replay as {credential.name if credential else 'nobody'}",
            )
        )


@requirement("approval/key-other-revision")
def test_a_key_with_another_revision_is_a_conflict(
    scheme: str, live: Live, approvals: Approvals
) -> None:
    """The key stands for one approval, not for the next one."""
    trial = succeeded(approvals, live, scheme)
    for difference in (1, -1, 7):
        call = approvals.call(trial.review.id, trial.review.revision + difference, trial.key)
        attempt = approvals.attempt(
            call, live.credential("primary"), scheme, "the key with another revision"
        )
        expect.status(attempt.answer, *conflict(trial.review.revision + difference))
        if not is_approved(attempt.after):
            _still_approved(trial, approvals)


@requirement("approval/key-other-review")
def test_a_key_on_another_review_is_a_conflict_or_an_approval(
    live: Live, approvals: Approvals
) -> None:
    """It never brings the first review's result, and never a 200 without an approval."""
    succeeded(approvals, live, approvals.first().scheme)
    for tried in transfers(live, approvals):
        expect.status(tried.answer, 200, 409)
        if tried.answer.status == 409:
            told = "409, but the other review is approved"
            expect.that(
                not is_approved(tried.after),
                defect(Kind.UNSORTED, told, expected="the review stays as it was"),
                tried.answer,
                tried.after,
            )
            continue
        told = f"the result is of {result_of(tried.answer).get('id')!r}, or the other review is not approved"
        expect.that(
            tried.is_true,
            defect(Kind.UNSORTED, told, expected="409, or an approval of the other review"),
            tried.answer,
            tried.after,
        )


@requirement("approval/new-key")
def test_a_new_key_on_an_approved_review_changes_nothing(
    scheme: str, live: Live, approvals: Approvals
) -> None:
    """Whatever the answer, the review stays approved, and the first key still works."""
    trial = succeeded(approvals, live, scheme)
    before = approvals.approve(
        trial.review, trial.key, scheme=scheme, purpose="a replay before the new key"
    )
    new = approvals.key(trial.review.id, f"new by {scheme}")
    answer = approvals.approve(
        trial.review, new, scheme=scheme, purpose="a new key on an approved review"
    )
    expect.status(answer, *ON_APPROVED)
    _still_approved(trial, approvals)
    again = approvals.approve(
        trial.review, trial.key, scheme=scheme, purpose="a replay after the new key"
    )
    expect.clear(again)
    replayed = before.status == 200 and alike(
        before.data, trial.approval.data
    )  # what never was is judged by the check of replays
    told = f"after a new key the first one is answered {again.describe()}"
    kept = not replayed or (again.status == 200 and alike(again.data, before.data))
    expect.that(
        kept, defect(Kind.UNSORTED, told, expected="the first result"), before, answer, again
    )


GUARDED = ("expired", "revoked", "lacking.reviews:approve", "outsider", "no-review-role")


def _refused_to_approve(
    live: Live, approvals: Approvals
) -> Iterator[tuple[Credential | None, str | None]]:
    """Nobody, and whoever may not approve. One to whom the approval itself was not refused is judged for that, and not again."""
    attempts = approvals.first().attempts
    callers: list[tuple[str, Credential | None, str | None]] = [("missing", None, None)]
    for name, known in live.session.target.credentials.items():
        callers += [
            (f"{name} by {scheme}", known, scheme) for scheme in known.schemes if name in GUARDED
        ]
    for label, credential, scheme in callers:
        status = attempts[label].answer.status if label in attempts else None
        if status is not None and 400 <= status < 500:
            yield credential, scheme


def _made_once(trial: Trial, after: Exchange, approvals: Approvals) -> None:
    """Violation where the revision moves with each replay, and stays where there is none."""
    assert trial.after is not None
    if shown_revision(after) == shown_revision(trial.after):
        return
    rested = approvals.look(trial.review.id)
    answer = approvals.approve(
        trial.review, trial.key, scheme=trial.scheme, purpose="the same approval once more"
    )
    again = approvals.look(trial.review.id)
    moved = shown_revision(after) == shown_revision(rested) != shown_revision(again)
    expect.that(
        not moved,
        defect(
            Kind.UNSORTED,
            "a replay changes the review's revision",
            expected="the review stays as it was",
        ),
        rested,
        answer,
        again,
    )


def _refused_as_stale(scheme: str, approvals: Approvals) -> None:
    """Violation where one of the stale attempts is answered otherwise, or approves, among those that were tried."""
    excused = False
    tried = {
        label: revision
        for label, revision in STALE.items()
        if f"{label} by {scheme}" in approvals.first().attempts
    }
    for label, revision in tried.items():
        for attempt in approvals.refusals(f"{label} by {scheme}", scheme):
            assert attempt.before is not None
            sent = revision(attempt.before.revision)
            if not excused and _is_overtaken(attempt, sent):
                excused = True
                continue
            near = abs(sent - attempt.before.revision) == 1
            expect.status(attempt.answer, *(conflict(sent) if near else (400, 409, 422)))
            unchanged(attempt)


def _is_overtaken(attempt: Attempt, sent: int) -> bool:
    """Whether a review was approved at the revision that was sent, and reads with it: somebody else may have made that one meanwhile."""
    return attempt.answer.status == 200 and shown_revision(attempt.after) == sent


def succeeded(approvals: Approvals, live: Live, scheme: str) -> Trial:
    """The trial by a scheme; Inconclusive where its approval is not answered 200, which is judged elsewhere."""
    approvals.consent()
    live.by("primary", scheme)
    trial = approvals.trial(scheme)
    if trial.approval.status != 200:
        told = f"the approval is answered {trial.approval.describe()}"
        raise Inconclusive(told, needs=NEEDS, exchanges=[trial.approval.id])
    return trial


def _still_approved(trial: Trial, approvals: Approvals) -> Exchange:
    """A reading of the review; Violation where it showed the approval before, and does so no more."""
    after = approvals.look_approved(trial.review.id)
    expect.served(after)
    showed = trial.after is not None and is_approved(trial.after)
    expect.that(
        is_approved(after) or not showed,
        defect(Kind.UNSORTED, "the review is no longer approved", expected="approved"),
        after,
    )
    return after


def result_of(answer: Exchange) -> dict[str, object]:
    if not isinstance(answer.data, dict):
        raise Inconclusive("the result is no object", exchanges=[answer.id])
    return answer.data
