"""Reports with a finding of every kind, and the same reports with texts from a hostile target."""

import json
from copy import deepcopy
from typing import Any

ID = "0b0e7a52-3f6c-4d1e-9a55-1c1f6d2b7a01"
OTHER = "0197a3c4-58e0-7f3b-8c11-5b0a9e6d4f02"
BASE = "https://api.example.com/v1"
VERDICTS = ("fail", "error", "inconclusive", "pass", "not-applicable")
BUDGET = "the record has the property budget"
EVIL = (
    "</script><script>window.pwned = 1</script><img src=x onerror=window.pwned=1>\"' "
    "onload='window.pwned=1' "
    '<a href="javascript:window.pwned=1">x</a> <!-- ]]> </style></pre> {{ 7 * 7 }} '
    "\x00\x07\x1b[31m\x7f\u202e\u2066\u200b\u2028\ufeff\u3164"
)


def a_defect(kind: str = "extra", *where: str, **properties: Any) -> Any:
    """A serialized defect; `where` are JSON Pointers into the body."""
    return {
        "kind": kind,
        "text": "{place} has the property {properties}",
        "values": {"place": "the record", "properties": "budget"},
        "actual": None,
        "where": [{"part": "body", "name": name, "exchange": ""} for name in where],
        "keyword": "",
        "fields": [],
        **properties,
    }


BUDGET_DEFECT = a_defect("extra", "/data/budget", keyword="additionalProperties", fields=["budget"])


def an_exchange(
    number: int = 1, operation: str = "project_get", status: int = 200, **properties: Any
) -> Any:
    """A serialized exchange."""
    return {
        "id": f"read::test_it[{operation}]#{number}",
        "item": f"read::test_it[{operation}]",
        "operation": operation,
        "purpose": "a read",
        "credential": "primary",
        "scheme": "api-key",
        "request": {
            "method": "GET",
            "url": f"{BASE}/projects/{ID}",
            "headers": [["x-api-key", "$PRIMARY_API_KEY"]],
            "body": None,
        },
        "started": 1.0,
        "elapsed": 0.012,
        "response": {
            "status": status,
            "headers": [["content-type", "application/json"]],
            "body": {"text": json.dumps({"data": {"id": ID, "budget": 12}, "requestId": "r"})},
        },
        **properties,
    }


def a_finding(
    verdict: str = "fail", operation: str | None = "project_get", **properties: Any
) -> Any:
    """A finding in the form of a report."""
    return {
        "verdict": verdict,
        "operation": operation,
        "message": BUDGET,
        "expected": "the fields of the resource, with their types",
        "needs": [],
        "items": ["read::test_it[project_get]"],
        "occurrences": 3,
        "exchanges": [{**an_exchange(), "curl": "curl -sS 'https://api.example.com/v1/projects'"}],
        **({"defect": deepcopy(BUDGET_DEFECT)} if verdict == "fail" else {}),
        **properties,
    }


def an_entry(id: str, verdict: str = "pass", **properties: Any) -> Any:
    """A requirement in the form of a report."""
    findings = [] if verdict == "pass" else [a_finding(verdict)]
    return {
        "id": id,
        "level": "must",
        "class": "read",
        "section": "Project",
        "statement": f"The statement of {id}.",
        "verdict": verdict,
        "operations": {"project_list": "pass", "project_get": verdict},
        "findings": findings,
        **properties,
    }


def a_report(*entries: Any, **properties: Any) -> Any:
    """A report with these requirements, and one of each other kind."""
    open_ = a_finding(
        "inconclusive",
        message="no credential expired",
        expected="",
        needs=["credentials.expired"],
        exchanges=[],
    )
    blocked = a_finding(
        "inconclusive", message="no record", expected="", needs=["data in the target"]
    )
    others = (
        an_entry("project/required"),
        an_entry("read/names", "fail", level="should"),
        an_entry(
            "authentication/expired",
            "inconclusive",
            **{"class": "authentication", "findings": [open_]},
        ),
        an_entry("read/agreement", "inconclusive", findings=[blocked]),
        an_entry("read/parent", "error"),
        an_entry("tools/listed", "not-applicable", **{"class": "tools", "findings": []}),
        an_entry("untested/membership", "inconclusive", untested="Not visible."),
        an_entry("observe/formats", "inconclusive", level="observe", findings=[]),
    )
    return {
        "format": 1,
        "verdict": "non-conformant",
        "interrupted": False,
        "suite": {
            "name": "suite",
            "version": "0.1.0",
            "seed": 1,
            "depth": "standard",
            "classes": ["read"],
        },
        "target": {"base-url": BASE, "profile": "target.toml"},
        "started": "2026-11-21T00:10:00+00:00",
        "duration": 7.25,
        "counts": {level: dict.fromkeys(VERDICTS, 0) for level in ("must", "should")},
        "exchanges": {"count": 2, "methods": {"GET": 2}, "file": "exchanges.jsonl"},
        "requirements": [*(entries or [an_entry("project/closed", "fail")]), *others],
        "observations": [
            {
                "id": "observe/formats",
                "subject": "project_list: values of status",
                "values": ["draft", 3, None],
            }
        ],
        "ledger": [{"review": ID, "key": "k", "revision": 2}],
        **properties,
    }


OURS = frozenset(
    {"statement", "section", "untested", "name", "version", "credential", "scheme", "operations"}
)
"""Further properties whose texts are never a target's."""


def poisoned(value: Any, text: str = EVIL, ours: frozenset[str] = frozenset()) -> Any:
    """The same document with hostile texts in place of all texts from the target."""
    trusted = ours | {
        "verdict",
        "level",
        "id",
        "class",
        "operation",
        "base-url",
        "started",
        "file",
        "depth",
        "needs",
        "classes",
        "method",
        "base64",
        "kind",
        "part",
    }
    if isinstance(value, dict):
        return {
            key: child if key in trusted else poisoned(child, text, ours)
            for key, child in value.items()
        }
    if isinstance(value, list):
        return [poisoned(child, text, ours) for child in value]
    return text if isinstance(value, str) else value


EXCHANGES = [
    an_exchange(1),
    an_exchange(2, "project_list", 404),
    {
        name: value
        for name, value in an_exchange(3, failure="timed out").items()
        if name != "response"
    },
]
