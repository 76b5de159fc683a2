"""`conformance keygen`: a key pair to sign certificates with."""

import argparse

from conformance.assurance.certificate import dsse
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT
from conformance.report.console import output


def run(arguments: argparse.Namespace) -> int:
    """Write a new private key, and its public key beside it; never over a file."""
    try:
        public = dsse.generate(arguments.file)
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
    key = dsse.public_key(public.read_bytes(), str(public))
    output.lines(
        [
            f"private key  {arguments.file}",
            f"public key   {public}",
            f"key id       {key.keyid}",
        ]
    )
    return CONFORMANT
