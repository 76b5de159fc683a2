"""Runs against targets with a rate limit, and against targets that are away for a while."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import live_server
import pytest
from process import COMMAND, conformance_here, report, surroundings, verdicts
from rate_limits import Limit, Limited, bucket, fixed_window, served, sliding_window
from restarting import restarting

from conformance.contract.exit_codes import CONFORMANT, INCOMPLETE, USAGE_ERROR
from conformance.contract.quantity import per_second
from conformance.http import absence
from conformance.reference import Reference
from conformance.reference.target import toml

LIMIT = 15
"""Requests per second: few, so that a machine that is busy with other tests exceeds them."""

RUN = ("run", "--target", "target.toml", "--class", "pagination", "--depth", "standard")


def written(folder: Path, profile: dict[str, Any]) -> Path:
    """A folder with a profile."""
    folder.mkdir(exist_ok=True)
    (folder / "target.toml").write_text(toml(profile))
    return folder


# --- a rate limit --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "by_key"),
    [(bucket, False), (bucket, True), (fixed_window, False), (sliding_window, False)],
    ids=["bucket", "bucket for each key", "fixed window", "sliding window"],
)
def test_a_run_overruns_no_rate_limit(
    kind: Callable[[int, float], Limit], by_key: bool, tmp_path: Path
) -> None:
    """Fewer than one request in ten gets 429; report, terminal and page say what was found."""
    target = Limited(lambda: kind(LIMIT, 1), by_key=by_key)
    with served(target) as profile:
        ended = conformance_here(written(tmp_path, profile), *RUN, "--max-requests", "250")
    found = report(tmp_path)["circumstances"]
    rate, number = found["requests-per-second"], target.statuses[429]

    assert ended.returncode == INCOMPLETE
    assert 0 < target.rejected < 0.1
    assert found["rejected"] == number
    assert LIMIT / 3 < rate < LIMIT * (4 if by_key else 2)
    sentence = f"allows {per_second(rate)}: {number} "
    assert f"The target {sentence}" in " ".join(ended.stdout.split())
    assert sentence in (tmp_path / "reports/latest/report.html").read_text()


def test_a_run_of_a_target_without_a_limit_says_nothing_of_one(tmp_path: Path) -> None:
    """There are no circumstances."""
    target = Limited(lambda: lambda _: None)
    with served(target) as profile:
        conformance_here(written(tmp_path, profile), *RUN, "--max-requests", "100")

    assert target.statuses[429] == 0
    assert "circumstances" not in report(tmp_path)


# --- a target that is away -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The report of a run whose target stays."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with restarting() as (_, profile):
        conformance_here(written(folder, profile), *RUN)
    return report(folder)


def test_a_run_waits_for_a_target_that_is_restarted(undisturbed: Any, tmp_path: Path) -> None:
    """It says so on standard error, sends a few probes, and has the verdicts of any other run."""
    with restarting(last=60) as (target, profile):
        written(tmp_path, profile)
        with subprocess.Popen(
            [*COMMAND, *RUN],
            cwd=tmp_path,
            env=surroundings(),
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as running:
            assert running.stderr is not None
            notes = []
            for note in running.stderr:
                notes.append(note)
                if "does not respond" in note:
                    target.join()
                    target.start()
            code = running.wait(60)
    found = report(tmp_path)

    assert (code, verdicts(found)) == (CONFORMANT, verdicts(undisturbed))
    assert len(found["circumstances"]["absences"]) == 1
    assert "waiting for up to 120 s" in "".join(notes)
    assert "the target responds again, after" in "".join(notes)


def test_a_target_that_stays_away_ends_a_run_that_can_be_resumed(
    undisturbed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it is away, nothing is lost; once it is back, the run goes on."""
    monkeypatch.setattr(absence, "PATIENCE", 0.2)
    resume = (*RUN, "--resume", "reports/latest")
    with restarting(last=60) as (target, profile):
        ended = conformance_here(written(tmp_path, profile), *RUN)
        cut = report(tmp_path)
        refused = conformance_here(tmp_path, *resume)
        target.start()
        went_on = conformance_here(tmp_path, *resume)
    found = report(tmp_path)

    assert (ended.returncode, refused.returncode) == (INCOMPLETE, USAGE_ERROR)
    assert "away" in [each["budget"] for each in cut["budgets"]]
    assert "ENDED, since the target no longer responded" in ended.stdout
    assert "nothing responds at" in refused.stderr
    assert (went_on.returncode, verdicts(found)) == (CONFORMANT, verdicts(undisturbed))
    assert "budgets" not in found
    assert json.dumps(found).count("no longer responds") == 0


# --- another build -------------------------------------------------------------------------------


class Swapped(Reference):
    """A reference that names another build from its request of a number on."""

    def __init__(self, last: int | None) -> None:
        super().__init__()
        self.requests = 0
        inner = self.app

        async def app(scope: Any, receive: Any, send: Any) -> None:
            self.requests += 1
            is_old = last is None or self.requests <= last
            build, request = b"41" if is_old else b"42", str(self.requests).encode()

            async def naming(message: Any) -> None:
                if message["type"] == "http.response.start":
                    more = [(b"x-build-id", build), (b"x-version-of-request", request)]
                    message = {**message, "headers": [*message["headers"], *more]}
                await send(message)

            await inner(scope, receive, naming)

        self.app: Any = app


@pytest.mark.parametrize("last", [60, None])
def test_a_build_that_is_swapped_during_a_run_is_named(last: int | None, tmp_path: Path) -> None:
    """In report, terminal and page; a header that differs each time identifies none."""
    with live_server.instance(Swapped(last)) as profile:
        ended = conformance_here(written(tmp_path, profile), *RUN)
    found = report(tmp_path).get("circumstances", {})
    page = (tmp_path / "reports/latest/report.html").read_text()
    sentence = "The target became another build during the run: header x-build-id 41, then 42."

    assert ended.returncode == CONFORMANT
    if last is None:
        assert (found, sentence in page) == ({}, False)
        return
    assert [each["header x-build-id"] for each in found["builds"]] == ["41", "42"]
    assert not any("request" in name for each in found["builds"] for name in each)
    assert all("description sha256" in each for each in found["builds"])
    assert all("version" in each["tools serverInfo"] for each in found["builds"])
    assert sentence in " ".join(ended.stdout.split())
    assert sentence in page
