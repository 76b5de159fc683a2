"""Cursors that are used later than at once: of first pages, and behind an approved review."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Defect, Inconclusive, Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.rules.records import record_key
from conformance.runner.facts import fact_name
from conformance.suite.approval.review import Record, Review
from conformance.suite.callers.places import in_data
from conformance.suite.lists.filters import certain_filters
from conformance.suite.lists.live import LISTS, Live
from conformance.suite.lists.pagination import DEFAULT_LIMIT, PAGE

REVIEWS = "review_list"
ROUNDS = 3


@dataclass(frozen=True)
class Later:
    """What the cursor of a page leads to after a while, and that page with one record more.

    `approved` are the ids of the reviews that the run has approved: a list may have moved them.
    """

    page: Exchange
    kept: Exchange
    longer: Exchange
    approved: frozenset[str]

    @property
    def repeated(self) -> set[str]:
        """The records that the page has shown already; where some have moved, of the others."""
        order = self._unchanged if self._has_moved else _order
        return set(order(self.kept)) & set(order(self.page))

    @property
    def missing(self) -> set[str]:
        """The record that follows the page, where the cursor leads elsewhere."""
        is_empty = not self.kept.items and (self._has_moved or self.kept.cursor is not None)
        is_open = is_empty or self.repeated
        return set() if is_open else set(self._following) - set(_order(self.kept))

    @property
    def is_flawed(self) -> bool:
        """Whether records are repeated or left out.

        An aged cursor may be rejected, and what others have changed before it may move what follows
        it. What the run has approved may move; what it has left as it was is no less listed, and
        shows that nobody else has moved anything.
        """
        is_served = self.kept.status == self.longer.status == 200
        page, longer = self._unchanged(self.page), self._unchanged(self.longer)
        is_as_before = longer[: len(page)] == page and bool(page or not self._has_moved)
        return is_served and is_as_before and bool(self.repeated | self.missing)

    @property
    def _has_moved(self) -> bool:
        return _order(self.longer)[: len(self.page.items)] != _order(self.page)

    @property
    def _following(self) -> list[str]:
        if not self._has_moved:
            return _order(self.longer)[len(self.page.items) :]
        return self._unchanged(self.longer)[len(self._unchanged(self.page)) :][:1]

    def _unchanged(self, page: Exchange) -> list[str]:
        return [id for id in _order(page) if id not in self.approved]


def pages_up_to(review: Review, scheme: str, live: Live) -> tuple[Exchange, ...]:
    """The pages, of all reviews and under each filter, that end with a review and lead on."""
    sending = Sending(live.callers.credential("primary"), scheme, "a cursor behind the review")
    with suppress(Inconclusive):
        calls = list(_calls_up_to(review, live))
        pages = live.callers.send_each([(call, sending) for call in calls])
        return tuple(page for page in pages if page.cursor and _ends_with(page, review.id))
    return ()


def _calls_up_to(review: Review, live: Live) -> Iterator[Call]:
    records = live.listing(REVIEWS).records
    for filters in ({}, *_filters(review.record, live)):
        names = dict(filters.values())
        passing = [record for record in records if names.items() <= record.items()]
        ids = list(map(record_key, passing))
        number = ids.index(review.id.lower()) + 1 if review.id.lower() in ids else len(ids)
        if number < min(len(ids), PAGE):
            own = {name: id for name, (_, id) in filters.items()}
            yield Call(REVIEWS).asking(limit=str(number), **own)


def _filters(record: Record, live: Live) -> Iterator[dict[str, tuple[str, str]]]:
    """The filters that a review passes: their names, what each restricts, and to which id."""
    for name, restricted in certain_filters(live.operation(REVIEWS), live):
        if is_uuid(record.get(restricted)):
            yield {name: (restricted, record[restricted])}


def first_pages(live: Live) -> Iterator[Exchange]:
    """The first pages of the lists, as they were read before any approval."""
    for id in LISTS.values():
        with suppress(Inconclusive):
            page = live.paginations.read(Call(id), DEFAULT_LIMIT).pages[0]
            if page.cursor:
                yield page


def used_later(page: Exchange, live: Live) -> Later | None:
    """A cursor that keeps repeating or leaving out records: a fact of the run; None otherwise."""
    return live.fact(fact_name("kept-cursor", page.id), lambda own: _used_later(page, own))


def is_repeatable(page: Exchange, live: Live) -> bool:
    """Whether the cursor of a page shows the same further records each time that it is used."""
    call = page.call.asking(**_onward(page, live))
    first, second = (_sent(call, page, live) for _ in range(2))
    is_alike = first.status == second.status == 200 and _order(first) == _order(second)
    return is_alike and set(_order(first)).isdisjoint(_order(page))


def _used_later(page: Exchange, live: Live) -> Later | None:
    patience = live.session.lag.patience
    latest, age = page, patience
    for _ in range(ROUNDS):
        # Each time, since a response may make the cursor a new one.
        live.session.wait_after(latest, age)
        later = _followed(page, live)
        if not later.is_flawed:
            return None
        latest, age = later.longer, 2 * patience  # it may have been older than the shortest wait
    is_blamed = _is_right_at_once(later.longer, live) and not _has_aged(later, live)
    return later if is_blamed else None


def _has_aged(later: Later, live: Live) -> bool:
    """Whether a cursor leads nowhere, as an unknown one may, and a new one for its place leads on.

    A target may take a cursor that it has forgotten for an unknown one.
    """
    if later.kept.items:
        return False
    again = _sent(later.page.call, later.page, live)
    return again.cursor is not None and not _followed(again, live).is_flawed


def _is_right_at_once(page: Exchange, live: Live) -> bool:
    """Whether a cursor that was just issued, one record later, leads on each time it is used.

    A cursor may be a position of the target's, which each use moves on.
    """
    if page.cursor is None:
        return False
    return not any(_followed(page, live).is_flawed for _ in range(2))


def _followed(page: Exchange, live: Live) -> Later:
    """What the cursor of a page leads to now, and the page with one record more."""
    following = page.call.asking(**_onward(page, live))
    longer = page.call.asking(limit=str(len(page.items) + 1))
    kept, approved = _sent(following, page, live, fresh=True), frozenset(live.session.approved)
    return Later(page, kept, _sent(longer, page, live), approved)


def _onward(page: Exchange, live: Live) -> dict[str, str | None]:
    name = str(live.session.name(live.operation(page.operation), "cursor"))
    return {name: page.cursor}


def _sent(call: Call, page: Exchange, live: Live, *, fresh: bool = False) -> Exchange:
    """A cursor may be used on another connection than that on which it was issued."""
    credential = live.callers.credential(str(page.credential))
    sending = Sending(credential, page.scheme, "a cursor, well after", fresh=fresh)
    return live.session.client.send(call, sending)


def describe(later: Later, ids: set[str], kind: Kind) -> Defect:
    """Records that a cursor repeats or leaves out some time after it was issued."""
    text = {
        Kind.REPEATED: "a cursor that is used later shows {n} of its page again",
        Kind.OMITTED: "a cursor that is used later leaves out {n} of those that follow",
    }[kind]
    found = defect(kind, text, expected="the records that follow", actual=len(ids), n=len(ids))
    return found.on("nextCursor").at(in_data(later.kept, "items"))


def _order(page: Exchange) -> list[str]:
    return list(map(record_key, page.items))


def _ends_with(page: Exchange, id: str) -> bool:
    return page.status == 200 and _order(page)[-1:] == [id.lower()]
