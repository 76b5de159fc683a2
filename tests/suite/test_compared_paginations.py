"""Paginations that are read concurrently, and values computed from them."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from math import ceil

import httpx
import pytest

from conformance.contract.verdict import Inconclusive
from conformance.http.budget import Budget
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.http.in_process import InProcess
from conformance.reference import ManualClock, Reference
from conformance.runner.depth import DEPTHS
from conformance.runner.session import Session
from conformance.suite import wiring
from conformance.suite.lists.features import ties
from conformance.suite.lists.limits import LIMITS, filling, with_all_limits
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import (
    BEGINNING,
    GROWING,
    PAGE,
    UNSTATED,
    End,
    Pagination,
)
from conformance.suite.lists.repeated_records import repeated
from conformance.target.profile import parse

VIDEOS, PROJECTS = Call("video_list"), Call("project_list")
Fault = Callable[[httpx.URL], bool]


class Watched(InProcess):
    """A reference whose connections fail where a fault says so; `sent` has every path and query."""

    def __init__(self, reference: Reference, clock: ManualClock, fault: Fault) -> None:
        super().__init__(reference.app, clock.advance)
        self.fault = fault
        self.sent: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Run the application, or fail."""
        self.sent.append(request.url.raw_path.decode())
        if self.fault(request.url):
            raise httpx.ConnectError("refused")
        return super().handle_request(request)


@dataclass
class Stage:
    """A target, and the requests to it."""

    live: Live
    transport: Watched

    def read_ahead(self, planned: Sequence[tuple[Call, int]]) -> None:
        """Read lists concurrently."""
        self.live.paginations.read_ahead(self.live.paginations.plan(*each) for each in planned)


@contextmanager
def stage(
    fault: Fault = lambda _: False, depth: str = "standard", **parameters: str | bool
) -> Iterator[Stage]:
    """A fresh reference; `parameters` are those of /reviews in the profile."""
    clock = ManualClock()
    reference = Reference(clock=clock)
    stated = {
        **reference.profile("http://reference.test/v1"),
        "parameters": {"review_list": parameters},
    }
    transport = Watched(reference, clock, fault)
    with (
        closing(
            Session(
                parse(stated, environ={}),
                transport,
                seed=1,
                depth=DEPTHS[depth],
                budget=Budget(requests=None, seconds=None),
            )
        ) as session,
        closing(reference),
    ):
        wiring.prepare(session)
        yield Stage(Live(session.context("item")), transport)


def summary(pagination: Pagination) -> tuple[list[str], End, int]:
    """The records, the end and the number of pages."""
    return pagination.ids, pagination.end, len(pagination.pages)


def test_lists_read_concurrently_equal_lists_read_sequentially() -> None:
    """Both have the same records, pages and ends."""
    planned = [(VIDEOS, 100), (VIDEOS, 50), (PROJECTS, 25), (VIDEOS, 50)]
    with stage() as one, stage() as other:
        one.read_ahead(planned)
        sent = len(one.transport.sent)

        assert [summary(one.live.paginations.read(*each)) for each in planned] == [
            summary(other.live.paginations.read(*each)) for each in planned
        ]
        assert len(one.transport.sent) == sent == len(other.transport.sent)


def test_each_round_has_the_next_page_of_every_list() -> None:
    """Each list numbers its own pages, for replays; complete lists are left out."""
    with stage() as one:
        one.read_ahead([(VIDEOS, 100), (PROJECTS, 50)])
        paginations = [
            one.live.paginations.read(VIDEOS, 100),
            one.live.paginations.read(PROJECTS, 50),
        ]

    assert [[page.number for page in each.pages] for each in paginations] == [[1, 2, 3], [1, 2, 3]]
    assert [query.partition("?")[0] for query in one.transport.sent] == [
        *["/v1/videos", "/v1/projects"] * 3
    ]
    assert [page.purpose for page in paginations[1].pages] == [
        "page 1 (limit=50)",
        "page 2 (limit=50)",
        "page 3 (limit=50)",
    ]


def test_a_pagination_keeps_the_scheme_of_its_first_page() -> None:
    """A cursor may be valid only for the credential that it was issued to."""
    with stage() as one:
        planned = [(call, limit) for call in (VIDEOS, PROJECTS) for limit in (100, 50, 25, 10)]
        one.read_ahead(planned)
        schemes = [
            {page.scheme for page in one.live.paginations.read(*each).pages} for each in planned
        ]

    assert {len(each) for each in schemes} == {1}
    assert set().union(*schemes) == {"bearer", "api-key"}


def test_a_list_that_fails_does_not_affect_others() -> None:
    """The other lists are read; the failed list raises its error for everybody."""
    with stage(lambda url: url.params.get("limit") == "50" and "cursor" in url.params) as one:
        one.read_ahead([(VIDEOS, 50), (PROJECTS, 25)])
        one.transport.fault = lambda _: False

        for _ in range(2):
            with pytest.raises(Inconclusive):
                one.live.paginations.read(VIDEOS, 50)
        assert one.live.paginations.read(PROJECTS, 25).is_whole


def test_a_target_that_stops_responding_is_inconclusive() -> None:
    """Pages that were read before are not used."""
    with stage(lambda url: "cursor" in url.params) as one:
        one.read_ahead([(VIDEOS, 50), (VIDEOS, 25), (VIDEOS, 10), (VIDEOS, 100)])

        with pytest.raises(Inconclusive):
            one.live.paginations.read(VIDEOS, 50)
        one.transport.fault = lambda _: True
        assert one.live.callers.send(PROJECTS).response is None
        with pytest.raises(Inconclusive, match="no longer responds"):
            one.live.callers.send(PROJECTS)


def test_a_list_without_a_cursor_is_not_read_ahead() -> None:
    """The other lists are prefetched."""
    with stage(cursor=False) as one:
        one.read_ahead([(Call("review_list"), 50), (PROJECTS, 50)])

        assert {path.partition("?")[0] for path in one.transport.sent} == {"/v1/projects"}


def test_a_list_is_read_once_by_all_checks() -> None:
    """Reading it for another item sends no request."""
    with stage() as one:
        paginations = with_all_limits(VIDEOS, one.live)
        sent = len(one.transport.sent)
        with_all_limits(VIDEOS, Live(one.live.session.session.context("another item")))

        assert len(one.transport.sent) == sent
        assert [each.limit for each in paginations][: len(LIMITS)] == list(LIMITS)


def test_a_run_of_little_depth_reads_what_clients_choose_first() -> None:
    """The longest page, the page without a limit, and those between."""
    with stage(depth="quick") as one:
        limits = [each.limit for each in with_all_limits(VIDEOS, one.live)]

    assert limits == [PAGE, GROWING, 50, 25, UNSTATED]


def test_only_some_pages_of_a_long_list_are_read() -> None:
    """The depth decides between all pages and the first ones."""
    with stage() as one:
        paginations = {each.limit: each for each in with_all_limits(VIDEOS, one.live)}
        count = len(paginations[100].ids)

        assert {
            size: (each.end, len(each.pages))
            for size, each in paginations.items()
            if size in (7, 1)
        } == {
            7: (End.LAST_PAGE, ceil(count / 7)),
            1: (End.PAGE_COUNT, BEGINNING),
        }
        assert one.live.paginations.again(paginations[1]).ids == paginations[1].ids
        assert one.live.paginations.again(paginations[1], records=count).ids == paginations[100].ids


def test_a_list_that_is_rejected_does_not_affect_others() -> None:
    """This includes lists below its records."""
    with stage(lambda url: url.path.endswith("/projects")) as one:
        paginations = with_all_limits(VIDEOS, one.live)

    longest = paginations[0]
    others = {*filling(len(longest.ids)), *ties(longest.records)[-1:]}
    assert {each.limit for each in paginations} == {*LIMITS, *others}


# --- values computed from paginations ---


def page(*ids: str | None) -> Exchange:
    """A page whose records have these ids; None for a record without one."""
    items = [{} if id is None else {"id": id} for id in ids]
    body = json.dumps({"data": {"items": items, "nextCursor": None}, "requestId": "r"}).encode()
    return Exchange(
        "item", 1, VIDEOS, "", None, None, Request("GET", "", ()), Response(200, (), body)
    )


@pytest.mark.parametrize(
    ("count", "sizes"),
    [
        (0, []),
        (1, []),
        (2, [2]),
        (3, [3]),
        (4, [4]),
        (7, []),
        (10, [5]),
        (26, [26]),
        (50, [5]),
        (53, [53]),
        (99, [99]),
        (100, []),
        (101, []),
        (106, [53]),
        (200, [40]),
        (202, []),
    ],
)
def test_pages_fill_a_list_to_the_last_place(count: int, sizes: list[int]) -> None:
    """The largest limit that is not used yet: a full last page may have a needless cursor."""
    assert filling(count) == sizes


def test_ids_that_occur_more_than_once_are_repeated() -> None:
    """They occur on one page or on several; records without an id are not counted."""
    assert repeated(
        Pagination(
            VIDEOS, 2, (page("c", "b"), page("a", "c"), page("a", None, None)), End.LAST_PAGE
        )
    ) == ["a", "c"]
    assert (
        repeated(Pagination(VIDEOS, 2, (page("c", "b"), page("a", None, None)), End.LAST_PAGE))
        == []
    )
    assert repeated(Pagination(VIDEOS, 2, (), End.LAST_PAGE)) == []


def test_a_pagination_describes_the_size_of_its_pages() -> None:
    """Pages of growing size have no common limit."""
    sizes = [
        Pagination(VIDEOS, limit, (), End.LAST_PAGE).page_size for limit in (7, GROWING, UNSTATED)
    ]
    assert sizes == ["limit=7", "growing pages", "no limit"]


@pytest.mark.parametrize("end", End)
def test_a_pagination_is_whole_at_the_last_page_only(end: End) -> None:
    """A truncated, rejected or circular pagination is not whole."""
    assert Pagination(VIDEOS, 7, (), end).is_whole is (end is End.LAST_PAGE)
