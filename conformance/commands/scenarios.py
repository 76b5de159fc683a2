"""`conformance scenarios`: sequences of operations that clients use, as an Arazzo document."""

import argparse

from conformance.contract import arazzo
from conformance.contract.exit_codes import CONFORMANT
from conformance.report.console import output


def run(_arguments: argparse.Namespace) -> int:
    """Write the document to standard output."""
    output.own(arazzo.text())
    return CONFORMANT
