"""Findings as JSON: as an item of the run records them, and as the report shows them."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from conformance.contract.verdict import Defect, Finding, Verdict
from conformance.http import serialization
from conformance.http.address import below
from conformance.report.document_types import (
    ConditionEntry,
    DefectEntry,
    ExchangeEntry,
    FindingEntry,
    FindingRecord,
)

PAGING = ("limit", "cursor")
LONGEST_VALUE = 300
"""Characters of the JSON text of a value in a defect."""


def record(found: Finding) -> FindingRecord:
    """A finding as the journal records it."""
    return {
        "requirement": found.requirement,
        "verdict": found.verdict.value,
        "operation": found.operation,
        "message": found.message,
        "expected": found.expected,
        "needs": list(found.needs),
        "exchanges": list(found.exchanges),
        "item": found.item,
        "defect": _recorded(found.defect) if found.defect else None,
        "responses": found.responses,
        "schemes": list(found.schemes),
        "faces": list(found.faces),
    }


def _recorded(found: Defect) -> DefectEntry:
    return {
        "kind": found.kind.value,
        "text": found.text,
        "values": dict(found.values),
        "actual": found.actual,
        "where": [
            {"part": place.part.value, "name": place.name, "exchange": place.exchange}
            for place in found.where
        ],
        "keyword": found.keyword,
        "fields": list(found.fields),
    }


def entry(found: FindingRecord, evidences: Mapping[str, ExchangeEntry]) -> FindingEntry:
    """A finding for the report; each exchange has the command that repeats its request."""
    exchanges = [evidences[id] for id in found["exchanges"] if id in evidences]
    shown: FindingEntry = {
        "verdict": found["verdict"],
        "operation": found["operation"],
        "message": found["message"],
        "expected": found["expected"],
        "needs": list(found["needs"]),
        "items": [found["item"]],
        "occurrences": 0,
        "exchanges": [_with_curl(exchange) for exchange in exchanges],
    }
    defect = found.get("defect")
    if defect and found["verdict"] == Verdict.FAIL:
        shown["defect"] = _shortened(defect)
    if exchanges:
        shown["condition"] = condition(exchanges[-1])
    return shown


def _with_curl(exchange: ExchangeEntry) -> ExchangeEntry:
    return {**exchange, "curl": serialization.curl(exchange["request"])}


def _shortened(found: DefectEntry) -> DefectEntry:
    """The defect as the report has it: with the beginning of long values."""
    return {
        "kind": found["kind"],
        "text": found["text"],
        "values": {name: _short(value) for name, value in found["values"].items()},
        "actual": _short(found["actual"]),
        "where": found["where"],
        "keyword": found["keyword"],
        "fields": found["fields"],
    }


def _short(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False)
    return value if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def condition(exchange: ExchangeEntry) -> ConditionEntry:
    """The caller, the interface and the part of a list that a recorded exchange was about."""
    call = _tool_call(exchange)
    found: ConditionEntry = {
        "caller": exchange["credential"],
        "scheme": exchange["scheme"],
        "face": "http" if call is None else "tool",
    }
    arguments = _query(exchange) if call is None else call
    for name in PAGING:
        if name in arguments:
            found[name] = str(arguments[name])  # type: ignore[literal-required]
    return found


def is_over_http(exchange: ExchangeEntry, base_url: str) -> bool:
    """Whether a recorded exchange was about an operation over HTTP, below the base URL.

    Where the base URL has no path, the tools are below it as well.
    """
    return below(base_url, exchange["request"]["url"]) is not None and _tool_call(exchange) is None


def _query(exchange: ExchangeEntry) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(exchange["request"]["url"]).query, keep_blank_values=True))


def _tool_call(exchange: ExchangeEntry) -> Mapping[str, Any] | None:
    """The arguments of a tool call; None where the request has no JSON-RPC message."""
    body = exchange["request"]["body"]
    try:
        message = json.loads((body or {}).get("text", ""))
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or "jsonrpc" not in message:
        return None
    parameters = message.get("params")
    arguments = parameters.get("arguments") if isinstance(parameters, dict) else None
    return arguments if isinstance(arguments, dict) else {}
