"""What other callers than primary list, and the same records by their ids."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.verdict import NotApplicable
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import repeated
from conformance.runner.facts import fact_name
from conformance.suite.lists.live import PARENTS, Live, parameter_of
from conformance.target.target import Credential

CALLERS = ("colleague", "outsider", "no-review-role")


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
    known = live.session.target.credentials
    found = [known[name] for name in CALLERS if name in known]
    if not found:
        raise NotApplicable("the profile has no other caller")
    return found


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
