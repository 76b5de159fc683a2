"""Which checks that read are begun first: those that need little, and that a `must` depends on."""

import inspect
from typing import NamedTuple

import pytest

from conformance.contract import openapi
from conformance.contract.verdict import Level
from conformance.runner import durations, order
from conformance.runner.items import name_of, operation_of, requirement_of
from conformance.runner.scheduling import paginates

GENERATED = "request_source"
"""The fixture of the checks with generated requests, many of which find the same as a few."""

FINDING = (0.0, 3.0, 30.0)
"""Milliseconds that it takes to find so many records; a parent with records below it is sought."""


class Precedence(NamedTuple):
    """The place of a check among others: the smallest comes first.

    What is observed fails nothing, and generated requests mostly find what a few others find.
    `rank` is the place in the shipped order, if it has the check. `duration` is that on the
    reference, as this package knows it, and what it takes to find the records that its operation
    needs; a check is long where most are shorter.
    """

    is_generated: bool
    is_observed: bool
    rank: int
    level: int
    is_long: bool
    duration: float


def of(item: pytest.Function) -> Precedence:
    """The precedence of a check; the same in every run, whatever its target."""
    duration, level = _duration(item), requirement_of(item).level
    return Precedence(
        is_generated(item),
        level is Level.OBSERVE,
        order.rank(item),
        list(Level).index(level),
        duration > durations.usual(durations.shipped()),
        duration + FINDING[_needs(operation_of(item))],
    )


def is_generated(item: pytest.Function) -> bool:
    """Whether a check sends generated requests."""
    return GENERATED in inspect.signature(item.function).parameters


def _needs(id: str | None) -> int:
    """The records to be found: those in its path, and a parent with records below it."""
    if id is None:
        return 0
    operation = openapi.load().operation(id)
    return operation.path.count("{") + (operation.is_list and "{" in operation.path)


def _duration(item: pytest.Function) -> float:
    operation = operation_of(item)
    if operation is not None and paginates(item.nodeid):
        return durations.of_check(durations.of_pagination(operation), durations.shipped())
    return durations.of_check(name_of(item), durations.shipped())
