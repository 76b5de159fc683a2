"""`conformance registry`: checks and rejudges submissions, builds a site, revokes certificates."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from conformance.assurance.certificate import bundle, dsse
from conformance.assurance.registry import (
    answers,
    rejudging,
    revocation,
    settings,
    site,
    submission,
)
from conformance.assurance.registry.rejudging import Rejudged
from conformance.assurance.registry.revocation import FILE, NONE, Revocations
from conformance.commands.options import usual
from conformance.commands.outcome import UsageError
from conformance.commands.signals import interrupting
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.report.console import output
from conformance.storage import folder, fresh_file, regular_file


def run(arguments: argparse.Namespace) -> int:
    """Perform the action that is named; UsageError for files that cannot be used."""
    actions = {"check": _check, "build": _build, "rejudge": _rejudge, "revoke": _revoke}
    try:
        with interrupting():
            return actions[arguments.action](arguments)
    except (
        bundle.BundleProblem,
        dsse.KeyProblem,
        dsse.SignatureProblem,
        settings.SettingsProblem,
    ) as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None


def _check(arguments: argparse.Namespace) -> int:
    """Name every fault of a submission."""
    found = submission.check(_folder(arguments.folder))
    if arguments.json:
        result = {"name": found.name, "accepted": not found.faults, "faults": list(found.faults)}
        output.document(result)
    else:
        lines = found.faults or ("ACCEPTED: the submission has no fault.",)
        output.lines(lines)
    return NON_CONFORMANT if found.faults else CONFORMANT


def _build(arguments: argparse.Namespace) -> int:
    """Check every submission of a registry, and write its site."""
    folder.check_unnamed(arguments.out, usual.SITE)
    registry = _folder(arguments.folder)
    revoked = _revocations(registry)
    today = arguments.on or datetime.now(UTC).date()
    source = site.Source(registry, settings.load(registry), today)
    known = answers.of(submission.certificates(registry))
    checked = (submission.check(each, known) for each in rejudging.folders(registry))
    found = site.entries(checked, today, revoked)
    written = site.build(source, arguments.out, found)
    if arguments.json:
        entries = [{"name": each.slug, "status": each.status, "note": each.note} for each in found]
        output.document({"products": entries, "files": written})
        return CONFORMANT
    for entry in found:
        output.lines([f"{entry.status:9}{entry.title}{': ' if entry.note else ''}{entry.note}"])
    output.lines([f"site  {arguments.out / 'index.html'}"])
    return CONFORMANT


def _rejudge(arguments: argparse.Namespace) -> int:
    """Verify every submission with the installed suite, and list what flips."""
    found = []
    for each in rejudging.rejudge(_folder(arguments.folder)):
        found.append(each)
        if not arguments.json:
            output.lines(_rejudged(each))
            sys.stdout.flush()
    if not found:
        remedy = f"each is a folder with {submission.PRODUCT}"
        raise UsageError(f"{arguments.folder}: no submission in it; {remedy}")
    if arguments.json:
        output.document(list(map(asdict, found)))
    return CONFORMANT if all(each.is_same for each in found) else NON_CONFORMANT


def _rejudged(found: Rejudged) -> Iterator[str]:
    if found.problems:
        yield f"unsound  {found.name}"
    elif found.is_same:
        yield f"same     {found.name}: {found.was}"
    else:
        yield f"flips    {found.name}"
    yield from (f"           {line}" for line in (*found.problems, *found.flips))


def _revoke(arguments: argparse.Namespace) -> int:
    """Add a certificate to the signed list of a registry."""
    registry, signer = _folder(arguments.folder), dsse.private_key(arguments.key)
    digest = bundle.read(arguments.certificate).digest
    listed = registry / submission.REGISTRAR
    if not regular_file.is_there(listed):
        fresh_file.write(listed, dsse.pem(signer))
    elif dsse.public_key(regular_file.read(listed), str(listed)).keyid != signer.public_key.keyid:
        raise UsageError(f"{arguments.key}: not the key of {listed}")
    revoked = _revocations(registry).adding(digest, arguments.reason, datetime.now(UTC))
    revocation.write(registry / FILE, revoked, signer)
    if arguments.json:
        output.document({"revoked": digest, "reason": arguments.reason})
    else:
        output.lines([f"revoked {digest}"])
    return CONFORMANT


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise UsageError(f"{path}: not a folder")
    return path


def _revocations(registry: Path) -> Revocations:
    if not regular_file.is_there(registry / FILE):
        return NONE
    listed = registry / submission.REGISTRAR
    key = dsse.public_key(regular_file.read(listed), str(listed))
    return revocation.read(registry / FILE, key)
