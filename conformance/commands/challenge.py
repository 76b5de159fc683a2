"""`conformance challenge`: a registrar's seed and deadline for a run that is to be certified."""

import argparse
import json
import sys
from datetime import UTC, datetime, timedelta

from conformance.assurance.certificate import challenge, dsse, strict_json
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT


def run(arguments: argparse.Namespace) -> int:
    """Write a new challenge; never over a file."""
    try:
        signer = dsse.private_key(arguments.key)
        envelope = challenge.issue(
            signer, datetime.now(UTC), timedelta(hours=arguments.hours), arguments.base_url
        )
        with arguments.file.open("xb") as file:
            file.write(strict_json.written(envelope))
    except dsse.KeyProblem as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
    stated = dsse.claims(envelope)
    if arguments.json:
        sys.stdout.write(json.dumps({"file": str(arguments.file), **stated}, indent=2) + "\n")
        return CONFORMANT
    sys.stdout.write(
        f"challenge  {arguments.file}, open until {stated['deadline']}\n"
        f"run        conformance run --seed {stated['seed']}\n"
        f"certify    conformance certify --challenge {arguments.file} --key …\n"
    )
    return CONFORMANT
