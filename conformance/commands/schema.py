"""`conformance schema`: the JSON Schema of a file that people or programs write or read."""

import argparse
import sys

from conformance.contract import files
from conformance.contract.exit_codes import CONFORMANT


def run(arguments: argparse.Namespace) -> int:
    """Print one schema."""
    sys.stdout.write(files.text(f"{arguments.name}.schema.json"))
    return CONFORMANT
