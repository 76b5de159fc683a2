"""The examination of one target in one process: it applies the rules to every exchange."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import orjson

from conformance.contract import api, openapi, requirements
from conformance.contract.openapi import Contract, Operation
from conformance.contract.requirements import Requirement
from conformance.contract.verdict import Finding
from conformance.http import proxy, serialization
from conformance.http.client import Client
from conformance.http.exchange import Exchange
from conformance.http.redaction import Redactor
from conformance.http.retry import is_unavailable
from conformance.http.transport import Transport
from conformance.rules import arguments, examine
from conformance.rules.judgement import Judgement
from conformance.runner.depth import Depth
from conformance.runner.judgements import Judgements
from conformance.runner.result import Evidence, ItemResult, based_on, redacted, traffic
from conformance.target.target import Credential, Target

UNAUTHENTICATED = 401


@dataclass
class Session:
    """The state of the examination of one target by one process.

    `rate` is in requests per second, `connections` the number of requests that may be under way
    at once; None: no limit. `provisioned` are the reviews that the provision command made in the
    run that is replayed.

    `baselines` are the (operation, credential name) pairs that got 200. `proven` are the
    (operation, role) pairs of query parameters that the target has shown to know, where neither
    the specification nor the profile names them. `approved` are the ids, in lower case, of
    reviews whose approval got 200.
    """

    target: Target
    transport: Transport
    seed: int
    depth: Depth
    rate: float | None = None
    connections: int | None = None
    contract: Contract = field(default_factory=openapi.load)
    catalogue: Mapping[str, Requirement] = field(default_factory=requirements.load)
    baselines: set[tuple[str, str | None]] = field(default_factory=set)
    proven: set[tuple[str, str]] = field(default_factory=set)
    approved: set[str] = field(default_factory=set)
    log: IO[bytes] | None = None
    provisioned: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        # A profile that contradicts itself has a slip in it: what needs it becomes inconclusive.
        self.target = self.target.credible()
        self.redactor = Redactor({**_variables(self.target), **proxy.secrets()})
        self.api = api.derive(self.contract)
        self.client = Client(
            self.target.base_url,
            self.contract,
            self.transport,
            self.redactor,
            self._keep,
            self.rate,
            self.connections,
        )
        self._exchanges: list[Exchange] = []
        self._evidence = Evidence(self.redactor)
        self._judgements = Judgements()
        self.observations: list[tuple[str, str, Any]] = []

    def open_log(self, path: Path) -> None:
        """Write every exchange to a file of JSON lines, unbuffered: a killed run loses none."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.log = path.open("wb", buffering=0)

    def close(self) -> None:
        """Close the connections and the log."""
        self.transport.close()
        if self.log:
            self.log.close()

    def begin(self, item: str) -> None:
        """Exchanges and observations from here on belong to `item`."""
        self.client.begin(item)
        self._exchanges, self._judgements, self.observations = [], Judgements(), []

    def end(self, findings: tuple[Finding, ...]) -> ItemResult:
        """The result of the item: its own findings, and those of the rules on its exchanges."""
        item = self.client.item
        own = (based_on(finding, self._exchanges) for finding in findings)
        found = (*own, *self._judgements.findings(item))
        clean = tuple(redacted(finding, item, self.redactor) for finding in found)
        methods, elapsed = traffic(self._exchanges)
        return ItemResult(
            item=item,
            findings=clean,
            observations=tuple(
                (id, self.redactor.text(subject), self.redactor.value(value))
                for id, subject, value in self.observations
            ),
            evidence=self._evidence.documents(clean),
            exchanges=len(self._exchanges),
            methods=methods,
            elapsed=elapsed,
        )

    def roles(self, operation: Operation) -> dict[str, str]:
        """The query parameters whose names are certain on this target, with their roles."""
        certain = {}
        for role in operation.query_roles:
            name = self.name(operation, role)
            if name is not None and self._is_certain(operation, role):
                certain[name] = role
        return certain

    def name(self, operation: Operation, role: str) -> str | None:
        """The name of the query parameter of a role on this target; None where there is none."""
        stated = self.target.parameters.get((operation.id, role))
        if stated is not None:
            return stated.name
        parameter = operation.parameter(role)
        return parameter.name if parameter else None

    def _is_certain(self, operation: Operation, role: str) -> bool:
        stated = self.target.parameters.get((operation.id, role))
        return stated is None or stated.declared or (operation.id, role) in self.proven

    def confirm_parameter(self, operation: str, role: str) -> None:
        """The target has shown that it knows the name of the query parameter of a role."""
        self.proven.add((operation, role))

    def problems(self, exchange: Exchange) -> list[Judgement]:
        """The violations of the rules in an exchange."""
        if exchange.response is None or not exchange.in_contract:
            return []
        found = self._judge(exchange)
        return [each for each in found if each.defect is not None and not each.unsure]

    def show(self, exchange: Exchange) -> None:
        """Let this exchange of the item be the only one that is shown for its violations."""
        self._judgements.replace(exchange, self.problems(exchange))

    def _keep(self, exchange: Exchange) -> None:
        """Record an exchange, and apply the rules to it."""
        self._exchanges.append(exchange)
        self._evidence.add(exchange)
        if self.log:
            self.log.write(orjson.dumps(serialization.document(exchange, self.redactor)) + b"\n")
        if exchange.response is None or not exchange.in_contract:
            return
        for judgement in self._judge(exchange):
            self._judgements.add(exchange, judgement)
        if exchange.status == 200:
            self._learn(exchange)

    def _learn(self, exchange: Exchange) -> None:
        """Remember what a success shows."""
        self.baselines.add((exchange.operation, exchange.credential))
        if exchange.operation == self.api.approval.id:
            self.approved.add(exchange.call.path[self.api.approved_id].lower())

    def _judge(self, exchange: Exchange) -> list[Judgement]:
        operation = self.contract.operation(exchange.operation)
        found = list(examine(exchange, self.contract))
        if self._shows_arguments(exchange):
            found += arguments.examine(exchange, self.roles(operation), self.contract)
        return found

    def _shows_arguments(self, exchange: Exchange) -> bool:
        """Whether a response is about the arguments: the plain request got 200."""
        is_primary = exchange.credential == "primary"
        return (
            is_primary
            and (exchange.operation, "primary") in self.baselines
            and exchange.judge_arguments
            and not exchange.superseded
            and exchange.status != UNAUTHENTICATED
            and not is_unavailable(exchange)
        )


def _variables(target: Target) -> dict[str, str]:
    """The shell variable that stands for each secret."""
    return {
        credential.secret(scheme): credential.variable(scheme)
        for credential in target.credentials.values()
        for scheme in credential.schemes
    }


def never_issued(name: str, scheme: str, value: str) -> Credential:
    """A credential that was never issued."""
    if scheme == "api-key":
        return Credential(name, api_key=value)
    return Credential(name, bearer=value)
