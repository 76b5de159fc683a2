"""Exchanges of clients and what is said of them, as the run whose report they become."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import orjson

from conformance import __version__
from conformance.commands.outcome import UsageError
from conformance.commands.traffic import parameters
from conformance.commands.traffic.senders import Senders
from conformance.contract import openapi
from conformance.contract.requirements import Requirement
from conformance.contract.verdict import Finding
from conformance.http import masking, serialization
from conformance.http.exchange import Exchange
from conformance.http.packed import PackedText
from conformance.http.redaction import Redactor
from conformance.report import artefacts
from conformance.report.document_types import AboutEntry, TargetEntry
from conformance.report.exchange_log import ExchangeLog
from conformance.report.run import Run, versions
from conformance.rules.client.observed import Observation
from conformance.runner import disk, examination
from conformance.runner.result import ItemResult, based_on, documents, observed, redacted, traffic
from conformance.target.target import Target

NAME = "localization-api-conformance"


@contextmanager
def folder(directory: Path, formats: Sequence[str]) -> Iterator[Path]:
    """The folder of a report, to which nothing else writes meanwhile. Raises UsageError."""
    try:
        disk.check_default(directory.absolute(), Path.cwd())
        directory.mkdir(parents=True, exist_ok=True)
        artefacts.check(directory, formats)
    except OSError as problem:
        place = problem.filename or directory
        raise UsageError(f"--report-dir {place}: {problem.strerror}") from None
    with disk.locked(directory) as is_free:
        if not is_free:
            message = "another run writes to it; name another folder"
            raise UsageError(f"--report-dir {directory}: {message}")
        examination.clear(directory)
        yield directory


def about(subject: str, classes: Sequence[str], seed: int, target: TargetEntry) -> AboutEntry:
    """What is known of such a run before it begins."""
    return {
        "suite": {
            "name": NAME,
            "version": __version__,
            "seed": seed,
            "depth": "standard",
            "workers": 1,
            "versions": versions(),
            "classes": list(classes),
            "subject": subject,
        },
        "target": target,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }


@dataclass
class Gathering:
    """A run to which exchanges are added, one group after the other; `senders` have sent them.

    Of query parameters with other names than `named`, values that may be credentials are masked.
    """

    run: Run
    log: ExchangeLog
    senders: Senders
    named: frozenset[str]
    began: float = field(default_factory=time.monotonic)

    @classmethod
    def into(
        cls,
        directory: Path,
        described: AboutEntry,
        catalogue: Mapping[str, Requirement],
        target: Target,
    ) -> "Gathering":
        """A run whose report is written into a folder; its exchanges are logged there.

        Where it is killed, `conformance report` makes a report of what was added.
        """
        run = Run(directory, described, catalogue, complete=False)
        run.target = target
        run.start_journal()
        log = ExchangeLog(directory / "exchanges-main.jsonl")
        roles = parameters.of_target(openapi.load(), target)
        return cls(run, log, Senders.of_target(target), parameters.names(roles))

    @property
    def redactor(self) -> Redactor:
        """What replaces every credential that was seen."""
        return self.senders.redactor

    def now(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.began

    def write(self, exchange: Exchange) -> None:
        """Log an exchange."""
        written = serialization.document(exchange, self.redactor)
        self.log.write(masking.document(written, self.named))

    def add(
        self,
        item: str,
        exchanges: Sequence[Exchange],
        findings: Sequence[Finding],
        observations: Sequence[Observation],
    ) -> None:
        """Add what was found in some exchanges, which have been written."""
        by_id = {exchange.id: exchange for exchange in exchanges}
        clean = tuple(redacted(_based(each, by_id), item, self.redactor) for each in findings)
        shown = documents(clean, by_id.get, self.redactor)
        methods, elapsed = traffic(exchanges)
        result = ItemResult(
            item=item,
            findings=clean,
            observations=tuple(
                (id, self.redactor.text(subject), observed(value, self.redactor))
                for id, subject, value in observations
            ),
            evidence={id: masking.document(each, self.named) for id, each in shown.items()},
            exchanges=len(exchanges),
            methods=methods,
            elapsed=elapsed,
            started=tuple(round(each.started, 6) for each in exchanges),
        )
        self.run.record(PackedText(orjson.dumps(result).decode()))

    def finish(self, status: int) -> int:
        """Write the report; the exit code."""
        self.log.close()
        self.run.secrets |= self.senders.seen
        return self.run.finish(status)


def _based(finding: Finding, exchanges: Mapping[str, Exchange]) -> Finding:
    """The finding with the schemes and interfaces that its exchanges have used."""
    return based_on(finding, [exchanges[id] for id in finding.exchanges])
