"""The examination of one target: rules on every exchange, evidence and redaction."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from scripted_app import ScriptedApp, scripted_response

from conformance.contract.verdict import Finding, Verdict
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.http.transport import InProcess
from conformance.rules import validation
from conformance.runner import result
from conformance.runner.depth import DEPTHS
from conformance.runner.result import ItemResult
from conformance.runner.session import Session, never_issued
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

Maker = Callable[..., Session]


@pytest.fixture
def examining() -> Iterator[Maker]:
    """Makes sessions with an application that answers by a script, and closes them."""
    made: list[Session] = []

    def make(*answers: Any, **profile: Any) -> Session:
        target = parse({**PROFILE, **profile}, base_url="http://target.test/v1", environ={})
        made.append(
            Session(
                target,
                InProcess(ScriptedApp(list(answers)), lambda _: None),
                seed=1,
                depth=DEPTHS["quick"],
            )
        )
        made[-1].begin("item")
        return made[-1]

    yield make
    for each in made:
        each.close()


def send(
    session: Session, call: Call = ACCOUNT, name: str | None = "primary", **how: Any
) -> Exchange:
    """One call as a credential of the profile."""
    return session.client.send(
        call, Sending(session.target.credentials[name] if name else None, **how)
    )


def found(record: ItemResult) -> dict[tuple[str, str], Finding]:
    """The findings of a record by requirement and verdict."""
    return {(finding.requirement, str(finding.verdict)): finding for finding in record.findings}


def test_the_rules_apply_to_every_exchange(examining: Maker) -> None:
    """Form and fields; findings have the requirement, the operation and the item."""
    session = examining(scripted_response(200, FINE))
    send(session)
    record = session.end(())

    judged = {finding.requirement for finding in record.findings}
    assert judged >= {"response/status", "envelope/data", "account/fields", "representation/uuid"}
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
    """At most three of its exchanges; further findings are reported too."""
    session = examining(
        scripted_response(200, b"{}"),
        scripted_response(200, FINE),
        scripted_response(200, b"[]"),
        scripted_response(200, b"{}"),
        scripted_response(200, b"{}"),
    )
    for _ in range(5):
        send(session)
    record = session.end(())

    broken, kept = found(record)["envelope/data", "fail"], found(record)["envelope/data", "pass"]
    assert (broken.message, broken.expected) == (
        "a success without data: {}",
        "an object {data, requestId}",
    )
    assert broken.exchanges == ("item#1", "item#3", "item#4")
    assert kept.exchanges == ("item#2",)
    assert set(record.evidence) >= {"item#1", "item#3", "item#4"}
    assert "item#2" not in record.evidence


def test_an_item_has_its_own_findings_and_what_it_sent(examining: Maker) -> None:
    """A new item begins with nothing; methods are counted."""
    session = examining(scripted_response(404, ERROR))
    send(session)
    session.end(())
    session.begin("next")
    session.observations.append(("observe/x", "account_get", [1, SECRET]))
    send(session, Call("review_approve", {"reviewId": ID}, body=b"{}"))
    send(session)
    record = session.end(
        (Finding("base/x", Verdict.PASS), Finding("base/y", Verdict.PASS, item="elsewhere"))
    )

    assert [(finding.requirement, finding.item) for finding in record.findings[:2]] == [
        ("base/x", "next"),
        ("base/y", "elsewhere"),
    ]
    assert {finding.item for finding in record.findings[2:]} == {"next"}
    assert (record.exchanges, record.methods) == (2, {"POST": 1, "GET": 1})
    assert record.observations == (("observe/x", "account_get", [1, "$PRIMARY_API_KEY"]),)
    session.begin("last")
    assert session.end(()) == ItemResult("last", (), (), {}, 0, {}, {})


def test_evidence_of_an_earlier_item_is_shown_where_a_finding_needs_it(
    monkeypatch: pytest.MonkeyPatch, examining: Maker
) -> None:
    """What was read once is looked at by many checks; only so much is remembered."""
    monkeypatch.setattr(result, "MOST_REMEMBERED", 2)
    session = examining(scripted_response(404, ERROR))
    for _ in range(3):
        send(session)
    session.begin("next")
    record = session.end(
        (Finding("a/b", Verdict.FAIL, exchanges=("item#1", "item#2", "item#3", "item#9")),)
    )

    assert list(record.evidence) == ["item#2", "item#3"]


def test_a_finding_shows_three_of_its_exchanges(examining: Maker) -> None:
    """And a pass none."""
    session = examining(scripted_response(404, ERROR))
    for _ in range(5):
        send(session)
    ids = tuple(f"item#{number}" for number in range(1, 6))

    assert list(session.end((Finding("a/b", Verdict.INCONCLUSIVE, exchanges=ids),)).evidence) == [
        "item#1",
        "item#2",
        "item#3",
    ]
    assert session.end((Finding("a/b", Verdict.PASS, exchanges=ids),)).evidence == {}


def test_requests_outside_the_contract_are_recorded_and_not_checked(examining: Maker) -> None:
    """A request outside the contract, and one without a response; neither is a baseline."""
    session = examining(scripted_response(200, b"<html>"), RuntimeError())
    extraordinary = send(session, in_contract=False)
    unanswered = send(session, patient=False)
    record = session.end(())

    assert (record.findings, record.exchanges, session.baselines) == ((), 2, set())
    assert {operation: len(seconds) for operation, seconds in record.elapsed.items()} == {
        "account_get": 1
    }
    assert (session.problems(extraordinary), session.problems(unanswered)) == ([], [])


def test_controls_are_what_has_succeeded(examining: Maker) -> None:
    """By operation and credential."""
    session = examining(
        scripted_response(200, FINE), scripted_response(403, ERROR), scripted_response(200, FINE)
    )
    send(session)
    send(session, Call("project_list"))
    send(session, name=None)

    assert session.baselines == {("account_get", "primary"), ("account_get", None)}


# --- arguments -----------------------------------------------------------------------------------

LIST = Call("project_list")


def argument_verdicts(record: ItemResult) -> dict[str, str]:
    """The verdicts on arguments."""
    return {
        finding.requirement: str(finding.verdict)
        for finding in record.findings
        if finding.requirement.startswith("arguments/")
    }


def test_arguments_are_judged_once_the_plain_request_has_succeeded(examining: Maker) -> None:
    """Before that a refusal may have any reason."""
    session = examining(scripted_response(200, PAGE))
    send(session, LIST.asking(limit="0"))
    assert argument_verdicts(session.end(())) == {}
    session.begin("next")
    send(session, LIST.asking(limit="0"))
    assert argument_verdicts(session.end(())) == {"arguments/limit": "fail"}


@pytest.mark.parametrize("how", [{"name": "outsider"}, {"name": None}, {"judge_arguments": False}])
def test_only_primary_argues(examining: Maker, how: dict[str, Any]) -> None:
    """And only in requests that nothing else speaks against."""
    session = examining(scripted_response(200, PAGE))
    for name in ("primary", "outsider", None):
        send(session, LIST, name)
    session.begin("next")
    send(session, LIST.asking(limit="0"), **how)
    assert argument_verdicts(session.end(())) == {}


@pytest.mark.parametrize(
    ("status", "judged"),
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
def test_the_weather_is_no_answer_to_arguments(examining: Maker, status: int, judged: bool) -> None:
    """Nor is a 401; a 500 is."""
    session = examining(
        scripted_response(200, PAGE), scripted_response(status, ERROR, retry_after="1")
    )
    send(session, LIST)
    session.begin("next")
    send(session, LIST.asking(limit="0"), patient=False)
    assert bool(argument_verdicts(session.end(()))) is judged


def test_what_was_tried_again_is_judged_by_its_form_alone(examining: Maker) -> None:
    """Its status is not the answer."""
    session = examining(
        scripted_response(200, PAGE), scripted_response(500, b"{}"), scripted_response(400, ERROR)
    )
    send(session, LIST)
    session.begin("next")
    send(session, LIST.asking(limit="0"))
    record = session.end(())

    assert argument_verdicts(record) == {"arguments/limit": "pass"}
    assert found(record)["error/code", "fail"].exchanges == ("next#1",)


def test_names_of_parameters_are_those_of_the_profile(examining: Maker) -> None:
    """Judged where they are certain: specified, declared, or shown by the target."""
    declared = {"parameters": {"video_list": {"cursor": "after", "project": False}}}
    session = examining(scripted_response(200, PAGE), **declared)
    videos = session.contract.operation("video_list")
    projects = session.contract.operation("project_list")
    record = session.contract.operation("project_get")

    assert session.roles(projects) == {"limit": "limit", "cursor": "cursor", "companyId": "company"}
    assert session.roles(videos) == {"limit": "limit", "after": "cursor"}
    session.proven.add(("video_list", "company"))
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


# --- one problem of many -------------------------------------------------------------------------


def test_the_problems_of_an_exchange_are_what_the_rules_hold_against_it(examining: Maker) -> None:
    """And one exchange can be made the one that is shown for them."""
    session = examining(scripted_response(200, b"{}"))
    first, second = send(session), send(session)
    assert [judgement.requirement for judgement in session.problems(second)] == [
        "envelope/data",
        "envelope/request-id",
    ]

    session.show(second)
    record = session.end(())
    assert found(record)["envelope/data", "fail"].exchanges == (second.id,)
    assert found(record)["response/status", "pass"].exchanges == (first.id, second.id)


def test_an_unconfirmed_violation_is_an_error_and_hides_no_failure(
    monkeypatch: pytest.MonkeyPatch, examining: Maker
) -> None:
    """Where one requirement has both, both are reported."""
    session = examining(scripted_response(200, FINE.replace(b'"x"', b"1")))
    send(session)
    monkeypatch.setattr(validation, "is_confirmed", lambda *_: False)
    unsure = send(session)
    assert session.problems(unsure) == []
    record = session.end(())

    assert found(record)["account/fields", "fail"].exchanges == ("item#1",)
    assert found(record)["account/fields", "error"].exchanges == ("item#2",)


# --- secrets -------------------------------------------------------------------------------------


def test_no_secret_leaves_by_a_record_or_by_the_log(tmp_path: Path, examining: Maker) -> None:
    """Though the target repeats it in every place and spelling, and a finding quotes it."""
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
    refusal = json.dumps({"code": SECRET, "requestId": 1, "message": echoes}).encode()
    session = examining(
        scripted_response(200, body, location=f"/{quote(SECRET)}", x_echo=SECRET),
        scripted_response(404, refusal),
    )
    session.open_log(tmp_path / "deep" / "log.jsonl")
    exchange = send(session, scheme="api-key", purpose=SECRET)
    send(session, Call("account_get", query=(("q", SECRET),)), headers=(("x-copy", SECRET),))
    session.observations.append(("observe/x", SECRET, {SECRET: [SECRET]}))
    own = Finding(
        "a/b", Verdict.FAIL, None, f"came {SECRET}", f"not {SECRET}", (SECRET,), (exchange.id,)
    )
    written = orjson.dumps(session.end((own,)))
    session.close()
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


def test_a_short_secret_garbles_nothing_that_is_judged(examining: Maker) -> None:
    """Only what is written is masked."""
    session = examining(scripted_response(200, FINE), credentials={"primary": {"api-key": "a"}})
    send(session)
    record = session.end(())

    assert {str(finding.verdict) for finding in record.findings} == {"pass"}


def test_values_that_cannot_be_written_do_not_end_a_run(examining: Maker) -> None:
    """Lone surrogates in codes, whole numbers past 64 bits in what was observed."""
    session = examining(scripted_response(404, b'{"code": "\\ud800", "requestId": "\\ud800"}'))
    exchange = send(session, LIST)
    session.observations.append(("observe/x", "\ud800", [2**70, {"\ud800": "\udfff"}]))
    own = Finding("a/b", Verdict.FAIL, None, f"answered {exchange.describe()} \ud800")

    written = orjson.loads(orjson.dumps(session.end((own,))))
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
    """Whatever is in it: findings that can be written, and no error of the checker."""
    session = examining(scripted_response(status, body, retry_after="\xff"))
    send(session, Call(operation, {"reviewId": ID}), patient=False)
    record = session.end(())

    assert [finding for finding in record.findings if finding.verdict is Verdict.ERROR] == []
    orjson.dumps(record)


def test_a_credential_that_nobody_was_given_has_one_secret() -> None:
    """Of the scheme asked for."""
    key, bearer = never_issued("unknown", "api-key", "v"), never_issued("unknown", "bearer", "v")
    assert (key.name, key.schemes, key.secret("api-key")) == ("unknown", ("api-key",), "v")
    assert (bearer.schemes, bearer.secret("bearer")) == (("bearer",), "v")


def test_a_depth_that_is_deeper_spends_no_less() -> None:
    """On anything."""
    quick, standard, deep = DEPTHS["quick"], DEPTHS["standard"], DEPTHS["deep"]
    for name in ("examples", "pages", "records", "sequences"):
        assert getattr(quick, name) <= getattr(standard, name) <= getattr(deep, name)
    assert [depth.name for depth in DEPTHS.values()] == list(DEPTHS)
