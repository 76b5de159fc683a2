"""Checks of approvals on targets that fail, change or withhold reviews at odd moments."""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import subjects
from altered_target import Profile, Send, Spoil, edited, few, json_response, stage, without
from intercepted import NOBODY, changed

from conformance.contract.verdict import Inconclusive, Violation
from conformance.suite import test_approval as approval
from conformance.suite import test_approval_keys as approval_keys
from conformance.suite import test_approval_sequences as sequences
from conformance.suite import test_tools_approval as tools_approval
from conformance.suite import test_unapprovable as unapprovable
from conformance.suite.approval.approvals import MOST_KEYS, Approvals
from conformance.suite.approval.plan import FORBIDDEN
from conformance.suite.lists.live import Live


def test_the_number_of_keys_for_a_request_is_bounded() -> None:
    """Each key returns 503 once and 409 from then on."""
    met: Counter[bytes] = Counter()

    def stuck(request: httpx.Request, send: Send) -> httpx.Response:
        if request.method != "POST":
            return send(request)
        met[request.content] += 1
        return json_response(503 if met[request.content] == 1 else 409)

    with stage(spoil=stuck) as one:
        approvals = one.things["approvals"]
        review = approvals.pool.take()
        key, last = approvals.with_new_key(
            review.id, "stuck", lambda each: approvals.approve(review, each)
        )

    assert (len(met), last.status, last.is_repeated) == (MOST_KEYS, 409, True)
    assert key == approvals.key(review.id, f"stuck {MOST_KEYS - 1}")


def test_an_approval_may_return_503_once() -> None:
    """The first or the repeated request may have approved the review; the oracle allows both."""
    met: set[bytes] = set()

    def losing(request: httpx.Request, send: Send) -> httpx.Response:
        if request.method == "POST" and request.content not in met:
            met.add(request.content)
            return json_response(503)
        return send(request)

    with stage(spoil=losing) as one:
        one.perform(sequences.test_sequences_agree_with_the_oracle)
    assert met != set()


def test_a_sequence_needs_a_review_that_no_used_key_has_approved() -> None:
    """The check is inconclusive where used keys approved the last review."""
    edits = subjects.BY_ID["key-of-a-review"].edits
    with (
        stage(few(3), edits=edits) as one,
        pytest.raises(Inconclusive, match="no approvable review is left"),
    ):
        one.perform(sequences.test_sequences_agree_with_the_oracle)


def test_an_approval_uses_the_last_known_revision_of_a_review() -> None:
    """Later reads of the review have no revision."""

    def without_revision(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if (
            any(sent.method == "POST" for sent in one.transport.sent)
            and response.status_code == 200
            and "/reviews/" in request.url.path
        ):
            return edited(response, lambda document: document["data"].pop("subjectRevision", None))
        return response

    with stage(spoil=without_revision) as one:
        one.perform(approval.test_an_approval_succeeds, scheme="api-key")
        trial = one.things["trials"].first()
    assert {attempt.before.revision for attempt in trial.attempts.values()} == {
        trial.review.revision
    }


def test_an_unlisted_review_has_no_page_to_read_again() -> None:
    """A list may omit reviews."""
    with stage() as one:
        approvals = one.things["approvals"]
        unlisted = replace(approvals.pool.pending(), id=NOBODY)
        assert list(approvals.reader.settle_pages(unlisted, "bearer")) == []


def test_an_approval_is_checked_although_listed_ids_are_not_strings() -> None:
    """The rules report the ids."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path != "/v1/reviews" or response.status_code != 200:
            return response
        return edited(
            response,
            lambda document: [item.update(id=[item["id"]]) for item in document["data"]["items"]],
        )

    with stage(spoil=spoil) as one:
        one.perform(approval.test_an_approval_succeeds, scheme="api-key")


def test_approvals_by_tool_are_checked_after_one_over_http_succeeded() -> None:
    """The checks of HTTP report the defects over HTTP."""

    def rejecting(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            json_response(403)
            if request.method == "POST" and "/approve" in request.url.path
            else send(request)
        )

    with stage(spoil=rejecting) as one, pytest.raises(Inconclusive):
        one.perform(tools_approval.test_an_approval_by_tool_is_one_over_http)


def test_a_key_that_http_has_forgotten_as_well_is_no_defect_of_the_tool() -> None:
    """The key was still known when the replays over HTTP were checked."""
    edits = [
        replace(edit, new=edit.new.replace("now - 10", "now + 10"))
        for edit in subjects.BY_ID["keys-stored-for-ten-seconds"].edits
    ]
    with stage(edits=edits) as one:
        one.things["preconditions"].defects = ()
        with pytest.raises(Inconclusive, match="HTTP does not replay the approval either"):
            one.perform(tools_approval.test_an_approval_by_tool_is_one_over_http)


def test_a_single_change_of_status_may_come_from_another_client() -> None:
    """The same change with every attempt is a violation."""

    def moving(most: int) -> Spoil:
        moved: set[str] = set()

        def spoil(request: httpx.Request, send: Send) -> httpx.Response:
            id = request.url.path.split("/")[3] if "/reviews/" in request.url.path else ""
            if (
                request.method == "POST"
                and id in one.session.target.fixtures.unapprovable_reviews
                and len(moved) < most
            ):
                moved.add(id)
            response = send(request)
            if request.method == "GET" and id in moved:
                return edited(
                    response, lambda document: document["data"].update(status="withdrawn")
                )
            return response

        return spoil

    with (
        stage(spoil=moving(1)) as one,
        pytest.raises(Inconclusive, match="by the attempt or by itself"),
    ):
        one.perform(unapprovable.test_what_cannot_be_approved_is_not, scheme="api-key")
    with (
        stage(spoil=moving(9)) as one,
        pytest.raises(Violation, match="change the status of reviews"),
    ):
        one.perform(unapprovable.test_what_cannot_be_approved_is_not, scheme="api-key")


def test_an_approvable_review_listed_as_unapprovable_is_not_approved() -> None:
    """No review is approved by mistake."""

    def contradictory(profile: Profile) -> None:
        profile["fixtures"]["unapprovable-reviews"] = [
            profile["fixtures"]["approvable-reviews"].pop()
        ]

    with (
        stage(contradictory) as one,
        pytest.raises(Inconclusive, match=r"^review .* is approvable$"),
    ):
        one.perform(unapprovable.test_what_cannot_be_approved_is_not, scheme="api-key")


def test_a_review_that_became_approvable_is_left_out() -> None:
    """The others are attempted; it stays as it is."""

    def mixed(profile: Profile) -> None:
        reviews = profile["fixtures"]["unapprovable-reviews"]
        reviews[0] = profile["fixtures"]["approvable-reviews"].pop()

    with stage(mixed) as one:
        one.perform(unapprovable.test_what_cannot_be_approved_is_not, scheme="api-key")
        approvable = one.session.target.fixtures.unapprovable_reviews[0]
        attempted = [sent.url.path for sent in one.transport.sent if sent.method == "POST"]
    assert [path for path in attempted if approvable in path] == []


def test_reviews_without_a_revision_are_the_reason_where_no_other_is_left() -> None:
    """Where one shows a revision, it is taken."""
    hidden = changed("/v1/reviews", lambda record: record.pop("subjectRevision", None))
    with (
        stage(few(2), hidden) as one,
        pytest.raises(Inconclusive, match="shows no subjectRevision"),
    ):
        one.things["approvals"].pool.pending()
    with stage(few(1)) as one:
        assert one.things["approvals"].pool.pending().revision > 0


@pytest.mark.parametrize("recovers", [True, False])
def test_a_review_of_the_pool_may_be_withheld_for_a_while(recovers: bool) -> None:
    """A review that stays withheld must not be approvable."""
    read_so_far: Counter[str] = Counter()

    def withholding(request: httpx.Request, send: Send) -> httpx.Response:
        id = request.url.path.split("/")[-1]
        response = send(request)
        if request.method == "GET" and id == one.session.target.fixtures.approvable_reviews[0]:
            read_so_far[id] += 1
            if read_so_far[id] == 1 or not recovers:
                return edited(response, lambda document: document["data"].update(approvable=False))
        return response

    with stage(spoil=withholding) as one:
        if recovers:
            one.perform(unapprovable.test_what_cannot_be_approved_is_not, scheme="api-key")
        else:
            with pytest.raises(
                Violation, match="approvable is false, and the approval returned 200"
            ):
                one.perform(unapprovable.test_what_cannot_be_approved_is_not, scheme="api-key")


def test_a_command_may_make_reviews(tmp_path: Path) -> None:
    """Each run of the command creates one review, which is named in an observation."""

    def change(profile: Profile) -> None:
        made = profile["fixtures"]["approvable-reviews"][:2]
        (tmp_path / "ids").write_text("".join(f"{id}\n" for id in made))
        code = (
            "import json, pathlib; f = pathlib.Path('{}'); a, *b = f.read_text().split(); "
            "f.write_text(' '.join(b)); "
        )
        command = [
            sys.executable,
            "-c",
            code.format(tmp_path / "ids") + "print(json.dumps({'id': a}))",
        ]
        profile["fixtures"] = {
            "approvable-reviews": [],
            "provision": {"approvable-review": command},
        }

    with stage(change) as one:
        approvals: Approvals = one.things["approvals"]
        made = [approvals.pool.take().id for _ in range(2)]
        with pytest.raises(Inconclusive, match="the provision command failed with exit code 1"):
            approvals.pool.take()
        recorded = [entry for entry in one.session.observations if entry[0] == "provisioned"]

    assert recorded == [("provisioned", id, id) for id in made]
    assert len(set(made)) == 2


def test_a_replay_of_a_run_makes_no_review() -> None:
    """The replay uses only the reviews that the run created."""
    with stage() as one:
        session = one.session.session
        session.provisioned = session.target.fixtures.approvable_reviews[:1]
        session.target = replace(
            session.target, fixtures=replace(session.target.fixtures, approvable_reviews=())
        )
        context = session.context("a replay")
        approvals = Approvals(context, Live(context))

        assert approvals.pool.take().id == session.provisioned[0]
        with pytest.raises(Inconclusive, match="no approvable review is left"):
            approvals.pool.take()


def test_a_sequence_continues_with_the_remaining_reviews() -> None:
    """It is inconclusive only where the pool is empty from the start."""
    with stage(few(3)) as one:
        one.perform(sequences.test_sequences_agree_with_the_oracle)
        assert one.things["approvals"].pool.ids == ()
    with stage(few(2)) as one, pytest.raises(Inconclusive, match="no approvable review is left"):
        one.perform(sequences.test_sequences_agree_with_the_oracle)


def test_a_replay_by_others_needs_a_caller_whose_approval_was_rejected() -> None:
    """The check is inconclusive if every caller may approve."""

    def let_in(request: httpx.Request, send: Send) -> httpx.Response:
        if request.method == "POST" and not {"x-api-key", "authorization"} & set(request.headers):
            request.headers["x-api-key"] = one.session.target.credentials["primary"].secret(
                "api-key"
            )
        return send(request)

    absent = without(
        *(
            f"credentials/{name}"
            for name in ("expired", "revoked", "lacking", "outsider", "no-review-role")
        )
    )
    with stage(absent, let_in) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(approval_keys.test_a_replay_is_guarded_like_the_approval)
    assert undecided.value.needs == tuple(f"credentials.{name}" for name in FORBIDDEN)
