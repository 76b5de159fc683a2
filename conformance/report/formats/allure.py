"""The report as Allure results: one for each requirement and operation."""

import hashlib
import json
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from conformance.contract.verdict import Level, Verdict
from conformance.report import needs
from conformance.report.cases import Case, cases
from conformance.report.causes import exhibits
from conformance.report.document_types import (
    ExchangeEntry,
    FindingEntry,
    Report,
    RequestEntry,
    ResponseEntry,
)
from conformance.report.text import visible

Json = dict[str, Any]
STATUS = {
    "pass": "passed",
    "fail": "failed",
    "error": "broken",
    "inconclusive": "skipped",
    "not-applicable": "skipped",
}
SEVERITY = {"must": "critical", "should": "minor"}
CATEGORIES = (
    ("Failed requirements", "failed", "failed: "),
    ("Warnings", "failed", "warning: "),
    ("Known failures", "failed", "known: "),
    ("Internal errors", "broken", "error: "),
    ("Not checked", "skipped", "inconclusive: "),
    ("Not applicable", "skipped", "not applicable: "),
)
"""Name, status, and the beginning of the messages of a category."""

SPACE = uuid.UUID("6f0a8e0e-3c0b-5d7c-9a43-6d1d1f7f4c11")
"""The name space of the ids of the results."""


def render(report: Report) -> Iterator[tuple[str, bytes]]:
    """The files of the directory of results: name and content."""
    yield "environment.properties", _environment(report)
    yield "categories.json", _json([_category(*category) for category in CATEGORIES])
    began = int(datetime.fromisoformat(report["started"]).timestamp() * 1000)
    for case in cases(report):
        yield from _attachments(case)
        yield f"{uuid.uuid5(SPACE, case.name)}-result.json", _json(_result(case, began))


def _category(name: str, status: str, start: str) -> Json:
    return {"name": name, "matchedStatuses": [status], "messageRegex": rf"^{start}[\s\S]*"}


def _result(case: Case, began: int) -> Json:
    steps = [_step(finding, began, STATUS[case.verdict]) for finding in case.findings]
    result: Json = {
        "uuid": str(uuid.uuid5(SPACE, case.name)),
        "historyId": _digest(case.name),
        "testCaseId": _digest(case.requirement),
        "fullName": case.name,
        "name": case.name,
        "description": case.statement,
        "status": STATUS[case.verdict],
        "stage": "finished",
        "start": min((step["start"] for step in steps), default=began),
        "stop": max((step["stop"] for step in steps), default=began),
        "labels": [{"name": name, "value": value} for name, value in _labels(case)],
        "parameters": [{"name": "operation", "value": case.operation}] if case.operation else [],
        "titlePath": [case.conformance_class, case.requirement],
        "steps": steps,
    }
    if case.verdict != Verdict.PASS:
        result["statusDetails"] = {
            "message": f"{_start(case)}{case.message}",
            "trace": case.text,
            "known": case.known is not None,
        }
    return result


def _start(case: Case) -> str:
    if case.known is not None:
        return f"known: {case.known}: "
    if case.verdict == Verdict.FAIL:
        return "failed: " if case.level == Level.MUST else "warning: "
    if case.verdict == Verdict.NOT_APPLICABLE:
        return "not applicable: "
    return f"{case.verdict}: "


def _labels(case: Case) -> Iterator[tuple[str, str]]:
    yield "epic", case.conformance_class
    yield "feature", case.section
    yield "story", case.requirement
    yield "severity", SEVERITY[case.level]
    yield "tag", case.level
    yield "parentSuite", "localization-api-conformance"
    yield "suite", case.conformance_class
    yield "subSuite", case.requirement
    yield "framework", "localization-api-conformance"


def _step(found: FindingEntry, began: int, status: str) -> Json:
    steps = [_exchange(exchange, began, status) for exchange in exhibits.of(found).all]
    return {
        "name": visible(found["message"]) or found["verdict"],
        "status": status,
        "stage": "finished",
        "start": min((step["start"] for step in steps), default=began),
        "stop": max((step["stop"] for step in steps), default=began),
        "steps": steps,
        "parameters": [
            {"name": name, "value": visible(value)} for name, value in _parameters(found)
        ],
    }


def _parameters(found: FindingEntry) -> Iterator[tuple[str, str]]:
    if found["expected"]:
        yield "expected", found["expected"]
    if found["needs"]:
        yield "needs", needs.described(found)
    if found["occurrences"] > 1:
        yield "occurrences", str(found["occurrences"])


def _exchange(exchange: ExchangeEntry, began: int, status: str) -> Json:
    request = exchange["request"]
    start = began + round(exchange["started"] * 1000)
    response = exchange.get("response")
    outcome = response["status"] if response else f"no response: {exchange['failure']}"
    return {
        "name": visible(f"{request['method']} {request['url']}: {outcome}"),
        "status": status,
        "stage": "finished",
        "start": start,
        "stop": start + round(exchange["elapsed"] * 1000),
        "attachments": [
            {"name": kind, "source": _source(exchange, kind), "type": "text/plain"}
            for kind in ("exchange", "curl")
        ],
    }


def _attachments(case: Case) -> Iterator[tuple[str, bytes]]:
    for exchange in (exchange for finding in case.findings for exchange in finding["exchanges"]):
        yield _source(exchange, "exchange"), _shown(_wire(exchange))
        yield _source(exchange, "curl"), _shown(f"{exchange['curl']}\n")


def _shown(text: str) -> bytes:
    """A text with what acts on a terminal, or is invisible, as escapes; its lines stay lines."""
    return _bytes("\n".join(map(visible, text.split("\n"))))


def _source(exchange: ExchangeEntry, kind: str) -> str:
    return f"{_digest(exchange['id'])}-{kind}-attachment.txt"


def _wire(exchange: ExchangeEntry) -> str:
    """An exchange as it was transferred, as far as a text can show it."""
    request, response = exchange["request"], exchange.get("response")
    first = _message(f"{request['method']} {request['url']} HTTP/1.1", request)
    if response is None:
        return f"{first}\n\nno response: {exchange['failure']}\n"
    second = _message(f"HTTP/1.1 {response['status']}", response)
    return f"{first}\n\n{second}\n"


def _message(start: str, message: RequestEntry | ResponseEntry) -> str:
    body = message["body"] or {}
    content = f"(base64) {body['base64']}" if "base64" in body else body.get("text", "")
    headers = (f"{name}: {value}" for name, value in message["headers"])
    return "\n".join([start, *headers, "", content])


def _environment(report: Report) -> bytes:
    suite = report["suite"]
    interrupted = " (interrupted)" if report["interrupted"] else ""
    stated = {
        "target": report["target"]["base-url"],
        "verdict": f"{report['verdict']}{interrupted}",
        "suite": f"{suite['name']} {suite['version']}",
        "depth": suite["depth"],
        "seed": str(suite["seed"]),
        "exchanges": str(report["exchanges"]["count"]),
    }
    # Java properties have the same escapes as JSON.
    lines = (f"{name} = {json.dumps(value)[1:-1]}\n" for name, value in stated.items())
    return "".join(lines).encode()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _json(document: object) -> bytes:
    return _bytes(json.dumps(document, ensure_ascii=False))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
