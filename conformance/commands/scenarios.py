"""`conformance scenarios`: sequences of operations that clients use, as an Arazzo document."""

import argparse
import sys

from conformance.contract import arazzo
from conformance.contract.exit_codes import CONFORMANT


def run(_arguments: argparse.Namespace) -> int:
    """Write the document to standard output."""
    sys.stdout.write(arazzo.text())
    return CONFORMANT
