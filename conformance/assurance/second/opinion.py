"""The opinion of the second judge: a verdict on each requirement, and where a report differs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from conformance.assurance.second import access, approvals, pages, reads, recording
from conformance.assurance.second.contract import Contract
from conformance.assurance.second.form import Form
from conformance.assurance.second.history import History
from conformance.assurance.second.ruling import Ruling

PASS, FAIL = "pass", "fail"
VERSION = "v1"

Place = tuple[str, str | None]
"""A requirement, and an operation."""


@dataclass(frozen=True)
class Opinion:
    """The result of a second judgement.

    `verdicts` has the requirements that it has judged; `not_judged` are all others. `differences`
    are sentences: the report says pass where a flaw is recorded, or fail where all that it names
    is in order. What a report leaves undecided is none.
    """

    verdicts: Mapping[str, str]
    not_judged: tuple[str, ...]
    differences: tuple[str, ...]

    @property
    def document(self) -> dict[str, Any]:
        """The opinion as JSON values."""
        return {
            "verdicts": dict(self.verdicts),
            "notJudged": list(self.not_judged),
            "differences": list(self.differences),
        }


def of(report: Mapping[str, Any], target: Any, lines: Iterable[Any]) -> Opinion:
    """The opinion on a recorded run, beside its report. Raises Malformed.

    The arguments are the documents of report.json, target.json and exchanges.jsonl.
    """
    recorded = recording.read(lines, target)
    try:
        found = list(_rulings(recorded))
        verdicts = dict(_verdicts(found, recorded.contract))
        differences = tuple(_differences(found, report["requirements"]))
    except (LookupError, TypeError, AttributeError) as problem:
        raise recording.Malformed(f"{type(problem).__name__}: {problem}") from None
    left = tuple(id for id in recorded.contract.requirements if id not in verdicts)
    return Opinion(verdicts, left, differences)


def _rulings(recorded: History) -> Iterator[Ruling]:
    path = recorded.target["base-url"].rstrip("/").split("/")
    flaw = None if path[-1] == VERSION else f"the base address ends with {path[-1]!r:.40}"
    yield Ruling("base/version-segment", None, (), flaw)
    yield from chain(
        Form(recorded.contract).rulings(recorded),
        reads.rulings(recorded),
        pages.rulings(recorded),
        access.rulings(recorded),
        approvals.rulings(recorded),
    )


def _verdicts(found: Iterable[Ruling], contract: Contract) -> Iterator[tuple[str, str]]:
    """Fail for one flaw; pass where every operation of the requirement was seen to meet it."""
    met: dict[str, set[str | None]] = {}
    violated: set[str] = set()
    for each in found:
        met.setdefault(each.requirement, set()).add(each.operation)
        if each.flaw is not None:
            violated.add(each.requirement)
    for id, operations in contract.requirements.items():
        if id in violated:
            yield id, FAIL
        elif id in met and met[id] >= set(operations):
            yield id, PASS


def _differences(found: Iterable[Ruling], entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    by_id = {entry["id"]: entry for entry in entries}
    meeting: dict[Place, set[str]] = {}
    violating: dict[Place, Ruling] = {}
    for each in found:
        place = each.requirement, each.operation
        if each.flaw is None:
            meeting.setdefault(place, set()).update(each.exchanges)
        elif _is_denied(each, by_id):
            violating.setdefault(place, each)
    yield from map(_unseen, violating.values())
    for (id, operation), seen in meeting.items():
        yield from _unfounded(by_id.get(id, {}), operation, seen)


def _is_denied(violation: Ruling, by_id: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the report says pass, and that no other requirement of the flaw failed."""
    names = violation.requirement, *violation.otherwise
    first, *others = (_verdict(by_id.get(name), violation.operation) for name in names)
    return first == PASS and FAIL not in others


def _unseen(violation: Ruling) -> str:
    where = "".join(f" at {exchange}" for exchange in violation.exchanges)
    return (
        f"{violation.requirement}: the certificate says pass, the second judge finds"
        f" fail{where}: {violation.flaw}"
    )


def _unfounded(entry: Mapping[str, Any], operation: str | None, seen: set[str]) -> Iterator[str]:
    """A failure, all of whose exchanges meet the requirement."""
    named = {
        each["id"]
        for finding in entry.get("findings", ())
        if finding["verdict"] == FAIL and finding["operation"] == operation
        for each in finding["exchanges"]
    }
    if named and named <= seen:
        yield (
            f"{entry['id']}: the certificate says fail, the second judge finds pass at"
            f" {', '.join(sorted(named))}"
        )


def _verdict(entry: Mapping[str, Any] | None, operation: str | None) -> str | None:
    """The verdict of a report on a requirement, at an operation where it has one for it."""
    return entry["operations"].get(operation, entry["verdict"]) if entry else None
