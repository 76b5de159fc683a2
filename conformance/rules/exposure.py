"""Exposure: nobody is shown what they may not read (Authentication).

A rule on every read by either interface, whichever check has sent it. Whoever may not read is
rejected, and not shown the record by that; no page shows primary a record from outside its grant.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial

from conformance.contract import api
from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Contract, Operation
from conformance.contract.pointer import Path, pointer
from conformance.contract.verdict import Defect, Kind, Location, Part, defect
from conformance.http import json_rpc
from conformance.rules import answer as answers
from conformance.rules import disclosure, issued
from conformance.rules.access import (
    CALLERS,
    OUTSIDE,
    RECORDS,
    UNAUTHENTICATED,
    Asked,
    Outcome,
    outcome,
    requirement,
)
from conformance.rules.answer import Answer, Request, Way
from conformance.rules.issued import Cursors
from conformance.rules.judgement import Judgement, Judgements
from conformance.rules.records import Record
from conformance.rules.requested import letters
from conformance.target import forged
from conformance.target.target import Fixtures

OWNERS = {"id": "", "companyId": "company", "projectId": "project"}
"""The properties that identify a record or its owner, with the kind of the id; "" for its own."""
CREDENTIALS = frozenset({"x-api-key", "authorization"})
LONGEST_BODY = 1_000_000
"""Bytes of an error response that is searched for a record."""

UNGRANTED = frozenset({"ungranted"})
"""What is outside the project grant alone: the rest of its company is primary's."""
OUTSIDER, OF_PRIMARY = "outsider", ("primary", "colleague")
KNOWN = (*UNAUTHENTICATED, *OF_PRIMARY, OUTSIDER, "lacking")
"""The callers that the rule knows enough of."""

_LACKING = "lacking."
_NAMES = {None: "nobody", forged.MADE_UP: "made-up"}
"""Callers by the names of their credentials, where these differ."""

Owned = Callable[[str], Collection[str]]
"""The records of a resource that primary lists, by their ids in lower case."""


@dataclass(frozen=True)
class Grant:
    """What the profile names outside primary's grant: by kind, each id in lower case with its
    group, "foreign" or "ungranted".
    """

    outside: Mapping[str, Mapping[str, str]]

    def property_outside(
        self, record: Record, resource: str, groups: Collection[str] = OUTSIDE
    ) -> str | None:
        """The property by which a record is known to be in one of the groups, or None."""
        for name, kind in OWNERS.items() if self.outside else ():
            id = record.get(name)
            if isinstance(id, str) and self.group(kind or resource.lower(), id) in groups:
                return name
        return None

    def group(self, kind: str, id: str) -> str | None:
        """The group of an id of a kind; None where it is not known to be outside."""
        return self.outside.get(kind, {}).get(id.lower())


def grant_of(fixtures: Fixtures) -> Grant:
    """The grant that the fixtures of a profile state."""
    outside: dict[str, dict[str, str]] = {}
    for name, ids in (("foreign", fixtures.foreign), ("ungranted", fixtures.ungranted)):
        for kind, id in ids.items():
            outside.setdefault(kind, {})[id.lower()] = name
    return Grant(outside)


@dataclass(frozen=True)
class Exposure:
    """Judges what callers are shown.

    `grant` is that of primary, `cursors` are those that were issued.
    """

    contract: Contract
    grant: Grant
    cursors: Cursors

    def examine(self, request: Request) -> Judgements:
        """The violations in a read by one credential at most; a pass takes a check."""
        asked = self._asked(request)
        if asked is None:
            return
        if request.is_served:
            yield from self._served(asked, request)
        elif request.is_rejected and outcome(asked) is not Outcome.SERVED:
            yield from _disclosed(asked, request, self.contract)

    def examine_outsider(self, request: Request, owned: Owned) -> Judgements:
        """Whether the outsider is shown what primary lists, or what is beside it alone."""
        asked, subject = self._asked(request), str(request.way.subject).lower()
        if asked is None:
            return
        if asked.is_whole_list:
            own = owned(asked.called.resource)
            yield from _of_others(asked, request, partial(self._property_of_primary, asked, own))
        elif subject in owned(_kind(asked.called).capitalize()):
            yield _violation(requirement(asked), _accepted(asked).at(request.place))

    def _asked(self, request: Request) -> Asked | None:
        """Who asks for what; None for writes, and for callers of whom too little is known."""
        way = request.way
        caller = _caller(way.caller, way.operation)
        if way.operation.writes or caller not in KNOWN or not _has_one_reader(request):
            return None
        form = "cursor" if issued.is_of_another(way, self.cursors) else "plain"
        return Asked(caller, self._record(way), way.operation.id, way.face, form)

    def _record(self, way: Way) -> str:
        """The group of what the path names, or an argument of a whole list; else "own"."""
        named = [(kind, id) for _, id in way.arguments for kind in self.grant.outside]
        if "{" in way.operation.path:
            named = [(_kind(way.operation), way.subject or "")]
        groups = (self.grant.group(kind, id) for kind, id in named)
        return next(filter(None, groups), "own")

    def _served(self, asked: Asked, request: Request) -> Judgements:
        """A success of somebody who may not read, or a page with a record from outside."""
        if asked.caller in OF_PRIMARY and asked.is_whole_list:
            yield from _of_others(asked, request, partial(self._property_outside, asked))
            return
        is_closed = asked.caller != OUTSIDER and outcome(asked) is not Outcome.SERVED
        # A page behind a cursor may be that of the record which the cursor was issued for.
        has_cursor = any(is_uuid(value) for _, value in request.way.arguments)
        if is_closed and not (asked.record in OUTSIDE and has_cursor):
            yield _violation(requirement(asked), _accepted(asked).at(request.place))

    def _property_outside(self, asked: Asked, record: Record) -> str | None:
        return self.grant.property_outside(record, asked.called.resource)

    def _property_of_primary(
        self, asked: Asked, own: Collection[str], record: Record
    ) -> str | None:
        """The property by which a record is primary's, or outside its project grant alone."""
        if str(record.get("id")).lower() in own:
            return "id"
        return self.grant.property_outside(record, asked.called.resource, UNGRANTED)


def is_of_outsider(request: Request) -> bool:
    """Whether the outsider has read something: what primary lists decides on it."""
    return request.is_served and request.way.caller == OUTSIDER


def _has_one_reader(request: Request) -> bool:
    """Whether nobody can take one part of a request for another: what decides is there once.

    Of nobody, there is none.
    """
    headers = request.exchange.request.headers
    credentials = [name for name, value in headers if name in CREDENTIALS and value]
    names = [letters(name) for name, _ in request.way.arguments]
    is_plain = request.exchange.judge_arguments and len(names) == len(set(names))
    return is_plain and len(credentials) <= (request.way.caller is not None)


def _violation(requirement: str, found: Defect) -> Judgement:
    """A violation; what conforms is not judged here."""
    return Judgement(requirement, found, is_counted=False)


def _caller(credential: str | None, operation: Operation) -> str:
    if credential is not None and credential.startswith(_LACKING):
        is_own = credential == f"{_LACKING}{operation.permission}"
        return "lacking" if is_own else "lacking another"
    return _NAMES.get(credential, str(credential))


def _kind(operation: Operation) -> str:
    """The kind of the id in the path; "" where there is none."""
    names = (each.name for each in operation.parameters if each.location == "path")
    return next((api.load().id_kinds[name] for name in names), "")


def _of_others(
    asked: Asked, request: Request, property_outside: Callable[[Record], str | None]
) -> Judgements:
    """The first record of a page that is from outside."""
    for answer in _parts(answers.shown(request)):
        for path, record in answer.records:
            name = property_outside(record)
            if name is not None:
                found = _outside(asked, record[name]).on(name)
                yield _violation(_of_page(asked), found.at(answer.where(*path, name)))
                return


def _parts(answer: Answer | None) -> tuple[Answer, ...]:
    return (answer, *answer.others) if answer is not None else ()


def _outside(asked: Asked, id: object) -> Defect:
    text, expected = "{who} is shown a record from outside its grant", "records within the grant"
    return defect(Kind.FOREIGN, text, expected=expected, actual=id, who=_who(asked))


def _of_page(asked: Asked) -> str:
    """What a page with a record from outside violates: without a filter, the same for everybody."""
    return requirement(asked if asked.record in OUTSIDE else replace(asked, caller=OUTSIDER))


def _accepted(asked: Asked) -> Defect:
    of_record = f" of {RECORDS[asked.record]}" if "{" in asked.called.path else ""
    text, what = "{who} is served {what}", f"{asked.operation}{of_record}"
    return defect(Kind.ACCEPTED, text, expected="an error response", who=_who(asked), what=what)


def _disclosed(asked: Asked, request: Request, contract: Contract) -> Judgements:
    """An error response that shows the record which was asked for, or any where none was.

    Whoever may read other records could be shown one of those.
    """
    place = _record_in(request, asked.called.resource, contract)
    if place is not None:
        text, expected = "{who} is rejected, and shown the record", "an error response without it"
        shown = defect(Kind.FOREIGN, text, expected=expected, who=_who(asked))
        yield _violation(requirement(asked), shown.at(Location(Part.BODY, pointer(place))))


def _record_in(request: Request, resource: str, contract: Contract) -> Path | None:
    exchange, subject = request.exchange, request.way.subject
    if exchange.response is None or exchange.response.length > LONGEST_BODY:
        return None
    ids = {subject.lower()} if subject is not None else set()
    told = [exchange.json] if exchange.in_contract else [*json_rpc.messages(exchange)]
    places = (disclosure.record_in(each, resource, contract, ids) for each in told)
    return next((place for place in places if place is not None), None)


def _who(asked: Asked) -> str:
    return CALLERS.get(asked.caller, asked.caller)
