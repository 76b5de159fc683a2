"""The examination of one target: rules on every exchange, evidence and redaction."""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from scripted_app import ScriptedApp, scripted_response

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Finding, Verdict
from conformance.http.exchange import Call, Exchange
from conformance.http.in_process import InProcess
from conformance.http.sending import Sending
from conformance.rules import validation
from conformance.runner.context import Context
from conformance.runner.depth import DEPTHS
from conformance.runner.result import ItemResult
from conformance.runner.session import Nothing, Session
from conformance.target.forged import never_issued
from conformance.target.profile import parse

SECRET = 'k/ey "ü" 0123'
ACCOUNT = Call("account_get")
PROFILE = {
    "credentials": {
        "primary": {"api-key": SECRET, "bearer": "token-0123"},
        "outsider": {"api-key": "outside-0123"},
    }
}
ID = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
FINE = json.dumps(
    {"data": {"id": ID, "displayName": "x", "accountType": "internal"}, "requestId": "r"}
).encode()
PAGE = b'{"data": {"items": [], "nextCursor": null}, "requestId": "r"}'
ERROR = b'{"code": "c", "requestId": "r"}'

Maker = Callable[..., Context]


@pytest.fixture
def examining() -> Iterator[Maker]:
    """Opens sessions with an application that sends scripted responses, and closes them."""
    made: list[Session] = []

    def make(*responses: Any, **profile: Any) -> Context:
        target = parse({**PROFILE, **profile}, base_url="http://target.test/v1", environ={})
        made.append(
            Session(
                target,
                InProcess(ScriptedApp(list(responses)), lambda _: None),
                seed=1,
                depth=DEPTHS["quick"],
            )
        )
        return made[-1].context("item")

    yield make
    for each in made:
        each.close()


def send(
    session: Context, call: Call = ACCOUNT, name: str | None = "primary", **how: Any
) -> Exchange:
    """One call as a credential of the profile."""
    return session.client.send(
        call, Sending(session.target.credentials[name] if name else None, **how)
    )


def findings_of(record: ItemResult) -> dict[tuple[str, str], Finding]:
    """The findings of a record by requirement and verdict."""
    return {(finding.requirement, str(finding.verdict)): finding for finding in record.findings}


def test_the_rules_apply_to_every_exchange(examining: Maker) -> None:
    """Each finding has its requirement, operation and item."""
    session = examining(scripted_response(200, FINE))
    send(session)
    record = session.finish()

    checked = {finding.requirement for finding in record.findings}
    assert checked >= {"response/status", "envelope/data", "account/fields", "representation/uuid"}
    assert {
        (finding.verdict, finding.operation, finding.item, finding.message)
        for finding in record.findings
    } == {(Verdict.PASS, "account_get", "item", "")}
    assert (record.item, record.exchanges, record.methods, record.evidence) == (
        "item",
        1,
        {"GET": 1},
        {},
    )
    assert {operation: len(seconds) for operation, seconds in record.elapsed.items()} == {
        "account_get": 1
    }


def test_a_violation_is_a_finding_with_its_evidence(examining: Maker) -> None:
    """The evidence is at most three of its exchanges."""
    session = examining(
        scripted_response(200, b"{}"),
        scripted_response(200, FINE),
        scripted_response(200, b"[]"),
        scripted_response(200, b"{}"),
        scripted_response(200, b"{}"),
    )
    for _ in range(5):
        send(session)
    record = session.finish()

    failed = findings_of(record)["envelope/data", "fail"]
    passed = findings_of(record)["envelope/data", "pass"]
    assert (failed.message, failed.expected) == (
        "a success without data: {}",
        "an object {data, requestId}",
    )
    assert failed.exchanges == ("item#1", "item#3", "item#4")
    assert passed.exchanges == ("item#2",)
    assert set(record.evidence) >= {"item#1", "item#3", "item#4"}
    assert "item#2" not in record.evidence


def test_an_item_has_its_own_findings_and_requests(examining: Maker) -> None:
    """A new item has no findings; requests are counted by method."""
    session = examining(scripted_response(404, ERROR))
    send(session)
    session.finish()
    session = session.session.context("next")
    session.observations.append(("observe/x", "account_get", [1, SECRET]))
    send(session, Call("review_approve", {"reviewId": ID}, body=b"{}"))
    send(session)
    record = session.finish(
        (Finding("base/x", Verdict.PASS), Finding("base/y", Verdict.PASS, item="elsewhere"))
    )

    assert [(finding.requirement, finding.item) for finding in record.findings[:2]] == [
        ("base/x", "next"),
        ("base/y", "elsewhere"),
    ]
    assert {finding.item for finding in record.findings[2:]} == {"next"}
    assert (record.exchanges, record.methods) == (2, {"POST": 1, "GET": 1})
    assert record.observations == (("observe/x", "account_get", [1, "$PRIMARY_API_KEY"]),)
    session = session.session.context("last")
    assert session.finish() == ItemResult("last", (), (), {}, 0, {}, {})


def test_a_finding_may_have_evidence_of_a_fact(examining: Maker) -> None:
    """Several checks share one response, which belongs to none of them."""
    session = examining(scripted_response(404, ERROR))
    send(session)
    ids = [session.fact("account", lambda own: send(own).id) for _ in range(2)]
    record = session.finish((Finding("a/b", Verdict.FAIL, exchanges=(*ids, "item#1", "item#9")),))
    other = session.session.context("next")
    other.fact("account", lambda own: send(own).id)
    next_record = other.finish((Finding("a/b", Verdict.FAIL, exchanges=(ids[0], "item#1")),))

    assert ids == ["fact::account#1"] * 2
    assert list(record.evidence) == ["fact::account#1", "item#1"]
    assert list(next_record.evidence) == ["fact::account#1"]
    assert (record.exchanges, next_record.exchanges) == (1, 0)


def test_a_finding_has_three_exchanges_as_evidence(examining: Maker) -> None:
    """A pass has no evidence."""
    session = examining(scripted_response(404, ERROR))
    for _ in range(5):
        send(session)
    ids = tuple(f"item#{number}" for number in range(1, 6))

    assert list(
        session.finish((Finding("a/b", Verdict.INCONCLUSIVE, exchanges=ids),)).evidence
    ) == [
        "item#1",
        "item#2",
        "item#3",
    ]
    assert session.finish((Finding("a/b", Verdict.PASS, exchanges=ids),)).evidence == {}


def test_requests_outside_the_contract_are_recorded_and_not_checked(examining: Maker) -> None:
    """The same holds for a request without a response."""
    session = examining(scripted_response(200, b"<html>"), RuntimeError())
    out_of_contract = send(session, in_contract=False)
    without_response = send(session, patient=False)
    record = session.finish()

    assert (record.findings, record.exchanges) == ((), 2)
    assert {operation: len(seconds) for operation, seconds in record.elapsed.items()} == {
        "account_get": 1
    }
    assert (session.problems(out_of_contract), session.problems(without_response)) == ([], [])


# --- arguments -----------------------------------------------------------------------------------

LIST = Call("project_list")


def argument_verdicts(record: ItemResult) -> dict[str, str]:
    """The verdicts on arguments."""
    return {
        finding.requirement: str(finding.verdict)
        for finding in record.findings
        if finding.requirement.startswith("arguments/")
    }


@dataclass(frozen=True)
class Known(Nothing):
    """The knowledge that some operations serve, and that some names are known."""

    served: frozenset[str] = frozenset()
    names: frozenset[tuple[str, str]] = frozenset()

    def is_served(self, context: Context, operation: Operation) -> bool:
        """Whether an operation is one of those."""
        assert context.item
        return operation.id in self.served

    def knows(self, context: Context, operation: Operation, role: str) -> bool:
        """Whether a name is one of those."""
        assert context.item
        return (operation.id, role) in self.names


def test_arguments_are_checked_where_primary_is_served(examining: Maker) -> None:
    """Otherwise, an error response may have another reason; when it is known does not matter."""
    session = examining(scripted_response(400, ERROR))
    send(session, LIST.asking(limit="0"))
    session.session.knowledge = Known(frozenset({"video_list"}))
    assert argument_verdicts(session.finish()) == {}
    session = session.session.context("next")
    send(session, LIST.asking(limit="0"))
    session.session.knowledge = Known(frozenset({"project_list"}))
    assert argument_verdicts(session.finish()) == {"arguments/limit": "pass"}


def test_a_later_success_of_the_item_is_a_baseline_too(examining: Maker) -> None:
    """The order of requests does not matter."""
    session = examining(scripted_response(400, ERROR), scripted_response(200, PAGE))
    send(session, LIST.asking(limit="0"))
    send(session, LIST)
    assert argument_verdicts(session.finish())["arguments/limit"] == "pass"


@pytest.mark.parametrize("how", [{"name": "outsider"}, {"name": None}, {"judge_arguments": False}])
def test_arguments_are_checked_with_the_primary_credential_only(
    examining: Maker, how: dict[str, Any]
) -> None:
    """The request must have no other reason to be rejected."""
    session = examining(scripted_response(200, PAGE))
    session.session.knowledge = Known(frozenset({"project_list"}))
    send(session, LIST.asking(limit="0"), **how)
    assert argument_verdicts(session.finish()) == {}


@pytest.mark.parametrize(
    ("status", "checked"),
    [
        (401, False),
        (429, False),
        (500, True),
        (502, False),
        (503, False),
        (504, False),
        (400, True),
    ],
)
def test_transient_errors_are_not_verdicts_on_arguments(
    examining: Maker, status: int, checked: bool
) -> None:
    """Neither is a 401; a 500 is."""
    session = examining(scripted_response(status, ERROR, retry_after="1"))
    session.session.knowledge = Known(frozenset({"project_list"}))
    send(session, LIST.asking(limit="0"), patient=False)
    assert bool(argument_verdicts(session.finish())) is checked


def test_only_the_form_of_a_retried_response_is_checked(examining: Maker) -> None:
    """The verdict on the argument is that of the last response."""
    session = examining(scripted_response(500, b"{}"), scripted_response(400, ERROR))
    session.session.knowledge = Known(frozenset({"project_list"}))
    send(session, LIST.asking(limit="0"))
    record = session.finish()

    assert argument_verdicts(record) == {"arguments/limit": "pass"}
    assert findings_of(record)["error/code", "fail"].exchanges == ("item#1",)


def test_names_of_parameters_come_from_the_profile(examining: Maker) -> None:
    """A name is certain if it is specified, declared or proven by the target."""
    declared = {"parameters": {"video_list": {"cursor": "after", "project": False}}}
    session = examining(scripted_response(200, PAGE), **declared)
    videos = session.contract.operation("video_list")
    projects = session.contract.operation("project_list")
    record = session.contract.operation("project_get")

    assert session.roles(projects) == {"limit": "limit", "cursor": "cursor", "companyId": "company"}
    assert session.roles(videos) == {"limit": "limit", "after": "cursor"}
    session.session.knowledge = Known(names=frozenset({("video_list", "company")}))
    assert session.roles(videos) == {"limit": "limit", "after": "cursor", "companyId": "company"}
    assert session.roles(record) == {}
    names = {
        role: session.name(videos, role) for role in ("limit", "cursor", "company", "project", "id")
    }
    assert names == {
        "limit": "limit",
        "cursor": "after",
        "company": "companyId",
        "project": None,
        "id": None,
    }


# --- problems of one exchange --------------------------------------------------------------------


def test_the_problems_of_an_exchange_are_its_violations_of_the_rules(examining: Maker) -> None:
    """A check can choose the exchange that is their evidence."""
    session = examining(scripted_response(200, b"{}"))
    first, second = send(session), send(session)
    assert [judgement.requirement for judgement in session.problems(second)] == [
        "envelope/data",
        "envelope/request-id",
    ]

    session.show(second)
    record = session.finish()
    assert findings_of(record)["envelope/data", "fail"].exchanges == (second.id,)
    assert findings_of(record)["response/status", "pass"].exchanges == (first.id, second.id)


def test_an_unconfirmed_violation_is_an_error(
    monkeypatch: pytest.MonkeyPatch, examining: Maker
) -> None:
    """A failure of the same requirement is reported too."""
    session = examining(scripted_response(200, FINE.replace(b'"x"', b"1")))
    send(session)
    monkeypatch.setattr(validation, "is_confirmed", lambda *_: False)
    unsure = send(session)
    assert session.problems(unsure) == []
    record = session.finish()

    assert findings_of(record)["account/fields", "fail"].exchanges == ("item#1",)
    assert findings_of(record)["account/fields", "error"].exchanges == ("item#2",)


# --- secrets -------------------------------------------------------------------------------------


def test_records_and_the_log_contain_no_secret(tmp_path: Path, examining: Maker) -> None:
    """The target repeats the secret in every place and spelling, and a finding quotes it."""
    echoes = [
        SECRET,
        quote(SECRET, safe=""),
        json.dumps(SECRET)[1:-1],
        base64.b64encode(f"x{SECRET}".encode()).decode(),
    ]
    body = json.dumps(
        {
            "data": {"id": SECRET, "displayName": echoes, "accountType": SECRET},
            "requestId": echoes,
            SECRET: 1,
        }
    ).encode()
    error = json.dumps({"code": SECRET, "requestId": 1, "message": echoes}).encode()
    session = examining(
        scripted_response(200, body, location=f"/{quote(SECRET)}", x_echo=SECRET),
        scripted_response(404, error),
    )
    session.session.open_log(tmp_path / "deep" / "log.jsonl")
    exchange = send(session, scheme="api-key", purpose=SECRET)
    send(session, Call("account_get", query=(("q", SECRET),)), headers=(("x-copy", SECRET),))
    session.observations.append(("observe/x", SECRET, {SECRET: [SECRET]}))
    own = Finding(
        "a/b", Verdict.FAIL, None, f"came {SECRET}", f"not {SECRET}", (SECRET,), (exchange.id,)
    )
    written = orjson.dumps(session.finish((own,)))
    session.session.close()
    log = (tmp_path / "deep" / "log.jsonl").read_bytes()

    assert len(log.splitlines()) == 2
    for spelling in (SECRET, *echoes[:3], echoes[3][4:-4], quote(SECRET)):
        for text in (written, log):
            for nested in (
                spelling,
                json.dumps(spelling)[1:-1],
                json.dumps(spelling, ensure_ascii=False)[1:-1],
            ):
                assert nested.encode() not in text
    assert exchange.response is not None
    assert exchange.response.body == body


def test_a_short_secret_does_not_change_what_is_checked(examining: Maker) -> None:
    """Secrets are masked in the output only."""
    session = examining(scripted_response(200, FINE), credentials={"primary": {"api-key": "a"}})
    send(session)
    record = session.finish()

    assert {str(finding.verdict) for finding in record.findings} == {"pass"}


def test_values_that_cannot_be_written_do_not_end_a_run(examining: Maker) -> None:
    """Lone surrogates and integers beyond 64 bits are written as text."""
    session = examining(scripted_response(404, b'{"code": "\\ud800", "requestId": "\\ud800"}'))
    exchange = send(session, LIST)
    session.observations.append(("observe/x", "\ud800", [2**70, {"\ud800": "\udfff"}]))
    own = Finding("a/b", Verdict.FAIL, None, f"answered {exchange.describe()} \ud800")

    written = orjson.loads(orjson.dumps(session.finish((own,))))
    assert written["observations"] == [
        ["observe/x", "\\ud800", [str(2**70), {"\\ud800": "\\udfff"}]]
    ]


HOSTILE_BODIES = [
    b"[" * 100_000,
    b"[" * 900 + b"]" * 900,
    b'{"data": ' + b"[" * 500 + b"]" * 500 + b', "requestId": "r"}',
    b'{"data": {"items": '
    + b"[" * 500
    + b"]" * 500
    + b', "nextCursor": '
    + b'{"a":' * 300
    + b"1"
    + b"}" * 300
    + b'}, "requestId": "r"}',
    b'{"data": {"items": [{"\\ud800": "\\ud800", "id": "\\ud800"}], "nextCursor": "\\ud800"}, '
    b'"requestId": "\\ud800"}',
    b'{"data": {"items": [{"id": 1e400, "videoCount": '
    + b"9" * 5000
    + b'}], "nextCursor": 1}, "requestId": "r"}',
    '{"data": null, "requestId": ""}'.encode("utf-16"),
    b"\xff\xfe",
    b"\x00" * 1000,
    b"NaN",
]


@pytest.mark.parametrize("body", HOSTILE_BODIES, ids=range(len(HOSTILE_BODIES)))
@pytest.mark.parametrize("status", [200, 404, 429, 503, 302, 999])
@pytest.mark.parametrize("operation", ["project_list", "account_get", "review_approve"])
def test_no_response_causes_an_internal_error(
    examining: Maker, body: bytes, status: int, operation: str
) -> None:
    """The findings of each hostile body can be written."""
    session = examining(scripted_response(status, body, retry_after="\xff"))
    send(session, Call(operation, {"reviewId": ID}), patient=False)
    record = session.finish()

    assert [finding for finding in record.findings if finding.verdict is Verdict.ERROR] == []
    orjson.dumps(record)


def test_a_credential_that_was_never_issued_has_one_secret() -> None:
    """The secret is for the requested scheme."""
    key, bearer = never_issued("unknown", "api-key", "v"), never_issued("unknown", "bearer", "v")
    assert (key.name, key.schemes, key.secret("api-key")) == ("unknown", ("api-key",), "v")
    assert (bearer.schemes, bearer.secret("bearer")) == (("bearer",), "v")


def test_a_deeper_run_has_no_smaller_limits() -> None:
    """This holds for examples, pages, records and sequences."""
    quick, standard, deep = DEPTHS["quick"], DEPTHS["standard"], DEPTHS["deep"]
    for name in ("examples", "pages", "records", "sequences"):
        assert getattr(quick, name) <= getattr(standard, name) <= getattr(deep, name)
    assert [depth.name for depth in DEPTHS.values()] == list(DEPTHS)


def test_operations_share_values_in_a_run_of_little_depth(examining: Maker) -> None:
    """Each gets the first one and some others; a few values, each gets all of."""
    context = examining()
    values, most = list(range(20)), DEPTHS["quick"].shared
    shares = [context.share(values, id) for id in context.contract.operations]
    assert most is not None
    assert {len(share) for share in shares} == {most}
    assert {share[0] for share in shares} == {0}
    assert set().union(*shares) == set(values)
    assert context.share(values[:most], "account_get") == values[:most]
