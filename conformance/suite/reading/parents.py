"""The parents that the items of a list below a record name."""

from conformance.contract.openapi import Operation
from conformance.http.exchange import Call, Exchange
from conformance.suite.lists.live import Live, parameter_of


def with_cursor_of_another(operation: Operation, live: Live) -> list[tuple[str, Exchange]]:
    """The list below a record with a cursor of the list below another, which may be rejected."""
    name, cursor = parameter_of(operation), live.session.name(operation, "cursor")
    first, *others = live.parents(operation.id)
    call = Call(operation.id, {name: first}).asking(limit="1")
    issued = live.callers.send(call, purpose="a cursor for another parent")
    if issued.cursor is None or cursor is None or not others:
        return []
    below_other = Call(operation.id, {name: others[0]}).asking(**{cursor: issued.cursor})
    purpose = "the cursor of another parent"
    page = live.callers.send(below_other, scheme=issued.scheme, purpose=purpose)
    return [(others[0], page)]
