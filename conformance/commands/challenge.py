"""`conformance challenge`: a registrar's seed and deadline for a run that is to be certified."""

import argparse
from datetime import UTC, datetime, timedelta
from pathlib import Path

from conformance.assurance.certificate import challenge, dsse, strict_json
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT
from conformance.report.console import output
from conformance.report.console.line import Copied
from conformance.report.text import word
from conformance.storage import fresh_file, regular_file
from conformance.target.profile_schema import BASE_URL
from conformance.target.target import base_url_flaw


def run(arguments: argparse.Namespace) -> int:
    """Write a new challenge; never over a file. Raises UsageError."""
    # The vendor reads it: an address with a password would pass that on.
    if arguments.base_url is not None and (flaw := base_url_flaw(arguments.base_url)):
        raise UsageError(f"--base-url {flaw}; {BASE_URL.remedy}")
    try:
        signer = dsse.private_key(arguments.key)
        envelope = challenge.issue(
            signer,
            datetime.now(UTC),
            timedelta(hours=arguments.hours),
            arguments.base_url,
            _vendor(arguments.vendor),
        )
        fresh_file.new(arguments.file, strict_json.written(envelope))
    except dsse.KeyProblem as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
    stated = dsse.claims(envelope)
    if arguments.json:
        output.document({"file": str(arguments.file), **stated})
        return CONFORMANT
    output.lines(
        [
            f"challenge  {arguments.file}, open until {stated['deadline']}",
            f"run        conformance run --seed {stated['seed']}",
            Copied(f"certify    conformance certify --challenge {word(arguments.file)} --key …"),
        ]
    )
    return CONFORMANT


def _vendor(path: Path | None) -> str | None:
    """The id of the only key that may answer. Raises OSError, and KeyProblem."""
    if path is None:
        return None
    content = regular_file.read(path, dsse.LARGEST_KEY, follow=True)
    return dsse.public_key(content, str(path)).keyid
