"""`conformance fleet run`: its output, its exit codes, and the surroundings of each run."""

import json
from pathlib import Path
from typing import Any

import pytest
from process import conformance

from conformance.__main__ import main
from conformance.commands.fleet.campaign import exit_code
from conformance.fleet.job import performing, task
from conformance.fleet.job.task import Task
from conformance.fleet.memory.reading import Run
from conformance.fleet.memory.recording import Ended

FLEET = """
[defaults]
depth = "quick"
classes = ["limits"]
retries = 0
[[target]]
name = "here"
reference = true
labels = ["near"]
[[target]]
name = "away"
labels = ["far"]
[target.profile]
base-url = "http://127.0.0.1:9/v1"
credentials.primary.api-key = "${LOCALIZATION_AWAY_KEY}"
"""


def _run(outcome: str | None) -> Run:
    values: dict[str, Any] = dict.fromkeys(Run.__dataclass_fields__)
    return Run(**values | {"target": "eu", "outcome": outcome})


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        (["conformant"], 0),
        (["conformant", "unreachable"], 5),
        (["lost", "error"], 3),
        (["error", "non-conformant", "lost"], 3),
        (["non-conformant", "lost"], 1),
        (["incomplete", "interrupted"], 5),
        ([None, "conformant"], 5),
    ],
)
def test_the_worst_outcome_decides(outcomes: list[str | None], code: int) -> None:
    """An internal error is none of a target, and a violation is certain, whatever is missing."""
    assert exit_code([_run(each) for each in outcomes], is_stopped=False) == code


def test_a_stopped_campaign_is_interrupted_where_something_is_left() -> None:
    """A signal after the last run changes nothing."""
    assert exit_code([_run(None), _run("non-conformant")], is_stopped=True) == 2
    assert exit_code([_run("conformant")], is_stopped=True) == 0


def test_a_campaign_says_how_each_target_ended(tmp_path: Path) -> None:
    """A line for each run and the counts; then the same as JSON, of the targets that are asked for.

    The target that was away is unreachable, and its secret is nowhere in the output.
    """
    (tmp_path / "fleet.toml").write_text(FLEET)
    ended = conformance(
        tmp_path, "fleet", "run", "fleet.toml", LOCALIZATION_AWAY_KEY="hunter2secret"
    )
    again = conformance(
        tmp_path,
        "fleet",
        "run",
        "fleet.toml",
        "--only",
        "far",
        "--json",
        LOCALIZATION_AWAY_KEY="hunter2secret",
    )

    assert ended.returncode == 5
    assert ": 2 targets\n" in ended.stdout
    assert "  away  unreachable" in ended.stdout
    assert "nothing responds at http://127.0.0.1:9/v1" in ended.stdout
    assert ": 1 conformant, 1 unreachable\n" in ended.stdout or "1 unreachable, 1" in ended.stdout
    printed = json.loads(again.stdout)
    assert (again.returncode, printed["exit-code"]) == (5, 5)
    assert [each["target"] for each in printed["targets"]] == ["away"]
    assert "hunter2secret" not in ended.stdout + ended.stderr + again.stdout + again.stderr
    assert b"hunter2secret" not in (tmp_path / "fleet.db").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.toml"], "no.toml: cannot be read"),
        (
            ["fleet.toml"],
            "names the environment variable 'LOCALIZATION_AWAY_KEY', which is not set",
        ),
        (["fleet.toml", "--db", "mysql://h/n"], "'LOCALIZATION_AWAY_KEY'"),
        (["one.toml", "--db", "mysql://h/n"], "--db mysql: neither SQLite nor PostgreSQL"),
        (["one.toml", "--only", "moon"], "no target has the label or name of --only"),
        (["one.toml", "--shard", "2/2"], "--shard 2/2 has no target; divide 1 target into fewer"),
        (["."], ".: cannot be read: Is a directory: give the path of a fleet file"),
        (["one.toml", "--engine", "dask+tls://127.0.0.1:1"], "TLS needs the settings of Dask"),
    ],
)
def test_a_mistake_ends_the_command_before_the_first_run(
    tmp_path: Path,
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A usage error in a line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleet.toml").write_text(FLEET)
    (tmp_path / "one.toml").write_text('[[target]]\nname = "a"\nreference = true\n')

    assert main(["fleet", "run", *arguments]) == 4
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", [["--shard", "3/2"], ["--shard", "x"], ["--engine", "ray://host:1"]]
)
def test_a_wrong_option_is_explained(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """It says what would be right."""
    with pytest.raises(SystemExit):
        main(["fleet", "run", "fleet.toml", *option])

    assert "conformance fleet run: error: argument --" in capsys.readouterr().err


def test_a_task_and_an_end_survive_their_journey() -> None:
    """They travel as bytes, and show no secret on the way."""
    job = Task("eu", ("--seed=1",), {"eu.toml": "x"}, environment={"KEY": "hunter2secret"})
    ended = Ended(1, {"report.json": b"{}"}, "2026-12", "why", "host 1", may_have_spent=True)

    assert task.unpacked(job.packed()) == job
    assert task.unpacked_end(task.packed_end(ended)) == ended
    assert "hunter2secret" not in repr(job)


def test_a_run_gets_its_own_secrets_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables of the worker that the profile does not name stay with the worker."""
    job = Task("eu", (), names=("THERE",), environment={"KEY": "own"})
    environ = {"PATH": "/bin", "OTHER_KEY": "not ours", "THERE": "of the worker", "KEY": "other"}

    assert performing._environment(job, environ) == {
        "PATH": "/bin",
        "THERE": "of the worker",
        "KEY": "own",
        "PYTHONSAFEPATH": "conformance",
    }


def test_a_run_that_takes_too_long_is_stopped() -> None:
    """It may have approved a review only where it was allowed to."""
    job = Task("eu", ("--reference", "--depth=standard", "--class=limits"), seconds=0.0)

    ended = task.unpacked_end(performing.perform(job.packed(), lambda: False))

    assert (ended.exit_code, ended.reason) == (2, "stopped after 0 s")
    assert not ended.may_have_spent
