"""Runs that are taken up after they were stopped, killed, or ended by a budget."""

import json
import subprocess
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import live_server
import pytest
from process import COMMAND, surroundings

from conformance.__main__ import main
from conformance.contract import files
from conformance.contract.exit_codes import CONFORMANT, INCOMPLETE, USAGE_ERROR
from conformance.http.exchange import FACT
from conformance.reference import Reference
from conformance.reference.target import toml
from conformance.report import artefacts, journal, ledger
from conformance.runner.earlier_log import INTERRUPTED

RUN = ("run", "--class", "approval", "--class", "limits")
EVERYTHING = ",".join(artefacts.FORMATS)


def report_of(folder: Path) -> dict[str, Any]:
    """The report in a folder, after a check against its schema."""
    report: dict[str, Any] = json.loads((folder / "report.json").read_bytes())
    jsonschema.Draft202012Validator(json.loads(files.text("report.schema.json"))).validate(report)
    return report


def verdicts(report: dict[str, Any]) -> dict[str, Any]:
    """The verdict of each requirement, and those of its operations."""
    entries = report["requirements"]
    return {entry["id"]: (entry["verdict"], entry["operations"]) for entry in entries}


def exchanges(folder: Path) -> list[dict[str, Any]]:
    """The log of a run."""
    return list(map(json.loads, (folder / "exchanges.jsonl").read_text().splitlines()))


def of_checks(folder: Path) -> list[str]:
    """The names of the exchanges of checks."""
    others = (FACT, INTERRUPTED)
    return [line["id"] for line in exchanges(folder) if not line["id"].startswith(others)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an undisturbed run, and one with a run that was ended and resumed twice."""
    folder = tmp_path_factory.mktemp("resumed")
    assert main([*RUN, "--report-dir", str(folder / "whole")]) == CONFORMANT
    parts = str(folder / "parts")
    assert main([*RUN, "--report-dir", parts, "--max-requests", "150"]) == INCOMPLETE
    _, _, records = journal.read(folder / "parts", journal.UNFINISHED)
    (folder / "first.json").write_text(json.dumps([json.loads(each) for each in records]))
    assert main([*RUN, "--resume", parts, "--max-requests", "100"]) == INCOMPLETE
    assert main([*RUN, "--resume", parts, "--report", EVERYTHING]) == CONFORMANT
    return folder


def test_a_resumed_run_has_the_report_of_an_undisturbed_one(folders: Path) -> None:
    """Verdicts, and the names of the exchanges of checks, are equal; its files are complete."""
    whole, parts = report_of(folders / "whole"), report_of(folders / "parts")
    assert verdicts(parts) == verdicts(whole)
    assert Counter(of_checks(folders / "parts")) == Counter(of_checks(folders / "whole"))
    assert (parts["interrupted"], "budgets" in parts) == (False, False)
    assert len(parts["suite"]["resumed"]) == 2
    left = {path.name for path in (folders / "parts").iterdir()}
    formats = {format.file for format in artefacts.FORMATS.values()}
    assert left == {"report.json", "target.json", "run.json", "exchanges.jsonl", *formats}


def test_everything_that_was_sent_is_in_the_log_once(folders: Path) -> None:
    """What is performed again has another name; the count of the report is that of the log."""
    log = exchanges(folders / "parts")
    names = [line["id"] for line in log]
    assert Counter(names).most_common(1)[0][1] == 1
    assert report_of(folders / "parts")["exchanges"]["count"] == len(log)
    assert any(name.startswith(INTERRUPTED) for name in names)
    assert [line["started"] for line in log if ", again" in line["id"]]


def test_what_was_finished_is_not_sent_again(folders: Path) -> None:
    """The first records are of checks that passed; their exchanges stay as they were."""
    first = json.loads((folders / "first.json").read_text())
    kept = {record["item"] for record in first if record["is_finished"]}
    performed = {record["item"] for record in first}
    log = exchanges(folders / "parts")
    assert 0 < len(kept) < len(performed)
    sent_then = {line["item"] for line in log[:150]}
    assert {
        each["item"] for each in first if each["is_finished"] and each["exchanges"]
    } <= sent_then


CHANGED = {
    "seed": ("--seed", "2"),
    "depth": ("--depth", "quick"),
    "conformance classes": ("--class", "read"),
    "--require": ("--require", "approval"),
}


@pytest.fixture
def stopped(folders: Path, tmp_path: Path) -> Path:
    """The folder of a run that was ended before anything was checked."""
    assert main([*RUN, "--report-dir", str(tmp_path), "--max-requests", "2"]) == INCOMPLETE
    return tmp_path


def test_another_run_is_refused_in_one_line(
    stopped: Path, capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The message says what differs, and the files stay as they were."""
    before = {path.name: path.read_bytes() for path in stopped.iterdir()}
    profile = tmp_path_factory.mktemp("other") / "target.toml"
    profile.write_text('base-url = "http://127.0.0.1:9/v1"\n')
    others = {**CHANGED, "target": ("--target", str(profile))}
    for described, options in others.items():
        capsys.readouterr()
        assert main([*RUN, "--resume", str(stopped), *options]) == USAGE_ERROR
        errors = capsys.readouterr().err
        assert f"its run had a different {described}" in errors
        assert len(errors.strip().splitlines()) == 1
    assert {path.name: path.read_bytes() for path in stopped.iterdir()} == before


def test_a_build_of_the_suite_that_differs_is_refused(
    stopped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another one may send other requests under the same names."""
    asked = json.loads((stopped / "run.json").read_bytes())
    (stopped / "run.json").write_text(json.dumps({**asked, "source": "another"}))
    assert main([*RUN, "--resume", str(stopped)]) == USAGE_ERROR
    assert "its run had a different build of the suite" in capsys.readouterr().err


def test_a_log_with_a_line_that_is_none_is_refused(
    stopped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, with its number."""
    for part in stopped.glob("exchanges*.jsonl"):
        part.write_bytes(b'{"id": "\xff"}\n')
    assert main([*RUN, "--resume", str(stopped)]) == USAGE_ERROR
    errors = capsys.readouterr().err
    assert "not the log of a run: line 1" in errors
    assert len(errors.strip().splitlines()) == 1


def test_a_folder_in_the_place_of_a_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not deleted with what a killed run has left."""
    (tmp_path / "ledger.jsonl" / "notes").mkdir(parents=True)
    assert main([*RUN, "--report-dir", str(tmp_path)]) == USAGE_ERROR
    errors = capsys.readouterr().err
    assert f"{tmp_path / 'ledger.jsonl'}: a folder is in the way; remove it" in errors
    assert len(errors.strip().splitlines()) == 1


def test_a_folder_without_an_interrupted_run_is_refused(
    folders: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An empty one, a missing one, one with a finished run, one with an invalid journal."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "invalid").mkdir()
    (tmp_path / "invalid" / journal.JOURNAL).write_text("{}\n")
    for folder in (tmp_path / "empty", tmp_path / "invalid", folders / "whole"):
        assert main([*RUN, "--resume", str(folder)]) == USAGE_ERROR
        assert "no interrupted run is in it" in capsys.readouterr().err
    assert main([*RUN, "--resume", str(tmp_path / "missing")]) == USAGE_ERROR
    assert "no such folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--report-dir", "elsewhere"), "the report is written there, not to elsewhere"),
        (("-n", "2"), "--resume goes on in one process: leave out -n"),
    ],
)
def test_options_that_do_not_go_with_it_are_refused(
    stopped: Path, options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another folder for the report, and several processes."""
    assert main([*RUN, "--resume", str(stopped), *options]) == USAGE_ERROR
    assert message in capsys.readouterr().err


class Approving(Reference):
    """A reference that notes approvals, and never sends the response to one of them."""

    def __init__(self, held: int) -> None:
        super().__init__()
        self.approved: list[str] = []
        self.is_held = threading.Event()
        self._held = held
        inner = self.app

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await self._noting(inner, scope, receive, send)

        self.app: Any = app

    async def _noting(self, app: Any, scope: Any, receive: Any, send: Any) -> None:
        is_approval = scope["type"] == "http" and scope["path"].endswith("/approve")
        is_answered = True

        async def noting(message: Any) -> None:
            nonlocal is_answered
            if is_approval and message.get("status") == 200:
                self.approved.append(scope["path"].split("/")[-2])
                is_answered = len(self.approved) != self._held
            if is_answered:
                await send(message)
            else:
                self.is_held.set()

        await app(scope, receive, noting)


def test_a_review_whose_approval_was_under_way_is_not_used_again(tmp_path: Path) -> None:
    """A run is killed before the response to an approval; the resumed one takes other reviews."""
    reference, held = Approving(8), 8
    reports, target = tmp_path / "reports", tmp_path / "target.toml"
    options = ["run", "--class", "approval", "--target", str(target)]
    with live_server.instance(reference) as profile:
        target.write_text(toml(profile))
        with subprocess.Popen(
            [*COMMAND, *options, "--report-dir", str(reports)],
            env=surroundings(NO_PROXY="127.0.0.1"),
            stdout=subprocess.DEVNULL,
        ) as running:
            assert reference.is_held.wait(60)
            running.kill()
        spent = {review for review, _ in ledger.read(reports)}
        assert reference.approved[held - 1].lower() in spent
        held = len(reference.approved)  # another approval may have been under way beside it
        assert main([*options, "--resume", str(reports)]) == CONFORMANT

    own = set(profile["fixtures"]["approvable-reviews"])
    before, after = reference.approved[:held], reference.approved[held:]
    assert own & spent & set(after) == set()
    assert own & set(before) <= spent
    assert own & set(after)
    report = report_of(reports)
    assert spent <= {entry["review"] for entry in report["ledger"]}
    assert not report["interrupted"]
