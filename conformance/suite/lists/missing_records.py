"""Records that a list lacks with some limit."""

from collections.abc import Sequence

from conformance.contract.verdict import Kind, defect
from conformance.http.sending import Sending
from conformance.rules.records import record_key
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.lists.changing_lists import (
    RESTLESS,
    ROUNDS,
    are_at_rest,
    desynchronize,
    updated,
)
from conformance.suite.lists.live import Live, reading_of
from conformance.suite.lists.pagination import End, Pagination
from conformance.suite.lists.parts import skipped
from conformance.suite.lists.repeated_records import some_ids

MOST_READ = 5
"""Missing records that are read by their ids."""
LACKED = "a record that the list lacks"
OUTSIDER = "outsider"


def loses(pagination: Pagination, whole: Sequence[Pagination], live: Live) -> bool:
    """Whether a pagination lacks records that complete ones of the same list show.

    One that was not read to its end lacks records if it begins with others than they do.
    """
    if pagination.is_whole:
        missing = _granted(whole, live, beside=frozenset(pagination.ids))
        return len(missing) > pagination.without_id
    if pagination.end is not End.PAGE_COUNT or not whole or pagination.without_id:
        return False
    beginning = whole[0].ids[: len(pagination.ids)]
    return set(pagination.ids) != set(beginning)


def _granted(
    paginations: Sequence[Pagination], live: Live, beside: frozenset[str] = frozenset()
) -> set[str]:
    """The ids of all records inside the grant, beside some that are known.

    Records outside primary's grant violate requirements of authorization, or are the outsider's.
    """
    return {
        key
        for pagination in paginations
        if not beside.issuperset(pagination.ids)  # else its pages would be parsed for nothing
        for listed in pagination.listed
        if (key := record_key(listed.record)) not in beside
        and (
            pagination.pages[0].credential == OUTSIDER
            or not live.is_outside(listed.record, pagination.call.operation)
        )
    }


def confirm_missing(pagination: Pagination, whole: Sequence[Pagination], live: Live) -> None:
    """Violation where a pagination repeatedly lacks records that others show before and after it.

    Once a list has changed, they have to be the same records: it may look at rest by chance.
    """
    everything = _granted(whole, live)
    missing = everything - set(pagination.ids)
    if not _within_reach(pagination, missing, whole, live):  # before it is read time and again
        return
    is_at_rest = True
    for number in range(RESTLESS):
        desynchronize(pagination.call, number, live)
        again = live.paginations.again(pagination, records=len(everything))
        before = [other for other in whole if missing & set(other.ids)]
        after = [live.paginations.again(other) for other in before]
        shown = everything & {id for other in after for id in other.ids}
        is_at_rest = is_at_rest and are_at_rest([pagination, *before], [again, *after])
        candidates = shown if is_at_rest else shown & missing
        missing = candidates - set(again.ids) - updated([*before, *after])
        if len(missing) <= again.without_id or not again.is_whole:
            return
        if is_at_rest and number >= ROUNDS:
            break
    _report_missing(again, _within_reach(again, missing, after, live))


def confirm_skipped(pagination: Pagination, other: Pagination, live: Live) -> None:
    """Violation where the beginning of a long list repeatedly lacks records that another one has.

    In a list that changes, they have to be the same records.
    """
    missing = skipped(pagination, other)
    for number in range(ROUNDS + 1):
        if not missing:
            return
        desynchronize(pagination.call, number, live)
        again, beside = live.paginations.again(pagination), live.paginations.again(other)
        missing &= skipped(again, beside)
        missing -= updated([pagination, other, again, beside])
        if len(missing) <= again.without_id:
            return
    _report_missing(again, _within_reach(again, missing, [beside], live))


def _within_reach(
    pagination: Pagination, missing: set[str], others: Sequence[Pagination], live: Live
) -> set[str]:
    """Those of the missing records that the same scheme lists with another limit, or that it reads.

    Access is further limited by the credential (Authentication): one of primary's may reach fewer
    records than the other, and its list lacks none that cannot be read by its id either.
    """
    scheme = pagination.pages[0].scheme
    listed = {id for each in others if each.pages[0].scheme == scheme for id in each.ids}
    if missing & listed:
        return missing & listed
    calls = [reading_of(pagination.call.operation, id) for id in sorted(missing)[:MOST_READ]]
    sending = Sending(live.callers.credential("primary"), scheme, LACKED)
    responses = live.callers.send_each([(call, sending) for call in calls if call is not None])
    is_beyond = responses and all(response.status in (403, 404) for response in responses)
    return set() if is_beyond else missing


def _report_missing(pagination: Pagination, ids: set[str]) -> None:
    if not ids:
        return
    text = "1 record is missing with {size}: {ids}"
    last = pagination.pages[-1]
    expect.violated(
        defect(
            Kind.OMITTED,
            text if len(ids) == 1 else "{n} records are missing with {size}: {ids}",
            expected="the records that other limits return",
            actual=len(ids),
            n=len(ids),
            size=pagination.page_size,
            ids=some_ids(ids),
        ).at(in_data(last, "items")),
        last,
    )
