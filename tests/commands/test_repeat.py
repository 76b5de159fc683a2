"""`conformance run --repeat N`: flaky failures of a target that fails every other time."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import live_server
import pytest
import subjects
from process import conformance_here, report

from conformance.assurance.selftest import altered
from conformance.commands import run as command
from conformance.reference import Reference

OLD = subjects.BY_ID["description-of-older-openapi"].edits
"""Breaks description/version."""

CHOSEN = ("--class", "description", "--depth", "smoke", "--report", "badge")


class Alternating(Reference):
    """A reference that publishes its description, and an older one every other time."""

    def __init__(self) -> None:
        super().__init__()
        other = altered.load(OLD).Reference()
        apps = itertools.cycle([self.app, other.app])
        inner = self.app
        self._description, self._apps = next(apps), apps

        async def app(scope: Any, receive: Any, send: Any) -> None:
            is_description = scope.get("path", "").endswith("openapi.json")
            await (self._description if is_description else inner)(scope, receive, send)

        self.app: Any = app

    def turn(self) -> None:
        """Publish the other one from now on."""
        self._description = next(self._apps)


@pytest.fixture(name="alternating")
def _alternating(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a profile; each run meets the other description."""
    reference = Alternating()
    single = command._once

    def once(arguments: Any) -> int:
        reference.turn()
        return single(arguments)

    monkeypatch.setattr(command, "_once", once)
    with live_server.instance(reference) as served:
        address = served["base-url"]
        (tmp_path / "target.toml").write_text(
            f'base-url = "{address}"\n[description]\nurl = "{address}/openapi.json"\n'
            '[gate]\nrequire = ["description"]\n',
            encoding="utf-8",
        )
        yield tmp_path


def test_what_only_some_runs_show_is_flaky(alternating: Path) -> None:
    """It fails the whole, is named with its share, and the next run takes it for known."""
    ended = conformance_here(
        alternating, "run", *CHOSEN, "--target", "target.toml", "--trust",
        "--repeat", 3, "--write-known-failures", "known.toml",
    )  # fmt: skip

    assert ended.returncode == 1, ended.stderr
    assert "FLAKY   description/version  fails in 2 of 3\n" in ended.stdout
    assert "added  description/version, fails in 2 of 3" in ended.stdout
    assert 'flaky = "2 of 3"' in (alternating / "known.toml").read_text(encoding="utf-8")
    verdicts = [
        report(alternating, f"reports/repeated/{number}")["verdict"] for number in (1, 2, 3)
    ]
    assert verdicts.count("non-conformant") == 2
    assert "run 3 of 3" in ended.stderr

    again = conformance_here(
        alternating, "run", *CHOSEN, "--target", "target.toml", "--trust",
        "--known-failures", "known.toml", "--repeat", 2,
        "--report-dir", "runs",
    )  # fmt: skip
    assert again.returncode == 0, again.stdout


def test_runs_that_pass_say_so(tmp_path: Path) -> None:
    """With the exit code of the runs."""
    ended = conformance_here(tmp_path, "run", *CHOSEN, "--reference", "--repeat", 2)

    assert ended.returncode == 0, ended.stderr
    assert "no requirement failed in any of 2 runs\n" in ended.stdout
    assert sorted(path.name for path in (tmp_path / "reports/repeated").iterdir()) == ["1", "2"]


def test_nothing_follows_a_run_that_could_not_begin(tmp_path: Path) -> None:
    """A usage error of the first run ends the command."""
    ended = conformance_here(
        tmp_path, "run", *CHOSEN, "--base-url", "http://127.0.0.1:9/v1", "--repeat", 2
    )

    assert ended.returncode == 4
    assert "run 2 of 2" not in ended.stderr


@pytest.mark.parametrize("option", [("--json",), ("--last-failed",), ("--shard", "1/2")])
def test_options_of_a_single_run_are_rejected(tmp_path: Path, option: tuple[str, ...]) -> None:
    """In one line, before the first run."""
    ended = conformance_here(tmp_path, "run", "--reference", "--repeat", 2, *option)

    problem = f"--repeat takes whole runs; leave {option[0]} out"
    assert (ended.returncode, ended.stderr) == (4, f"conformance run: error: {problem}\n")


def test_a_link_in_place_of_the_default_folder_is_not_followed(tmp_path: Path) -> None:
    """Nobody has named it."""
    (tmp_path / "reports").symlink_to(tmp_path)

    ended = conformance_here(tmp_path, "run", "--reference", "--repeat", 2)

    assert (ended.returncode, "link" in ended.stderr) == (4, True)


def test_a_file_that_cannot_be_changed_fails_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runs are there, and the exit code says that something is not."""
    file = tmp_path / "known.toml"

    def once(_arguments: Any) -> int:
        file.mkdir(exist_ok=True)
        return 0

    monkeypatch.setattr(command, "_once", once)
    ended = conformance_here(
        tmp_path, "run", "--reference", "--repeat", 1, "--write-known-failures", "known.toml"
    )

    assert (ended.returncode, "error: --repeat: " in ended.stderr) == (3, True)
