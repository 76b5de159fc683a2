"""The filters of a list that its tool takes as well."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from conformance.contract.identifiers import EXTREMES, is_uuid
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


@dataclass(frozen=True)
class FilterCase:
    """Filters by their names, the owners that they name by the properties that they restrict.

    `has_records` is false where nothing may pass them, or an id is `in_capitals`: then a record
    passes them where that spelling is accepted.
    """

    filters: Mapping[str, str]
    owners: Mapping[str, str]
    has_records: bool = True
    in_capitals: bool = False


def filter_cases(operation: Operation, toolbox: Toolbox) -> Iterator[FilterCase]:
    """Each filter that the tool takes, and all of them together.

    They name the owners of the first and of the last record, owners of two records, the owner of
    one in upper case, and nothing.
    """
    names = {restricted: name for name, restricted, _ in filters_of(operation, toolbox)}
    live = toolbox.live
    records = [listed.record for listed in live.records(operation.id)] if names else []
    records = [each for each in records if all(is_uuid(each.get(name)) for name in names)]
    if not records:
        return
    first, last = (
        {each: str(record[each]) for each in names} for record in (records[0], records[-1])
    )
    unknown = live.made_up("filter by tool")

    def case(owners: Mapping[str, str], *, has_records: bool = True) -> FilterCase:
        filters = {names[restricted]: id for restricted, id in owners.items()}
        return FilterCase(filters, owners, has_records)

    others = {restricted: _most_other(restricted, records) for restricted in names}
    for restricted, other in others.items():
        yield case({restricted: last[restricted]})
        yield case({restricted: unknown}, has_records=False)
        if EXTREMES[0] not in {str(each[restricted]).lower() for each in records}:
            yield case({restricted: EXTREMES[0]}, has_records=False)
        # Where such a filter is ignored, the first record shows it. Most records make later pages.
        upper = case({restricted: other.upper()}, has_records=False)
        yield replace(upper, in_capitals=other != other.upper())
    if len(names) > 1:
        yield case(first)
        yield from (
            case({**first, restricted: id}, has_records=False)
            for restricted in names
            for id in (others[restricted], unknown)
        )


def _most_other(restricted: str, records: Sequence[Mapping[str, Any]]) -> str:
    """The owner that most records have, but for that of the first one where there is another."""
    counts = Counter(str(each[restricted]) for each in records)
    counts[str(records[0][restricted])] = 0
    return max(counts, key=counts.__getitem__)


def cursor_of(call: Call, operation: Operation, toolbox: Toolbox) -> str | None:
    """The name of the cursor; None if it is not known, or if the tool takes none."""
    with suppress(Inconclusive, NotApplicable):
        name = confirmed_name(operation, "cursor", toolbox.live)
        return None if toolbox.argument_name(operation, name) is None else name
    return None
