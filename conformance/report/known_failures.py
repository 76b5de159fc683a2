"""Known failures: a file of what a target is known to break, so that a gate is only closed by what is new."""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from conformance.target.toml_schema import Leaf, Problem, Reader, Schema


@dataclass(frozen=True)
class Known:
    """One known failure: a requirement, on one operation or (None) on all of them, why, and the last day on which it is let pass."""

    requirement: str
    operation: str | None
    reason: str
    expires: date | None = None

    def covers(self, requirement: str, operation: str | None) -> bool:
        """Whether a finding on this requirement and operation is the known one."""
        return requirement == self.requirement and self.operation in (None, operation)


class KnownError(ValueError):
    """The file is not what it should be; str() says every problem, with file, line, key and remedy."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))


def _blank(value: str) -> str | None:
    return None if value.strip() else "is blank"


_ENTRY: Schema = {
    "requirement": Leaf(
        (str,), "write the id of a requirement (`conformance requirements` lists them)", _blank
    ),
    "operation": Leaf((str,), "write the id of an operation, or leave it out for all", _blank),
    "reason": Leaf((str,), "say why it is known, and where it is tracked", _blank),
    "expires": Leaf((date,), "write a date without quotes, such as 2027-01-31"),
}


def load(path: Path, requirements: Mapping[str, Collection[str]]) -> tuple[Known, ...]:
    """The entries of a file; `requirements` are the known ids with their operations. Raises KnownError with every problem."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        entries = tomllib.loads(text).get("known", [])
    except (OSError, ValueError) as problem:
        raise KnownError(
            [
                Problem(
                    str(path),
                    None,
                    "",
                    f"is no readable TOML: {problem}",
                    "give a file of [[known]] tables",
                )
            ]
        ) from None
    if not isinstance(entries, list):
        raise KnownError(
            [
                Problem(
                    str(path),
                    None,
                    "known",
                    "is no array of tables",
                    "write [[known]] above each entry",
                )
            ]
        )
    reader = Reader(str(path), text, {})
    read = [_entry(reader, number, entry, requirements) for number, entry in enumerate(entries)]
    if reader.problems:
        raise KnownError(reader.problems)
    return tuple(
        Known(entry["requirement"], entry.get("operation"), entry["reason"], entry.get("expires"))
        for entry in read
    )


def _entry(
    reader: Reader, number: int, entry: object, requirements: Mapping[str, Collection[str]]
) -> dict[str, Any]:
    place = ("known", number)
    read: dict[str, Any] = reader.read(_ENTRY, entry, place)
    for key in ("requirement", "reason"):
        if isinstance(entry, Mapping) and key not in entry:
            reader.report(place, f"has no {key}", f"write {key} = …")
    requirement, operation = read.get("requirement"), read.get("operation")
    if requirement is not None and requirement not in requirements:
        reader.report(
            (*place, "requirement"),
            f"names no requirement: {requirement!r}",
            "`conformance requirements` lists them",
        )
    elif (
        requirement is not None
        and operation is not None
        and operation not in requirements[requirement]
    ):
        reader.report(
            (*place, "operation"),
            f"is none of {requirement}: {operation!r}",
            "leave it out for all operations",
        )
    return read


@dataclass(frozen=True)
class Judged:
    """What the known failures make of a run: which failing (requirement, operation) pairs remain, and what is stale."""

    unknown: tuple[tuple[str, str | None], ...]
    stale: tuple[tuple[Known, str], ...]


def judge(
    entries: Sequence[Known], failing: Sequence[tuple[str, str | None]], today: date
) -> Judged:
    """Set known failures against those of a run. An entry that nothing failed, or whose day has passed, is stale."""
    live = [entry for entry in entries if entry.expires is None or entry.expires >= today]
    unknown = tuple(pair for pair in failing if not any(entry.covers(*pair) for entry in live))
    expired = [(entry, f"expired on {entry.expires}") for entry in entries if entry not in live]
    kept = [
        (entry, "does not fail any more")
        for entry in live
        if not any(entry.covers(*pair) for pair in failing)
    ]
    return Judged(unknown, (*expired, *kept))
