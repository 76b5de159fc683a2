"""Issuing a certificate: the evidence of a report directory, signed once it has been verified."""

from pathlib import Path

from securesystemslib.signer import CryptoSigner

from conformance.assurance.certificate import (
    chronology,
    dsse,
    eligibility,
    environment,
    statement,
    strict_json,
)
from conformance.assurance.certificate.bundle import Bundle
from conformance.assurance.certificate.evidence import Evidence, Malformed
from conformance.assurance.certificate.verification import CONTRACT, verify
from conformance.contract import files, revisions
from conformance.contract.revisions import Revision

FROM_RUN = ("report.json", "exchanges.jsonl", "target.json", "run.json")


class NotCertified(ValueError):
    """A run that cannot be certified; `reasons` has a line for each reason."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


def require_files(directory: Path) -> None:
    """OSError where a report directory lacks a file that a certificate needs."""
    for name in FROM_RUN:
        (directory / name).stat()


def evidence_of(directory: Path, revision: Revision) -> Evidence:
    """The evidence in a report directory. Raises OSError, and Malformed."""
    found = {name: (directory / name).read_bytes() for name in FROM_RUN}
    lines = found["exchanges.jsonl"].splitlines()
    values = Evidence(found).exchanges
    return Evidence(
        {
            "report.json": found["report.json"],
            "exchanges.jsonl": chronology.sorted_lines(lines, values),
            "target.json": found["target.json"],
            "run.json": found["run.json"],
            "environment.txt": environment.text().encode(),
            "revision.json": strict_json.written(revisions.document(revision)),
            **{name: files.text(name).encode() for name in CONTRACT},
        }
    )


def sealed(evidence: Evidence, signer: CryptoSigner) -> Bundle:
    """The evidence with its signed statement, whatever it is worth."""
    envelope = dsse.sign(statement.of(evidence), signer)
    return Bundle(evidence.files, envelope, dsse.pem(signer))


def issued(directory: Path, revision: Revision, signer: CryptoSigner) -> Bundle:
    """The certificate of a run. Raises OSError, and NotCertified.

    It is verified before it is handed out, so that nobody gets one that does not verify.
    """
    try:
        evidence = evidence_of(directory, revision)
        evidence.check()
        evidence.validate()
    except Malformed as problem:
        raise NotCertified([str(problem)]) from None
    reasons = list(eligibility.refusals(evidence.report, revision))
    if reasons:
        raise NotCertified(reasons)
    found = sealed(evidence, signer)
    verification = verify(found, None)
    if verification.is_other_suite:
        raise NotCertified(["another version of this package, or of the contract, made this run"])
    if verification.problems:
        raise NotCertified(list(verification.problems))
    return found
