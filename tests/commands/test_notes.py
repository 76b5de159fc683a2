"""What is said before the first check of a run."""

import argparse
import tomllib
from pathlib import Path
from typing import Any

import pytest
from process import conformance_here

from conformance.commands import notes
from conformance.contract.requirements import CLASSES
from conformance.runner.shard import Shard
from conformance.target.profile import parse

URL = "http://target.test/v1"


def secrets(*credentials: Any) -> list[str]:
    """The notes on a profile with a primary credential."""
    (primary,) = credentials
    return list(
        notes.literal_secrets(
            parse({"credentials": {"primary": primary}}, base_url=URL, environ={"KEY": "secret-0"})
        )
    )


def options(**changes: Any) -> argparse.Namespace:
    """The options of a run that can be certified, with changes."""
    stated: Any = {"depth": "standard", "classes": [], "workers": None, "shard": None}
    return argparse.Namespace(**{**stated, **changes})


def test_a_secret_in_the_profile_gets_the_name_of_a_variable() -> None:
    """The secret is not repeated."""
    (note,) = secrets({"api-key": "secret-0123", "bearer": "secret-4567"})

    assert note.startswith("2 secrets in the profile, such as credentials.primary.api-key: ")
    assert 'write "${PRIMARY_API_KEY}" and set PRIMARY_API_KEY' in note
    assert "secret-0123" not in note


@pytest.mark.parametrize(
    "credential", [{"api-key": "${KEY}"}, {"bearer": {"command": ["echo", "a-token-0123"]}}]
)
def test_a_variable_or_a_command_needs_no_note(credential: Any) -> None:
    """The secret is not in the file."""
    assert secrets(credential) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"depth": "quick"}, "its depth is quick (use standard or deep)"),
        ({"classes": ["read"]}, "it checks only some classes"),
        ({"workers": 2}, "it uses several processes"),
    ],
)
def test_a_run_that_cannot_be_certified_says_so(changes: Any, reason: str) -> None:
    """The reasons are those of `conformance certify`."""
    assert list(notes.uncertifiable(options(**changes))) == [
        f"this run cannot be certified: {reason}"
    ]


@pytest.mark.parametrize(
    "changes", [{}, {"depth": "deep"}, {"classes": [*CLASSES]}, {"shard": Shard(1, 2)}]
)
def test_a_run_that_can_be_certified_needs_no_note(changes: Any) -> None:
    """Its verdict may still prevent it; a shard is certified with the others."""
    assert list(notes.uncertifiable(options(**changes))) == []


def test_the_notes_are_printed_before_the_first_check(served: Path, tmp_path: Path) -> None:
    """On standard error, where nothing reads the verdict."""
    ended = conformance_here(
        tmp_path, "run", "--target", served, "--class", "description", "--depth", "quick"
    )
    number = len(tomllib.loads(served.read_text())["credentials"]) * 2

    assert ended.returncode == 0
    assert ended.stderr.startswith("note: ")
    assert int(ended.stderr.split()[1]) >= number
    assert "note: this run cannot be certified: its depth is quick" in ended.stderr


def test_a_run_says_how_many_reviews_are_left() -> None:
    """Those that it has approved, of those that the profile lists; others are not the profile's."""
    ids = [f"0198{number:04}-0000-7000-8000-000000000001" for number in range(4)]
    target = parse({"fixtures": {"approvable-reviews": ids}}, base_url=URL, environ={})

    assert list(notes.reviews_left(target, set())) == []
    (note,) = notes.reviews_left(target, {ids[0], ids[2], "other"})
    assert note.startswith("this run has approved 2 of the 4 approvable reviews of the profile")
    assert "at most 2 are left, and a run of everything approves about 25" in note


def test_a_run_that_has_approved_more_than_most_says_so() -> None:
    """The next one approves as many, not the usual number."""
    ids = [f"0198{number:04}-0000-7000-8000-000000000001" for number in range(30)]
    target = parse({"fixtures": {"approvable-reviews": ids}}, base_url=URL, environ={})
    (note,) = notes.reviews_left(target, set(ids[:26]))

    assert note.endswith("at most 4 are left, and a run of everything approves about 26")


def test_what_a_command_makes_approvable_again_is_not_used_up() -> None:
    """The next run has all of them."""
    ids = ["00000000-0000-4000-8000-000000000001"]
    fixtures = {"approvable-reviews": ids, "reset": ["./reset"]}
    target = parse({"fixtures": fixtures}, base_url=URL, environ={})

    assert list(notes.reviews_left(target, set(ids))) == []
