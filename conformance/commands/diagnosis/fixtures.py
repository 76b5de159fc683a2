"""The records and addresses of a profile, read as primary."""

from collections.abc import Iterator, Mapping, Sequence

from conformance.commands.diagnosis.complaint import Complaint
from conformance.contract import api
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.suite.lists.live import Live
from conformance.suite.lists.published import fetch_description
from conformance.suite.tools.toolbox import Toolbox

MOST_REVIEWS = 10
"""Reviews of each list that are read; the others are like them."""


def complaints(live: Live) -> Iterator[Complaint]:
    """What is wrong with the fixtures, and with the addresses of the other interfaces."""
    target = live.session.target
    if "primary" in target.credentials:
        yield from _unreadable(live, "foreign", target.fixtures.foreign)
        yield from _unreadable(live, "ungranted", target.fixtures.ungranted)
        for approvable, ids in (
            (True, target.fixtures.approvable_reviews),
            (False, target.fixtures.unapprovable_reviews),
        ):
            yield from _reviews(live, ids, approvable=approvable)
        if target.tools_url is not None:
            yield from _tools(live)
    if target.description_url is not None:
        yield from _description(live)


def _read(live: Live, kind: str, ids: Sequence[str]) -> list[Exchange]:
    """The responses to reading records of a kind by their ids."""
    parameter = next(name for name, of in api.load().id_kinds.items() if of == kind)
    calls = [Call(api.load().readers[parameter], {parameter: id}) for id in ids]
    return live.callers.send_all(calls, "is the fixture as it should be?")


def _unreadable(live: Live, group: str, ids: Mapping[str, str]) -> Iterator[Complaint]:
    """Records outside the grant of primary: it cannot read them."""
    for kind, id in ids.items():
        if kind not in api.load().id_kinds.values():
            continue  # a company has no operation
        for response in _read(live, kind, [id]):
            if response.status == 200:
                remedy = f"write a {kind} outside the grant of primary"
                yield Complaint(f"fixtures.{group}.{kind}", "primary can read it", remedy)


def _reviews(live: Live, ids: Sequence[str], *, approvable: bool) -> Iterator[Complaint]:
    """Reviews that primary reads, and that say that they can, or cannot, be approved."""
    key = "approvable-reviews" if approvable else "unapprovable-reviews"
    for index, response in enumerate(_read(live, "review", ids[:MOST_REVIEWS])):
        stated = response.data.get("approvable") if isinstance(response.data, dict) else None
        place = f"fixtures.{key}[{index}]"
        if response.status != 200:
            problem = f"review_get returns {response.describe()}"
            yield Complaint(place, problem, "write a review that primary can read")
        elif stated is not None and stated is not approvable:
            yield Complaint(place, f"has approvable {str(stated).lower()}", "write another review")


def _tools(live: Live) -> Iterator[Complaint]:
    try:
        tools = Toolbox(live).tools
    except Inconclusive as problem:
        yield Complaint("tools.url", problem.message, "write the address of the tool interface")
        return
    missing = [id for id in live.session.contract.operations if id not in tools]
    if missing:
        lacking = f"has no tool {', '.join(missing)}"
        yield Complaint("tools.url", lacking, "look whether it is the right interface")


def _description(live: Live) -> Iterator[Complaint]:
    try:
        response = fetch_description(live)
    except Inconclusive as problem:
        yield Complaint("description.url", problem.message, "write its own address")
        return
    if response.status != 200:
        problem_text = f"returns {response.describe()}"
        yield Complaint("description.url", problem_text, "write the address of the document")
