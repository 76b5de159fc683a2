"""The records of all items of a run, added up."""

from collections.abc import Iterable, Mapping
from itertools import chain
from math import fsum
from typing import Any

import orjson

from conformance.contract.verdict import Verdict
from conformance.http import serialization
from conformance.http.exchange import FACT
from conformance.report.circumstances import Circumstances
from conformance.report.document_types import ExchangeEntry, FindingRecord

LEDGER = "ledger"
PROVISIONED = "provisioned"
BUDGET = "budget"

MAX_FAILURES = "max-failures"
"""The budget of the failures after which a run ends."""

EVIDENCE = "evidence"
"""The budget of the exchanges that findings show."""

MOST_SHOWN = 12 * 1024 * 1024
"""Characters of their bodies and headers in a report."""

LONGEST_BEGINNING = 2_000
"""Characters of a body past that."""


class Gathered:
    """Findings by requirement, evidence by id, observations, and the numbers of exchanges.

    `items` are those whose records were added, in order. `needed_by` has the checks that needed a
    fact which shows a violation. Findings on requirements that are not in
    the catalogue are left out: another version has made them. Of alike passes, which most findings
    are, there is one, with the number of their responses. `ledger` has the approvals that were
    sent, `provisioned` the ids of the reviews that were made for the run. `budgets` counts what the
    budgets have cut, by their names. `started` has the second at which each request was sent.
    """

    def __init__(self, catalogue: Iterable[str]) -> None:
        self.items: dict[str, None] = {}
        self.needed_by: dict[str, set[str]] = {}
        self.findings: dict[str, list[FindingRecord]] = {id: [] for id in catalogue}
        self.evidence: dict[str, ExchangeEntry] = {}
        self.observations: list[list[Any]] = []
        self.ledger: list[list[Any]] = []
        self.provisioned: list[str] = []
        self.budgets: dict[str, int] = {}
        self.circumstances = Circumstances()
        self.exchanges = 0
        self._facts: set[str] = set()
        self._passes: dict[tuple[Any, ...], FindingRecord] = {}
        self._shown = 0
        self.methods: dict[str, int] = {}
        self.elapsed: dict[str, list[float]] = {}
        self.started: list[float] = []
        self._seconds: dict[str, dict[str, list[float]]] = {}

    def add(self, text: str) -> None:
        """Add the record of one item, as JSON; of a fact that several processes found, one.

        Of the others, what nobody has seen go wrong before is added.
        """
        record = orjson.loads(text)
        self.items[record["item"]] = None
        if record["item"].startswith(FACT):
            if record["item"] in self._facts:
                self._add_unknown_problems(record)
                self._meet(record)
                return
            self._facts.add(record["item"])
        for finding in record["findings"]:
            if finding["requirement"] in self.findings and not self._is_merged(finding):
                self.findings[finding["requirement"]].append(finding)
        self._observe(record)
        self._time(record)
        self._show(record["evidence"])
        self.exchanges += record["exchanges"]
        self.started += record.get("started", ())
        for operation, seconds in record["elapsed"].items():
            self.elapsed.setdefault(operation, []).extend(seconds)
        for method, number in record["methods"].items():
            self.methods[method] = self.methods.get(method, 0) + number

    def seconds(self, requirement: str) -> dict[str, float]:
        """How long the requests of its own checks have taken, by operation; "" for none."""
        found = self._seconds.get(requirement, {})
        return {name: round(fsum(values), 6) for name, values in sorted(found.items())}

    def _time(self, record: Mapping[str, Any]) -> None:
        """Add the times of an item to what it has checked; what the rules say took no time."""
        own = {
            (each["requirement"], each["operation"] or "")
            for each in record["findings"]
            if not each.get("responses")
        }
        for requirement, operation in own:
            times = record["elapsed"]
            taken = times.get(operation, []) if operation else [*chain(*times.values())]
            self._seconds.setdefault(requirement, {}).setdefault(operation, []).extend(taken)

    def _add_unknown_problems(self, record: Mapping[str, Any]) -> None:
        for found in record["findings"]:
            known = self.findings.get(found["requirement"])
            if known is None or found["verdict"] not in (Verdict.FAIL, Verdict.ERROR):
                continue
            alike = (each for each in known if each["verdict"] == found["verdict"])
            if all(each["operation"] != found["operation"] for each in alike):
                known.append(found)
                shown = found["exchanges"]
                self._show({id: each for id, each in record["evidence"].items() if id in shown})

    def _meet(self, record: Mapping[str, Any]) -> None:
        """Add what another process has met: it may have been another build, or away."""
        for observed in record["observations"]:
            self.circumstances.take(*observed)

    def _is_merged(self, found: FindingRecord) -> bool:
        """Whether a finding is one more pass like an earlier one, whose responses it adds to."""
        if found["verdict"] != Verdict.PASS:
            return False
        bases = (tuple(found.get("schemes", ())), tuple(found.get("faces", ())))
        known = self._passes.setdefault((found["requirement"], found["operation"], *bases), found)
        if known is found:
            return False
        known["responses"] = known.get("responses", 0) + found.get("responses", 0)
        return True

    def _show(self, evidence: Mapping[str, Any]) -> None:
        """Add the evidence of findings; with the beginnings of bodies where it has become much."""
        for id in [each for each in evidence if each not in self.evidence]:
            shown = evidence[id]
            if self._shown + _length(shown) > MOST_SHOWN:
                shown = serialization.shortened(shown, LONGEST_BEGINNING)
                self.budgets[EVIDENCE] = self.budgets.get(EVIDENCE, 0) + 1
            self._shown += _length(shown)
            self.evidence[id] = shown

    def _observe(self, record: Mapping[str, Any]) -> None:
        """Add what an item has observed, and which facts it needed that show a violation."""
        for fact in record.get("flawed", ()):
            self.needed_by.setdefault(fact, set()).add(record["item"])
        for observed in record["observations"]:
            name, subject, value = observed
            if name == LEDGER:
                self.ledger.append(observed)
            elif name == PROVISIONED:
                self.provisioned.append(subject)
            elif name == BUDGET:
                self.budgets[subject] = self.budgets.get(subject, 0) + value
            elif not self.circumstances.take(*observed):
                self.observations.append(observed)


def _length(exchange: Mapping[str, Any]) -> int:
    """About how many characters an exchange takes up in a report."""
    messages = [exchange["request"], exchange.get("response") or {}]
    bodies = [message.get("body") or {} for message in messages]
    headers = sum(
        len(name) + len(value) for message in messages for name, value in message.get("headers", ())
    )
    texts = sum(len(body.get("text", body.get("base64", ""))) for body in bodies)
    return len(exchange["request"]["url"]) + headers + texts
