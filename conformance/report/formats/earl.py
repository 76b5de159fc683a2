"""The report in EARL 1.0 (JSON-LD): an assertion for each requirement and operation."""

import json
from typing import Any

from conformance.report.cases import Case, cases
from conformance.report.document_types import Report

OUTCOMES = {
    "pass": "earl:passed",
    "fail": "earl:failed",
    "error": "earl:cantTell",
    "inconclusive": "earl:cantTell",
    "not-applicable": "earl:inapplicable",
}
CONTEXT = {
    "earl": "http://www.w3.org/ns/earl#",
    "dct": "http://purl.org/dc/terms/",
    "doap": "http://usefulinc.com/ns/doap#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


def render(report: Report) -> bytes:
    """The file's content."""
    suite, target = report["suite"], report["target"]["base-url"]
    assertor = {
        "@id": "_:suite",
        "@type": ["earl:Software", "earl:Assertor"],
        "doap:name": suite["name"],
        "doap:release": {"doap:revision": suite["version"]},
    }
    subject = {"@id": target, "@type": "earl:TestSubject", "dct:title": target}
    assertions = (_assertion(case, target, report["started"]) for case in cases(report))
    document = {"@context": CONTEXT, "@graph": [assertor, subject, *assertions]}
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _assertion(case: Case, target: str, date: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "@type": "earl:TestResult",
        "earl:outcome": {"@id": OUTCOMES[case.verdict]},
        "dct:date": {"@value": date, "@type": "xsd:dateTime"},
    }
    if case.text:
        result["dct:description"] = case.text
    return {
        "@type": "earl:Assertion",
        "earl:assertedBy": {"@id": "_:suite"},
        "earl:subject": {"@id": target},
        "earl:test": {
            "@id": f"urn:localization-api-conformance:{case.name}",
            "@type": "earl:TestRequirement",
            "dct:title": case.name,
            "dct:description": case.statement,
        },
        "earl:mode": {"@id": "earl:automatic"},
        "earl:result": result,
    }
