"""`conformance judge`: recorded traffic, judged by the rules that every exchange of a run is held to; exit code 1 where one is broken."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from conformance.commands.outcome import CONFORMANT, NON_CONFORMANT, UsageError
from conformance.contract import openapi, requirements
from conformance.contract.verdict import Finding, Verdict
from conformance.http import serialization
from conformance.http.exchange import Exchange
from conformance.http.har_reader import Traffic, read
from conformance.http.redaction import Redactor
from conformance.report import document
from conformance.report.console import terminal
from conformance.report.console.line import plain, visible
from conformance.rules import examine

MOST_STRANGERS = 20


def run(arguments: argparse.Namespace) -> int:
    """Judge the traffic in a file."""
    contract = openapi.load()
    try:
        traffic = read(json.loads(arguments.file.read_bytes()), arguments.base_url, contract)
    except OSError as problem:
        raise UsageError(f"{arguments.file}: {problem.strerror}") from None
    except ValueError as problem:
        raise UsageError(f"{arguments.file}: {problem}") from None
    entries = list(_judged(traffic, contract))
    broken = any(entry["verdict"] == Verdict.FAIL for entry in entries)
    if arguments.json:
        found = {
            "requirements": entries,
            "exchanges": len(traffic.exchanges),
            "strangers": list(traffic.strangers),
        }
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _told(entries, traffic))
    return NON_CONFORMANT if broken else CONFORMANT


def _judged(traffic: Traffic, contract: openapi.Contract) -> Iterator[dict[str, Any]]:
    """The requirements that the traffic showed anything of."""
    found: dict[str, list[dict[str, Any]]] = {}
    shown: dict[str, serialization.Document] = {}
    redactor = Redactor({})
    for exchange in traffic.exchanges:
        for finding in _findings(exchange, contract):
            found.setdefault(finding.requirement, []).append(asdict(finding))
            if finding.verdict is not Verdict.PASS:
                shown[exchange.id] = serialization.document(exchange, redactor)
    for id, stated in requirements.load().items():
        if id in found:
            entry = document.requirement(stated, found[id], shown)
            seen = {
                name: verdict
                for name, verdict in entry["operations"].items()
                if verdict != Verdict.INCONCLUSIVE
            }
            wrong = [
                finding
                for finding in entry["findings"]
                if finding["verdict"] != Verdict.INCONCLUSIVE
            ]
            yield {
                **entry,
                "operations": seen,
                "findings": wrong,
                "verdict": str(document.overall(found[id])),
            }


def _findings(exchange: Exchange, contract: openapi.Contract) -> Iterator[Finding]:
    for judgement in examine(exchange, contract):
        failed = Verdict.ERROR if judgement.unsure else Verdict.FAIL
        yield Finding(
            judgement.requirement,
            Verdict.PASS if judgement.defect is None else failed,
            exchange.operation,
            judgement.problem or "",
            judgement.expected,
            exchanges=(exchange.id,),
            item=exchange.id,
            defect=judgement.defect,
        )


def _told(entries: list[dict[str, Any]], traffic: Traffic) -> Iterator[str]:
    for entry in entries:
        for finding in entry["findings"]:
            yield from terminal.told(entry, finding)
            yield ""
    broken = sum(entry["verdict"] == Verdict.FAIL for entry in entries)
    yield f"{len(traffic.exchanges)} exchanges of the API, {len(entries)} requirements shown, {broken} broken"
    if traffic.strangers:
        yield f"{len(traffic.strangers)} requests belong to no operation:"
        for stranger, times in Counter(traffic.strangers).most_common(MOST_STRANGERS):
            yield f"  {plain(visible([(stranger, '')]))}" + (
                f"  ({times} times)" if times > 1 else ""
            )
