"""What failing findings have in common: the symptoms of a requirement, and the traces by which those of several are one."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.report.causes import location, misplaced
from conformance.report.page import listing

Document = Mapping[str, Any]
Trace = tuple[object, ...]
"""What two findings share where one defect is behind both; its first part says in which way."""

OF_FORM = ("envelope/", "error/")
"""Rules on the members of successes and of errors say the same words of either."""

OF_GRANTS = ("authorization/company", "authorization/project", "tools/grants")
MOST_LOOKED_AT = 8
"""Sightings of a symptom on one operation whose exchanges are looked into."""

VALUES = re.compile(
    r"'[^']*'|\"[^\"]*\"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?:api-key|bearer)\b|\d+",
    re.IGNORECASE,
)
REFUSALS = re.compile(r"4\d\d(?: or 4\d\d)*|a refusal")
MEMBER = re.compile(r"(?:[\w.]+\.)?([A-Za-z]\w*)(?:\.\d+)*: ")
"""The beginning of what the rules on records say."""

DIFFERING = re.compile(r"\bdiffer in ([\w, ]+?)(?: between |$)")


@dataclass(frozen=True)
class Symptom:
    """What is broken of one requirement in one way; `sightings` are its findings as the items of a run made them."""

    requirement: str
    kind: str
    sightings: tuple[Document, ...]

    @property
    def operations(self) -> tuple[str | None, ...]:
        """Where it was seen; None for the deployment as a whole."""
        return tuple(dict.fromkeys(found["operation"] for found in self.sightings))


def symptoms(requirement: str, findings: Iterable[Document]) -> list[Symptom]:
    """The failing findings of a requirement, those together that say the same but for values, numbers and schemes."""
    kinds: dict[str, list[Document]] = {}
    for found in findings:
        if found["verdict"] == "fail":
            kinds.setdefault(kind(found["message"]), []).append(found)
    return [Symptom(requirement, kind, tuple(some)) for kind, some in kinds.items()]


def kind(message: str) -> str:
    """A message without its values; a status is none, since it tells kinds apart."""
    return VALUES.sub(
        lambda match: match[0] if re.fullmatch("[1-5][0-9][0-9]", match[0]) else "…", message
    )


def traces(
    symptom: Symptom, evidences: Mapping[str, Document], shared: frozenset[str]
) -> Iterator[tuple[Trace, str | None]]:
    """The traces of a symptom with the operations that they were seen on; exchanges are looked into where they are `shared`."""
    looked_at: dict[str | None, int] = {}
    for found in symptom.sightings:
        operation = found["operation"]
        looked_at[operation] = looked_at.get(operation, 0) + 1
        if looked_at[operation] <= MOST_LOOKED_AT:
            known = [evidences[id] for id in found["exchanges"] if id in evidences]
            for trace in (
                *_of_probe(symptom.requirement, found, known),
                *_of_answers(symptom.requirement, found, known, shared),
            ):
                yield trace, operation


def _of_probe(requirement: str, found: Document, exchanges: Sequence[Document]) -> Iterator[Trace]:
    """What was probed, and how it ended: the same on one operation is one defect, whichever requests show it."""
    if not requirement.startswith(OF_FORM):
        yield "said", found["operation"], kind(found["message"])
    if not exchanges:
        return
    telling = exchanges[-1]
    status = _status(telling)
    if status is not None and _is_named(status, found["message"]):
        yield "answered", found["operation"], status
        yield "answered instead", found["operation"], status, found["expected"]
    else:
        places = dict.fromkeys(exchange["operation"] for exchange in exchanges)
        yield from (
            ("member", place, name)
            for name in _members(requirement, found["message"])
            for place in places
        )
    if 200 <= (status or 0) < 300 and REFUSALS.fullmatch(found["expected"]):
        # Primary and the outsider are let in as such: what they must not reach is a matter of grants.
        of_grants = requirement in OF_GRANTS
        if of_grants or telling["credential"] not in ("primary", "outsider"):
            yield "let in", found["operation"], "grants" if of_grants else telling["credential"]
    refused = [_status(each) or 0 for each in exchanges[:-1] if each["request"]["method"] == "POST"]
    if telling["request"]["method"] == "GET" and refused and refused[-1] >= 400:
        yield "refused and done", found["operation"], refused[-1]


def _members(requirement: str, message: str) -> list[str]:
    """The members of a record that a message says are wrong, or differ."""
    if requirement == "read/identity":
        return ["id"]
    if differing := DIFFERING.search(message):
        return differing[1].split(", ")
    member = MEMBER.match(message)
    return [member[1]] if member else []


def _of_answers(
    requirement: str, found: Document, exchanges: Sequence[Document], shared: frozenset[str]
) -> Iterator[Trace]:
    """The places in the very answers that are wrong."""
    for exchange in exchanges:
        if exchange["id"] in shared and exchange.get("response") is not None:
            for trace in _of_answer(requirement, found, exchange["response"]):
                yield exchange["id"], *trace


def _of_answer(requirement: str, found: Document, response: Document) -> Iterator[Trace]:
    place = location.find(requirement, found["message"], found["expected"], response)
    if _is_page(response) and (place.header == "content-type" or place.body is not None):
        yield ("a page",)
    if place.status:
        yield "status", response["status"]
    if place.header is not None:
        yield "header", place.header
    yield from (("place", *mark) for mark in place.marks.items())
    if place.marks:
        yield from misplaced.of(found["message"], response)


def _is_page(response: Document) -> bool:
    return (listing.text_of(response["body"]) or "").lstrip().startswith("<")


def _status(exchange: Document) -> int | None:
    response = exchange.get("response")
    return response["status"] if response else None


def _is_named(status: int, message: str) -> bool:
    return re.search(rf"(?<![\w-]){status}(?![\w-])", message) is not None
