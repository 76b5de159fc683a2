"""The report in the Evaluation and Report Language (EARL 1.0, JSON-LD): an assertion for each requirement and operation."""

import json
from collections.abc import Mapping
from typing import Any

from conformance.report.cases import Case, cases

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


def render(report: Mapping[str, Any]) -> bytes:
    """The file's content."""
    suite, target = report["suite"], report["target"]["base-url"]
    assertor = {
        "@id": "_:suite",
        "@type": ["earl:Software", "earl:Assertor"],
        "doap:name": suite["name"],
        "doap:release": {"doap:revision": suite["version"]},
    }
    subject = {"@id": target, "@type": "earl:TestSubject", "dct:title": target}
    graph = [
        assertor,
        subject,
        *(_assertion(case, target, report["started"]) for case in cases(report)),
    ]
    return json.dumps({"@context": CONTEXT, "@graph": graph}, indent=1, ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


def _assertion(case: Case, target: str, date: str) -> dict[str, Any]:
    result = {
        "@type": "earl:TestResult",
        "earl:outcome": {"@id": OUTCOMES[case.verdict]},
        "dct:date": {"@value": date, "@type": "xsd:dateTime"},
        **({"dct:description": case.text} if case.text else {}),
    }
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
