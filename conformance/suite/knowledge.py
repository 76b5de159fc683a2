"""What a target has shown, as facts of the run: which operations serve, which names are known."""

from collections.abc import Iterator
from contextlib import suppress

from conformance.contract import api
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Finding, Inconclusive, NotApplicable
from conformance.runner.context import Context
from conformance.runner.facts import fact_name
from conformance.suite import disagreements
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import PAGE
from conformance.suite.lists.parameters import is_known


class TargetKnowledge:
    """What rules about arguments depend on."""

    def is_served(self, context: Context, operation: Operation) -> bool:
        """Whether primary gets 200 from an operation that reads."""
        if operation.writes:  # an approval of the same item has to show it
            return False
        name = fact_name("served", operation.id)
        return context.fact(name, lambda own: _is_served(operation, Live(own)))

    def knows(self, context: Context, operation: Operation, role: str) -> bool:
        """Whether the target knows the assumed name of the query parameter of a role."""
        name = fact_name("knows", operation.id, role)
        return context.fact(name, lambda own: is_known(operation, role, Live(own)))

    def owned(self, context: Context, resource: str) -> frozenset[str]:
        """The records of a resource that primary lists, by their ids in lower case."""
        name = fact_name("owned", resource)
        return context.fact(name, lambda own: _owned(api.load().lists.get(resource), Live(own)))

    def disagreements(self, context: Context, *, is_early: bool = False) -> Iterator[Finding]:
        """The records that keep being shown with different values; few where that `is_early`."""
        return disagreements.confirmed(context, is_early=is_early)


def _owned(listing: str | None, live: Live) -> frozenset[str]:
    """Those within the grant of primary: a list that shows others shows what is the outsider's."""
    with suppress(Inconclusive, NotApplicable):
        records = live.records(listing) if listing is not None else ()
        return frozenset(each.record["id"].lower() for each in records)
    return frozenset()


def _is_served(operation: Operation, live: Live) -> bool:
    with suppress(Inconclusive, NotApplicable):
        call = live.call(operation)
        with suppress(Inconclusive):
            live.callers.require_baseline(call)
            return True
        if operation.is_list:
            longest = live.callers.send(call.asking(limit=str(PAGE)), purpose="the longest page")
            return longest.status == 200
    return False
