"""`conformance verify`: what a certificate is worth, found out without its target and without a network."""

import argparse
import json
import sys

from conformance.assurance.certificate import bundle, dsse
from conformance.assurance.certificate.verification import Verification, verify
from conformance.commands.outcome import CONFORMANT, NON_CONFORMANT, UsageError


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
    lines = (
        _refused(verification) if verification.problems else _sound(found, verification, arguments)
    )
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return NON_CONFORMANT if verification.problems else CONFORMANT


def _refused(verification: Verification) -> list[str]:
    return ["REFUSED:", *(f"  {problem}" for problem in verification.problems)]


def _sound(
    found: bundle.Bundle, verification: Verification, arguments: argparse.Namespace
) -> list[str]:
    report = json.loads(found.evidence["report.json"])
    suite = report["suite"]
    lines = [
        f"{report['target']['base-url']}, judged {report['started']}: {report['verdict']}",
        f"  depth {suite['depth']}, seed {suite['seed']}, {report['exchanges']['count']} exchanges, suite {suite['version']}",
        f"  signed with the key {dsse.fingerprint(dsse.public_key(found.key, 'the signer'))}",
    ]
    if arguments.with_current_suite:
        return [
            *lines,
            *(verification.changes or ("today's suite says the same of every requirement",)),
        ]
    lines += ["VERIFIED: the evidence bears the verdict out.", dsse.MEANING]
    if arguments.public_key is None:
        lines.append(
            "Whose key this is, nothing here says: compare its fingerprint, or pin it with --public-key."
        )
    return lines
