"""Targets: contradictory credentials and fixtures are dropped."""

import pytest

from conformance.target.target import Credential, Fixtures, Target

ONE = "01980000-0000-7000-8000-00000000000a"
TWO = "01980000-0000-7000-8000-00000000000b"


def target(**secrets: str) -> Target:
    """A target whose callers have these API keys, by name."""
    return Target(
        "https://api.example.com/v1",
        {name: Credential(name, api_key=key) for name, key in secrets.items()},
    )


@pytest.mark.parametrize(
    "other", ["expired", "revoked", "outsider", "no-review-role", "lacking.videos:read"]
)
def test_another_caller_with_the_secret_of_primary_is_dropped(other: str) -> None:
    """Primary remains, since the target accepts its requests."""
    assert list(target(primary="key", **{other: "key"}).credible().credentials) == ["primary"]


def test_a_secret_of_an_expired_and_a_valid_caller_is_dropped() -> None:
    """Either of the two credentials may be wrong."""
    assert list(
        target(primary="key", expired="other", outsider="other").credible().credentials
    ) == ["primary"]


def test_compatible_callers_may_share_a_secret() -> None:
    """A key may lack two permissions, and `throttled` may be any caller."""
    shared = target(
        primary="1",
        throttled="1",
        expired="2",
        revoked="2",
        **{"lacking.videos:read": "3", "lacking.account:read": "3"},
    )
    assert shared.credible().credentials == shared.credentials


def test_the_same_text_in_another_scheme_is_another_secret() -> None:
    """An API key is not a bearer token."""
    both = Target(
        "https://a.example/v1",
        {
            "primary": Credential("primary", api_key="1"),
            "expired": Credential("expired", bearer="1"),
        },
    )
    assert both.credible() == both


def test_a_readable_review_is_not_a_foreign_fixture() -> None:
    """Other foreign and ungranted fixtures remain."""
    fixtures = Fixtures(
        (ONE,), (), foreign={"review": ONE.upper(), "video": TWO}, ungranted={"review": TWO}
    )
    credible = Target("https://a.example/v1", fixtures=fixtures).credible().fixtures
    assert (credible.foreign, credible.ungranted) == ({"video": TWO}, {"review": TWO})
