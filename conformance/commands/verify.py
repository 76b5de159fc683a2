"""`conformance verify`: checks a certificate without its target and without a network."""

import argparse
import json
import sys

from conformance.assurance.certificate import bundle, dsse
from conformance.assurance.certificate.verification import Verification, verify
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT


def run(arguments: argparse.Namespace) -> int:
    """Check digests and signature, and recompute the verdict from the evidence."""
    try:
        found = bundle.read(arguments.file)
        pinned = arguments.public_key.read_bytes() if arguments.public_key else None
        verification = verify(found, pinned, current=arguments.with_current_suite)
    except (bundle.BundleProblem, dsse.KeyProblem) as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
    if verification.problems:
        lines = ["REJECTED:", *(f"  {problem}" for problem in verification.problems)]
    else:
        lines = _verified(found, verification, arguments)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return NON_CONFORMANT if verification.problems else CONFORMANT


def _verified(
    found: bundle.Bundle, verification: Verification, arguments: argparse.Namespace
) -> list[str]:
    report = json.loads(found.evidence["report.json"])
    suite = report["suite"]
    lines = [
        f"{report['target']['base-url']}; checked {report['started']}: {report['verdict']}",
        f"  depth {suite['depth']}, seed {suite['seed']}, "
        f"{report['exchanges']['count']} exchanges, suite {suite['version']}",
        f"  signed with the key {dsse.fingerprint(dsse.public_key(found.key, 'the signer'))}",
    ]
    if arguments.with_current_suite:
        same = ("the installed suite comes to the same verdict on every requirement",)
        return [*lines, *(verification.changes or same)]
    lines += ["VERIFIED: the evidence supports the verdict.", dsse.MEANING]
    if arguments.public_key is None:
        lines.append(
            "The owner of the key is not verified: compare its fingerprint, or pass --public-key."
        )
    return lines
