"""`conformance registry`: checks submissions, builds a web site of them, revokes certificates."""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from conformance.assurance.certificate import bundle, dsse
from conformance.assurance.registry import revocation, site, submission
from conformance.assurance.registry.revocation import FILE, NONE, Revocations
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT


def run(arguments: argparse.Namespace) -> int:
    """Do one of the three."""
    actions = {"check": _check, "build": _build, "revoke": _revoke}
    try:
        return actions[arguments.action](arguments)
    except (dsse.KeyProblem, dsse.SignatureProblem) as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None


def _check(arguments: argparse.Namespace) -> int:
    """Name every fault of a submission."""
    found = submission.check(_folder(arguments.folder))
    if arguments.json:
        result = {"name": found.name, "accepted": not found.faults, "faults": list(found.faults)}
        sys.stdout.write(json.dumps(result, indent=2) + "\n")
    else:
        lines = found.faults or ("ACCEPTED: the submission has no fault.",)
        sys.stdout.writelines(f"{line}\n" for line in lines)
    return NON_CONFORMANT if found.faults else CONFORMANT


def _build(arguments: argparse.Namespace) -> int:
    """Check every submission of a registry, and write its site."""
    registry = _folder(arguments.folder)
    revoked = _revocations(registry)
    folders = sorted(path for path in registry.iterdir() if (path / submission.PRODUCT).is_file())
    today = datetime.now(UTC).date()
    found = site.entries(map(submission.check, folders), today, revoked)
    site.build(registry, arguments.out, found, today)
    for entry in found:
        sys.stdout.write(f"{entry.status:9}{entry.title}{': ' if entry.note else ''}{entry.note}\n")
    sys.stdout.write(f"site  {arguments.out / 'index.html'}\n")
    return CONFORMANT


def _revoke(arguments: argparse.Namespace) -> int:
    """Add a certificate to the signed list of a registry."""
    registry, signer = _folder(arguments.folder), dsse.private_key(arguments.key)
    if not (registry / submission.REGISTRAR).is_file():
        (registry / submission.REGISTRAR).write_bytes(dsse.pem(signer))
    digest = bundle.digest(arguments.certificate.read_bytes())
    revoked = _revocations(registry).adding(digest, arguments.reason, datetime.now(UTC))
    revocation.write(registry / FILE, revoked, signer)
    sys.stdout.write(f"revoked {digest}\n")
    return CONFORMANT


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise UsageError(f"{path}: not a folder")
    return path


def _revocations(registry: Path) -> Revocations:
    if not (registry / FILE).is_file():
        return NONE
    key = dsse.public_key(
        (registry / submission.REGISTRAR).read_bytes(), str(registry / submission.REGISTRAR)
    )
    return revocation.read(registry / FILE, key)
