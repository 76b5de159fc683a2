"""Query parameters: whether the target knows the name that the profile assumes for one.

The specification does not name the cursor and the filters of every list (Endpoints, Gaps).
"""

from contextlib import suppress

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.http.exchange import Call
from conformance.rules.arguments import REJECTIONS
from conformance.rules.records import every_value
from conformance.suite.lists.live import Live

NOT_A_UUID = "not-a-uuid"


def confirmed_name(operation: Operation, role: str, live: Live) -> str:
    """The name of a query parameter that this target knows for certain.

    Where neither the specification nor the profile states a name, the effect of the parameter has
    to show it; otherwise Inconclusive. NotApplicable where the list has no such parameter.
    """
    name = live.session.name(operation, role)
    if name is None:
        raise NotApplicable(f"{operation.id} has no {role}")
    if name not in live.session.roles(operation):
        raise Inconclusive(
            f"no response shows that the {role} of {operation.id} is called {name}",
            needs=(f"parameters.{operation.id}.{role}",),
        )
    return name


def is_known(operation: Operation, role: str, live: Live) -> bool:
    """Whether the target shows that it knows the assumed name of a query parameter."""
    name = live.session.name(operation, role)
    if name is None:
        return False
    with suppress(Inconclusive, NotApplicable):
        return _is_known(operation, role, name, live)
    return False


def _is_known(operation: Operation, role: str, name: str, live: Live) -> bool:
    if role == "cursor":
        return _knows_cursor(name, live.call(operation), live)
    return _knows_filter(operation, role, name, live)


def _knows_filter(operation: Operation, role: str, name: str, live: Live) -> bool:
    """Compare the list with one that is filtered by an unknown id, and by an invalid one."""
    call, records = Call(operation.id), live.listing(operation.id).records
    purpose = f"is {name} a parameter?"
    filtered = live.callers.send(call.asking(**{name: live.made_up(role)}), purpose=purpose)
    invalid = live.callers.send(call.asking(**{name: NOT_A_UUID}), purpose=purpose)
    is_heeded = filtered.status == 200 and not filtered.items and bool(records)
    is_checked = filtered.status in {200, 403, 404} and invalid.status in REJECTIONS
    # A target may reject unknown ids as it rejects unknown parameters: an id of an existing record
    # shows the difference.
    if filtered.status in REJECTIONS and invalid.status in REJECTIONS:
        own = every_value(records, operation.filters[role])[:1]
        calls = [call.asking(**{name: id}) for id in own]
        is_checked = any(live.callers.send(each, purpose=purpose).status == 200 for each in calls)
    return is_heeded or is_checked


def _knows_cursor(name: str, call: Call, live: Live) -> bool:
    """Follow a cursor; a target that accepts it and rejects an invalid one knows it too."""
    if live.paginations.shows_cursor(call):
        return True
    issued = live.callers.baseline(call.asking(limit="1")).cursor
    purpose = f"is {name} a parameter?"
    if issued is None:
        return False
    if live.callers.send(call.asking(**{name: issued}), purpose=purpose).status != 200:
        return False
    invalid = live.callers.send(call.asking(**{name: NOT_A_UUID}), purpose=purpose)
    return invalid.status in REJECTIONS
