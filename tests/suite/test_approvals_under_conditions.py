"""Checks of approvals by other accounts, with other keys, and of what is seen afterwards."""

from collections.abc import Callable

import httpx
import pytest
import subjects
from altered_target import Send, few, having, json_response, stage, without
from intercepted import is_of

from conformance.contract.verdict import Inconclusive, NotApplicable, Violation
from conformance.suite import (
    test_approval,
    test_approval_steps,
    test_colleague,
    test_grants,
    test_tools_state,
    test_unusual_keys,
    test_well_after,
)


def test_a_review_out_of_reach_is_approved_at_one_of_its_revisions() -> None:
    """Its revision cannot be read; an error names it."""
    edits = subjects.BY_ID["approval-grants-unchecked"].edits
    with stage(edits=edits) as one, pytest.raises(Violation, match="outside the grant: 200"):
        one.perform(
            test_grants.test_an_ungranted_project_is_out_of_reach, "review_approve", "api-key"
        )


def test_what_a_single_step_shows_is_reported() -> None:
    """A replay stops working after its key was sent for another review."""
    edits = subjects.BY_ID["key-forgotten-after-another-review"].edits
    with stage(edits=edits) as one:
        with pytest.raises(Violation, match="a replay returned 409"):
            one.perform(test_approval_steps.test_a_replay_works_after_other_uses_of_its_key)
        one.perform(test_approval_steps.test_a_further_new_key_changes_nothing)
        with pytest.raises(Inconclusive, match="already have a defect: a replay"):
            one.things["preconditions"].check()


def test_steps_that_cannot_be_tried_show_nothing() -> None:
    """No review is left for them."""
    with stage(few(0)) as one, pytest.raises(NotApplicable):
        one.perform(test_approval_steps.test_a_further_new_key_changes_nothing)


def test_a_colleague_needs_reviews_that_are_left() -> None:
    """The last reviews are for other checks."""
    with stage(few(3)) as one:
        with pytest.raises(NotApplicable, match="no review is left"):
            one.perform(test_colleague.test_a_colleague_approves_as_well)
        with pytest.raises(NotApplicable, match="no review is left"):
            one.perform(test_unusual_keys.test_an_unusual_key_is_new_or_invalid)


def test_a_colleague_who_reads_no_review_shows_nothing() -> None:
    """What an account sees may depend on more than its grant."""

    def hidden(request: httpx.Request, send: Send) -> httpx.Response:
        is_colleague = is_of(request, one.session.target, "colleague")
        is_review = request.url.path.startswith("/v1/reviews/")
        return json_response(404) if is_colleague and is_review else send(request)

    with stage(spoil=hidden) as one:
        for check in (
            test_colleague.test_a_colleague_approves_as_well,
            test_colleague.test_a_colleague_leaves_an_approval_as_it_is,
        ):
            with pytest.raises(NotApplicable):
                one.perform(check)


@pytest.mark.parametrize("status", [403, 409])
def test_an_approval_of_a_colleague_that_fails_has_no_result(status: int) -> None:
    """The check of the approval itself reports it."""

    def failing(request: httpx.Request, send: Send) -> httpx.Response:
        is_colleague = is_of(request, one.session.target, "colleague")
        return json_response(status) if is_colleague and request.method == "POST" else send(request)

    with stage(spoil=failing) as one, pytest.raises(NotApplicable, match="did not succeed"):
        one.perform(test_colleague.test_a_colleague_replays_its_own_approval)


def test_without_consent_a_colleague_has_no_result() -> None:
    """Nothing is approved."""
    denied = having("consent/approve-reviews", value=False)
    with stage(denied) as one, pytest.raises(NotApplicable, match="could approve no review"):
        one.perform(test_colleague.test_a_colleague_replays_its_own_approval)


def test_a_colleague_who_cannot_replay_is_reported() -> None:
    """Whoever approves, the result is that of primary."""
    edits = subjects.BY_ID["colleague-cannot-replay"].edits
    with stage(edits=edits) as one, pytest.raises(Violation):
        one.perform(test_colleague.test_a_colleague_replays_its_own_approval)


@pytest.mark.parametrize(
    ("id", "check", "property"),
    [
        (
            "result-of-the-colleague-is-pending",
            test_approval.test_every_result_is_that_of_its_review_approved,
            "status",
        ),
        (
            "result-of-the-colleague-has-the-former-revision",
            test_approval.test_every_result_has_a_revision_of_its_review,
            "subjectRevision",
        ),
    ],
)
def test_any_wrong_result_is_reported(id: str, check: Callable[..., None], property: str) -> None:
    """Whoever approves whichever review; without approvals there is nothing to judge."""
    with stage(edits=subjects.BY_ID[id].edits) as one:
        with pytest.raises(NotApplicable, match="no review was approved"):
            one.perform(check)
        one.perform(test_colleague.test_a_colleague_approves_as_well)
        with pytest.raises(Violation, match=f"{property} of the result is"):
            one.perform(check)


def test_without_a_colleague_its_checks_are_not_applicable() -> None:
    """The message names the key of the profile."""
    with stage(without("credentials/colleague")) as one, pytest.raises(NotApplicable) as missing:
        one.perform(test_colleague.test_a_colleague_approves_as_well)
    assert str(missing.value) == "the profile has no credential colleague"


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("key-of-another-account-returns-its-result", "a_key_of_another_account"),
        ("key-belongs-to-its-last-account", "a_colleague_leaves_an_approval"),
    ],
)
def test_keys_of_two_accounts_are_kept_apart(id: str, name: str) -> None:
    """A key of primary neither returns its result to a colleague nor is lost to it."""
    (check,) = (
        check for each, check in vars(test_colleague).items() if each.startswith(f"test_{name}")
    )
    with stage(edits=subjects.BY_ID[id].edits) as one, pytest.raises(Violation):
        one.perform(check)


def test_a_former_state_long_afterwards_is_a_violation() -> None:
    """Every eleventh read shows it."""
    edits = subjects.BY_ID["approval-forgotten-now-and-then"].edits
    with stage(edits=edits) as one, pytest.raises(Violation, match="again"):
        one.perform(test_well_after.test_the_review_stays_approved, scheme="api-key")


def test_a_former_state_by_tool_is_a_violation() -> None:
    """The tools show the list as they showed it first."""
    edits = subjects.BY_ID["tool-remembers-pending-reviews"].edits
    with stage(edits=edits) as one:
        toolbox = one.things["toolbox"]
        operation = toolbox.live.operation("review_list")
        for limit in (100, 99):
            toolbox.call_as_primary(operation, {"limit": limit}, "before the approval")
        with pytest.raises(Violation, match="after its approval the tool shows"):
            one.perform(test_tools_state.test_the_tools_show_the_state_after_an_approval)


def test_keys_that_differ_in_one_character_are_two_keys() -> None:
    """Of a long key, the end counts as well."""
    edits = subjects.BY_ID["long-keys-are-cut-off"].edits
    with stage(edits=edits) as one, pytest.raises(Violation, match="resembles a used one: 409"):
        one.perform(test_unusual_keys.test_an_unusual_key_is_new_or_invalid)


def test_a_stale_approval_that_withholds_a_review_is_described_by_what_it_changed() -> None:
    """The revision and the status are as before."""
    edits = subjects.BY_ID["stale-withholds"].edits
    with stage(edits=edits) as one, pytest.raises(Violation, match="approvable from true to false"):
        one.perform(test_approval.test_a_stale_revision_is_a_conflict, scheme="api-key")


def test_a_stale_approval_that_succeeds_when_sent_again_is_shown_with_its_rejection() -> None:
    """Without the earlier response a reader sees a stale approval that failed all other times."""
    edits = subjects.BY_ID["stale-approval-succeeds-the-second-time"].edits
    with stage(edits=edits) as one:
        with pytest.raises(Violation, match="the same stale approval again: 200") as raised:
            one.perform(test_approval.test_a_stale_revision_is_a_conflict, scheme="api-key")
        again = one.things["trials"].first().concurrent[0]
    assert again.first.status == 409
    assert raised.value.exchanges == (again.first.id, again.response.id)
