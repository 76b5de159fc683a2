"""`conformance judge`: applies the rules of a run to recorded traffic; 1 where one is violated."""

import argparse
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.commands.outcome import UsageError
from conformance.commands.traffic import judgement, parameters
from conformance.commands.traffic.kept import Kept
from conformance.contract import openapi, requirements
from conformance.contract.exit_codes import CHECKER_ERROR, CONFORMANT, NON_CONFORMANT
from conformance.contract.quantity import quantity
from conformance.contract.verdict import Verdict, worst
from conformance.http import masking, secrecy, serialization
from conformance.http.har_reader import Traffic, TrafficError, load
from conformance.http.redaction import Redactor
from conformance.report import document
from conformance.report.console import output, terminal
from conformance.report.console.screen import Screen
from conformance.report.document_types import FindingEntry, RequirementEntry
from conformance.report.finding import record
from conformance.rules import is_unmodified
from conformance.runner.result import redacted
from conformance.target.profile_schema import BASE_URL
from conformance.target.target import base_url_flaw

MOST_STRANGERS = 20


def run(arguments: argparse.Namespace) -> int:
    """Check the exchanges in a file."""
    contract = openapi.load()
    traffic = _traffic(arguments, contract)
    secrecy.protect(dict.fromkeys(sorted(traffic.secrets), secrecy.MASK))
    entries = list(_checked(traffic, contract))
    if arguments.json:
        result = {
            "requirements": entries,
            "exchanges": len(traffic.exchanges),
            "strangers": list(traffic.strangers),
            "observed": _observed(traffic),
        }
        output.document(result)
    else:
        output.lines(_lines(entries, traffic))
    return _exit_code(entries)


def _exit_code(entries: Sequence[RequirementEntry]) -> int:
    """The exit code, as that of a run: an internal error wins over a violation."""
    if any(map(document.has_error, entries)):
        return CHECKER_ERROR
    failed = any(entry["verdict"] == Verdict.FAIL for entry in entries)
    return NON_CONFORMANT if failed else CONFORMANT


def _traffic(arguments: argparse.Namespace, contract: openapi.Contract) -> Traffic:
    """The traffic in the file. Raises UsageError where nothing of it can be checked."""
    file, base_url = arguments.file, arguments.base_url
    if flaw := base_url_flaw(base_url):
        raise UsageError(f"--base-url {flaw}; {BASE_URL.remedy}")
    try:
        read = load(file, base_url, contract)
    except TrafficError as problem:
        raise UsageError(f"{file}: {problem}") from None
    named = parameters.names(parameters.of_contract(contract))
    strangers = tuple(masking.url(each, named) for each in read.strangers)
    traffic = replace(read, strangers=strangers)
    if not traffic.exchanges:
        others = quantity(len(traffic.strangers), "other request")
        raise UsageError(f"{file}: no request of the API at {base_url}, and {others}")
    return traffic


def _checked(traffic: Traffic, contract: openapi.Contract) -> Iterator[RequirementEntry]:
    """The requirements that the exchanges exercised, as entries of a report."""
    found: dict[str, Kept] = {}
    redactor = Redactor(dict.fromkeys(sorted(traffic.secrets), secrecy.MASK), secrecy.SHORTEST)
    named = parameters.names(parameters.of_contract(contract))
    for finding in judgement.of_target(traffic.exchanges, contract):
        clean = redacted(finding, finding.item, redactor)
        found.setdefault(finding.requirement, Kept()).add(record(clean))
    shown = _Shown(traffic, redactor, named)
    for id, stated in requirements.load().items():
        if id in found:
            records = found[id].records
            entry = document.requirement(stated, records, shown)
            yield {
                **entry,
                "operations": _exercised(entry["operations"]),
                "findings": _conclusive(entry["findings"]),
                "verdict": worst(Verdict(each["verdict"]) for each in records).value,
            }


class _Shown(Mapping[str, Any]):
    """The exchanges by their ids, each written where a report shows it."""

    def __init__(self, traffic: Traffic, redactor: Redactor, named: Collection[str]) -> None:
        self._exchanges = {exchange.id: exchange for exchange in traffic.exchanges}
        self._redactor, self._named = redactor, named

    def __getitem__(self, id: str) -> Any:
        written = serialization.document(self._exchanges[id], self._redactor)
        return masking.document(written, self._named)

    def __contains__(self, id: object) -> bool:
        return id in self._exchanges  # without writing it

    def __iter__(self) -> Iterator[str]:
        return iter(self._exchanges)

    def __len__(self) -> int:
        return len(self._exchanges)


def _exercised(operations: dict[str, str]) -> dict[str, str]:
    return {
        name: verdict for name, verdict in operations.items() if verdict != Verdict.INCONCLUSIVE
    }


def _conclusive(findings: list[FindingEntry]) -> list[FindingEntry]:
    return [finding for finding in findings if finding["verdict"] != Verdict.INCONCLUSIVE]


def _observed(traffic: Traffic) -> list[str]:
    """What of the traffic was not checked, in a sentence each."""
    responses = [exchange.response for exchange in traffic.exchanges if exchange.response]
    unrecorded = sum(response.cut is not None for response in responses)
    unmodified = sum(map(is_unmodified, traffic.exchanges))
    counted = (
        (unrecorded, "response", "without a recorded body: only status and headers are checked"),
        (unmodified, "response", "304 to a conditional request: observed, not checked"),
    )
    return [f"{quantity(number, noun)} {text}" for number, noun, text in counted if number]


def _lines(entries: list[RequirementEntry], traffic: Traffic) -> Iterator[str]:
    for entry in entries:
        for finding in entry["findings"]:
            yield from terminal.finding(entry, finding, Screen.of(sys.stdout))
            yield ""
    failed = sum(entry["verdict"] == Verdict.FAIL for entry in entries)
    exchanges = quantity(len(traffic.exchanges), "exchange")
    checked = quantity(len(entries), "requirement")
    yield f"{exchanges} of the API, {checked} checked, {failed} failed"
    yield from _observed(traffic)
    if traffic.strangers:
        yield f"{quantity(len(traffic.strangers), 'request')} to no operation of the API:"
    for stranger, times in Counter(traffic.strangers).most_common(MOST_STRANGERS):
        repeated = f"  ({times} times)" if times > 1 else ""
        yield f"  {stranger}{repeated}"
