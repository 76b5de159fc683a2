"""Revocations: a list of certificates that hold no longer, signed by the registrar.

A certificate is revoked by its signed statement: the archive around it can be written in many ways.
Lists of earlier suites name the archive, and revoke that file alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from securesystemslib.signer import CryptoSigner, SSlibKey

from conformance.assurance.certificate import dsse, strict_json
from conformance.assurance.certificate.statement import STATEMENT_TYPE
from conformance.storage import fresh_file, regular_file

FILE = "revoked.dsse.json"
PREDICATE_TYPE = "urn:localization-api-conformance:revocations:2"
EARLIER_TYPE = "urn:localization-api-conformance:revocations:1"
STATEMENT, ARCHIVE = "statement", "certificate.zip"
"""What a digest is about."""


@dataclass(frozen=True)
class Revocation:
    """Why and when a certificate was revoked, and what its digest is about."""

    reason: str
    date: str
    subject: str = STATEMENT


@dataclass(frozen=True)
class Revocations:
    """The revoked certificates, by the SHA-256 of their statements, or of their archives."""

    entries: Mapping[str, Revocation]

    def reason(self, statement: str, archive: str) -> str | None:
        """Why the certificate with these digests was revoked; None where it was not."""
        found = self.entries.get(statement) or self.entries.get(archive)
        return f"{found.reason} ({found.date})" if found else None

    @property
    def latest(self) -> str | None:
        """The date of the latest revocation; an older list has an earlier one."""
        return max((entry.date for entry in self.entries.values()), default=None)

    def adding(self, digest: str, reason: str, when: datetime) -> "Revocations":
        """The list with one more certificate."""
        entry = Revocation(reason, when.astimezone(UTC).date().isoformat())
        return Revocations({**self.entries, digest: entry})


NONE = Revocations({})


def write(path: Path, revocations: Revocations, signer: CryptoSigner) -> None:
    """Write the signed list."""
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": entry.subject, "digest": {"sha256": digest}}
            for digest, entry in revocations.entries.items()
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            digest: {"reason": entry.reason, "date": entry.date, "subject": entry.subject}
            for digest, entry in revocations.entries.items()
        },
    }
    fresh_file.write(path, strict_json.written(dsse.sign(statement, signer)))


def read(path: Path, key: SSlibKey) -> Revocations:
    """The list that a registrar has signed. Raises OSError, and SignatureProblem."""
    try:
        envelope = strict_json.parse(regular_file.read(path, follow=True))
        if not isinstance(envelope, dict):
            raise dsse.SignatureProblem("the list is not an envelope")
        stated = dsse.opened(envelope, key)
        if stated["predicateType"] not in (PREDICATE_TYPE, EARLIER_TYPE):
            raise dsse.SignatureProblem("the envelope has no list of revocations")
        entries = {
            str(digest): Revocation(
                str(entry["reason"]), str(entry["date"]), str(entry.get("subject", ARCHIVE))
            )
            for digest, entry in stated["predicate"].items()
        }
    except (strict_json.NotStrict, KeyError, TypeError, AttributeError) as problem:
        raise dsse.SignatureProblem(f"{path.name} is malformed: {problem}") from None
    return Revocations(entries)
