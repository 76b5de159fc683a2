"""`conformance fleet`: many targets, and what is remembered of them; one module for each action."""

import argparse
import importlib

from conformance.commands.outcome import UsageError

EXTRA = ("distributed", "psycopg", "sqlalchemy")
"""The packages of the extra `fleet`."""

MODULES = {"run": "campaign"}
"""The modules with another name than their action: one called `run` would hide the function."""


def run(arguments: argparse.Namespace) -> int:
    """Perform one action."""
    action = MODULES.get(arguments.action, arguments.action)
    try:
        code: int = importlib.import_module(f"conformance.commands.fleet.{action}").run(arguments)
    except ModuleNotFoundError as problem:
        if problem.name not in EXTRA:
            raise
        remedy = "pip install '.[fleet]' in a checkout"
        raise UsageError(f"needs the package {problem.name}: {remedy}") from None
    return code
