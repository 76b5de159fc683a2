"""Checks while other clients change the same reviews, or few reviews are left."""

import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count

import httpx
import orjson
import pytest
import subjects
from altered_target import Profile, Send, Stage, edited, few, json_response, stage

from conformance.assurance.selftest.altered import Edit
from conformance.contract.verdict import Inconclusive, Violation
from conformance.suite import test_approval as approval
from conformance.suite import test_approval_races as races
from conformance.suite import test_approval_sequences as sequences
from conformance.suite import test_tools_approval as tools_approval
from conformance.suite.approval.approvals import MOST_REVISIONS
from conformance.suite.approval.race import AT_ONCE, MOST_RACES
from conformance.suite.approval.trials import Trials


def revised(times: int) -> list[Edit]:
    """A reference in which other clients revise a subject `times` times during its approval."""
    edits = subjects.BY_ID["subjects-are-revised"].edits
    return [
        replace(edit, new=edit.new.replace("len(TURNS) % 5 == 0", f"len(TURNS) <= {times}"))
        for edit in edits
    ]


def approvals(one: Stage, review: str = "") -> list[httpx.Request]:
    """The approvals so far, of one review or of all."""
    return [
        each for each in one.transport.sent if each.method == "POST" and review in str(each.url)
    ]


def sent_revisions(one: Stage, review: str = "") -> list[int]:
    """The revisions that approvals expected, in order."""
    return [
        orjson.loads(sent.content)["expectedSubjectRevision"] for sent in approvals(one, review)
    ]


def test_approvals_of_a_constantly_revised_subject_are_bounded() -> None:
    """Each approval returns 409, since another client created a revision."""
    with stage(edits=revised(times=10_000)) as one:
        trial = one.things["trials"].further("bearer")
        resembling, first, *later = sent_revisions(one, trial.review.id)
    assert (trial.approval.status, resembling, later) == (
        409,
        first,
        [first + number for number in range(1, MOST_REVISIONS)],
    )


def overtaken(times: int) -> list[Edit]:
    """A reference in which other clients create the revision that a stale attempt expects."""
    edits = subjects.BY_ID["subjects-are-revised"].edits
    ahead = [
        replace(
            edit,
            new=edit.new.replace(
                "subject_revision = :revision", "subject_revision + 1 = :revision"
            ),
        )
        for edit in edits
    ]
    return [
        replace(edit, new=edit.new.replace("len(TURNS) % 5 == 0", f"len(TURNS) <= {times}"))
        for edit in ahead
    ]


@pytest.mark.parametrize(
    ("times", "message"), [(1, None), (99, "one revision ahead by api-key: 200")]
)
def test_a_stale_revision_that_another_client_creates_is_excused_once(
    times: int, message: str | None
) -> None:
    """If every stale attempt succeeds, the target accepts stale revisions."""
    with stage(edits=overtaken(times)) as one:
        if message is None:
            one.perform(approval.test_a_stale_revision_is_a_conflict, scheme="api-key")
            attempt = one.things["trials"].first().attempts["one revision ahead by api-key"]
            assert attempt.response.status == 200
        else:
            with pytest.raises(Violation, match=message):
                one.perform(approval.test_a_stale_revision_is_a_conflict, scheme="api-key")


def revised_by_tool(times: int) -> list[Edit]:
    """A reference in which other clients revise a subject `times` times during a tool approval."""
    perform = "        return responses.success(service.perform(tool.operation, caller, given))"
    pending = (
        "id = :reviewId AND unavailable_reason = '' AND subject_revision = :expectedSubjectRevision"
    )
    meanwhile = f"""        pending = "{pending}"
        is_approval = tool.operation.id == "review_approve"
        if is_approval and service._store.row(f"SELECT 1 FROM reviews WHERE {{pending}}", given):
            TURNS.append(1)
            revise = f"UPDATE reviews SET subject_revision = subject_revision + 1 WHERE {{pending}}"
            if len(TURNS) <= {times}:
                service._store.write(revise, given)
"""
    return [
        Edit("tools", "@dataclass", "TURNS: list[int] = []\n\n\n@dataclass"),
        Edit("tools", perform, meanwhile + perform),
    ]


def test_an_approval_by_tool_is_repeated_after_a_revision_by_another_client() -> None:
    """Another client creates the first revision during an approval without the role."""
    with stage(edits=revised_by_tool(times=2)) as one:
        one.things["preconditions"].defects = ()
        one.perform(tools_approval.test_an_approval_by_tool_is_one_over_http)
        noted = [
            entry["revision"] for kind, _, entry in one.session.observations if kind == "ledger"
        ]
    # Another review follows the first one; the last one is the key on a third review.
    first, later, _, replayed, _ = noted[-5:]
    assert [later, replayed] == [first + 1] * 2  # by tool, and the replay over HTTP


def test_an_approval_by_tool_is_repeated_a_bounded_number_of_times() -> None:
    """A conflict each time is a violation."""
    with stage(edits=revised_by_tool(times=99)) as one:
        one.things["preconditions"].defects = ()
        with pytest.raises(Violation, match="approve by tool: isError conflict"):
            one.perform(tools_approval.test_an_approval_by_tool_is_one_over_http)


def test_an_approval_that_others_overtake_each_time_shows_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where subjects are revised by others, the conflicts may be theirs."""
    monkeypatch.setattr(Trials, "are_subjects_revised", True)
    with stage(edits=revised_by_tool(times=99)) as one:
        one.things["preconditions"].defects = ()
        with pytest.raises(Inconclusive, match="others revised the subject before each approval"):
            one.perform(tools_approval.test_an_approval_by_tool_is_one_over_http)


def test_a_review_without_a_revision_after_a_conflict_is_not_approved_again() -> None:
    """Without a revision, a change by another client cannot be detected."""

    def without_revision(request: httpx.Request, send: Send) -> httpx.Response:
        if request.method == "POST":
            return json_response(409)
        response = send(request)
        review = request.url.path.partition("/reviews/")[2]
        if review and approvals(one, review):
            return edited(response, lambda document: document["data"].pop("subjectRevision"))
        return response

    with stage(spoil=without_revision) as one:
        trial = one.things["trials"].further("bearer")
        sent = sent_revisions(one, trial.review.id)
    # By a key that resembles a used one, and by a key that does not.
    assert (trial.approval.status, sent) == (409, [trial.review.revision] * 2)
    assert trial.rejected_key is not None
    assert "subjectRevision" not in trial.after.data


@pytest.mark.parametrize(
    ("reviews", "moves", "revised"), [(4, True, True), (4, False, False), (1, True, False)]
)
def test_an_unapproved_review_shows_whether_other_clients_revise_subjects(
    reviews: int, moves: bool, revised: bool
) -> None:
    """Without an unapproved review, revisions by other clients are not detected."""
    numbers = count()

    def moving(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if not moves or "/reviews/" not in request.url.path or response.status_code != 200:
            return response
        revision = 7 + next(numbers)
        return edited(response, lambda document: document["data"].update(subjectRevision=revision))

    with stage(few(reviews), moving) as one:
        assert one.things["trials"].are_subjects_revised is revised


def test_another_approved_review_is_a_violation_where_no_review_is_left() -> None:
    """A further approval would show whether another client approved the first."""

    def one_alone(profile: Profile) -> None:
        """The profile has one review; the list begins with another approvable one."""
        profile["fixtures"]["approvable-reviews"] = profile["fixtures"]["approvable-reviews"][2:3]

    edits = subjects.BY_ID["approves-the-review-before"].edits
    with (
        stage(one_alone, edits=edits) as one,
        pytest.raises(Violation, match="another review was approved as well"),
    ):
        one.perform(approval.test_an_approval_changes_no_other_review, scheme="api-key")


def test_the_last_review_is_approved_although_a_stale_attempt_withholds_it() -> None:
    """After the attempt it cannot be approved, and the check is inconclusive."""
    with stage(few(1), edits=subjects.BY_ID["stale-withholds"].edits) as one:
        with pytest.raises(Inconclusive, match="the approval by api-key returned 409"):
            one.perform(approval.test_a_stale_revision_is_a_conflict, scheme="api-key")
        trial = one.things["trials"].first()
    assert {attempt.before.id for attempt in (*trial.attempts.values(), *trial.concurrent)} == {
        trial.review.id
    }


def test_a_sequence_continues_at_a_revision_by_another_client() -> None:
    """The conflicting approval is not a step, and its key may be stuck."""
    with stage(edits=revised(times=1)) as one:
        one.things["preconditions"].defects = ()
        one.perform(sequences.test_sequences_agree_with_the_oracle)
        stale, met, right, *_ = sent_revisions(one)
    assert (stale - met, right - met) == (1, 1)


def test_an_approval_may_supersede_the_other_reviews_of_a_sequence() -> None:
    """That one which can no longer be approved is rejected is no verdict."""
    write = "    store.write(INSERT_APPROVAL, state | result)"
    others = "UPDATE reviews SET status = 'old', unavailable_reason = 'x' WHERE status = 'pending'"
    edit = Edit("approval", write, f'{write}\n    store.write("{others}", {{}})')
    with stage(edits=[edit]) as one:
        one.things["preconditions"].defects = ()
        one.perform(sequences.test_sequences_agree_with_the_oracle)
        assert one.session.approved


def test_a_sequence_continues_if_the_provision_command_fails() -> None:
    """It uses the remaining reviews."""

    def failing(profile: Profile) -> None:
        few(3)(profile)
        profile["fixtures"]["provision"] = {
            "approvable-review": [sys.executable, "-c", "raise SystemExit(1)"]
        }

    with stage(failing) as one:
        one.perform(sequences.test_sequences_agree_with_the_oracle)
        contexts = [one.session, *(fact.context for fact in one.session.facts())]
        observed = [entry for context in contexts for entry in context.observations]
        ledger = [subject for kind, subject, _ in observed if kind == "ledger"]
    assert set(ledger) == set(one.session.target.fixtures.approvable_reviews)


@pytest.mark.parametrize(
    ("status", "requests", "expected", "message"),
    [
        (503, 2 * AT_ONCE, Inconclusive, "503"),
        (429, 2 * AT_ONCE, Inconclusive, "429"),
        (500, AT_ONCE, Violation, "approvals at once: 500"),
    ],
)
def test_a_race_with_a_failed_request_is_repeated_three_times(
    status: int, requests: int, expected: type[Exception], message: str
) -> None:
    """Each request is repeated after `Retry-After`; only a 500 each time is a violation."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        body: dict[str, str] | None = None if status == 500 else {}
        is_approval = request.method == "POST"
        return json_response(status, body, retry_after="1") if is_approval else send(request)

    with stage(spoil=spoil) as one:
        one.things["preconditions"].defects = ()
        with pytest.raises(expected, match=message):
            one.perform(races.test_one_approval_many_times_at_once_is_made_once)
        raced = [sent.url.path for sent in one.transport.sent if sent.method == "POST"]
    assert (len(raced), len(set(raced))) == (MOST_RACES * requests, MOST_RACES)


def test_a_race_is_repeated_if_an_error_makes_its_key_unusable() -> None:
    """After a 503 a key may be stuck; the race is repeated on another review."""
    met: set[str] = set()

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        if request.method != "POST":
            return send(request)
        if len(met) < 2 and request.url.path not in met:
            met.add(request.url.path)
            return json_response(503, {}, retry_after="1")
        return json_response(409) if len(met) < 2 else send(request)

    with stage(spoil=spoil) as one:
        one.things["preconditions"].defects = ()
        one.perform(races.test_one_approval_many_times_at_once_is_made_once)
    assert len(met) == 2


@pytest.mark.parametrize(
    "check",
    [
        approval.test_a_stale_revision_is_a_conflict,
        sequences.test_sequences_agree_with_the_oracle,
        tools_approval.test_an_approval_by_tool_is_one_over_http,
    ],
)
def test_subjects_may_be_revised_with_every_third_request(check: Callable[..., None]) -> None:
    """A stale attempt may expect the new revision, and is then a valid approval."""
    with stage(edits=subjects.BY_ID["revisions-grow-fast"].edits) as one:
        one.perform(check, scheme="api-key")
        assert one.things["trials"].are_subjects_revised


def test_alternating_reads_of_an_approved_review_are_a_violation() -> None:
    """Every second read returns the status before the approval."""
    with (
        stage(edits=subjects.BY_ID["approved-every-other-read"].edits) as one,
        pytest.raises(Violation, match='take turns between "pending" and another status'),
    ):
        one.perform(approval.test_the_review_reads_as_approved, scheme="api-key")
