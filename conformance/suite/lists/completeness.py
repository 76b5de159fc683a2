"""Paginations of one list with several limits, compared: which of them lack records."""

from collections.abc import Iterator, Sequence

from conformance.contract.openapi import Operation
from conformance.http.exchange import Call
from conformance.suite.lists.limits import lists, with_all_limits
from conformance.suite.lists.live import Live
from conformance.suite.lists.missing_records import confirm_missing, confirm_skipped, loses
from conformance.suite.lists.pagination import Pagination
from conformance.suite.lists.parameters import confirmed_name
from conformance.suite.lists.parts import is_too_long, parts


def calls_or_parts(operation: Operation, live: Live) -> Iterator[Call]:
    """The lists of an operation, and the parts of those that are too long to be read whole."""
    for call in lists(operation, live):
        yield call
        if is_too_long(with_all_limits(call, live)[0]):
            yield from (part.call for part in parts(operation, live))


def compare_limits(call: Call, live: Live) -> bool:
    """Whether several paginations of more than one record could be compared.

    Violation where one of them repeatedly lacks a record.
    """
    paginations = with_all_limits(call, live)
    whole = [each for each in paginations if each.is_whole]
    longest, *others = paginations
    if is_too_long(longest):
        # A target that ignores an unknown name returns the first page for every cursor.
        confirmed_name(live.operation(call.operation), "cursor", live)
        _compare_beginnings(longest, others, live)
        return any(len(set(each.ids) & set(longest.ids)) > 1 for each in others)
    for pagination in paginations:
        if loses(pagination, whole, live):
            confirm_missing(pagination, whole, live)
    return len(whole) > 1 and any(len(set(each.ids)) > 1 for each in whole)


def _compare_beginnings(longest: Pagination, others: Sequence[Pagination], live: Live) -> None:
    """Violation where the beginning of a long list repeatedly lacks records with some limit."""
    for other in others:
        if other.is_whole and loses(other, [longest, other], live):
            confirm_missing(other, [longest, other], live)
        confirm_skipped(other, longest, live)
        confirm_skipped(longest, other, live)
