"""The reference's profile of itself, and the database that it belongs to."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.reference import ManualClock, Reference, catalogue, target

URL = "http://127.0.0.1:8080/v1"


@pytest.fixture(params=[1, 2, 77], ids="seed {}".format)
def reference(request: pytest.FixtureRequest) -> Iterator[Reference]:
    """An instance of some seed."""
    made = Reference(request.param, clock=ManualClock())
    yield made
    made.close()


def test_the_profile_is_complete(reference: Reference) -> None:
    """Every credential in both schemes, one for each permission that can lack, every fixture, every limit, every consent."""
    profile = reference.profile(URL)
    lacking = profile["credentials"].pop("lacking")
    names = ["primary", "expired", "revoked", "outsider", "no-review-role", "throttled"]
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
    """13 credentials, 26 secrets."""
    credentials = reference.profile(URL)["credentials"]
    lacking = credentials.pop("lacking")
    secrets = [
        secret
        for schemes in (*credentials.values(), *lacking.values())
        for secret in schemes.values()
    ]
    assert len(secrets) == len(set(secrets)) == 26


def test_the_text_says_what_the_profile_says(reference: Reference) -> None:
    """Read as TOML it is the same tables, and each part has a comment."""
    text = target.toml(reference.profile(URL))
    assert tomllib.loads(text) == reference.profile(URL)
    assert text.count("# ") >= 17


def test_what_was_approved_is_not_offered_again(reference: Reference) -> None:
    """The next approvable review takes its place."""
    offered = reference.profile(URL)["fixtures"]["approvable-reviews"]
    reference.store.write(
        "UPDATE reviews SET status = 'approved', unavailable_reason = 'approved' WHERE id = :id",
        {"id": offered[0]},
    )
    now = reference.profile(URL)["fixtures"]["approvable-reviews"]
    assert (now[:39], len(now)) == (offered[1:], 40)


def test_a_database_keeps_its_seed(tmp_path: Path) -> None:
    """Opening a file with another seed is refused with what to do."""
    database = str(tmp_path / "reference.db")
    Reference(1, database).close()
    with pytest.raises(ValueError, match="of seed 1: use another file"):
        Reference(2, database)


def test_an_unknown_operation_is_a_mistake() -> None:
    """The catalogue finds what the contract lists, and nothing else."""
    assert catalogue.operation("review_approve").permission == "reviews:approve"
    with pytest.raises(KeyError):
        catalogue.operation("review_reject")
