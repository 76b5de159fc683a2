"""The target profile of the reference, and its database."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.reference import ManualClock, Reference, catalogue, target

URL = "http://127.0.0.1:8080/v1"


@pytest.fixture(params=[1, 2, 77], ids="seed {}".format)
def reference(request: pytest.FixtureRequest) -> Iterator[Reference]:
    """An instance with another seed than the default."""
    made = Reference(request.param, clock=ManualClock())
    yield made
    made.close()


def test_the_profile_is_complete(reference: Reference) -> None:
    """All credentials in both schemes, and all fixtures, limits and consents."""
    profile = reference.profile(URL)
    lacking = profile["credentials"].pop("lacking")
    names = [
        "primary",
        "expired",
        "revoked",
        "outsider",
        "no-review-role",
        "colleague",
        "throttled",
    ]
    assert list(profile["credentials"]) == names
    assert list(lacking) == list(catalogue.permissions())
    assert all(
        set(secrets) == {"api-key", "bearer"}
        for secrets in (*profile["credentials"].values(), *lacking.values())
    )
    assert (
        len(profile["fixtures"]["approvable-reviews"]),
        len(profile["fixtures"]["unapprovable-reviews"]),
    ) == (40, 6)
    assert set(profile["fixtures"]["foreign"]) == {"company", "project", "video", "review"}
    assert set(profile["fixtures"]["ungranted"]) == {"project", "video", "review"}
    assert profile["limits"] == {
        "max-body-bytes": 65536,
        "rate-limit": {"requests": 20, "seconds": 2},
        "requests-per-second": 10_000,
    }
    assert set(profile["consent"].values()) == {True}
    assert profile["base-url"] == URL


def test_no_two_credentials_share_a_secret(reference: Reference) -> None:
    """13 credentials have 26 distinct secrets."""
    credentials = reference.profile(URL)["credentials"]
    lacking = credentials.pop("lacking")
    secrets = [
        secret
        for schemes in (*credentials.values(), *lacking.values())
        for secret in schemes.values()
    ]
    assert len(secrets) == len(set(secrets)) == 28


def test_the_toml_text_equals_the_profile(reference: Reference) -> None:
    """The parsed text has the same tables; each table has a comment."""
    text = target.toml(reference.profile(URL))
    assert tomllib.loads(text) == reference.profile(URL)
    assert text.count("# ") >= 17


def test_approved_reviews_are_not_in_the_profile(reference: Reference) -> None:
    """The next approvable review replaces an approved one."""
    offered = reference.profile(URL)["fixtures"]["approvable-reviews"]
    reference.store.write(
        "UPDATE reviews SET status = 'approved', unavailable_reason = 'approved' WHERE id = :id",
        {"id": offered[0]},
    )
    now = reference.profile(URL)["fixtures"]["approvable-reviews"]
    assert (now[:39], len(now)) == (offered[1:], 40)


def test_a_database_is_bound_to_its_seed(tmp_path: Path) -> None:
    """Another seed raises a ValueError that says what to do."""
    database = str(tmp_path / "reference.db")
    Reference(1, database).close()
    with pytest.raises(ValueError, match="of seed 1: use another file"):
        Reference(2, database)


def test_an_unknown_operation_is_a_key_error() -> None:
    """The catalogue has the operations of the contract only."""
    assert catalogue.operation("review_approve").permission == "reviews:approve"
    with pytest.raises(KeyError):
        catalogue.operation("review_reject")
