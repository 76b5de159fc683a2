"""The values of options, parsed; each raises ArgumentTypeError with what would be right."""

import argparse
import importlib
from datetime import date
from typing import Any

from conformance.runner.shard import Shard, parse

LARGEST_COUNT = 10**9
MOST_PROCESSES = 1_000
LONGEST_HOURS = 10 * 365 * 24
LONGEST_DAYS = 100 * 365
"""A time from which a date follows is bounded: the calendar ends."""

LARGEST_PORT = 65535

LARGEST_SEED = 2**63 - 1
"""JSON is written with integers of 64 bits, and databases have them with a sign."""


def conformance_classes(text: str) -> tuple[str, ...]:
    """The names of conformance classes of a target, separated by commas."""
    return _classes(text, _catalogue().CLASSES)


def listed_classes(text: str) -> tuple[str, ...]:
    """The names of any conformance classes, separated by commas."""
    return _classes(text, (*_catalogue().CLASSES, _catalogue().CLIENT))


def _catalogue() -> Any:
    # It is loaded only for this.
    return importlib.import_module("conformance.contract.requirements")


def _classes(text: str, classes: tuple[str, ...]) -> tuple[str, ...]:
    chosen = tuple(text.split(","))
    if unknown := [name for name in chosen if name not in classes]:
        raise argparse.ArgumentTypeError(
            f"unknown class {unknown[0]!r}; the classes are {', '.join(classes)}"
        )
    return chosen


def names(text: str) -> tuple[str, ...]:
    """Names, separated by commas."""
    found = tuple(text.split(","))
    if "" in found:
        raise argparse.ArgumentTypeError(f"{text!r} must be names with commas between them")
    return found


def formats(text: str) -> tuple[str, ...]:
    """The names of report formats, separated by commas."""
    # The formats are loaded only for this.
    known: dict[str, object] = importlib.import_module("conformance.report.artefacts").FORMATS
    chosen = tuple(text.split(","))
    if unknown := [name for name in chosen if name not in known]:
        raise argparse.ArgumentTypeError(
            f"unknown format {unknown[0]!r}; the formats are {', '.join(known)}"
        )
    return chosen


def shard(text: str) -> Shard:
    """One of several parts of a run."""
    try:
        return parse(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def seed(text: str) -> int:
    """An integer that every file of a run can have."""
    try:
        stated = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} must be an integer") from None
    if abs(stated) > LARGEST_SEED:
        raise argparse.ArgumentTypeError(f"must be an integer up to {LARGEST_SEED}")
    return stated


def count(text: str, most: int = LARGEST_COUNT) -> int:
    """An integer, 1 or more."""
    if not text.isdecimal() or not text.strip("0"):
        raise argparse.ArgumentTypeError(f"{text!r} must be an integer ≥ 1")
    return _bounded(text, most)


def processes(text: str) -> int:
    """A number of processes."""
    return count(text, MOST_PROCESSES)


def hours(text: str) -> int:
    """A number of hours, up to ten years."""
    return count(text, LONGEST_HOURS)


def _bounded(text: str, most: int) -> int:
    """An integer of decimal digits, of which Python reads no more than some thousands."""
    if len(text) > len(str(most)) or int(text) > most:
        raise argparse.ArgumentTypeError(f"must be an integer up to {most}")
    return int(text)


def seconds(text: str) -> float:
    """A number of seconds, more than 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} must be a number of seconds > 0")
    return value


def day(text: str) -> date:
    """A day of the calendar."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} must be a date, such as 2027-01-31") from None


def days(text: str) -> int:
    """A number of days, such as 90d."""
    number = text.removesuffix("d")
    if number == text or not number.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} must be a number of days, such as 90d")
    return _bounded(number, LONGEST_DAYS)


def host(text: str) -> str:
    """A name or an address to listen on. The system takes an empty one for all addresses."""
    if not text:
        raise argparse.ArgumentTypeError(f"{text!r} must be an address, such as 127.0.0.1")
    return text


def port(text: str) -> int:
    """The number of a port; 0 stands for any that is free."""
    if not text.isdecimal() or len(text) > 5 or int(text) > LARGEST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} must be a port from 0 to 65535")
    return int(text)
