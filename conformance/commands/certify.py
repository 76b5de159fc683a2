"""`conformance certify`: the evidence of a complete, conformant run in one signed file."""

import argparse
import json
import sys
from pathlib import Path

from conformance.assurance.certificate import bundle, dsse
from conformance.assurance.certificate.verification import refusals
from conformance.commands.outcome import UsageError
from conformance.contract import files
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT

FROM_RUN = ("report.json", "exchanges.jsonl", "target.json")
FROM_CONTRACT = ("requirements.yaml", "openapi.yaml")


def run(arguments: argparse.Namespace) -> int:
    """Bundle and sign the run in a report directory."""
    evidence = _evidence(arguments.report_dir)
    reasons = list(refusals(json.loads(evidence["report.json"])))
    if reasons:
        sys.stdout.write("not certified:\n" + "".join(f"  {reason}\n" for reason in reasons))
        return NON_CONFORMANT
    try:
        bundle.write(arguments.file, evidence, dsse.private_key(arguments.key))
    except dsse.KeyProblem as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{arguments.file}: {problem.strerror}") from None
    sys.stdout.write(f"certificate written to {arguments.file}\n{dsse.MEANING}\n")
    return CONFORMANT


def _evidence(directory: Path) -> dict[str, bytes]:
    try:
        evidence = {name: (directory / name).read_bytes() for name in FROM_RUN}
    except OSError as problem:
        remedy = f"`conformance run --report-dir {directory}` writes it"
        raise UsageError(f"{problem.filename}: {problem.strerror}; {remedy}") from None
    return {**evidence, **{name: files.text(name).encode() for name in FROM_CONTRACT}}
