"""What should be known of a run before its first check: notes on standard error."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import TextIO

import pytest

from conformance.contract.quantity import quantity
from conformance.contract.requirements import CLASSES
from conformance.runner import stated_target
from conformance.target.target import Target

CERTIFIED = ("standard", "deep")
"""The depths of runs that can be certified."""


class Notes:
    """A pytest plugin that prints the notes on a run of a target."""

    def __init__(self, arguments: argparse.Namespace, stream: TextIO | None = None) -> None:
        self._arguments = arguments
        # pytest replaces the stream while checks run.
        self._stream = stream or sys.stderr

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Print the notes; the bundled reference has none."""
        target = stated_target.target_of(session.config)
        if target is not None:
            lines = (*literal_secrets(target), *uncertifiable(self._arguments))
            self._stream.writelines(f"note: {line}\n" for line in lines)
            self._stream.flush()


def literal_secrets(target: Target) -> Iterator[str]:
    """The secrets that stand in the profile itself, and the variable for the first of them."""
    found = [
        (f"credentials.{name}.{scheme}", credential.variable(scheme)[1:])
        for name, credential in target.credentials.items()
        for scheme in credential.schemes
        if credential.is_literal(scheme)
    ]
    if found:
        key, variable = found[0]
        number = quantity(len(found), "secret")
        where = target.source or "the profile"
        yield (
            f'{number} in {where}, such as {key}: write "${{{variable}}}" and set {variable}; '
            "commands in the report use the names of variables"
        )


def uncertifiable(arguments: argparse.Namespace) -> Iterator[str]:
    """Why the report of this run will not be certified."""
    reasons = {
        f"its depth is {arguments.depth} (use standard or deep)": arguments.depth not in CERTIFIED,
        "it checks only some classes": _is_partial(arguments.classes),
        "it uses several processes": bool(arguments.workers),
    }
    stated = [reason for reason, applies in reasons.items() if applies]
    if stated:
        yield f"this run cannot be certified: {', '.join(stated)}"


def _is_partial(classes: Sequence[str]) -> bool:
    return bool(classes) and set(classes) != set(CLASSES)
