"""`conformance replay`: failures sent again, and written as a test file."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import altered_run
import httpx
import pytest
from live_server import instance
from sample_reports import ID, a_defect, a_finding, a_report, an_entry, an_exchange

from conformance.__main__ import main
from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.commands.reproduction import pytest_file
from conformance.http.network import Network
from conformance.reference import Reference, target
from conformance.report.repair import conditions
from conformance.runner.resending import Recorded, Resender
from conformance.target.profile import parse

EDITS = (
    Edit("resources", '"accountType": account["account_type"],', ""),
    Edit(
        "service",
        "return self._page(listing, rows, resources.project)",
        "return self._page(listing, rows, "
        "lambda row: {**resources.project(row), 'name': row['name'][:10], 'position': 1})",
    ),
)
FAILED = {"account/required", "project/closed", "read/agreement"}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run on a reference with three defects."""
    directory = tmp_path_factory.mktemp("replay") / "report"
    directory.mkdir()
    altered_run.report(EDITS, directory, ["read"])
    return directory


@contextmanager
def served(folder: Path, edits: tuple[Edit, ...]) -> Iterator[dict[str, Any]]:
    """The profile of a served reference, also in target.toml."""
    made: Reference = altered.load(edits).Reference()
    with instance(made) as profile:
        (folder / "target.toml").write_text(target.toml(profile), encoding="utf-8")
        yield profile


def replayed(
    report: Path, folder: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[int, dict[str, set[str]]]:
    """The exit code, and what became of the failures of each requirement."""
    code = main(["replay", str(report), *options, "--target", str(folder / "target.toml")])
    found: dict[str, set[str]] = {}
    for line in capsys.readouterr().out.splitlines()[:-1]:
        word, _, rest = line.partition("  ")
        found.setdefault(rest.split()[0].rstrip(":"), set()).add(word.strip())
    return code, found


def test_what_still_fails_is_told_from_what_is_fixed(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the same defects everything still fails; on the original everything is fixed."""
    with served(tmp_path, EDITS):
        code, found = replayed(report, tmp_path, capsys)
        assert (code, {id: found[id] for id in FAILED & set(found)}) == (
            1,
            {id: {"STILL FAILING"} for id in FAILED & set(found)},
        )
    with served(tmp_path, ()):
        code, found = replayed(report, tmp_path, capsys)
        assert (code, set().union(*found.values())) == (0, {"FIXED"})
        code, found = replayed(report, tmp_path, capsys, "account/required")
        assert (code, found) == (0, {"account/required": {"FIXED"}})


def test_a_failure_that_is_out_of_reach_is_neither_fixed_nor_seen(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as by a credential that is not valid any more."""
    with served(tmp_path, EDITS) as profile:
        for caller in ("primary", "colleague"):  # the failure is shown by a request of either
            profile["credentials"][caller] = profile["credentials"]["revoked"]
        (tmp_path / "target.toml").write_text(target.toml(profile), encoding="utf-8")
        code, found = replayed(report, tmp_path, capsys, "account/required")
    assert (code, found) == (1, {"account/required": {"NOT CHECKED"}})


def test_failures_become_a_test_file(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It needs httpx and pytest alone, fails on the defects, and passes without them."""
    file = tmp_path / "test_failures.py"
    assert main(["replay", str(report), "--reference", "--write-test", str(file)]) == 0
    text = file.read_text(encoding="utf-8")
    assert "conformance." not in text
    with served(tmp_path, EDITS) as profile:
        failing = _tested(file, profile)
    with served(tmp_path, ()) as profile:
        fixed = _tested(file, profile)
    number = text.count("\ndef test_")
    assert f"{number} failed" in failing
    assert f"{number} passed" in fixed


def _tested(file: Path, profile: dict[str, Any]) -> str:
    secrets = {
        credential.variable(scheme)[1:]: credential.secret(scheme)
        for credential in parse(profile, environ={}).credentials.values()
        for scheme in credential.schemes
    }
    around = {
        **os.environ,
        **secrets,
        "BASE_URL": profile["base-url"],
        "TOOLS_URL": profile["tools"]["url"],
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    return subprocess.run(
        command, cwd=file.parent, env=around, capture_output=True, text=True, check=False
    ).stdout


def tool_call(name: str, **arguments: str) -> dict[str, object]:
    """A message that calls a tool."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "method": "tools/call", "id": 1, "params": params}


@pytest.mark.parametrize(
    ("consent", "approved", "expected"),
    [
        (False, (), "it is an approval, and consent.approve-reviews is not set"),
        (True, ("listed",), "it is an approval of a review that the run has approved"),
        (True, (), None),
    ],
    ids=["no consent", "spent", "allowed"],
)
def test_an_approval_is_sent_only_with_consent_and_on_unspent_reviews(
    reference: Reference, consent: bool, approved: tuple[str, ...], expected: str | None
) -> None:
    """By HTTP and by the tool; reading tools may always be called."""
    stated = reference.profile("http://reference.test/v1")
    stated["consent"]["approve-reviews"] = consent
    review = stated["fixtures"]["approvable-reviews"][0]
    spent = {review for _ in approved}
    resender = Resender(parse(stated, environ={}), Network(), Recorded("http://x/v1", 1, spent))
    by_tool = tool_call("review_approve", reviewId=review.upper())
    reading = tool_call("review_get")

    def request(url: str, body: object) -> Any:
        content = {"text": json.dumps(body)}
        sent = {"method": "POST", "url": url, "headers": [], "body": content}
        return an_exchange(1, "review_approve", request=sent)

    assert resender.obstacle(request(f"http://x/v1/reviews/{review}/approve", {})) == expected
    assert resender.obstacle(request("http://x/mcp", by_tool)) == expected
    assert resender.obstacle(request("http://x/mcp", reading)) is None


REJECTED = "400 <= responses[0].status_code < 500 or is_rejected_call(bodies[0])"


@pytest.mark.parametrize(
    ("kind", "result", "expected"),
    [
        ("accepted", {"isError": False, "requestId": "r"}, [REJECTED]),
        ("accepted", {"requestId": "r"}, [REJECTED]),
        ("value", {"requestId": "r"}, []),
        ("value", 7, ["at(bodies[0], '/result')"]),
        ("extra", {"requestId": "r"}, ["at(bodies[0], '/result') is ABSENT"]),
    ],
)
def test_a_container_is_not_compared_with_its_next_version(
    kind: str, result: object, expected: list[str]
) -> None:
    """Its `requestId` would differ: a failure would look fixed."""
    body = {"text": json.dumps({"result": result})}
    exchange = an_exchange(response={"status": 200, "headers": [], "body": body})
    found = conditions(a_defect(kind, "/result"), [exchange])

    assert [each.source().partition(" != ")[0] for each in found] == expected
    assert not any(each.holds([exchange]) for each in found)


def test_a_credential_that_resembles_another_cannot_be_sent_again(reference: Reference) -> None:
    """It was derived from one of the profile during the run."""
    stated = parse(reference.profile("http://reference.test/v1"), environ={})
    resender = Resender(stated, Network(), Recorded("http://x/v1", 1, ()))
    url = f"http://x/v1/projects/{ID}"
    request: Any = {"method": "GET", "url": url, "headers": [], "body": None}
    exchange = an_exchange(1, credential="near-miss", request=request)

    assert resender.obstacle(exchange) == "the profile has no credential near-miss"


TOOL_RESULTS = {
    '{"isError": true, "structuredContent": {"code": "absent"}}': True,
    '{"isError": true, "content": [1, {"text": 2}, {"text": "{\\"code\\": \\"absent\\"}"}]}': True,
    '{"isError": true, "content": [{"type": "text", "text": "That did not work."}]}': False,
    '{"isError": true, "structuredContent": {"code": 404}, "content": 7}': False,
    '{"isError": true, "structuredContent": ["code"]}': False,
    '{"isError": true}': False,
    '{"isError": false, "structuredContent": {"code": "absent"}}': False,
    '{"structuredContent": {"data": {}}}': False,
}


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        *((f'{{"result": {text}}}', holds) for text, holds in TOOL_RESULTS.items()),
        ('{"error": {"code": -32602, "message": "absent"}}', True),
        ("no JSON", False),
    ],
)
def test_a_repaired_tool_error_has_a_body_or_is_another_rejection(body: str, holds: bool) -> None:
    """A replay and a written test agree."""
    found = a_defect("absent", "/result/content", fields=["code"])
    [condition] = conditions(found, [an_exchange()])
    response = {"status": 200, "headers": [], "body": {"text": body}}
    functions: dict[str, Any] = {"json": json, "Iterator": Iterator, "Any": Any}
    exec(pytest_file.FUNCTIONS + pytest_file.VALUES, functions)
    functions["bodies"] = [functions["body"](httpx.Response(200, text=body))]

    assert condition.holds([an_exchange(response=response)]) is holds
    assert eval(condition.source(), functions) is holds


IN_STREAMS = Edit("tool_interface", "json_response=True", "json_response=False")


@pytest.mark.parametrize("form", [(), (IN_STREAMS,)], ids=["json", "event-stream"])
def test_what_was_wrong_with_errors_of_tools_is_fixed(
    form: tuple[Edit, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Error results without an error body, which have one after the repair."""
    sentence = "That did not work."
    old = 'text = {"type": "text", "text": orjson.dumps(body).decode()}'
    new = f'return {{"isError": True, "content": [{{"type": "text", "text": "{sentence}"}}]}}'
    defect = Edit("tools", f"    {old}", f"    if is_error:\n        {new}\n    {old}")
    folder, file = tmp_path / "report", tmp_path / "test_errors.py"
    folder.mkdir()
    report = altered_run.report((*form, defect), folder, ["tools"])
    again = [
        found["reproduction"]["outcome"]
        for entry in report["requirements"]
        for found in entry["findings"]
        if "reproduction" in found
    ]
    assert "not-compared" not in again
    main(["replay", str(folder), "tools/errors", "--reference", "--write-test", str(file)])
    assert "left out" not in capsys.readouterr().out
    number = file.read_text(encoding="utf-8").count("\ndef test_")
    for own, outcome, word in (
        ((*form, defect), "STILL FAILING", "failed"),
        (form, "FIXED", "passed"),
    ):
        with served(tmp_path, own) as profile:
            _, found = replayed(folder, tmp_path, capsys, "tools/errors")
            assert found == {"tools/errors": {outcome}}
            assert f"{number} {word} in" in _tested(file, profile)


def test_other_requests_of_a_run_may_be_sent_again(reference: Reference, tmp_path: Path) -> None:
    """With one credential, none, two, or one that the run has made up; by both interfaces."""
    altered_run.report((), tmp_path, ["authentication", "tools"])
    url = "http://reference.invalid/v1"
    stated = reference.profile(url)
    stated["consent"]["approve-reviews"] = stated["consent"]["fuzz-writes"] = True
    resender = Resender(parse(stated, environ={}), Network(), Recorded(url, 1, ()))
    lines = (tmp_path / "exchanges.jsonl").read_text(encoding="utf-8").splitlines()

    reasons = Counter(resender.obstacle(json.loads(line)) for line in lines)

    made_up = {"the profile has no credential near-miss", "its credential was made for one request"}
    assert set(reasons) == {None, *made_up}
    assert reasons[None] > 500


def test_the_credential_that_a_run_has_made_up_is_sent_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a replay, and by a written test."""
    found = "WHERE scheme = :scheme ORDER BY digest <> :digest, revoked, expires_at LIMIT 1"
    edits = (Edit("access", "WHERE digest = :digest AND scheme = :scheme", found),)
    folder = tmp_path / "report"
    folder.mkdir()
    altered_run.report(edits, folder, ["authentication"])
    file = tmp_path / "test_failures.py"
    options = ("authentication/unknown", "--reference", "--write-test", str(file))
    assert main(["replay", str(folder), *options]) == 0
    capsys.readouterr()
    for own, word, tested in ((edits, "STILL FAILING", "failed"), ((), "FIXED", "passed")):
        with served(tmp_path, own) as profile:
            _, outcomes = replayed(folder, tmp_path, capsys, "authentication/unknown")
            assert word in outcomes["authentication/unknown"]
            assert tested in _tested(file, profile)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "nothing: No such file or directory"),
        (["report.json", "x/y"], "x/y did not fail; failed: project/closed, read/names"),
        (["report.json", "--base-url", "ftp://x"], "--base-url is not an http or https URL"),
        (["report.json"], "there is no target.toml here; use --target FILE, --base-url URL or"),
        (["report.json", "--reference", "--base-url", "http://x"], "name two targets"),
    ],
)
def test_a_mistake_is_a_usage_error(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    """No request is sent."""
    monkeypatch.chdir(tmp_path)
    document = a_report(an_entry("project/closed", "fail", findings=[a_finding()]))
    document["target"]["profile"] = None
    Path("report.json").write_text(json.dumps(document), encoding="utf-8")

    assert main(["replay", *arguments]) == 4
    assert message in capsys.readouterr().err
