"""Replays that a run shows anywhere, and replays that reach another instance of a deployment."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import subjects
from live_server import instance

from conformance.__main__ import main
from conformance.assurance.selftest import altered
from conformance.contract.exit_codes import NON_CONFORMANT
from conformance.http.exchange import parse
from conformance.reference import Reference
from conformance.reference.target import toml
from conformance.runner import examination, pytest_run

FORGETFUL = subjects.BY_ID["few-replays-are-forgotten"].edits
LATER = [replace(each, new=each.new.replace("in (4, 8, 10)", "== 11")) for each in FORGETFUL]
"""In the order of a run, the first replay after the approvals at once; these excuse a conflict."""
RUN = ("run", "--class", "approval")
SHOWN = "the replay of an approval that had succeeded returned 409"


def replays(folder: Path) -> list[Any]:
    """The failures of the requirement about replays that the history of a run shows."""
    report = json.loads((folder / "report.json").read_bytes())
    (entry,) = (each for each in report["requirements"] if each["id"] == "approval/replay")
    failed = [found for found in entry["findings"] if found["verdict"] == "fail"]
    return [found for found in failed if found["message"].startswith(SHOWN)]


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run on a reference that forgets a key once, between checks of replays."""
    folder = tmp_path_factory.mktemp("forgetful")
    package = altered.load(LATER)
    subject = examination.Substitute(lambda: examination.in_process(package))
    options = [*pytest_run.options(folder, "standard", 1, ("approval",)), "--report=har"]
    assert pytest_run.execute(options, [subject]) == NON_CONFORMANT
    return folder


def test_a_replay_that_conflicts_fails_whichever_check_has_sent_it(forgetful: Path) -> None:
    """Its evidence begins with the approval that it repeats."""
    (found,) = replays(forgetful)
    approval, replay = found["exchanges"]

    assert (approval["response"]["status"], replay["response"]["status"]) == (200, 409)
    assert approval["request"]["body"] == replay["request"]["body"]


def test_a_replay_in_recorded_traffic_fails(
    forgetful: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The archive names no checks; who has sent a request shows in its credentials."""
    archive = str(forgetful / "exchanges.har")
    base_url = ("--base-url", "http://reference.invalid/v1")

    assert main(["judge", archive, *base_url, "--json"]) == NON_CONFORMANT
    entries = json.loads(capsys.readouterr().out)["requirements"]
    (entry,) = (each for each in entries if each["id"] == "approval/replay")
    statuses = [each["response"]["status"] for each in entry["findings"][0]["exchanges"]]
    assert (entry["verdict"], statuses) == ("fail", [200, 409])


def test_a_replay_that_a_worker_has_sent_fails(tmp_path: Path) -> None:
    """Its history is that of its process."""
    with instance(altered.load(FORGETFUL).Reference()) as profile:
        target = tmp_path / "target.toml"
        target.write_text(toml(profile), encoding="utf-8")
        options = ("--target", str(target), "-n", "2", "--report-dir", str(tmp_path / "report"))
        assert main([*RUN, *options]) == NON_CONFORMANT

    assert [len(found["exchanges"]) for found in replays(tmp_path / "report")] == [2]


class ByConnection:
    """A deployment whose new connections begin at another instance, with keys of its own."""

    def __init__(self) -> None:
        self._reference = Reference()
        self._known: set[tuple[str, int]] = set()
        self.profile, self.close = self._reference.profile, self._reference.close

    @property
    def app(self) -> Any:
        """The ASGI application."""
        return self

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one request; the first one on its connection has a key of its own."""
        is_known = scope["client"] in self._known
        self._known.add(scope["client"])
        if is_known or not scope["path"].endswith("/approve"):
            await self._reference.app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        document, _ = parse(body)
        if isinstance(document, dict) and isinstance(document.get("idempotencyKey"), str):
            document["idempotencyKey"] += " elsewhere"
            body = json.dumps(document).encode()

        async def received() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        headers = [pair for pair in scope["headers"] if pair[0] != b"content-length"]
        await self._reference.app({**scope, "headers": headers}, received, send)


def test_replays_are_sent_on_fresh_connections(tmp_path: Path) -> None:
    """On the connection that a run would keep, they would be right."""
    deployment: Any = ByConnection()
    with instance(deployment) as profile:
        target = tmp_path / "target.toml"
        target.write_text(toml(profile), encoding="utf-8")
        options = ("--target", str(target), "--report-dir", str(tmp_path / "report"))
        assert main([*RUN, *options]) == NON_CONFORMANT

    purposes = {each["purpose"] for found in replays(tmp_path / "report") for each in
                found["exchanges"]}  # fmt: skip
    assert "the same approval again, on a fresh connection" in purposes
