"""The examination of one target in one process: its client, what is known so far, and the judgement of every exchange."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import orjson

from conformance.contract import api, openapi, requirements
from conformance.contract.openapi import Contract, Operation
from conformance.contract.requirements import Requirement
from conformance.contract.verdict import Defect, Finding, Location, Verdict
from conformance.http import serialization
from conformance.http.client import Client
from conformance.http.exchange import Exchange
from conformance.http.redaction import Redactor
from conformance.http.transport import Transport
from conformance.rules import arguments, examine
from conformance.rules.judgement import Judgement
from conformance.target.target import Credential, Target

MOST_EVIDENCE = 3
MOST_REMEMBERED = 5_000
"""Exchanges of earlier items that a finding may still show: what was read once is looked at by many checks."""

Key = tuple[str, str, Verdict]
"""A requirement, an operation, and what the rules say of the one on the other."""

Sighting = tuple[Exchange, Judgement]
"""An exchange, and what a rule says of it."""


@dataclass(frozen=True)
class Depth:
    """How much a run spends: Hypothesis examples of an operation and mode, pages of a walk, records read by id, histories of approvals."""

    name: str
    examples: int
    pages: int
    records: int
    machines: int


DEPTHS = {
    "quick": Depth("quick", examples=0, pages=40, records=8, machines=1),
    "standard": Depth("standard", examples=4, pages=100, records=60, machines=3),
    "deep": Depth("deep", examples=400, pages=2500, records=300, machines=10),
}


@dataclass(frozen=True)
class ItemResult:
    """What one item of the run found out; crosses process borders as plain JSON members."""

    item: str
    findings: tuple[Finding, ...]
    observations: tuple[tuple[str, str, Any], ...]
    evidence: Mapping[str, serialization.Document]
    exchanges: int
    methods: Mapping[str, int]
    elapsed: Mapping[str, list[float]]


@dataclass
class Session:
    """Holds what one process knows of one target while it examines it.

    `baselines` are the (operation, credential name) pairs that have succeeded; `proven` the (operation, role) pairs of
    query parameters that the target has shown to know, where neither the specification nor the profile names them; `approved`
    the ids of reviews, in small letters, of which an approval was answered 200.
    """

    target: Target
    transport: Transport
    seed: int
    depth: Depth
    pace: float | None = None
    connections: int | None = None
    contract: Contract = field(default_factory=openapi.load)
    catalogue: Mapping[str, Requirement] = field(default_factory=requirements.load)
    baselines: set[tuple[str, str | None]] = field(default_factory=set)
    proven: set[tuple[str, str]] = field(default_factory=set)
    approved: set[str] = field(default_factory=set)
    log: IO[bytes] | None = None
    provisioned: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        # What a profile says against itself is a slip of the pen: it leaves something unjudged, and nobody is blamed for it.
        self.target = self.target.credible()
        self.redactor = Redactor(_variables(self.target))
        self.api = api.derive(self.contract)
        self.client = Client(
            self.target.base_url,
            self.contract,
            self.transport,
            self.redactor,
            self._keep,
            self.pace,
            self.connections,
        )
        self._exchanges: list[Exchange] = []
        self._remembered: dict[str, Exchange] = {}
        self._judged: dict[Key, tuple[Judgement, list[Sighting]]] = {}
        self.observations: list[tuple[str, str, Any]] = []

    def open_log(self, path: Path) -> None:
        """Write every exchange to a file of JSON lines, as it happens: at once, so that none is lost where the run is killed."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.log = path.open("wb", buffering=0)

    def close(self) -> None:
        """Give back the connections and the log."""
        self.transport.close()
        if self.log:
            self.log.close()

    def begin(self, item: str) -> None:
        """What happens from here on belongs to `item`."""
        self.client.begin(item)
        self._exchanges, self._judged, self.observations = [], {}, []

    def end(self, findings: tuple[Finding, ...]) -> ItemResult:
        """What the item found: its own findings, and those of the rules on the exchanges that it caused."""
        ruled = tuple(self._finding(key, *value) for key, value in self._judged.items())
        everything = tuple(self._redacted(finding) for finding in (*findings, *ruled))
        wanted = [
            id
            for finding in everything
            if finding.verdict is not Verdict.PASS
            for id in finding.exchanges[:MOST_EVIDENCE]
        ]
        shown = [self._remembered[id] for id in dict.fromkeys(wanted) if id in self._remembered]
        methods: dict[str, int] = {}
        elapsed: dict[str, list[float]] = {}
        for exchange in self._exchanges:
            methods[exchange.request.method] = methods.get(exchange.request.method, 0) + 1
            if exchange.response is not None:
                elapsed.setdefault(exchange.operation, []).append(exchange.elapsed)
        return ItemResult(
            item=self.client.item,
            findings=everything,
            observations=tuple(
                (id, self.redactor.text(subject), self.redactor.value(value))
                for id, subject, value in self.observations
            ),
            evidence={
                exchange.id: serialization.document(exchange, self.redactor) for exchange in shown
            },
            exchanges=len(self._exchanges),
            methods=methods,
            elapsed=elapsed,
        )

    def roles(self, operation: Operation) -> dict[str, str]:
        """The query parameters whose names are certain on this target, with their roles."""
        found = {}
        for parameter in operation.parameters:
            stated = self.target.parameters.get((operation.id, parameter.role))
            certain = (
                stated is None or stated.declared or (operation.id, parameter.role) in self.proven
            )
            name = stated.name if stated else parameter.name
            if parameter.location == "query" and name is not None and certain:
                found[name] = parameter.role
        return found

    def name(self, operation: Operation, role: str) -> str | None:
        """What the query parameter of a role is called on this target; None where the list has none."""
        stated = self.target.parameters.get((operation.id, role))
        parameter = operation.parameter(role)
        return stated.name if stated else parameter.name if parameter else None

    def problems(self, exchange: Exchange) -> list[Judgement]:
        """What the rules hold against the target in this exchange."""
        if exchange.response is None or not exchange.in_contract:
            return []
        return [
            judgement
            for judgement in self._judge(exchange)
            if judgement.problem is not None and not judgement.unsure
        ]

    def show(self, exchange: Exchange) -> None:
        """Let an exchange of this item, and no other, be what is shown for each of its problems."""
        for judgement in self.problems(exchange):
            self._judged[judgement.requirement, exchange.operation, Verdict.FAIL] = (
                judgement,
                [(exchange, judgement)],
            )

    def _keep(self, exchange: Exchange) -> None:
        self._exchanges.append(exchange)
        self._remember(exchange)
        if self.log:
            self.log.write(orjson.dumps(serialization.document(exchange, self.redactor)) + b"\n")
        if exchange.response is not None and exchange.in_contract:
            for judgement in self._judge(exchange):
                self._note(exchange, judgement)
            if exchange.status == 200:
                self.baselines.add((exchange.operation, exchange.credential))
                if exchange.operation == self.api.approval.id:
                    self.approved.add(exchange.call.path[self.api.approved_id].lower())

    def _remember(self, exchange: Exchange) -> None:
        self._remembered[exchange.id] = exchange
        if len(self._remembered) > MOST_REMEMBERED:
            del self._remembered[next(iter(self._remembered))]

    def _judge(self, exchange: Exchange) -> list[Judgement]:
        assert exchange.response is not None
        operation = self.contract.operation(exchange.operation)
        found = list(examine(exchange, self.contract))
        if self._is_argued(exchange):
            found += arguments.examine(exchange, self.roles(operation), self.contract)
        return found

    def _is_argued(self, exchange: Exchange) -> bool:
        """Whether the answer to the arguments of this request counts: its caller's plain request has succeeded."""
        from_primary = (
            exchange.credential == "primary" and (exchange.operation, "primary") in self.baselines
        )
        return (
            from_primary
            and exchange.judge_arguments
            and not exchange.superseded
            and exchange.status not in {401, 429, 502, 503, 504}
        )

    def _note(self, exchange: Exchange, judgement: Judgement) -> None:
        key = (judgement.requirement, exchange.operation, _verdict(judgement))
        _, seen = self._judged.setdefault(key, (judgement, []))
        if len(seen) < MOST_EVIDENCE:
            seen.append((exchange, judgement))

    def _finding(self, key: Key, judgement: Judgement, sightings: list[Sighting]) -> Finding:
        requirement, operation, verdict = key
        ids = tuple(exchange.id for exchange, _ in sightings)
        defect = judgement.defect and judgement.defect.at(*_places(sightings))
        return Finding(
            requirement,
            verdict,
            operation,
            judgement.problem or "",
            defect.expected if defect else "",
            exchanges=ids,
            item=self.client.item,
            defect=defect,
        )

    def _redacted(self, finding: Finding) -> Finding:
        if finding.verdict is Verdict.PASS and finding.item:
            return finding  # nothing of the target is in it
        # A target may echo a credential, and then the message quotes it.
        return replace(
            finding,
            message=self.redactor.text(finding.message),
            expected=self.redactor.text(finding.expected),
            needs=tuple(map(self.redactor.text, finding.needs)),
            item=finding.item or self.client.item,
            defect=finding.defect and self._redacted_defect(finding.defect),
        )

    def _redacted_defect(self, defect: Defect) -> Defect:
        where = (replace(place, name=self.redactor.text(place.name)) for place in defect.where)
        return replace(
            defect,
            text=self.redactor.text(defect.text),
            expected=self.redactor.text(defect.expected),
            actual=self.redactor.value(defect.actual),
            where=tuple(where),
            fields=tuple(map(self.redactor.text, defect.fields)),
            values={name: self.redactor.value(value) for name, value in defect.values.items()},
        )


def _verdict(judgement: Judgement) -> Verdict:
    if judgement.defect is None:
        return Verdict.PASS
    return Verdict.ERROR if judgement.unsure else Verdict.FAIL


def _places(sightings: list[Sighting]) -> Iterator[Location]:
    for exchange, judgement in sightings:
        if judgement.defect is not None:
            yield from (replace(place, exchange=exchange.id) for place in judgement.defect.where)


def _variables(target: Target) -> dict[str, str]:
    return {
        credential.secret(scheme): credential.variable(scheme)
        for credential in target.credentials.values()
        for scheme in credential.schemes
    }


def never_issued(name: str, scheme: str, value: str) -> Credential:
    """A credential that nobody was ever given."""
    return Credential(name, **{"api_key" if scheme == "api-key" else "bearer": value})
