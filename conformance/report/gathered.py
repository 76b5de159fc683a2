"""The records of all items of a run, added up."""

from collections.abc import Iterable
from typing import Any

import orjson

from conformance.http.exchange import FACT
from conformance.report.document_types import ExchangeEntry, FindingRecord

LEDGER = "ledger"
PROVISIONED = "provisioned"


class Gathered:
    """Findings by requirement, evidence by id, observations, and the numbers of exchanges.

    Findings on requirements that are not in the catalogue of the run are left out. `ledger` has the
    approvals that were sent, `provisioned` the ids of the reviews that were made for the run.
    """

    def __init__(self, catalogue: Iterable[str]) -> None:
        self.findings: dict[str, list[FindingRecord]] = {id: [] for id in catalogue}
        self.evidence: dict[str, ExchangeEntry] = {}
        self.observations: list[list[Any]] = []
        self.ledger: list[list[Any]] = []
        self.provisioned: list[str] = []
        self.exchanges = 0
        self._facts: set[str] = set()
        self.methods: dict[str, int] = {}
        self.elapsed: dict[str, list[float]] = {}

    def add(self, text: str) -> None:
        """Add the record of one item, as JSON; of a fact that several processes found, one."""
        record = orjson.loads(text)
        if record["item"].startswith(FACT):
            if record["item"] in self._facts:
                return
            self._facts.add(record["item"])
        for finding in record["findings"]:
            if finding["requirement"] in self.findings:
                self.findings[finding["requirement"]].append(finding)
        for observed in record["observations"]:
            self._observe(observed)
        self.evidence.update(record["evidence"])
        self.exchanges += record["exchanges"]
        for operation, seconds in record["elapsed"].items():
            self.elapsed.setdefault(operation, []).extend(seconds)
        for method, number in record["methods"].items():
            self.methods[method] = self.methods.get(method, 0) + number

    def _observe(self, observed: list[Any]) -> None:
        name, subject, _ = observed
        if name == LEDGER:
            self.ledger.append(observed)
        elif name == PROVISIONED:
            self.provisioned.append(subject)
        else:
            self.observations.append(observed)
