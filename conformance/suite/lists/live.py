"""The data of a target: the records of its lists, and valid calls on them."""

import random
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeVar

from conformance.contract import api
from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.rules.records import record_key
from conformance.runner.context import Context
from conformance.runner.facts import fact_name
from conformance.runner.focus import FEW_PARENTS
from conformance.suite.callers.callers import Callers
from conformance.suite.lists.covering import covering
from conformance.suite.lists.data_conditions import PAGES
from conformance.suite.lists.features import features
from conformance.suite.lists.pagination import PAGE, Listed, Pagination
from conformance.suite.lists.paginations import Paginations

Value = TypeVar("Value")

LISTS = api.load().lists
PARENTS = api.load().parents
READING = api.load().readers
REVIEWS = PARENTS["reviewId"]
SHORTER = 25
"""The limit that lists are read with where the target rejects the longest page."""
SEVERAL, FARTHER = 2, 40
"""Where no parent of those tried has several records below it, so many further ones are tried."""
EMPTY = 3
"""Empty pages in a row after which no items are expected."""


class Live:
    """What primary sees of a target: facts of the run, for one item of it."""

    def __init__(self, session: Context) -> None:
        self.session = session
        self.callers = Callers(session)
        self.paginations = Paginations(session, self.callers)

    def fact(self, name: str, find: Callable[["Live"], Value]) -> Value:
        """A fact of the run; `find` gets the data of the target for its own requests."""
        return self.session.fact(name, lambda own: find(Live(own)))

    def operation(self, id: str) -> Operation:
        """An operation of the contract."""
        return self.session.contract.operation(id)

    def listing(self, operation: str) -> Pagination:
        """A list without path parameters, in long pages; Inconclusive where it is rejected."""
        call = Call(operation)
        longest = self.paginations.read(call, PAGE)
        if longest.pages[0].status == 200:
            return longest
        # Rejecting the longest page violates a rule; the data are read with a shorter one.
        self.callers.require_baseline(call)
        return self.paginations.read(call, SHORTER)

    def longest_page(self, operation: str) -> int:
        """The limit of the longest page that a list serves."""
        return self.listing(operation).limit

    def is_outside(self, record: Mapping[str, Any], operation: str) -> bool:
        """Whether a record of a list is outside primary's grant, according to the profile."""
        resource = self.operation(operation).resource
        return self.session.exposure.grant.property_outside(record, resource) is not None

    def records(self, operation: str) -> list[Listed]:
        """The records of a list with a valid id, inside the grant; Inconclusive without any.

        A list that shows records from outside violates requirements of authorization.
        """
        return self.fact(fact_name("records", operation), lambda live: _records(operation, live))

    def shared(self, operation: str) -> frozenset[str]:
        """The records that each scheme of primary lists; none where a list cannot be read.

        What one credential shows is expected of no other one (Authentication).
        """
        return self.fact(fact_name("shared", operation), lambda live: _shared(operation, live))

    def longest(self, operation: str) -> Pagination:
        """A list by the scheme of primary that lists most: a credential may reach less."""
        found = self.by_scheme(operation)
        return max(found, key=lambda each: len(each.ids), default=self.listing(operation))

    def by_scheme(self, operation: str) -> tuple[Pagination, ...]:
        """A list by each scheme of primary that reads it, as it was when somebody asked first."""
        name = fact_name("by-scheme", operation)
        return self.fact(name, lambda live: tuple(_by_scheme(operation, live)))

    def sample(self, operation: str) -> list[Listed]:
        """Some records of a list, as `chosen` has them."""
        return self.chosen(self.records(operation), self.session.depth.records)

    def chosen(self, records: Sequence[Listed], most: int) -> list[Listed]:
        """At most so many records: the first two, the last, those that are unlike others.

        The seed chooses the rest of them.
        """
        if len(records) <= most:
            return [*records]
        own = features([listed.record for listed in records])
        unlike = covering(range(len(records)), own.__getitem__)
        others = random.Random(f"{self.session.seed}").sample(range(len(records)), len(records))
        order = dict.fromkeys([0, len(records) - 1, 1, *unlike, *others])
        return [records[number] for number in islice(order, most)]

    def readings(self, operation: Operation) -> list[tuple[Listed, Exchange]]:
        """A sample of the records of a list, each with the response to reading it by its id."""
        return self.fact(
            fact_name("readings", operation.id), lambda live: _readings(operation, live)
        )

    def is_listed(self, listed: Listed, scheme: str | None) -> bool:
        """Whether the page of a record still shows it, read by a scheme."""
        return self.page_with(listed, scheme) is not None

    def page_with(self, listed: Listed, scheme: str | None) -> Exchange | None:
        """The page of a record, read by a scheme; None where it does not show it any more.

        Otherwise it was deleted, or is out of reach: access is further limited by the credential
        (Authentication), so that one of primary's may reach fewer records than the other.
        """
        page = self.callers.send(listed.call, scheme=scheme, purpose="is it still listed?")
        return page if record_key(listed.record) in map(record_key, page.items) else None

    def call(self, operation: Operation) -> Call:
        """A valid call of a read operation, on a record that primary sees."""
        if "{" not in operation.path:
            return Call(operation.id)
        name = parameter_of(operation)
        if operation.is_list:
            return Call(operation.id, {name: self._parent(operation.id)})
        return Call(operation.id, {name: self.records(PARENTS[name])[0].record["id"]})

    def richest(self, operation: Operation) -> Call:
        """The call of a read operation on the longest record; a valid one for the others."""
        if operation.is_list or "{" not in operation.path:
            return self.call(operation)
        name = parameter_of(operation)
        records = (listed.record for listed in self.records(PARENTS[name]))
        return Call(operation.id, {name: max(records, key=lambda record: len(str(record)))["id"]})

    def _parent(self, operation: str) -> str:
        """A parent whose list is served; where none is, the first that was tried."""
        tried = self.lists_below(operation)
        if self.children(operation) or not tried:
            return self.parents(operation)[0]
        return str(tried[0][0].record["id"])

    def page_with_items(self, page: Exchange) -> Exchange:
        """This page, or the one after it that has items: a page with a cursor may be empty.

        A cursor may be bound to its limit, and be rejected beside another one.
        """
        name = self.session.name(self.operation(page.operation), "cursor")
        reached = page
        for _ in range(EMPTY):
            if reached.items or reached.cursor is None or name is None:
                break
            call = reached.call.asking(**{name: reached.cursor})
            reached = self.callers.send(call, scheme=page.scheme, purpose="after an empty page")
        return reached if reached.items else page

    def lists_below(self, operation: str) -> list[tuple[Listed, Exchange]]:
        """The first page with items of a list below each parent, or each of a choice of them.

        Further parents are tried where none of these has several records below it, or a long list.
        """
        name = fact_name("lists-below", operation)
        return self.fact(name, lambda live: _lists_below(operation, live))

    def children(self, operation: str) -> dict[str, Exchange]:
        """The successful pages of `lists_below`, by the id of the parent."""
        pages = self.lists_below(operation)
        return {listed.record["id"]: page for listed, page in pages if page.status == 200}

    def parents(self, operation: str) -> list[str]:
        """The parents of a list below a record, those with the most records first."""
        pages = self.children(operation)
        if not pages:
            raise Inconclusive(
                f"no successful response of {operation}", needs=("data in the target",)
            )
        return sorted(pages, key=lambda id: -len(pages[id].items))

    def made_up(self, label: str) -> str:
        """A UUID that no record has; the same for the same seed and label."""
        bits = random.Random(f"{self.session.seed}:{label}").getrandbits(128)
        return str(uuid.UUID(int=bits, version=4))


def parameter_of(operation: Operation) -> str:
    """The name of the path parameter of an operation."""
    return operation.path[operation.path.index("{") + 1 : operation.path.index("}")]


def reading_of(listing: str, id: str) -> Call | None:
    """The call that reads a record of a list by its id; None where no operation does."""
    name = next((name for name, parent in PARENTS.items() if parent == listing), None)
    return None if name is None else Call(READING[name], {name: id})


# --- facts ---


def _records(operation: str, live: Live) -> list[Listed]:
    listed = live.listing(operation).listed
    records = [each for each in listed if not live.is_outside(each.record, operation)]
    if not records:
        raise Inconclusive(f"{operation} shows no record", needs=("data in the target",))
    shared = live.shared(operation)
    return [each for each in records if record_key(each.record) in shared] or records


def _shared(operation: str, live: Live) -> frozenset[str]:
    found = live.by_scheme(operation)
    if len(found) < len(live.callers.credential("primary").schemes):
        return frozenset()
    return frozenset.intersection(*(frozenset(each.ids) for each in found))


def _by_scheme(operation: str, live: Live) -> Iterator[Pagination]:
    primary, call = live.callers.credential("primary"), Call(operation)
    for scheme in primary.schemes:
        with suppress(Inconclusive):
            yield live.paginations.read(call, live.longest_page(operation), primary, scheme)


def _readings(operation: Operation, live: Live) -> list[tuple[Listed, Exchange]]:
    name = parameter_of(operation)
    sample = live.sample(PARENTS[name])
    calls = [Call(operation.id, {name: listed.record["id"]}) for listed in sample]
    return list(zip(sample, live.callers.send_all(calls, "read by id"), strict=True))


def _lists_below(operation: str, live: Live) -> list[tuple[Listed, Exchange]]:
    parents = PARENTS[parameter_of(live.operation(operation))]
    pages = _first_pages(operation, _parents_to_try(parents, live), live)
    if not _has_list_of(SEVERAL, pages):
        pages += _first_pages(operation, _untried(parents, pages, live)[:FARTHER], live)
    if live.session.focus is None and not _has_list_of(PAGES + 1, pages):
        # One long list of many is seldom among those tried.
        farther = live.chosen(_untried(parents, pages, live), live.session.depth.parents // 2)
        pages += _first_pages(operation, farther, live)
    if parents == REVIEWS and not _has_list_of(1, pages):
        pages += _first_pages(operation, _named(live), live)
    return pages


def _named(live: Live) -> list[Listed]:
    """The reviews that the profile names: those that are read of a long list may all be new."""
    fixtures = live.session.target.fixtures
    ids = dict.fromkeys([*fixtures.unapprovable_reviews, *fixtures.approvable_reviews])
    calls = [Call(READING["reviewId"], {"reviewId": id}) for id in ids][:FARTHER]
    reads = live.callers.send_all(calls, "a review that the profile names")
    return [Listed(each.data, each.call) for each in reads if each.status == 200 and _has_id(each)]


def _has_id(read: Exchange) -> bool:
    return isinstance(read.data, dict) and is_uuid(read.data.get("id"))


def _parents_to_try(parents: str, live: Live) -> list[Listed]:
    """A choice of the parents; in a narrowed run few, those of its failures first."""
    records, focus = live.records(parents), live.session.focus
    tried = live.chosen(records, live.session.depth.parents)
    if focus is None:
        return tried
    named = [each for each in records if each.record["id"].lower() in focus.ids]
    return [*named, *(each for each in tried if each not in named)][:FEW_PARENTS]


def _has_list_of(records: int, pages: Sequence[tuple[Listed, Exchange]]) -> bool:
    return any(len(page.items) >= records for _, page in pages)


def _untried(parents: str, pages: Sequence[tuple[Listed, Exchange]], live: Live) -> list[Listed]:
    """The parents without a page yet, in the order of their list."""
    tried = {listed.record["id"] for listed, _ in pages}
    return [each for each in live.records(parents) if each.record["id"] not in tried]


def _first_pages(
    operation: str, parents: Sequence[Listed], live: Live
) -> list[tuple[Listed, Exchange]]:
    name = parameter_of(live.operation(operation))
    calls = [Call(operation, {name: listed.record["id"]}) for listed in parents]
    longest = [call.asking(limit=str(PAGE)) for call in calls]
    pages = live.callers.send_all(longest, "look for records")
    if not any(page.status == 200 for page in pages):
        pages = live.callers.send_all(calls, "look for records, without a limit")
    found = (live.page_with_items(page) for page in pages)
    return list(zip(parents, found, strict=True))
