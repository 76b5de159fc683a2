"""Appeals: the six fields, and a variant of the reference that behaves as the product does.

The examples of docs/appeals.md, one for each end of an appeal, are run here.
"""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import altered_run
import pytest

from conformance.__main__ import main
from conformance.assurance.appeal import derivation
from conformance.assurance.appeal.derivation import Derived, Underivable
from conformance.assurance.selftest import altered, checks, matrix, population, trial
from conformance.assurance.selftest.altered import Edit
from conformance.assurance.selftest.population import Mutant, Variant
from conformance.assurance.selftest.trial import Outcome
from conformance.contract import requirements, revisions
from conformance.contract.verdict import Verdict

IN_CAPITALS = Edit(
    "resources",
    '"accountType": account["account_type"],',
    '"accountType": account["account_type"].upper(),',
)
NULL_VIDEO = Edit("resources", '"videoId": activity["video_id"],', '"videoId": None,')
WORDS = "Which fields are required in … activity records: not shown."
PASSING = Outcome((), (), ())
FAILED = {Verdict.FAIL, Verdict.ERROR}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run against a product that fails two requirements."""
    folder = tmp_path_factory.mktemp("appealed")
    altered_run.report([IN_CAPITALS, NULL_VIDEO], folder, ["read"])
    return folder


def appeal(report: Path, requirement: str, file: Path, *more: str) -> dict[str, Any]:
    """The file of an appeal, as `conformance appeal` writes it."""
    words = ["appeal", requirement, "--report", str(report), *more, "--out", str(file)]
    assert main(words) == 0
    return tomllib.loads(file.read_text(encoding="utf-8"))


def failed(file: Path) -> tuple[population.Subject, tuple[str, ...]]:
    """The variant or mutant of a file, and what fails on it where its operations are read."""
    (subject,) = population.load([file])
    catalogue = requirements.load()
    chosen = [
        check
        for check in checks.collected()
        if catalogue[check.requirement].conformance_class in ("read", "tools")
    ]
    seen = trial.seen(subject.edits, chosen)
    return subject, tuple({each.requirement for each in seen if each.verdict in FAILED})


def test_an_appeal_that_is_accepted(
    report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variant stays; the requirement is left out, and its failure is no problem any more."""
    file = tmp_path / "appeal.toml"
    stated = appeal(
        report, "activity/fields", file, "--words", WORDS, "--description", "As absent."
    )
    assert stated["appeal"]["words"] == WORDS
    assert stated["appeal"]["specification"].startswith("Activity item: Each field")
    assert stated["variant"][0]["reading"] == WORDS
    subject, found = failed(file)
    assert isinstance(subject, Variant)
    outcome = Outcome(found, (), ())
    assert found == ("activity/fields",)
    assert matrix.row(subject, outcome, PASSING).problems == ("fails activity/fields",)

    accepted = replace(revisions.latest(), excluded={"activity/fields": "appeal 1 was accepted"})
    monkeypatch.setattr(revisions, "latest", lambda: accepted)
    assert matrix.row(subject, outcome, PASSING).problems == ()


def test_an_appeal_that_is_rejected(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It becomes a mutant, which has to fail exactly the requirement, and needs no words."""
    file = tmp_path / "rejected.toml"
    stated = appeal(report, "account/type", file, "--rejected")
    assert "write   " not in capsys.readouterr().out
    assert list(stated) == ["mutant"]
    subject, found = failed(file)
    assert isinstance(subject, Mutant)
    assert matrix.row(subject, Outcome(found, (), ()), PASSING).problems == ()


def test_what_only_the_vendor_can_say_is_left_to_him(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The six fields are there; no file is overwritten."""
    file = tmp_path / "appeal.toml"
    made = appeal(report, "account/type", file)
    stated = made["appeal"]
    assert made["variant"][0]["about"].startswith("As the product under appeal does: ")
    assert "words: the words of the specification" in capsys.readouterr().out
    assert {"specification", "test", "suite", "implementation", "description"} <= set(stated)
    assert stated["test"].startswith("account/type on account_get: rules/record")
    assert '"accountType":"EXTERNAL"' in stated["response"]
    assert main(["appeal", "account/type", "--report", str(report), "--out", str(file)]) == 4
    file.unlink()
    words = ["appeal", "account/type", "--report", str(report), "--json", "--words", "x"]
    exchange = ["--exchange", stated["exchange"], "--description", "y"]
    assert main([*words, *exchange, "--out", str(file)]) == 0
    capsys.readouterr()
    file.unlink()
    assert main([*words, *exchange, "--out", str(file)]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["derived"], shown["id"]) == (True, "appeal-account-type")
    assert shown["missing"] == ["implementation: the profile of the run has no [product]"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["account/closed"], "account/closed did not fail; failed: account/type, activity/fields"),
        (["account/type", "--exchange", "x#1"], "the exchanges of this failure are "),
        (["account/type", "--report", "none"], "none: "),
    ],
)
def test_an_appeal_against_nothing_is_a_usage_error(
    words: list[str], message: str, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says what there is."""
    given = words if "--report" in words else [*words, "--report", str(report)]
    assert main(["appeal", *given]) == 4
    assert message in capsys.readouterr().err


def finding(kind: str, part: str, name: str = "", **more: Any) -> Any:
    """A finding with one exchange, "a#1"."""
    where = [{"part": part, "name": name, "exchange": ""}]
    defect = {"kind": kind, "where": where, "fields": [], "values": {}, **more}
    return {"defect": defect, "exchanges": [{"id": "a#1"}]}


def exchange(status: int, data: Any = None, operation: str = "review_get", **more: Any) -> Any:
    """An exchange "a#1"."""
    response = {
        "status": status,
        "headers": [["content-type", "application/problem+json"]],
        "body": {"text": json.dumps({"data": data})},
    }
    request = {"method": "GET"}
    return {"id": "a#1", "operation": operation, "request": request, "response": response, **more}


def tool_call(result: Any) -> Any:
    """An exchange "a#1" of a tool call with this result."""
    request = {"method": "POST", "body": {"text": '{"jsonrpc": "2.0", "method": "tools/call"}'}}
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result})
    response = {"status": 200, "headers": [], "body": {"text": text}}
    return exchange(200, operation="video_get", request=request, response=response)


PROGRAM = "');\nraise SystemExit #{x}\\"
PAGE = {"items": [{"id": "a", "more": 1}]}
DERIVED = {
    "status": (
        finding("status", "status", values={"allowed": [200, 404]}),
        exchange(410),
        "'GET' and fullmatch('/v1/reviews/[^/]+', ",
    ),
    "header": (
        finding("header", "header", "content-type"),
        exchange(404),
        "\"content-type\": 'application/problem+json',",
    ),
    "no header": (
        finding("header", "header", "content-type"),
        exchange(404, response={"status": 404, "headers": [], "body": {}}),
        "# no Content-Type",
    ),
    "absent": (
        finding("absent", "body", "/data/items/0", fields=["name"]),
        exchange(200, PAGE, "project_list"),
        "[place.pop(name, None) for name in ['name']]",
    ),
    "a page": (
        finding("value", "body", "/data/nextCursor"),
        exchange(200, {**PAGE, "nextCursor": 7}, "project_list"),
        "place['nextCursor'] = 7",
    ),
    "an error of a tool": (
        finding("body", "body", "/result/isError"),
        tool_call({"isError": True, "content": [{"type": "text", "text": "gone"}]}),
        "tool.operation.id == 'video_get':\n        return {'isError': True, 'content': [{",
    ),
    "extra": (
        finding("extra", "body", "/data/items/0", fields=["more"]),
        exchange(200, PAGE, "project_list"),
        "place.update({'more': 1})",
    ),
    "extra, where the place is the property": (
        finding("extra", "body", "/data/items/0/more", fields=["more"]),
        exchange(200, PAGE, "project_list"),
        "place.update({'more': 1})",
    ),
    "extra, with the name of a program": (
        finding("extra", "body", "/data/items/0", fields=[PROGRAM]),
        exchange(200, {"items": [{PROGRAM: PROGRAM}]}, "project_list"),
        f"place.update({ {PROGRAM: PROGRAM}!r})",
    ),
}


@pytest.mark.parametrize(("found", "shown", "text"), DERIVED.values(), ids=DERIVED)
def test_an_edit_follows_from_one_response(found: Any, shown: Any, text: str) -> None:
    """It applies to the reference, which then still loads."""
    derived = derivation.derive(found, shown)
    assert isinstance(derived, Derived)
    assert any(text in edit.new for edit in derived.edits)
    assert altered.load(derived.edits).Reference is not None


UNDERIVABLE = {
    "a success": (finding("accepted", "status"), exchange(200), "the product responds 200"),
    "a rejection": (
        finding("status", "status", values={"allowed": [200]}),
        exchange(400),
        "does not follow from one response",
    ),
    "no response": (
        finding("status", "status"),
        exchange(200, response=None),
        "no place in this response",
    ),
    "another exchange": (
        finding("status", "status"),
        exchange(200, id="b#2"),
        "no place in this response",
    ),
    "another header": (finding("header", "header", "retry-after"), exchange(429), "several places"),
    "an error body": (finding("value", "body", "/code"), exchange(404), "not about the data"),
    "two responses": (
        finding("difference", "body", "/data/id"),
        exchange(200, {"id": "a"}),
        "is about more than one response",
    ),
    "data of a tool": (
        finding("absent", "body", "/result", fields=["name"]),
        tool_call({"isError": False, "content": []}),
        "the tool has returned no error result",
    ),
    "a failure of a tool": (
        finding("status", "status", values={"allowed": [404]}),
        tool_call(None),
        "the tool has returned no error result",
    ),
    "another place": (
        finding("value", "body", "/data/items/7/id"),
        exchange(200, PAGE),
        "no such place",
    ),
}


@pytest.mark.parametrize(("found", "shown", "reason"), UNDERIVABLE.values(), ids=UNDERIVABLE)
def test_nothing_is_invented_where_no_edit_follows(found: Any, shown: Any, reason: str) -> None:
    """The reason stands in the file, for whoever writes the edits by hand."""
    with pytest.raises(Underivable, match=reason):
        derivation.derive(found, shown)
