"""The certificate file: a zip of the evidence, the signed statement, and the public key."""

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from conformance.assurance.certificate import dsse
from conformance.report.document import is_checked

EVIDENCE = ("report.json", "exchanges.jsonl", "target.json", "requirements.yaml", "openapi.yaml")
STATEMENT = "statement.dsse.json"
KEY = "signer.pub"
MOST_BYTES = 512 * 1024 * 1024
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
EPOCH = (1980, 1, 1, 0, 0, 0)


class BundleProblem(ValueError):
    """The file is not a complete certificate."""


@dataclass(frozen=True)
class Bundle:
    """The content of a certificate: the evidence by name, the envelope, and the public key."""

    evidence: Mapping[str, bytes]
    envelope: dict[str, Any]
    key: bytes


def statement(evidence: Mapping[str, bytes]) -> dict[str, Any]:
    """The in-toto statement: the checked requirements, and the digests of the evidence."""
    report = json.loads(evidence["report.json"])
    checked = [entry for entry in report["requirements"] if is_checked(entry)]
    tests = {
        verdict: [entry["id"] for entry in checked if entry["verdict"] == verdict]
        for verdict in ("pass", "fail")
    }
    return {
        "_type": STATEMENT_TYPE,
        "subject": [
            {
                "name": report["target"]["base-url"],
                "digest": {"sha256": digest(evidence["target.json"])},
            }
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "result": "PASSED" if not tests["fail"] else "WARNED",
            "configuration": [
                {"name": name, "digest": {"sha256": digest(content)}}
                for name, content in evidence.items()
            ],
            "passedTests": tests["pass"],
            "warnedTests": tests["fail"],
            "failedTests": [],
        },
    }


def write(path: Path, evidence: Mapping[str, bytes], key: Ed25519PrivateKey) -> None:
    """Write the certificate; the same evidence and key give the same file."""
    envelope = dsse.sign(statement(evidence), key)
    files = {
        **evidence,
        STATEMENT: json.dumps(envelope, indent=2).encode(),
        KEY: dsse.pem(key.public_key()),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)


def read(path: Path) -> Bundle:
    """The parts of a certificate. Raises BundleProblem."""
    wanted = {*EVIDENCE, STATEMENT, KEY}
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if sorted(names) != sorted(wanted):
                raise BundleProblem(
                    f"{path.name} holds {', '.join(names)} instead of {', '.join(sorted(wanted))}"
                )
            if sum(entry.file_size for entry in archive.infolist()) > MOST_BYTES:
                raise BundleProblem(f"{path.name} unpacks to more than {MOST_BYTES} bytes")
            files = {name: archive.read(name) for name in names}
        envelope = json.loads(files[STATEMENT])
    except (OSError, zipfile.BadZipFile, ValueError, EOFError) as problem:
        if isinstance(problem, BundleProblem):
            raise
        raise BundleProblem(
            f"{path.name} is not a certificate ({type(problem).__name__})"
        ) from None
    if not isinstance(envelope, dict):
        raise BundleProblem(f"{STATEMENT} is not an envelope")
    return Bundle({name: files[name] for name in EVIDENCE}, envelope, files[KEY])


def digest(content: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()
