"""`conformance schema`: the JSON Schema of a file that people or programs write or read."""

import argparse

from conformance.contract import files
from conformance.contract.exit_codes import CONFORMANT
from conformance.report.console import output


def run(arguments: argparse.Namespace) -> int:
    """Print one schema."""
    output.own(files.text(f"{arguments.name}.schema.json"))
    return CONFORMANT
