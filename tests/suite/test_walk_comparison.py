"""Walks side by side: the same walks as one after the other, each by the scheme of its first page, and none at another's expense."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from math import ceil

import httpx
import pytest

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.http.transport import InProcess
from conformance.reference import ManualClock, Reference
from conformance.runner.depth import DEPTHS
from conformance.runner.session import Session
from conformance.suite.lists.live import Live
from conformance.suite.lists.walk import BEGINNING, GROWING, UNSTATED, Walk
from conformance.suite.lists.walk_comparison import SIZES, filling, repeated, sized, values
from conformance.target.profile import parse

VIDEOS, PROJECTS = Call("video_list"), Call("project_list")
Fault = Callable[[httpx.URL], bool]


class Watched(InProcess):
    """A reference whose answers fail where a fault says so; `sent` are the paths and queries of all requests."""

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
    """A target with what was sent to it, and what is known of it."""

    live: Live
    transport: Watched

    def ahead(self, planned: Sequence[tuple[Call, int]]) -> None:
        """Walk side by side what is planned."""
        self.live.walk_ahead(self.live.route(*each) for each in planned)


@contextmanager
def stage(fault: Fault = lambda _: False, **parameters: str | bool) -> Iterator[Stage]:
    """A fresh reference; `parameters` are what the profile says of those of /reviews."""
    clock = ManualClock()
    reference = Reference(clock=clock)
    stated = {
        **reference.profile("http://reference.test/v1"),
        "parameters": {"review_list": parameters},
    }
    transport = Watched(reference, clock, fault)
    with (
        closing(
            Session(parse(stated, environ={}), transport, seed=1, depth=DEPTHS["quick"])
        ) as session,
        closing(reference),
    ):
        session.begin("item")
        yield Stage(Live(session), transport)


def shown(walk: Walk) -> tuple[list[str], str, int]:
    """What a walk came to, however it was made."""
    return walk.ids, walk.end, len(walk.pages)


def test_walks_side_by_side_are_those_made_one_after_the_other() -> None:
    """The same records, pages and ends."""
    planned = [(VIDEOS, 100), (VIDEOS, 50), (PROJECTS, 25), (VIDEOS, 50)]
    with stage() as one, stage() as other:
        one.ahead(planned)
        sent = len(one.transport.sent)

        assert [shown(one.live.walk(*each)) for each in planned] == [
            shown(other.live.walk(*each)) for each in planned
        ]
        assert len(one.transport.sent) == sent == len(other.transport.sent)


def test_each_round_has_the_next_page_of_every_walk() -> None:
    """Numbered in the order of the walks, so that a run can be repeated against its recording; who is at the end drops out."""
    with stage() as one:
        one.ahead([(VIDEOS, 100), (PROJECTS, 50)])
        walks = [one.live.walk(VIDEOS, 100), one.live.walk(PROJECTS, 50)]

    assert [[page.number for page in walk.pages] for walk in walks] == [[1, 3, 5], [2, 4, 6]]
    assert [page.purpose for page in walks[1].pages] == [
        "page 1 of 50",
        "page 2 of 50",
        "page 3 of 50",
    ]


def test_a_walk_keeps_the_scheme_of_its_first_page() -> None:
    """A cursor may be good for nobody but the credential that it was issued to."""
    with stage() as one:
        one.ahead([(VIDEOS, 50), (PROJECTS, 50)])
        schemes = [
            {page.scheme for page in one.live.walk(call, 50).pages} for call in (VIDEOS, PROJECTS)
        ]

    assert schemes == [{"bearer"}, {"api-key"}]


def test_a_walk_that_fails_spoils_no_other_one() -> None:
    """The others are kept, and whoever asks for this one learns of it."""
    with stage(lambda url: url.params.get("limit") == "50" and "cursor" in url.params) as one:
        one.ahead([(VIDEOS, 50), (PROJECTS, 25)])
        kept = [one.live.has_walked(VIDEOS, 50), one.live.has_walked(PROJECTS, 25)]
        with pytest.raises(Inconclusive):
            one.live.walk(VIDEOS, 50)
        one.transport.fault = lambda _: False

        assert kept == [False, True]
        assert one.live.walk(VIDEOS, 50).is_whole


def test_a_target_that_falls_silent_is_left_alone() -> None:
    """What was read until then is kept for nobody to judge, and nobody is blamed."""
    with stage(lambda url: "cursor" in url.params) as one:
        one.ahead([(VIDEOS, 50), (VIDEOS, 25), (VIDEOS, 10), (VIDEOS, 100)])
        one.ahead([(VIDEOS, 50)])

        assert not one.live.has_walked(VIDEOS, 50)
        with pytest.raises(Inconclusive, match="no longer responds"):
            one.live.walk(VIDEOS, 50)


def test_a_list_without_a_cursor_is_not_walked_ahead() -> None:
    """The others are."""
    with stage(cursor=False) as one:
        one.ahead([(Call("review_list"), 50), (PROJECTS, 50)])

        assert [one.live.has_walked(call, 50) for call in (Call("review_list"), PROJECTS)] == [
            False,
            True,
        ]


def test_walking_one_list_walks_all_of_them() -> None:
    """Whoever asks for another one sends nothing but what its own data take."""
    with stage() as one:
        sized(PROJECTS, one.live)
        sent = len(one.transport.sent)
        walks = sized(VIDEOS, one.live)

        assert len(one.transport.sent) == sent
        assert [walk.limit for walk in walks][: len(SIZES)] == list(SIZES)


def test_of_a_list_that_is_too_long_some_pages_are_read() -> None:
    """As many as the depth allows where that is all of it, and the first ones where not; once more it is walked as far, or to its end."""
    with stage() as one:
        walks = {walk.limit: walk for walk in sized(VIDEOS, one.live)}
        count = len(walks[100].ids)

        assert {
            size: (walk.end, len(walk.pages)) for size, walk in walks.items() if size in (7, 3, 1)
        } == {
            7: ("end", ceil(count / 7)),
            3: ("bound", BEGINNING),
            1: ("bound", BEGINNING),
        }
        assert one.live.again(walks[3]).ids == walks[3].ids
        assert one.live.again(walks[3], records=count).ids == walks[100].ids


def test_a_list_that_is_refused_holds_up_no_other_one() -> None:
    """Also where it is the one that other lists lie below."""
    with stage(lambda url: url.path.endswith("/projects")) as one:
        walks = sized(VIDEOS, one.live)

    assert {walk.limit for walk in walks} == {*SIZES, *filling(len(walks[0].ids))}


# --- what is read of walks -----------------------------------------------------------------------------------------------


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
        (3, []),
        (4, [4]),
        (7, []),
        (10, [5]),
        (26, [26]),
        (50, [5]),
        (53, [53]),
        (99, [99]),
        (100, [20]),
        (101, []),
        (106, [53]),
        (200, [40]),
        (202, [2]),
    ],
)
def test_pages_fill_a_list_to_the_last_place(count: int, sizes: list[int]) -> None:
    """The longest ones that no other walk has; a cursor after a full last page leads to nothing."""
    assert filling(count) == sizes


def test_what_a_walk_shows_more_than_once_is_repeated() -> None:
    """On one page or on several; records without an id are not told apart."""
    assert repeated(
        Walk(VIDEOS, 2, (page("c", "b"), page("a", "c"), page("a", None, None)), "end")
    ) == ["a", "c"]
    assert repeated(Walk(VIDEOS, 2, (page("c", "b"), page("a", None, None)), "end")) == []
    assert repeated(Walk(VIDEOS, 2, (), "end")) == []


def test_a_walk_says_how_long_its_pages_are_and_whether_it_came_to_the_end() -> None:
    """Those that grow have no one length."""
    assert [Walk(VIDEOS, limit, (), "end").told for limit in (7, GROWING, UNSTATED)] == [
        "limit 7",
        "pages that grow",
        "no limit",
    ]
    assert [
        Walk(VIDEOS, 7, (), end).is_whole
        for end in ("end", "loop", "bound", "refused", "malformed")
    ] == [True] + [False] * 4


def test_some_values_of_a_member_are_tried() -> None:
    """Those of the first and the last record, and the rarest ones at both ends; each once."""
    names = ["b", "d", "d", "c", "e", "e", "e", "a", "f", "f", "d", "b"]
    records = [{"name": name} for name in names]
    assert values(records, "name") == ["b", "a", "d", "e"]
    assert values(records, "name", every=True) == names
    assert values([{"name": "a"}, {"name": "a"}], "name") == ["a"]


@pytest.mark.parametrize("every", [False, True])
def test_only_strings_are_values_to_try(every: bool) -> None:
    """A member may be absent, or of a wrong type."""
    assert values(
        [{}, {"name": None}, {"name": 7}, {"name": "a"}, {"other": "b"}], "name", every=every
    ) == ["a"]
    assert values([], "name", every=every) == []
