"""`conformance replay` of a report that somebody else has written: its values decide nothing."""

import ast
import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from sample_reports import EVIL, ID, OTHER, a_defect, a_finding, a_report, an_entry, an_exchange

from conformance.__main__ import main
from conformance.contract.pointer import pointer
from conformance.http.replay import MOST_PADDING

KEY, BEARER, STOLEN = "key-of-the-user", "token-of-the-user", "secret-of-the-environment"
LISTED = "5f0c1b9e-7a54-4e0e-9d38-52a4ab1f0c11"
DATA = json.dumps({"data": {"id": ID, "budget": 12}, "requestId": "r"}).encode()
BASE = "https://stranger.example/v1"
TOOLS = "https://stranger.example/mcp"


@dataclass
class Recorder:
    """A server on loopback: its address, and what it has received, as (method, path, text)."""

    url: str = ""
    received: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The methods and paths of all requests."""
        return [(method, path) for method, path, _ in self.received]


class Handler(BaseHTTPRequestHandler):
    """Records each request; every response is a record, and begins a session."""

    def __init__(self, recorder: Recorder, *arguments: Any) -> None:
        self.recorder = recorder
        super().__init__(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # any method
            return self.respond
        raise AttributeError(name)

    def respond(self) -> None:
        """Record the request, and respond."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        text = f"{self.headers}{body.decode('utf-8', 'replace')}"
        self.recorder.received.append((self.command, self.path, text))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("mcp-session-id", "session-of-today")
        self.send_header("content-length", str(len(DATA)))
        self.end_headers()
        self.wfile.write(DATA)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def recording() -> Iterator[Recorder]:
    """A server that records."""
    recorder = Recorder()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, recorder)) as server:
        recorder.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield recorder
        server.shutdown()
        thread.join()


@pytest.fixture
def servers() -> Iterator[tuple[Recorder, Recorder]]:
    """The server of the user, and that of a stranger."""
    with ExitStack() as stack:
        yield stack.enter_context(recording()), stack.enter_context(recording())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user, with secrets in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", STOLEN)
    monkeypatch.setenv("LOCALIZATION_OURS", KEY)
    monkeypatch.setenv("LOCALIZATION_MINE", BEARER)
    return tmp_path


def profile(folder: Path, url: str, *lines: str) -> Path:
    """The profile of the user."""
    text = f"""
        base-url = "{url}/v1"
        tools.url = "{url}/mcp"
        description.url = "{url}/openapi.json"
        credentials.primary.api-key = "${{LOCALIZATION_OURS}}"
        credentials.primary.bearer = "${{LOCALIZATION_MINE}}"
        fixtures.approvable-reviews = ["{LISTED}"]
    """
    path = folder / "target.toml"
    path.write_text("\n".join([text, *lines]), encoding="utf-8")
    return path


class Raw(dict[str, Any]):
    """A body as a report has it."""


def a_request(
    method: str = "GET",
    path: str = f"/projects/{ID}",
    body: Any = None,
    url: str | None = None,
    **properties: Any,
) -> Any:
    """An exchange of a stranger's report."""
    headers = properties.pop("headers", [["accept", "application/json"]])
    content = body if body is None or isinstance(body, Raw) else {"text": json.dumps(body)}
    sent = {"method": method, "url": url or BASE + path, "headers": headers, "body": content}
    return {**an_exchange(request=sent, **properties), "curl": "curl"}


def a_message(*, url: str = TOOLS, body: Any = None, headers: Any = (), **message: Any) -> Any:
    """A message to tools in a stranger's report."""
    document = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", **message}
    content = document if body is None else body
    return a_request("POST", url=url, body=content, headers=list(headers), operation="tools")


def a_call(name: str, arguments: Any = None, **more: Any) -> Any:
    """A message that calls a tool."""
    return a_message(params={"name": name, "arguments": arguments or {}}, **more)


def report_of(folder: Path, exchanges: dict[str, Any], **properties: Any) -> Path:
    """The report with a failure of each of these exchanges, by the ids of their requirements."""
    entries = [
        an_entry(f"stranger/{id}", "fail", findings=[a_finding(exchanges=[exchange], **properties)])
        for id, exchange in exchanges.items()
    ]
    document = a_report()
    document["requirements"] = entries
    document["target"] = {"base-url": BASE, "profile": "target.toml"}
    path = folder / "report.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def outcomes(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What became of each failure."""
    lines = capsys.readouterr().out.splitlines()[:-1]
    found = (line.partition("  ")[::2] for line in lines)
    return {rest.split()[0].removeprefix("stranger/"): word for word, rest in found}


def reasons(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Why failures were not sent."""
    lines = capsys.readouterr().out.splitlines()[:-1]
    found = (re.fullmatch(r"NOT SENT +stranger/(\S+) on project_get: (.*)", each) for each in lines)
    return {match[1]: match[2] for match in found if match}


APPROVAL = {"expectedSubjectRevision": 1, "idempotencyKey": "k"}
APPROVE = f"/reviews/{LISTED}/approve"
REFUSED = {
    "it is no request of the contract": {
        "another-host": a_request(url=f"https://other.example/v1/projects/{ID}"),
        "a-longer-version": a_request(url=f"{BASE}evil/projects/{ID}"),
        "a-longer-host": a_request(url=f"https://stranger.example.evil/v1/projects/{ID}"),
        "userinfo": a_request(url=f"{BASE}@127.0.0.1/projects/{ID}"),
        "an-unknown-path": a_request(path="/admin"),
        "a-path-below": a_request(path=f"/projects/{ID}/members"),
        "dots": a_request(path="/../admin"),
        "dots-as-an-id": a_request(path="/projects/.."),
        "dots-within": a_request(path="/reviews/../comments"),
        "encoded-dots": a_request(path="/projects/%2e%2e"),
        "twice-encoded-dots": a_request(path="/projects/%252e%252E"),
        "often-encoded-dots": a_request(path=f"/projects/%{'25' * 20}2e."),
        "an-encoded-slash": a_request(path="/projects/x%2F..%2F..%2Fadmin"),
        "a-backslash": a_request(path="/projects/..%5Cadmin"),
        "a-path-parameter": a_request(path="/projects/..;a=b"),
        "a-fragment": a_request(path=f"/projects/{ID}#x"),
        "a-line-end": a_request(path=f"/projects/{ID}\r\nX: y"),
        "no-ascii": a_request(path="/projects/\uff0e\uff0e"),
        "delete": a_request("DELETE"),
        "put": a_request("PUT", body={}),
        "post": a_request("POST", "/projects", body={}),
        "lower-case": a_request("delete"),
        "connect": a_request("CONNECT"),
        "a-body-of-a-read": a_request(body={"a": 1}),
        "a-method-in-a-query": a_request("POST", f"{APPROVE}?_method=DELETE", body=APPROVAL),
        "a-record-in-a-query": a_request("POST", f"{APPROVE}?reviewId={OTHER}", body=APPROVAL),
        "a-form": a_request(
            "POST",
            APPROVE,
            body=Raw(text=f"_method=DELETE&reviewId={OTHER}"),
            headers=[["content-type", "application/x-www-form-urlencoded"]],
        ),
        "two-media-types": a_request(
            "POST",
            APPROVE,
            body=APPROVAL,
            headers=[["content-type", "application/json"], ["content-type", "text/plain"]],
        ),
        "an-approval-of-two": a_call("review_approve", {"reviewId": LISTED, "ReviewID": OTHER}),
        "a-tool-twice": a_message(
            body=Raw(
                text='{"jsonrpc": "2.0", "id": 1, "method": "tools/call",'
                ' "params": {"name": "project_delete", "name": "review_get"}}'
            )
        ),
        "a-tool-in-two-letter-cases": a_message(
            params={"name": "review_get", "Name": "project_delete", "arguments": {}}
        ),
        "a-batch": a_message(
            body=[{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "review_get"}}]
        ),
        "a-binary-message": a_message(
            body=Raw(
                base64=base64.b64encode(
                    json.dumps(
                        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "review_get"}}
                    ).encode("utf-16")
                ).decode()
            )
        ),
        "a-post-to-a-description": a_request("POST", url=TOOLS, operation="description"),
        "a-delete-of-a-description": a_request("DELETE", url=TOOLS, operation="description"),
    },
    "the suite sends no such header": {
        "a-host": a_request(headers=[["host", "internal.example"]]),
        "a-cookie": a_request(headers=[["cookie", "session=1"]]),
        "another-method": a_request(headers=[["x-http-method-override", "DELETE"]]),
        "another-path": a_request(headers=[["x-original-url", "/admin"]]),
        "a-forwarded-host": a_request(headers=[["forwarded", "host=internal.example"]]),
        "a-header-of-lines": a_request(headers=[["accept", "a\r\nhost: internal.example"]]),
        "a-session-of-http": a_request(headers=[["mcp-session-id", "s"]]),
        "a-tool-of-a-header": a_call("review_get", headers=[["mcp-name", "project_delete"]]),
        "a-method-of-a-header": a_call("review_get", headers=[["mcp-method", "tools/delete"]]),
        "an-argument-of-a-header": a_call(
            "review_get", {"reviewId": ID}, headers=[["mcp-param-id", OTHER]]
        ),
        "an-unknown-header": a_call("review_get", headers=[["mcp-route", "internal"]]),
    },
    "its credential was made for one request": {
        "a-variable": a_request(headers=[["authorization", "Bearer $AWS_SECRET_ACCESS_KEY"]]),
        "a-basic-credential": a_request(headers=[["authorization", "Basic YTpi"]]),
    },
    "the profile has no": {
        "an-unknown-caller": a_request(credential="admin"),
        "a-caller-without-scheme": a_request(scheme=None),
    },
    "it is an approval of a review that the fixtures of the profile do not list": {
        "an-approval": a_request("POST", f"/reviews/{OTHER}/approve", body=APPROVAL),
        "an-encoded-approval": a_request("POST", f"/reviews/%30{OTHER[1:]}/approve", body=APPROVAL),
        "an-approval-of-another-name": a_request(
            "POST", f"/reviews/{OTHER}/approve", body=APPROVAL, operation="review_get"
        ),
        "an-approval-by-tool": a_call("review_approve", {"reviewId": OTHER}),
        "an-approval-in-other-letters": a_call("review_approve", {"ReviewId": LISTED}),
        "arguments-in-a-list": a_call("review_approve", [LISTED]),
    },
    "it has a large body, and consent.oversized-bodies is not set": {
        "a-large-body": a_request(
            "POST", f"/reviews/{LISTED}/approve", body=Raw(text="{}", padding=MOST_PADDING)
        ),
    },
    "it is no message that the suite sends to tools": {
        "another-tool": a_call("project_delete"),
        "another-method-of-tools": a_message(method="resources/read", params={"uri": "file:///"}),
        "a-call-by-another-name": a_message(method="tools/CALL", params={"name": "review_get"}),
    },
}
"""By the beginning of the reason, what no run of the suite sends."""

NOT_OF_THE_SUITE = {id: each for group in REFUSED.values() for id, each in group.items()}


def test_only_requests_of_the_suite_are_sent(
    folder: Path, servers: tuple[Recorder, Recorder], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each of the others is reported as not sent, with consent to approvals and without."""
    own, _ = servers
    for lines in ((), ("consent = { approve-reviews = true }",)):
        path = profile(folder, own.url, *lines)
        report = report_of(folder, NOT_OF_THE_SUITE)

        assert main(["replay", str(report), "--target", str(path)]) == 1
        found = reasons(capsys)
        assert [id for id in NOT_OF_THE_SUITE if id not in found] == []
        assert [
            (id, found[id])
            for reason, group in REFUSED.items()
            for id in group
            if not found[id].startswith(reason)
        ] == []
    assert own.received == []


def test_what_is_sent_goes_to_the_target_of_the_user(
    folder: Path, servers: tuple[Recorder, Recorder], capsys: pytest.CaptureFixture[str]
) -> None:
    """By the path of a contract's operation, to the tools and the description of the profile.

    Its secrets are those of the profile, and a variable in a text stays a text.
    """
    own, stranger = servers
    text = "$AWS_SECRET_ACCESS_KEY ${AWS_SECRET_ACCESS_KEY}"
    session = [["mcp-session-id", text], ["mcp-protocol-version", "2025-11-25"]]
    exchanges = {
        "read": a_request(headers=[["x-api-key", "$AWS_SECRET_ACCESS_KEY"]]),
        "both": a_request(
            headers=[
                ["x-api-key", "$LOCALIZATION_OURS"],
                ["authorization", "Bearer $LOCALIZATION_MINE"],
            ]
        ),
        "query": a_request(path="/projects?cursor=$AWS_SECRET_ACCESS_KEY&a=//evil"),
        "tool": a_call("video_list", {"cursor": text}, headers=session),
        "description": a_request(url="https://x.example", operation="description", credential=None),
    }
    report = report_of(folder, exchanges)
    report.write_text(report.read_text().replace("https://stranger.example", stranger.url))

    main(["replay", str(report), "--target", str(profile(folder, own.url))])

    assert "NOT SENT" not in outcomes(capsys).values()
    assert own.lines == [
        ("GET", f"/v1/projects/{ID}"),
        ("GET", f"/v1/projects/{ID}"),
        ("GET", "/v1/projects?cursor=$AWS_SECRET_ACCESS_KEY&a=//evil"),
        *[("POST", "/mcp")] * 3,
        ("GET", "/openapi.json"),
    ]
    assert stranger.received == []
    sent = [text for *_, text in own.received]
    assert not any(STOLEN in each for each in sent)
    assert [KEY in each for each in sent] == [True] * 6 + [False]
    assert [BEARER in each for each in sent] == [False, True] + [False] * 5
    assert "session-of-today" in sent[-2]
    assert "mcp-session-id: $AWS" not in sent[-2]


def test_consent_and_the_list_of_reviews_hold(
    folder: Path, servers: tuple[Recorder, Recorder], capsys: pytest.CaptureFixture[str]
) -> None:
    """A stranger's report approves no more than a run of the user might."""
    own, _ = servers
    approvals = {
        "listed": a_request("POST", f"/reviews/{LISTED}/approve", body=APPROVAL),
        "other": a_request("POST", f"/reviews/{OTHER}/approve", body=APPROVAL),
        "tool": a_call("review_approve", {"reviewId": LISTED}),
        "throttled": a_request(credential="throttled"),
    }
    report = report_of(folder, approvals)
    throttled = 'credentials.throttled.api-key = "${LOCALIZATION_OURS}"'
    path = profile(folder, own.url, throttled)
    assert main(["replay", str(report), "--target", str(path)]) == 1
    assert set(outcomes(capsys).values()) == {"NOT SENT"}
    assert own.received == []

    consent = "consent = { approve-reviews = true }"
    path = profile(folder, own.url, throttled, consent)
    assert main(["replay", str(report), "--target", str(path)]) == 1
    found = outcomes(capsys)
    assert (found["other"], found["throttled"]) == ("NOT SENT", "NOT SENT")
    assert own.lines == [("POST", f"/v1/reviews/{LISTED}/approve"), ("POST", "/mcp")]


def test_a_description_elsewhere_gets_no_credential(
    folder: Path, servers: tuple[Recorder, Recorder], capsys: pytest.CaptureFixture[str]
) -> None:
    """As in a run: it may be public, on another host."""
    own, other = servers
    path = profile(folder, own.url)
    path.write_text(path.read_text().replace(f"{own.url}/openapi", f"{other.url}/openapi"))
    exchanges = {
        "alone": a_request(url="https://x.example", operation="description", credential=None),
        "as-primary": a_request(url="https://x.example", operation="description"),
    }

    main(["replay", str(report_of(folder, exchanges)), "--target", str(path)])

    assert outcomes(capsys)["as-primary"] == "NOT SENT"
    assert other.lines == [("GET", "/openapi.json")]
    assert KEY not in other.received[0][2]


@pytest.mark.parametrize("options", [(), ("--write-test", "test_it.py")], ids=["sent", "written"])
def test_the_profile_that_a_report_names_is_not_read(
    folder: Path,
    servers: tuple[Recorder, Recorder],
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
) -> None:
    """Its commands do not run, and its address gets nothing; without an own one there is none."""
    own, stranger = servers
    (folder / "theirs").mkdir()
    theirs = profile(folder / "theirs", stranger.url)
    command = f'credentials.colleague.bearer = {{ command = ["touch", "{folder}/owned"] }}'
    theirs.write_text(f"{theirs.read_text()}\n{command}\n")
    report = report_of(folder / "theirs", {"read": a_request()})
    document = json.loads(report.read_text())
    document["target"] = {"base-url": BASE, "profile": str(theirs)}
    report.write_text(json.dumps(document))

    assert main(["replay", str(report), *options]) == 4
    assert "there is no target.toml here; use --target FILE" in capsys.readouterr().err

    profile(folder, own.url)
    main(["replay", str(report), *options, "--trust"])

    assert "Using target.toml of this folder" in capsys.readouterr().err
    assert own.lines == ([] if options else [("GET", f"/v1/projects/{ID}")])
    assert stranger.received == []
    assert not (folder / "owned").exists()


CODE = "__import__('pathlib').Path('owned').touch()"
TEXTS = (
    f'"""\n{CODE}\n"""',
    f"'''\n{CODE}\n'''",
    f"'; {CODE}; '",
    f'"; {CODE}; "',
    f"\\'; {CODE} #",
    f'\\"""; {CODE} #',
    f"\n{CODE}\n",
    f"\r{CODE}",
    f"\u2028{CODE}\u2029{CODE}\x85{CODE}\x0b{CODE}\x0c{CODE}",
    f"{{{CODE}}} {{0}} {{{{}}}} {{base_url.__class__}} %s %(x)s",
    f"{{200}} or {CODE}",
    "$AWS_SECRET_ACCESS_KEY",
    "Bearer $AWS_SECRET_ACCESS_KEY",
    "# -*- coding: utf-7 -*-",
    "\x00 \x1b[31m \u202e",
    "\\",
    "\\N{DIGIT ONE} \\x41 \\",
    EVIL,
)
"""Texts that are meant to end a literal or a comment of Python."""


def written(folder: Path, text: str, name: str) -> Path:
    """The test file of a report with this text in every place that takes one."""
    places = [
        {"part": "body", "name": pointer((text,)), "exchange": ""},
        {"part": "header", "name": text, "exchange": ""},
        {"part": "status", "name": text, "exchange": ""},
    ]
    defect = a_defect(text, values={"allowed": [text, 200, {text: text}]})
    session = [["mcp-session-id", text], ["mcp-protocol-version", "2025-11-25"]]
    exchange = a_call("video_list", {"cursor": text}, headers=session)
    exchange |= {"purpose": text, "item": text}
    exchange["response"]["headers"] = [[text, text]]
    exchange["response"]["body"] = {"text": json.dumps({text: text})}
    finding = a_finding(exchanges=[exchange], message=text, operation=text)
    finding["defect"] = {**defect, "where": places}
    document = a_report()
    document["target"] = {"base-url": text, "profile": text}
    document["requirements"] = [an_entry("a/b", "fail", findings=[finding], statement=text)]
    report = folder / "report.json"
    report.write_text(json.dumps(document), encoding="utf-8")
    file = folder / name
    assert main(["replay", str(report), "--write-test", str(file)]) == 0
    return file


class Masked(ast.NodeTransformer):
    """A tree without the values of its literals."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        """Its type alone."""
        return ast.Constant(type(node.value).__name__)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Its name is made of an id: letters, digits and underscores."""
        assert node.name.isidentifier()
        node.name = "test" if node.name.startswith("test_") else node.name
        return self.generic_visit(node)


def structure(file: Path) -> str:
    """The code of a file but for its literals and the names of its tests."""
    return ast.dump(Masked().visit(ast.parse(file.read_bytes())))


def performed(folder: Path, *files: Path) -> str:
    """What pytest says of test files."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, files)]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout


def test_texts_of_a_report_are_literals_of_the_written_test(
    folder: Path, servers: tuple[Recorder, Recorder]
) -> None:
    """The file has the code that it has with a plain text, and runs nothing else.

    A variable in a text is not expanded.
    """
    own, _ = servers
    profile(folder, own.url)
    plain = structure(written(folder, "plain", "test_plain.py"))
    files = [written(folder, text, f"test_{n}.py") for n, text in enumerate(TEXTS)]

    assert [structure(each) for each in files] == [plain] * len(TEXTS)
    assert f"{len(TEXTS)} failed" in performed(folder, *files)
    assert not (folder / "owned").exists()
    assert own.lines == [("POST", "/mcp")] * 3 * len(TEXTS)
    sent = [text for *_, text in own.received]
    assert not any(STOLEN in each for each in sent)
    assert all(KEY in each for each in sent)
    assert sum("cursor" in each for each in sent) == len(TEXTS)


def test_only_requests_of_the_suite_are_written(
    folder: Path, servers: tuple[Recorder, Recorder], capsys: pytest.CaptureFixture[str]
) -> None:
    """What a replay does not send is no test either."""
    own, _ = servers
    consents = "it has a large body"  # it is an approval too: the test is skipped without consent
    groups = [group for reason, group in REFUSED.items() if not reason.startswith(consents)]
    others = {id: each for group in groups for id, each in group.items()}
    report = report_of(folder, others, defect=a_defect("extra", "/data/budget"))
    file = folder / "test_it.py"
    options = ("--target", str(profile(folder, own.url)), "--write-test", str(file))

    assert main(["replay", str(report), *options]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert (lines[0], len(lines) - 1) == (f"{file} has 0 tests", len(others))
    assert "no tests ran" in performed(folder, file)


def test_an_approval_of_a_written_test_is_skipped(
    folder: Path, servers: tuple[Recorder, Recorder], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By either interface, unless its user asks for it; also with a body of many blanks."""
    own, _ = servers
    body = Raw(text=json.dumps(APPROVAL), padding=1000)
    exchanges = {
        "http": a_request("POST", f"/reviews/{LISTED}/approve", body=body),
        "tool": a_call("review_approve", {"reviewId": LISTED}),
    }
    report = report_of(folder, exchanges, defect=a_defect("extra", "/data/budget"))
    file = folder / "test_it.py"
    options = ("--target", str(profile(folder, own.url)), "--write-test", str(file))
    assert main(["replay", str(report), *options]) == 0

    assert "2 skipped" in performed(folder, file)
    assert own.received == []
    monkeypatch.setenv("APPROVE_REVIEWS", "1")
    assert "2 failed" in performed(folder, file)
    assert own.lines == [("POST", f"/v1/reviews/{LISTED}/approve"), ("POST", "/mcp")]


REQUEST = ("requirements", 0, "findings", 0, "exchanges", 0, "request")


@pytest.mark.parametrize(
    ("place", "value", "named"),
    [
        (("target", "base-url"), 7, "target/base-url"),
        (("started",), ["x"], "started"),
        (("requirements", 0, "statement"), {"a": 1}, "requirements/0/statement"),
        ((*REQUEST, "url"), None, "exchanges/0"),
        ((*REQUEST, "headers"), [1], "headers"),
        (("requirements", 0, "findings", 0, "defect", "where"), [{}], "where/0"),
        ((*REQUEST, "body"), {"base64": "QUJDR"}, "exchanges/0/request/body"),
        ((*REQUEST, "body"), {"text": "\ud800"}, "no low surrogate in string"),
        (("requirements", 0, "operations", "\x1b[31m"), 1, "\\u001b[31m"),
        (("ledger",), [{"review": 7}], "ledger/0"),
    ],
)
def test_a_report_of_another_form_is_a_usage_error(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    place: tuple[Any, ...],
    value: object,
    named: str,
) -> None:
    """The message names the place."""
    document: Any = a_report()
    inner = document
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    (folder / "report.json").write_text(json.dumps(document))

    assert main(["replay", "report.json"]) == 4

    message = capsys.readouterr().err
    assert "not a report of this suite" in message
    assert named in message


def test_a_report_that_no_parser_follows_is_a_usage_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as one that is nested too deeply."""
    (folder / "report.json").write_text('{"a":' * 50_000 + "1" + "}" * 50_000)

    assert main(["replay", "report.json"]) == 4
    assert "not a report of this suite: not JSON" in capsys.readouterr().err
