"""The report in SARIF 2.1.0: a result for each failed requirement and operation.

A failure of the published description is located at its line there; every failure at the operation,
and at the profile, which is a file of the user's repository.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from conformance.contract.verdict import Level, Verdict
from conformance.report.cases import Case, cases
from conformance.report.document_types import ExchangeEntry, FindingEntry, Report
from conformance.report.formats.ci import profile_of
from conformance.report.text import visible

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FINGERPRINT = "requirementAndOperation/v1"
LINES = "lines"
"""The value of a defect with the lines of the published description that it is about."""


def render(report: Report) -> bytes:
    """The file's content."""
    failed = [case for case in cases(report) if case.verdict == Verdict.FAIL]
    rules = list({case.requirement: case for case in failed}.values())
    suite = report["suite"]
    places = [case.requirement for case in rules]
    profile = profile_of(report)
    run = {
        "tool": {
            "driver": {
                "name": suite["name"],
                "version": suite["version"],
                "rules": [_rule(case) for case in rules],
            }
        },
        "automationDetails": {"id": f"{visible(report['target']['base-url'])}/"},
        "columnKind": "unicodeCodePoints",
        "results": [_result(case, places.index(case.requirement), profile) for case in failed],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _rule(case: Case) -> dict[str, Any]:
    return {
        "id": case.requirement,
        "shortDescription": {"text": _unlinked(case.statement)},
        "defaultConfiguration": {"level": _level(case)},
        "properties": {"section": case.section, "tags": [case.conformance_class]},
    }


def _level(case: Case) -> str:
    return "error" if case.level == Level.MUST else "warning"


def _result(case: Case, rule: int, profile: str) -> dict[str, Any]:
    exchanges = case.findings[0]["exchanges"] if case.findings else []
    result: dict[str, Any] = {
        "ruleId": case.requirement,
        "ruleIndex": rule,
        "level": _level(case),
        "message": {"text": _unlinked(case.text or case.statement)},
        "locations": list(_locations(case, profile)),
        "partialFingerprints": {FINGERPRINT: hashlib.sha256(case.name.encode()).hexdigest()},
    }
    if exchanges:
        result |= _messages(exchanges[-1])
    if case.known is not None:
        result["suppressions"] = [{"kind": "external", "justification": visible(case.known)}]
    return result


def _unlinked(text: str) -> str:
    """A plain text without embedded links (SARIF 2.1.0, 3.11.6): `[text](address)`."""
    return text.replace("](", "] (")


def _locations(case: Case, profile: str) -> Iterator[dict[str, Any]]:
    named = [{"fullyQualifiedName": case.operation, "kind": "function"}] if case.operation else []
    beside = {"logicalLocations": named} if named else {}
    for finding in case.findings:
        for address, line in _described(finding):
            yield {"physicalLocation": _physical(address, line)} | beside
    yield {"physicalLocation": _physical(profile, 1)} | beside


def _described(finding: FindingEntry) -> Iterator[tuple[str, int]]:
    """The address of the published description and its lines that a failure is about."""
    lines = finding["defect"]["values"].get(LINES, ()) if "defect" in finding else ()
    # A report may be anybody's.
    if isinstance(lines, list) and finding["exchanges"]:
        address = visible(finding["exchanges"][-1]["request"]["url"])
        yield from ((address, line) for line in lines if type(line) is int and line > 0)


def _physical(uri: str, line: int) -> dict[str, Any]:
    return {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}


def _messages(exchange: ExchangeEntry) -> dict[str, Any]:
    """The last request of a failure and the status of its response; the report has all of them."""
    request, response = exchange["request"], exchange.get("response")
    sent = {"target": visible(request["url"]), "method": visible(request["method"])}
    found: dict[str, Any] = {"webRequest": {"protocol": "HTTP", **sent}}
    if response:
        found["webResponse"] = {"protocol": "HTTP", "statusCode": response["status"]}
    return found
