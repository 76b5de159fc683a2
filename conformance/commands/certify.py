"""`conformance certify`: the evidence of a complete, conformant run in one signed file."""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conformance.assurance.certificate import bundle, challenge, dsse, issuing, lock_file
from conformance.assurance.certificate.evidence import Evidence
from conformance.assurance.certificate.issuing import NotCertified
from conformance.assurance.certificate.replaying import Replaying
from conformance.commands.certification import text
from conformance.commands.certification.replay_progress import ReplayProgress
from conformance.commands.outcome import UsageError
from conformance.commands.signals import interrupting
from conformance.contract import revisions
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.report.console import output
from conformance.storage import regular_file


def run(arguments: argparse.Namespace) -> int:
    """Verify the run in a report directory by replay, and sign it."""
    directory: Path = arguments.report_dir
    try:
        issuing.require_files(directory)
        revision = issuing.revision_of(directory, arguments.revision)
        signer = dsse.private_key(arguments.key)
        how = Replaying([ReplayProgress()], arguments.max_time)
        with interrupting():
            found = issuing.issued(directory, revision, signer, _given(arguments), how)
    except NotCertified as problem:
        return _report(arguments, {"certified": False, "reasons": problem.reasons})
    except (dsse.KeyProblem, revisions.UnknownRevision) as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        remedy = f"`conformance run --report-dir {directory}` writes it"
        raise UsageError(f"{problem.filename}: {problem.strerror}; {remedy}") from None
    try:
        bundle.write(arguments.file, found)
    except OSError as problem:
        raise UsageError(f"{arguments.file}: {problem.strerror}") from None
    claims = dsse.claims(found.envelope)
    result = {"certified": True, "file": str(arguments.file), "claims": claims}
    return _report(arguments, result, text.shortcomings(claims, Evidence(found.evidence).report))


def _given(arguments: argparse.Namespace) -> dict[str, bytes]:
    """The files that the options add to the evidence. Raises UsageError."""
    asked = {challenge.FILE: arguments.challenge, lock_file.FILE: arguments.lock}
    try:
        return {name: regular_file.read(path, follow=True) for name, path in asked.items() if path}
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None


def _report(
    arguments: argparse.Namespace, result: dict[str, Any], shortcomings: Iterable[str] = ()
) -> int:
    if arguments.json:
        output.document(result)
    elif result["certified"]:
        written = f"certificate written to {arguments.file}"
        output.lines([written, *shortcomings, *dsse.MEANING.splitlines()])
    else:
        output.lines(["not certified:", *(f"  {reason}" for reason in result["reasons"])])
    return CONFORMANT if result["certified"] else NON_CONFORMANT
