"""Issuing a certificate: the evidence of a report directory, signed once it has been verified."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from securesystemslib.signer import CryptoSigner

from conformance.assurance.certificate import (
    bundle,
    challenge,
    chronology,
    dsse,
    eligibility,
    environment,
    statement,
    strict_json,
)
from conformance.assurance.certificate.bundle import Bundle
from conformance.assurance.certificate.evidence import Evidence, Malformed
from conformance.assurance.certificate.replaying import UNWATCHED, Replaying
from conformance.assurance.certificate.verification import CONTRACT, verify
from conformance.contract import files, revisions
from conformance.contract.revisions import Revision
from conformance.report import kept_shards
from conformance.storage import regular_file

FROM_RUN = kept_shards.FILES

Given = Mapping[str, bytes]
"""The files of bundle.OPTIONAL that a certificate has."""

NONE: Given = MappingProxyType({})


class NotCertified(ValueError):
    """A run that cannot be certified; `reasons` has a line for each reason."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


def require_files(directory: Path) -> None:
    """OSError where a report directory lacks a file that a certificate needs."""
    for name in FROM_RUN:
        (directory / name).stat()


def revision_of(directory: Path, name: str | None) -> Revision:
    """The revision of that name, or that of the run in a directory, or else the newest one.

    Raises OSError, UnknownRevision, and NotCertified for a malformed run.json.
    """
    try:
        run = Evidence({"run.json": regular_file.read(directory / "run.json")}).run
    except Malformed as problem:
        raise NotCertified([str(problem)]) from None
    stated = name or run["suite"].get("revision")
    return revisions.load(stated) if stated else revisions.latest()


def evidence_of(directory: Path, revision: Revision, given: Given = NONE) -> Evidence:
    """The evidence in a report directory, with the given files.

    Raises OSError, Malformed, and NotCertified where the shards of a merged run are gone, or are
    too many.
    """
    found = _recorded(directory)
    return Evidence(
        {
            **found,
            "environment.txt": environment.text().encode(),
            "revision.json": strict_json.written(revisions.document(revision)),
            **{name: files.text(name).encode() for name in CONTRACT},
            **{name: given[name] for name in bundle.OPTIONAL if name in given},
            **dict(_of_shards(directory, Evidence(found))),
        }
    )


def _recorded(directory: Path) -> dict[str, bytes]:
    """What a run has written, its exchanges in the order in which they were sent."""
    found = {
        name: regular_file.read(directory / name, bundle.EVIDENCE[name].bytes) for name in FROM_RUN
    }
    found["exchanges.jsonl"] = chronology.in_order(Evidence(found).exchanges)
    return found


def _of_shards(directory: Path, merged: Evidence) -> Iterator[tuple[str, bytes]]:
    """The files of the shards that a report was merged from."""
    numbers = merged.run["suite"].get("shards", {"merged": []})["merged"]
    if len(numbers) > kept_shards.MOST:
        raise NotCertified([f"a certificate has {kept_shards.MOST} shards at most"])
    for number in numbers:
        folder = directory / kept_shards.FOLDER / str(number)
        if not folder.is_dir():
            raise NotCertified([f"{folder} is missing: merge the shards again"])
        for file, content in _recorded(folder).items():
            yield kept_shards.name(number, file), content


def sealed(evidence: Evidence, signer: CryptoSigner) -> Bundle:
    """The evidence with its signed statement, whatever it is worth."""
    envelope = dsse.sign(statement.of(evidence), signer)
    return Bundle(evidence.files, envelope, dsse.pem(signer))


def issued(
    directory: Path,
    revision: Revision,
    signer: CryptoSigner,
    given: Given = NONE,
    how: Replaying = UNWATCHED,
) -> Bundle:
    """The certificate of a run, with the given files. Raises OSError, and NotCertified.

    It is verified before it is handed out, so that nobody gets one that does not verify; raises
    Inconclusive where that takes too much.
    """
    try:
        evidence = evidence_of(directory, revision, given)
        evidence.check()
        evidence.validate()
    except Malformed as problem:
        raise NotCertified([str(problem)]) from None
    reasons = [*eligibility.obstacles(evidence.report, revision), *_unanswered(evidence)]
    if reasons:
        raise NotCertified(reasons)
    found = sealed(evidence, signer)
    if excesses := list(bundle.excesses(found)):
        raise NotCertified(excesses)
    verification = verify(found, None, how=how)
    if verification.is_other_suite:
        raise NotCertified(["another version of this package, or of the contract, made this run"])
    if verification.problems:
        raise NotCertified(list(verification.problems))
    return found


def _unanswered(evidence: Evidence) -> Iterator[str]:
    """Why the run does not answer the challenge that it is given."""
    if evidence.challenge is not None:
        yield from challenge.problems(evidence.challenge, chronology.circumstances(evidence))
