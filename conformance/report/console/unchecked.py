"""What a run could not judge, as lines for a terminal: under each profile key the requirements that it would settle."""

import textwrap
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from conformance.contract import api
from conformance.contract.requirements import CLASSES
from conformance.report.console.line import Span, short
from conformance.report.document import is_checked

Name = tuple[str, str]
"""The id of a requirement, and where it is meant if not everywhere."""

WIDTH = 110
LONGEST_MESSAGE = 300
MOST_REASONS = 8
CONSENT = "consent.approve-reviews"
TABLES = ("credentials.lacking", "fixtures.foreign", "fixtures.ungranted")


def spans(report: dict[str, Any]) -> Iterator[list[Span]]:
    """A line for each profile key, with what waits for it; nothing where everything was judged."""
    entries = [entry for entry in report["requirements"] if _is_undecided(entry)]
    if not entries:
        return
    yield [
        ("NOT JUDGED", "warn"),
        (f"  {_number(entries)}; what would settle them, and how many each:", ""),
    ]
    for key, names in sorted(
        _missing(entries, _silence(report)).items(), key=lambda pair: -len(pair[1])
    ):
        first, *rest = _wrapped(_gathered(names))
        yield [(f"  {key:30}", "strong"), (f"{len(names):4}  ", ""), (first.strip(), "dim")]
        yield from ([(line, "dim")] for line in rest)
    yield from _obstacles(entries)
    yield []


def _silence(report: dict[str, Any]) -> str | None:
    """Why a run did not send what would have shown something, where that is the run's own doing."""
    if report["interrupted"]:
        return "a run to its end"
    return "a run of all classes" if len(report["suite"]["classes"]) < len(CLASSES) else None


def _missing(entries: Sequence[dict[str, Any]], silence: str | None) -> dict[str, list[Name]]:
    """What is missing, and what waits for it: under each key of the profile the requirements that need it."""
    missing: dict[str, list[Name]] = {}
    for entry in entries:
        for key in _keys(entry, silence):
            missing.setdefault(key, []).append(_name(entry))
    known = frozenset(missing)
    for entry in entries:
        if not _keys(entry, silence):
            missing.setdefault(_unseen(entry, known), []).append(_name(entry))
    return missing


def _keys(entry: dict[str, Any], silence: str | None) -> list[str]:
    """The profile keys that the checks of an entry asked for; `silence` where they, or others that show it, did not run."""
    found = _open(entry)
    if silence and not any(each["needs"] and each["items"] for each in found):
        return [silence]
    return list(dict.fromkeys(_table(key) for each in found for key in each["needs"]))


def _unseen(entry: dict[str, Any], missing: Collection[str]) -> str:
    """What would show a requirement that every answer has to keep, where nothing was answered."""
    if "credentials.primary" in missing:
        return "credentials.primary"
    silent = [
        operation for operation, verdict in entry["operations"].items() if verdict == "inconclusive"
    ]
    return (
        CONSENT
        if silent == [api.load().approval.id] and CONSENT in missing
        else "data in the target"
    )


def _obstacles(entries: Sequence[dict[str, Any]]) -> Iterator[list[Span]]:
    """What the target did that was in the way."""
    reasons: dict[str, list[Name]] = {}
    for entry in entries:
        for message in dict.fromkeys(
            found["message"] for found in _open(entry) if found["exchanges"]
        ):
            reasons.setdefault(message, []).append(_name(entry))
    if reasons:
        yield [("  In the way was:", "")]
    ordered = sorted(reasons.items(), key=lambda pair: -len(pair[1]))
    for message, names in ordered[:MOST_REASONS]:
        yield [(f"  {len(names):4}  ", ""), (short(message, LONGEST_MESSAGE), "strong")]
        yield from ([(line, "dim")] for line in _wrapped(_gathered(names), "        "))
    if rest := ordered[MOST_REASONS:]:
        yield [(f"  … and {len(rest)} other reasons in report.json", "")]


def _open(entry: dict[str, Any]) -> list[dict[str, Any]]:
    return [found for found in entry["findings"] if found["verdict"] == "inconclusive"]


def _is_undecided(entry: dict[str, Any]) -> bool:
    return entry["verdict"] == "inconclusive" and is_checked(entry)


def _table(key: str) -> str:
    """The part of a key that says enough: which of the permissions or records is missing stands in report.json."""
    return next((table for table in TABLES if key.startswith(f"{table}.")), key)


def _name(entry: dict[str, Any]) -> Name:
    """The id of an entry, and on which of its operations it is open: "" for all of them."""
    silent = [
        operation for operation, verdict in entry["operations"].items() if verdict == "inconclusive"
    ]
    if len(silent) in (0, len(entry["operations"])):
        return entry["id"], ""
    return entry["id"], f"on {silent[0]}" if len(silent) == 1 else "on some operations"


def _gathered(names: Sequence[Name]) -> str:
    """Ids with what they have in common written once: `read/success, identity; on review_approve: response/json`."""
    places: dict[str, dict[str, list[str]]] = {"": {}}
    for id, place in names:
        area, _, point = id.partition("/")
        places.setdefault(place, {}).setdefault(area, []).append(point)
    told = {
        place: "; ".join(f"{area}/{', '.join(points)}" for area, points in areas.items())
        for place, areas in places.items()
    }
    return "; ".join(f"{place}: {ids}" if place else ids for place, ids in told.items() if ids)


def _wrapped(text: str, indent: str = " " * 38) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _number(entries: Sequence[Any]) -> str:
    return f"{len(entries)} requirement{'' if len(entries) == 1 else 's'}"
