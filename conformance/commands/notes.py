"""What should be known of a run before it begins, and while it waits: notes above its progress."""

import argparse
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from itertools import chain

import pytest

from conformance.commands import known
from conformance.commands.diagnosis.expectation import REVIEWS
from conformance.contract.quantity import quantity
from conformance.contract.requirements import CLASSES
from conformance.http.redaction import is_sought
from conformance.report.known_failures import KnownError
from conformance.report.known_file import KnownFile
from conformance.runner import stated_target
from conformance.runner.stash import SESSION
from conformance.target.target import Target

CERTIFIED = ("standard", "deep")
"""The depths of runs that can be certified."""


class Notes:
    """A pytest plugin that prints the notes on a run of a target."""

    def __init__(self, arguments: argparse.Namespace, say: Callable[[str], None]) -> None:
        self._arguments = arguments
        self._say = say

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Print the notes; of the target, the bundled reference has none."""
        target = stated_target.target_of(session.config)
        for line in self._unfilled():
            self._say(line)
        if target is not None:
            notes = (
                literal_secrets(target),
                chance_secrets(target),
                uncertifiable(self._arguments),
            )
            for line in chain.from_iterable(notes):
                self._say(line)
            if SESSION in session.config.stash:
                session.config.stash[SESSION].dispatcher.absence.say = self._say

    def _unfilled(self) -> Iterator[str]:
        path = self._arguments.known_failures
        if path is not None:
            # The run has read it, but somebody may have edited it since.
            with suppress(KnownError, OSError):
                yield from known.unfilled(KnownFile.read(path))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Say what is left for the next run."""
        target = stated_target.target_of(session.config)
        if target is not None and SESSION in session.config.stash:
            for line in reviews_left(target, session.config.stash[SESSION].approved):
                self._say(line)


def reviews_left(target: Target, approved: Collection[str]) -> Iterator[str]:
    """How many reviews of the profile this run has approved, and how many it has left."""
    if target.fixtures.reset:
        return  # the next run has all of them again
    stated = {id.lower() for id in target.fixtures.approvable_reviews}
    if spent := len(stated.intersection(approved)):
        yield (
            f"this run has approved {spent} of the {len(stated)} approvable reviews of the profile;"
            f" at most {len(stated) - spent} are left, and a run of everything approves about"
            f" {max(REVIEWS, spent)}"
        )


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


def chance_secrets(target: Target) -> Iterator[str]:
    """The secrets that occur in texts by chance, so that they cannot be replaced there."""
    found = [variable[1:] for secret, variable in target.variables.items() if not is_sought(secret)]
    if found:
        yield (
            f"too short or too common to be replaced in what a target writes: {', '.join(found)};"
            " only the requests of the report are without it"
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
