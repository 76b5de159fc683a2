"""What other callers than primary list, and the same records by their ids."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending, repeated
from conformance.rules.records import record_key
from conformance.runner.facts import fact_name
from conformance.suite.lists.live import PARENTS, Live, parameter_of
from conformance.suite.lists.pagination import PAGE, Listed, Pagination
from conformance.target.target import Credential

CALLERS = ("colleague", "outsider", "no-review-role")
MOST_PARENTS, FEW_PARENTS = 20, 3
"""Records below which a caller's lists are read: of those that primary does not list, and does."""


@dataclass(frozen=True)
class Reading:
    """A record in the list of a caller, and the response to reading it with the same credential."""

    caller: Credential
    page: Exchange
    record: dict[str, Any]
    response: Exchange

    @property
    def is_listed(self) -> bool:
        """Whether the page shows the record."""
        return self.record["id"] in [item.get("id") for item in self.page.items]

    def anew(self, live: Live) -> "Reading":
        """The page and the record, requested once more."""
        page, response = (
            live.callers.send(each.call, self.caller, each.scheme, purpose=repeated(each.purpose))
            for each in (self.page, self.response)
        )
        same = [item for item in page.items if item.get("id") == self.record["id"]]
        return Reading(self.caller, page, same[0] if same else self.record, response)


def callers(live: Live) -> list[Credential]:
    """Callers of the profile other than primary; NotApplicable without any."""
    found = _known(live)
    if not found:
        raise NotApplicable("the profile has no other caller")
    return found


def _known(live: Live) -> list[Credential]:
    known = live.session.target.credentials
    return [known[name] for name in CALLERS if name in known]


def listings(operation: Operation, live: Live) -> list[Pagination]:
    """A list as each other caller is shown it, in the longest pages."""
    call, found = Call(operation.id), []
    for caller in _known(live):
        with suppress(Inconclusive):
            found.append(live.paginations.read(call, PAGE, caller))
    return found


def pages_below(operation: Operation, live: Live) -> Mapping[str, list[Exchange]]:
    """The first page of the list below some records of each other caller: a fact of the run."""
    return live.fact(
        fact_name("other-callers", operation.id), lambda own: _pages_below(operation, own)
    )


def _pages_below(operation: Operation, live: Live) -> dict[str, list[Exchange]]:
    name = parameter_of(operation)
    found = {}
    for listing in listings(live.operation(PARENTS[name]), live):
        page = listing.pages[0]
        caller = live.callers.credential(str(page.credential))
        sending = Sending(caller, page.scheme, f"what {caller.name} lists below a record")
        calls = [
            Call(operation.id, {name: each.record["id"]}).asking(limit=str(PAGE))
            for each in _parents(listing, live)
        ]
        found[caller.name] = live.callers.send_each([(call, sending) for call in calls])
    return found


def _parents(listing: Pagination, live: Live) -> Sequence[Listed]:
    """Some records of a caller's list, most of which primary does not list."""
    own = live.listing(listing.call.operation).ids
    shared = [each for each in listing.listed if record_key(each.record) in own]
    unshared = [each for each in listing.listed if record_key(each.record) not in own]
    most = min(live.session.depth.records, MOST_PARENTS)
    return [*live.chosen(unshared, most), *live.chosen(shared, FEW_PARENTS)]


def readings(operation: Operation, live: Live) -> tuple[Reading, ...]:
    """The first record of the list of each other caller, read by its id: a fact of the run."""
    if not operation.path.endswith("Id}"):
        raise NotApplicable(f"{operation.id} reads no record of a list")
    return live.fact(
        fact_name("other-callers", operation.id), lambda own: tuple(_readings(operation, own))
    )


def _readings(operation: Operation, live: Live) -> Iterator[Reading]:
    name = parameter_of(operation)
    for caller in callers(live):
        page = first_page(Call(PARENTS[name]), caller, live)
        for item in page.items[:1]:
            if isinstance(item.get("id"), str):
                call, purpose = Call(operation.id, {name: item["id"]}), f"{caller.name} lists it"
                response = live.callers.send(call, caller, page.scheme, purpose=purpose)
                yield Reading(caller, page, item, response)


def first_page(call: Call, caller: Credential, live: Live) -> Exchange:
    """The first page of a list, as a caller is shown it."""
    return live.callers.send(call, caller, purpose=f"what {caller.name} lists")
