"""The command that makes the reviews of a profile approvable again, once before a run."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import live_server
import pytest
from process import conformance_here

from conformance.contract.exit_codes import CONFORMANT, USAGE_ERROR
from conformance.runner.restoration import UNDER_WAY

RESET = "open('resets', 'a').write('x')"
APPROVES = ("--only", "approval/state", "--target", "target.toml", "--trust")


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Path]:
    """The file of a profile of a served reference, without a command."""
    with live_server.by_command(tmp_path):
        yield tmp_path / "target.toml"


def with_reset(profile: Path, script: str) -> Path:
    """The folder of a profile, which has a command now."""
    command = json.dumps([sys.executable, "-c", script])
    text = profile.read_text(encoding="utf-8")
    profile.write_text(text.replace("[fixtures]\n", f"[fixtures]\nreset = {command}\n", 1))
    return profile.parent


def resets(folder: Path) -> int:
    """How often the command has run."""
    written = folder / "resets"
    return len(written.read_text()) if written.exists() else 0


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "with workers"])
def test_the_command_runs_once_before_a_run_that_approves(
    workers: tuple[str, ...], profile: Path
) -> None:
    """However many processes perform the checks."""
    folder = with_reset(profile, RESET)
    done = conformance_here(folder, "run", *APPROVES, *workers)

    assert (done.returncode, resets(folder)) == (CONFORMANT, 1), done.stderr
    assert done.stderr.count(UNDER_WAY) == 1


@pytest.mark.parametrize(
    "options",
    [
        ("--only", "read/success,account_get", "--target", "target.toml", "--trust"),
        (*APPROVES, "--shard", "1/2"),
    ],
    ids=["reads only", "shard"],
)
def test_the_command_does_not_run_before_other_runs(
    options: tuple[str, ...], profile: Path
) -> None:
    """Reads leave nothing to restore, and other shards may be under way."""
    folder = with_reset(profile, RESET)
    done = conformance_here(folder, "run", *options)

    assert (done.returncode, resets(folder)) == (CONFORMANT, 0), done.stderr
    assert UNDER_WAY not in done.stderr


def test_without_consent_the_command_does_not_run(profile: Path) -> None:
    """It would change what nobody has agreed to change."""
    folder = with_reset(profile, RESET)
    text = profile.read_text(encoding="utf-8")
    profile.write_text(text.replace("approve-reviews = true", "approve-reviews = false"))
    conformance_here(folder, "run", *APPROVES)

    assert resets(folder) == 0


def test_a_command_that_fails_ends_the_run(profile: Path) -> None:
    """Approvals would fail for want of reviews, and say nothing of the reason."""
    done = conformance_here(with_reset(profile, "raise SystemExit(3)"), "run", *APPROVES)

    assert done.returncode == USAGE_ERROR
    assert "the command fixtures.reset failed with exit code 3" in done.stderr
