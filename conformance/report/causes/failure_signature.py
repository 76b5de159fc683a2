"""What failing findings have in common: the symptoms of a requirement, and the traces they leave.

Two requirements that leave the same trace fail for the same reason.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from conformance.contract.verdict import Kind, Part, Verdict
from conformance.report.causes import location
from conformance.report.causes.misplaced import misplaced
from conformance.report.causes.severity import ON_ACCESS, Severity, severity
from conformance.report.document_types import (
    DefectEntry,
    ExchangeEntry,
    FindingEntry,
    FindingRecord,
    LocationEntry,
    ResponseEntry,
)
from conformance.report.recorded_body import objects, parsed, text_of

Trace = tuple[object, ...]
"""What two findings share if one defect explains both; the first part names the kind of trace."""

OF_FORM = ("envelope/", "error/")
"""Requirements whose texts are the same for a success and for an error."""

OF_GRANTS = (
    "authorization/company",
    "authorization/project",
    "authorization/lists",
    "authorization/filter",
    "authorization/cursor",
    "tools/grants",
)
PLAIN_CALLERS = ("primary", "outsider")
"""Callers whose credential is valid."""

REPLAYED = "replayed"
"""A trace: an approval that another caller was served with the same key, by whichever face."""
ON_REPLAYS = ("approval/guarded-replay", "tools/")
KEY = re.compile(r'"idempotencyKey": *"((?:[^"\\]|\\.)*)"')

HANDSHAKE = "handshake"
"""In the purpose of a request in the session of another caller."""

CREDENTIALS = frozenset({"x-api-key", "authorization"})

STATUSES = (Kind.STATUS, Kind.ACCEPTED)
OK = 200
INVALID = (400, 422)
OUT_OF_REACH = (403, 404)
UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
ITEMS = ("data", "items")
SERVED = (Kind.ACCEPTED, Kind.FOREIGN)
MISSING_OR_EXTRA = (Kind.ABSENT, Kind.EXTRA)
MOST_SIGHTINGS = 8
"""Sightings of a symptom on one operation whose exchanges are examined."""


class Signature(NamedTuple):
    """What two findings of one defect have in common, apart from the values that they name."""

    kind: str
    text: str
    request: str
    status: int | None
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Symptom:
    """One way in which a requirement fails; `sightings` are its findings as the items made them."""

    requirement: str
    signature: Signature
    sightings: tuple[FindingRecord, ...]

    @property
    def operations(self) -> tuple[str | None, ...]:
        """The operations on which it was found; None for the deployment as a whole."""
        return tuple(dict.fromkeys(found["operation"] for found in self.sightings))

    @property
    def gravity(self) -> Severity:
        """The severity; data and form count the same, since a defect of one shows in the other."""
        return min(severity(self.requirement, self.signature.kind), Severity.DATA)


def symptoms(requirement: str, findings: Iterable[FindingRecord]) -> list[Symptom]:
    """The failures of a requirement, by their signature."""
    sightings: dict[Signature, list[FindingRecord]] = {}
    for finding in findings:
        if finding["verdict"] == Verdict.FAIL:
            sightings.setdefault(signature(finding), []).append(finding)
    return [Symptom(requirement, each, tuple(some)) for each, some in sightings.items()]


def signature(found: FindingRecord | FindingEntry) -> Signature:
    """The signature of a failure."""
    defect = found.get("defect")
    if defect is None:  # a report of an older version
        return Signature("", found["message"], "", None, ())
    return Signature(
        defect["kind"],
        defect["text"],
        str(defect["values"].get("request", "")),
        defect["actual"] if defect["kind"] in STATUSES else None,
        tuple(defect["fields"]),
    )


def traces(
    symptom: Symptom, evidences: Mapping[str, ExchangeEntry], shared: frozenset[str]
) -> Iterator[tuple[Trace, str | None]]:
    """The traces of a symptom, each with its operation.

    Responses are examined only in the exchanges that several requirements have in common.
    """
    examined: dict[str | None, int] = {}
    for found in symptom.sightings:
        operation = found["operation"]
        examined[operation] = examined.get(operation, 0) + 1
        if examined[operation] > MOST_SIGHTINGS:
            continue
        exchanges = [evidences[id] for id in found["exchanges"] if id in evidences]
        for trace in _of_finding(symptom, found, exchanges):
            yield trace, operation
        for trace in _of_responses(found, exchanges, shared):
            yield trace, operation


def _of_finding(
    symptom: Symptom, found: FindingRecord, exchanges: Sequence[ExchangeEntry]
) -> Iterator[Trace]:
    """Traces of the request and its outcome: equal ones on one operation are one defect."""
    operation = found["operation"]
    if not symptom.requirement.startswith(OF_FORM):
        yield "signature", operation, symptom.signature
    defect = found.get("defect")
    if not exchanges or defect is None:
        return
    status = status_of(exchanges[-1])
    if status is not None and _is_of_status(defect):
        yield "status", operation, status
        yield "status instead", operation, status, found["expected"]
    elif not symptom.requirement.startswith(OF_FORM) and defect["kind"] not in MISSING_OR_EXTRA:
        yield from _of_fields(defect, exchanges)
    yield from _of_access(symptom.requirement, operation, (defect["kind"], exchanges))
    yield from _of_effect(operation, exchanges)
    for id in _listed(symptom.requirement, defect["kind"], exchanges[-1]):
        yield "listed", id
    for id in _rejected(defect, exchanges):
        yield "rejected", id


def _is_of_status(defect: DefectEntry) -> bool:
    in_status_line = any(place["part"] == Part.STATUS for place in defect["where"])
    return in_status_line or defect["kind"] in STATUSES


def _of_fields(defect: DefectEntry, exchanges: Sequence[ExchangeEntry]) -> Iterator[Trace]:
    operations = dict.fromkeys(exchange["operation"] for exchange in exchanges)
    for name in defect["fields"]:
        for operation in operations:
            yield "field", operation, name


def _of_access(
    requirement: str, operation: str | None, served: tuple[str, Sequence[ExchangeEntry]]
) -> Iterator[Trace]:
    """The caller who is served; a valid credential reaches too much by its grants.

    An effect shows in a read of somebody else, after the write of that caller.
    """
    kind, exchanges = served
    if kind in SERVED:
        yield from _of_circumstances(requirement, operation, exchanges[-1])
    if requirement in OF_GRANTS and kind in SERVED:
        yield "accepted", operation, "grants"
    elif kind == Kind.ACCEPTED:
        yield from _accepted(operation, exchanges[-1])
    elif kind == Kind.EFFECT and requirement in ON_ACCESS:
        for write in [each for each in exchanges if each["request"]["method"] == "POST"][-1:]:
            yield from _accepted(operation, write)


def _of_circumstances(
    requirement: str, operation: str | None, exchange: ExchangeEntry
) -> Iterator[Trace]:
    """What lets a caller in: the key of a replay, another caller's session, a second credential."""
    if requirement.startswith(ON_REPLAYS):
        for key in KEY.findall(text_of(exchange["request"].get("body")) or ""):
            yield REPLAYED, operation, key
    if HANDSHAKE in exchange["purpose"]:
        yield HANDSHAKE, operation
    if {name for name, _ in exchange["request"]["headers"]} >= CREDENTIALS:
        yield "two credentials", operation


def _accepted(operation: str | None, exchange: ExchangeEntry) -> Iterator[Trace]:
    if exchange["credential"] not in PLAIN_CALLERS:
        yield "accepted", operation, exchange["credential"]


def _listed(requirement: str, kind: str, exchange: ExchangeEntry) -> Iterator[str]:
    """The records of a page that shows too much, and those that are out of reach by their ids."""
    if requirement in OF_GRANTS and kind == Kind.FOREIGN:
        yield from _ids(exchange)
    elif status_of(exchange) in OUT_OF_REACH:
        yield from urlsplit(exchange["request"]["url"]).path.split("/")


def _rejected(defect: DefectEntry, exchanges: Sequence[ExchangeEntry]) -> Iterator[str]:
    """The UUIDs of requests that are rejected for their arguments, without those that are served.

    Whichever requirement has such a UUID in a request, it is the UUID that the target rejects.
    """
    served = {id for each in exchanges if status_of(each) == OK for id in _uuids(each)}
    for exchange in exchanges:
        places = location.places(defect, exchange["id"], is_last=exchange is exchanges[-1])
        is_wrong = any(place["part"] == Part.STATUS for place in places)
        if is_wrong and status_of(exchange) in INVALID:
            yield from sorted(_uuids(exchange) - served)


def _uuids(exchange: ExchangeEntry) -> set[str]:
    return set(UUID.findall(exchange["request"]["url"]))


def _ids(page: ExchangeEntry) -> Iterator[str]:
    """The ids of the items of a page."""
    response = page.get("response")
    for path, held in objects(parsed(response), len(ITEMS) + 1) if response else ():
        if path[:-1] == ITEMS:
            yield from (id for name, id in held if name == "id" and isinstance(id, str))


def _of_effect(operation: str | None, exchanges: Sequence[ExchangeEntry]) -> Iterator[Trace]:
    """A rejected write that had an effect all the same, as the read after it shows."""
    writes = [each for each in exchanges[:-1] if each["request"]["method"] == "POST"]
    is_read = exchanges[-1]["request"]["method"] == "GET"
    status = status_of(writes[-1]) if writes else None
    if is_read and status is not None and status >= 400:
        yield "rejected with effect", operation, status


def _of_responses(
    found: FindingRecord, exchanges: Sequence[ExchangeEntry], shared: frozenset[str]
) -> Iterator[Trace]:
    """The places that are wrong in the responses."""
    defect = found.get("defect")
    for exchange in exchanges:
        response = exchange.get("response")
        if defect is None or response is None or exchange["id"] not in shared:
            continue
        is_last = exchange is exchanges[-1]
        for place in location.places(defect, exchange["id"], is_last=is_last):
            if place["part"] == Part.STATUS:
                yield exchange["id"], "status", response["status"]
            else:
                absent = tuple(defect["fields"]) if defect["kind"] == Kind.ABSENT else ()
                yield exchange["id"], place["part"], place["name"], absent
                if _is_page(response) and _is_of_form(place, defect):
                    yield exchange["id"], "page"
        for each in misplaced(defect, response):
            yield exchange["id"], "misplaced", each


def _is_page(response: ResponseEntry) -> bool:
    return (text_of(response["body"]) or "").lstrip().startswith("<")


def _is_of_form(place: LocationEntry, defect: DefectEntry) -> bool:
    """Whether HTML instead of JSON violates this: the media type, or the form of the body."""
    return place["name"] == "content-type" or defect["kind"] == Kind.BODY


def status_of(exchange: ExchangeEntry) -> int | None:
    """The status of a recorded exchange; None without a response."""
    response = exchange.get("response")
    return response["status"] if response else None
