"""Where the defect of a finding is in one of its responses."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from conformance.contract.pointer import Path, steps
from conformance.contract.verdict import Kind, Part
from conformance.report.document_types import (
    DefectEntry,
    ExchangeEntry,
    LocationEntry,
    ResponseEntry,
)
from conformance.report.recorded_body import UNPARSED, parsed, resolved

HERE = "here"


@dataclass(frozen=True)
class Marks:
    """What to mark in a response: the status line, a header, places in the JSON body, or all of it.

    `places` and `body` say what is wrong.
    """

    status: bool = False
    header: str | None = None
    places: Mapping[Path, str] = field(default_factory=dict)
    body: str | None = None

    @property
    def is_outside_body(self) -> bool:
        """Whether the status line or a header is wrong, and nothing in the body."""
        return (self.status or self.header is not None) and not self.places and self.body is None


NOTHING = Marks()


def places(defect: DefectEntry, exchange: str, *, is_last: bool) -> Iterator[LocationEntry]:
    """The locations of a defect that are in one exchange of its finding."""
    for place in defect["where"]:
        if place["exchange"] == exchange or (is_last and not place["exchange"]):
            yield place


def marks(defect: DefectEntry | None, exchange: ExchangeEntry, *, is_last: bool) -> Marks:
    """What to mark in the response of an exchange; nothing without a response or a location."""
    response = exchange.get("response")
    if defect is None or response is None:
        return NOTHING
    found = list(places(defect, exchange["id"], is_last=is_last))
    headers = [place["name"] for place in found if place["part"] == Part.HEADER]
    pointers = [place["name"] for place in found if place["part"] == Part.BODY]
    in_body = _in_body(defect, pointers, response)
    return Marks(
        status=any(place["part"] == Part.STATUS for place in found),
        header=headers[0] if headers else None,
        places=in_body,
        body="not JSON" if pointers and in_body is NO_JSON else None,
    )


NO_JSON: Mapping[Path, str] = {}


def _in_body(
    defect: DefectEntry, pointers: list[str], response: ResponseEntry
) -> Mapping[Path, str]:
    body = parsed(response) if pointers else UNPARSED
    if body is UNPARSED:
        return NO_JSON
    found: dict[Path, str] = {}
    for pointer in pointers:
        path, absent = resolved(body, steps(pointer))
        found[path] = f"no {absent[0]}" if absent else _note(defect)
    return found


def _note(defect: DefectEntry) -> str:
    if defect["kind"] == Kind.ABSENT and defect["fields"]:
        return f"no {', '.join(defect['fields'])}"
    return "not allowed" if defect["kind"] == Kind.EXTRA else HERE
