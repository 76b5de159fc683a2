"""Revocations: a list of certificates that hold no longer, signed by the registrar."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from securesystemslib.signer import CryptoSigner, SSlibKey

from conformance.assurance.certificate import dsse, strict_json
from conformance.assurance.certificate.statement import STATEMENT_TYPE

FILE = "revoked.dsse.json"
PREDICATE_TYPE = "urn:localization-api-conformance:revocations:1"


@dataclass(frozen=True)
class Revocation:
    """Why and when a certificate was revoked."""

    reason: str
    date: str


@dataclass(frozen=True)
class Revocations:
    """The revoked certificates, by the SHA-256 of their files."""

    entries: Mapping[str, Revocation]

    def reason(self, digest: str) -> str | None:
        """Why a certificate was revoked; None where it was not."""
        found = self.entries.get(digest)
        return f"{found.reason} ({found.date})" if found else None

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
            {"name": "certificate.zip", "digest": {"sha256": digest}}
            for digest in revocations.entries
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            digest: {"reason": entry.reason, "date": entry.date}
            for digest, entry in revocations.entries.items()
        },
    }
    path.write_bytes(strict_json.written(dsse.sign(statement, signer)))


def read(path: Path, key: SSlibKey) -> Revocations:
    """The list that a registrar has signed. Raises OSError, and SignatureProblem."""
    try:
        envelope = strict_json.parse(path.read_bytes())
        if not isinstance(envelope, dict):
            raise dsse.SignatureProblem("the list is not an envelope")
        stated = dsse.opened(envelope, key)
        if stated["predicateType"] != PREDICATE_TYPE:
            raise dsse.SignatureProblem("the envelope has no list of revocations")
        entries = {
            str(digest): Revocation(str(entry["reason"]), str(entry["date"]))
            for digest, entry in stated["predicate"].items()
        }
    except (strict_json.NotStrict, KeyError, TypeError, AttributeError) as problem:
        raise dsse.SignatureProblem(f"{path.name} is malformed: {problem}") from None
    return Revocations(entries)
