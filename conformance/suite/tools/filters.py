"""The filters of a list that its tool takes as well."""

from collections.abc import Iterator
from contextlib import suppress

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.http.exchange import Call
from conformance.suite.lists.parameters import confirmed_name
from conformance.suite.tools.toolbox import Toolbox


def filters_of(operation: Operation, toolbox: Toolbox) -> Iterator[tuple[str, str, str]]:
    """Each filter with a known name: the name, the property that it restricts, and a value.

    The value is that of the first record. Filters that the tool does not take are left out.
    """
    live = toolbox.live
    for role, restricted in operation.filters.items():
        with suppress(Inconclusive, NotApplicable):
            name = confirmed_name(operation, role, live)
            value = str(live.records(operation.id)[0].record.get(restricted))
            if toolbox.argument_name(operation, name) is not None and is_uuid(value):
                yield name, restricted, value


def cursor_of(call: Call, operation: Operation, toolbox: Toolbox) -> str | None:
    """The name of the cursor; None if it is not known, or if the tool takes none."""
    with suppress(Inconclusive, NotApplicable):
        name = confirmed_name(operation, "cursor", toolbox.live)
        return None if toolbox.argument_name(operation, name) is None else name
    return None
