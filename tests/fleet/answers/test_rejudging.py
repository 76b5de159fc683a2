"""The evidence of an earlier run, checked again by the installed suite without a request."""

import json
from pathlib import Path
from typing import Any

import fleet_memory
import orjson
import pytest

from conformance.__main__ import main
from conformance.assurance.certificate.recomputation import Recomputed
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT, USAGE_ERROR
from conformance.fleet.answers.rejudging import NEEDED, compared, rejudged
from conformance.fleet.memory import database
from conformance.fleet.memory.recording import Ended
from conformance.runner import pytest_run

CLASS = "limits"


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a quick run on the reference, of one class."""
    folder = tmp_path_factory.mktemp("evidence")
    options = [*pytest_run.options(folder, "standard", 1, [CLASS]), "--report=badge"]
    assert pytest_run.execute(options) == CONFORMANT
    return {name: (folder / name).read_bytes() for name in NEEDED}


def altered(evidence: dict[str, bytes], verdict: str) -> dict[str, bytes]:
    """The evidence of a suite that checked one requirement in another way."""
    report = json.loads(evidence["report.json"])
    for entry in report["requirements"]:
        if entry["id"] == "limits/body":
            entry["operations"] = dict.fromkeys(entry["operations"], verdict)
    return {**evidence, "report.json": orjson.dumps(report, option=orjson.OPT_INDENT_2)}


def without(evidence: dict[str, bytes], text: str) -> dict[str, bytes]:
    """The evidence without the exchanges of some checks."""
    lines = evidence["exchanges.jsonl"].splitlines(keepends=True)
    kept = b"".join(line for line in lines if text.encode() not in line)
    return {**evidence, "exchanges.jsonl": kept}


def test_the_same_suite_judges_alike(evidence: dict[str, bytes]) -> None:
    """No flip, and everything can be measured."""
    found = rejudged(evidence)

    assert (found.flips, found.unmeasurable, found.problem) == ((), (), None)


def test_another_verdict_is_a_flip(evidence: dict[str, bytes]) -> None:
    """It names both verdicts."""
    found = rejudged(altered(evidence, "fail"))

    assert [str(flip) for flip in found.flips] == ["limits/body[review_approve] was fail, is pass"]


def test_a_check_that_needs_new_requests_cannot_be_measured(evidence: dict[str, bytes]) -> None:
    """What it would send was not recorded."""
    found = rejudged(without(evidence, "limits_body::"))

    assert found.unmeasurable == ("limits/body[review_approve]",)
    assert "limits/body" not in {flip.requirement for flip in found.flips}


def test_an_internal_error_of_a_whole_replay_is_a_flip() -> None:
    """Where nothing was missing, the suite is at fault."""

    def report(verdict: str) -> dict[str, Any]:
        entry = {"id": "a/b", "level": "must", "operations": {}, "verdict": verdict}
        observed = {**entry, "id": "observe/c", "level": "observe"}
        return {"requirements": [entry, observed]}

    found = compared(report("pass"), Recomputed(report("error")))
    new = compared({"requirements": []}, Recomputed(report("error"), missing=("x#1",)))

    assert [str(flip) for flip in found.flips] == ["a/b was pass, is error"]
    assert (new.flips, new.unmeasurable) == ((), ("a/b",))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"run.json": None}, "no evidence: run.json"),
        ({"target.json": b"{}"}, "target.json is malformed"),
        ({"report.json": b'{"masked": ["report.json"]}'}, "secrets were masked"),
    ],
)
def test_evidence_that_cannot_be_replayed_says_why(
    evidence: dict[str, bytes], changes: dict[str, bytes | None], said: str
) -> None:
    """One line for each run."""
    files = {**evidence, **changes}
    if changes.get("report.json"):
        report = {**json.loads(evidence["report.json"]), "masked": ["report.json"]}
        files["report.json"] = orjson.dumps(report, option=orjson.OPT_INDENT_2)

    found = rejudged({name: content for name, content in files.items() if content is not None})

    assert said in (found.problem or "")


def test_the_command_lists_the_flips_of_a_campaign(
    evidence: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1 where there are any; in the terminal and as JSON."""
    url = f"sqlite:///{tmp_path / 'fleet.db'}"
    memory = database.open_memory(url)
    fleet_memory.campaign(memory, 0, {"eu": Ended(0, evidence)})
    without_evidence = Ended(4, reason="nothing responds")
    runs = {"eu": Ended(0, altered(evidence, "fail")), "us": without_evidence}
    fleet_memory.campaign(memory, 1, runs)
    memory.close()
    part = without(evidence, "limits_body::")

    assert main(["fleet", "rejudge", "--db", url, "-j", "1"]) == NON_CONFORMANT
    shown = capsys.readouterr().out.splitlines()
    assert shown == [
        "eu  limits/body[review_approve] was fail, is pass",
        "us  no evidence: report.json, exchanges.jsonl, target.json, run.json",
        "campaign night-2, suite 0.1.0: 2 targets, 1 flip, 0 not measurable",
    ]
    older = ["fleet", "rejudge", "--db", url, "-j", "2", "--campaign", "night-1", "--json"]
    assert main(older) == CONFORMANT
    document = json.loads(capsys.readouterr().out)
    assert document["targets"]["eu"] == {"flips": [], "notMeasurable": [], "problem": None}
    assert main(["fleet", "rejudge", "--db", url, "--campaign", "latest~9"]) == USAGE_ERROR
    assert part != evidence
