"""What a run met that is no verdict: a rate limit, a target that was away, and another build."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.contract.quantity import per_second, quantity
from conformance.report.document_types import AbsenceEntry, CircumstancesEntry, Report
from conformance.report.text import short

REJECTED, RATE, ABSENCE, BUILD = "rejected", "requests-per-second", "absence", "build"
"""The names under which the items of a run note them."""

MEASURED = ("requests-per-second", "absences")
"""What no replay of a run can know."""

LONGEST_VALUE = 120


class Circumstances:
    """The circumstances of a run, added up from the notes of its items."""

    def __init__(self) -> None:
        self._rejected = 0
        self._rate: float | None = None
        self._absences: list[AbsenceEntry] = []
        self._builds: list[dict[str, str]] = []

    def take(self, name: str, subject: str, value: Any) -> bool:
        """Take a note; False where it is about something else."""
        match name:
            case "rejected":
                self._rejected += value
            case "requests-per-second":
                self._rate = value
            case "absence":
                self._absences.append({"since": float(subject), "seconds": value})
            case "build":
                self._builds.append(value)
            case _:
                return False
        return True

    @property
    def entry(self) -> CircumstancesEntry:
        """What the report says of them; empty where there is nothing to say."""
        entry: CircumstancesEntry = {}
        if self._rejected:
            entry["rejected"] = self._rejected
            if self._rate is not None:
                entry["requests-per-second"] = self._rate
        if self._absences:
            entry["absences"] = sorted(self._absences, key=lambda each: each["since"])
        builds = self._distinct_builds()
        if len(builds) > 1:
            entry["builds"] = builds
        return entry

    def _distinct_builds(self) -> list[dict[str, str]]:
        """What identifies each build, by the names that all of them have."""
        first, *others = self._builds or [{}]
        names = [name for name in first if all(name in other for other in others)]
        values = dict.fromkeys(tuple(each[name] for name in names) for each in self._builds)
        return [dict(zip(names, each, strict=True)) for each in values]


def measured(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The part of an entry that no replay can know."""
    return {name: entry[name] for name in MEASURED if name in entry}


def sentences(report: Report) -> Iterator[str]:
    """One sentence for each of them."""
    found = report.get("circumstances", {})
    if "rejected" in found:
        yield _limit(found["rejected"], found.get("requests-per-second"))
    for each in found.get("absences", ()):
        since, seconds = each["since"], each["seconds"]
        yield f"The target did not respond for {seconds:.0f} s, {since:.0f} s after the start."
    if "builds" in found:
        yield f"The target became another build during the run: {_changes(found['builds'])}."


def _limit(rejected: int, rate: float | None) -> str:
    """How many requests the target rejected, and the rate that it allows."""
    number = f"{quantity(rejected, 'request')} got 429"
    if rate is None:
        return f"The target has a rate limit: {number}."
    return f"The target allows {per_second(rate)}: {number}."


def _changes(builds: Sequence[Mapping[str, str]]) -> str:
    """What identified the builds, as far as it has changed."""
    values = {name: list(dict.fromkeys(each[name] for each in builds)) for name in builds[0]}
    return "; ".join(
        f"{name} {', then '.join(short(value, LONGEST_VALUE) for value in seen)}"
        for name, seen in values.items()
        if len(seen) > 1
    )
